/**
 * Model files on this machine: builds the core pack, installs the extended one, and provides verified bytes. Never
 * provides a file whose hash differs from the manifest, and never downloads anything.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertModel, isConvertible } from '../../models/convert/convert.ts'
import { AppError } from '../errors.ts'
import { makePublicFolder } from '../files/public-folder.ts'
import { readGivenFile } from '../files/read-file.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'
import type { Manifest, ModelEntry, Pack } from './manifest.ts'
import { MODELS_SOURCE_DIR } from './manifest.ts'

/** Far above any model in the manifest. */
export const LARGEST_MODEL = 512 * 1024 * 1024
/** A download folder may contain links; the hash decides. */
const GIVEN = { mostBytes: LARGEST_MODEL, mayBeLink: true }

/** Folder of converted and installed models, unless COUNTERPROOF_MODELS sets another. */
export function defaultModelsDir(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.COUNTERPROOF_MODELS || fileURLToPath(new URL('../../out/models', import.meta.url)))
}

/** node_modules folders that npm may use, nearest first. */
const PACKAGE_FOLDERS = createRequire(import.meta.url).resolve.paths('package') ?? []

/**
 * `file` begins with the package's name. A package may be installed above the product; a missing one resolves to the
 * nearest folder.
 */
function packageFile(file: string): string {
  const paths = PACKAGE_FOLDERS.map((folder) => join(folder, file))
  return paths.find((path) => existsSync(path)) ?? paths[0]
}

/**
 * Committed models are in the source tree, package files in node_modules, converted models in the models folder,
 * installed ones in its subfolder `extended`.
 */
export function locateModel(entry: ModelEntry, modelsDir: string): string {
  switch (entry.source) {
    case 'committed':
      return join(MODELS_SOURCE_DIR, entry.file)
    case 'package':
      return packageFile(entry.file)
    case 'converted':
      return join(modelsDir, entry.file)
    case 'installed':
      return join(modelsDir, 'extended', entry.file)
  }
}

export const computeSha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function readIfThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch(nullIfMissing)
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

/** Returns the file's bytes, or `refused` if the hash differs from the manifest. */
export async function readModel(
  entry: ModelEntry,
  modelsDir: string,
): Promise<Buffer | 'missing' | 'refused'> {
  const bytes = await readIfThere(locateModel(entry, modelsDir))
  if (!bytes) return 'missing'
  return computeSha256(bytes) === entry.sha256 ? bytes : 'refused'
}

export type ModelState = 'ready' | 'missing' | 'refused'

/** State of one entry on this machine; `refused` means another hash. */
export async function checkModel(entry: ModelEntry, modelsDir: string): Promise<ModelState> {
  const found = await readModel(entry, modelsDir)
  return typeof found === 'string' ? found : 'ready'
}

/** Models contain nothing private, and several users may share a checkout. */
function writeModel(path: string, bytes: Uint8Array): void {
  makePublicFolder(dirname(path))
  writeFileWhole(path, bytes, { ...IN_OUR_FOLDER, mode: 0o644 })
}

/**
 * Converts missing core models and returns their ids. Keeps a file with another hash: loading refuses it, and the
 * operator decides. Throws `configuration_invalid` if a conversion yields other bytes than pinned, unless `refuse`
 * accepts it.
 */
export async function buildCorePack(
  manifest: Manifest,
  modelsDir: string,
  refuse: (entry: ModelEntry, error: AppError) => void = (_, error) => {
    throw error
  },
): Promise<string[]> {
  const built: string[] = []
  for (const entry of manifest.models) {
    if (entry.source !== 'converted' || existsSync(locateModel(entry, modelsDir))) continue
    if (!isConvertible(entry.id)) throw new TypeError(`no recipe for ${entry.id}`)
    const bytes = await convertModel(entry.id)
    const found = computeSha256(bytes)
    if (found === entry.sha256) {
      writeModel(locateModel(entry, modelsDir), bytes)
      built.push(entry.id)
    } else {
      const [model, expectedSha256, foundSha256] = [entry.id, entry.sha256, found]
      const details = { reason: 'model_conversion_differs', model, expectedSha256, foundSha256 }
      refuse(entry, new AppError('configuration_invalid', details))
    }
  }
  return built
}

type InstallOutcome = 'installed' | 'already_there' | 'not_found' | 'hash_mismatch'

/** Copies one extended model from a folder if its hash is the pinned one. */
export async function installModel(
  entry: ModelEntry,
  from: string,
  modelsDir: string,
): Promise<InstallOutcome> {
  if ((await checkModel(entry, modelsDir)) === 'ready') return 'already_there'
  const bytes = await readGivenFile(join(from, entry.file), GIVEN).catch(nullIfMissing)
  if (!bytes) return 'not_found'
  if (computeSha256(bytes) !== entry.sha256) return 'hash_mismatch'
  writeModel(locateModel(entry, modelsDir), bytes)
  return 'installed'
}

/** True if a file of the pack is absent. Reads no file: a damaged one is found when the worker opens it. */
export const lacksModels = (manifest: Manifest, pack: Pack, modelsDir: string): boolean =>
  manifest.models.some((entry) => entry.pack === pack && !existsSync(locateModel(entry, modelsDir)))

/** The packs whose models are all ready. */
export async function installedPacks(manifest: Manifest, modelsDir: string): Promise<Pack[]> {
  const complete = async (pack: Pack): Promise<boolean> => {
    const states = manifest.models
      .filter((entry) => entry.pack === pack)
      .map((entry) => checkModel(entry, modelsDir))
    return (await Promise.all(states)).every((state) => state === 'ready')
  }
  const packs: Pack[] = []
  if (await complete('core')) packs.push('core')
  if (await complete('extended')) packs.push('extended')
  return packs
}
