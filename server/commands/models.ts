/**
 * `npm run models`: builds the core models, downloads the extended ones or installs them from a folder, pins our own, and
 * lists them.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AppError } from '../errors.ts'
import { readEngineMounts } from '../open-engines.ts'
import type { EngineMounts } from '../vision/engines/engine-manifest.ts'
import { findOnnxFault } from '../vision/engines/onnx-engines.ts'
import { readConfig } from './appliance.ts'
import { downloadModel, type DownloadOutcome, type PublishedModel } from './download-model.ts'
import { openTerminal } from './terminal.ts'
import type { Manifest, ModelEntry } from '../vision/manifest.ts'
import { MANIFEST_PATH, readManifest } from '../vision/manifest.ts'
import {
  buildCorePack,
  defaultModelsDir,
  installModel,
  installedPacks,
  locateModel,
  computeSha256,
  checkModel,
  type ModelState,
} from '../vision/packs.ts'

const HELP = `Usage: npm run models [-- COMMAND] [OPTIONS]

Without a command: builds the core models that are missing and lists the state of all models.

Commands
  download             installs the extended models from their public repositories, each after its SHA-256 was verified;
                       continues what was interrupted; uses the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY
  pin                  writes the hashes of our own committed models (models/ocrb, models/document) into models/manifest.json

Options
  --from DIR|URL       takes the files from this folder or mirror instead; their names are those of models/manifest.json
  --accept-licences    accepts the licences of the extended models without asking
  --models-dir DIR     folder of built and installed models (default: out/models, or COUNTERPROOF_MODELS)
  --data DIR           data folder whose config.json may mount other engines (default as for npm start)
  --json               prints one JSON object
  --help               prints this text

Example: npm run models -- download --accept-licences
`
const say = (text: string): void => void process.stderr.write(`${text}\n`)

interface EngineLine {
  readonly id: string
  readonly version: string
  readonly sha256: string
  /** `service`: an HTTP service, which this command does not call. */
  readonly state: ModelState | 'service'
  readonly folder: string
  /** Why it is refused; null: it is not. */
  readonly fault: string | null
}

/** The engines that the configuration of the data folder mounts; null: ours. */
async function describeEngines(
  data: string | undefined,
): Promise<Readonly<Record<keyof EngineMounts, EngineLine | null>>> {
  const { faceMatching, attackDetection } = readEngineMounts(readConfig({ data }))
  const line = async (mount: EngineMounts[keyof EngineMounts]): Promise<EngineLine | null> => {
    if (!mount) return null
    const { folder, manifest } = mount
    const { id, version, runtime } = manifest
    const fault = await findOnnxFault(mount)
    const state = runtime.type === 'http' ? 'service' : fault === null ? 'ready' : 'refused'
    return { id, version, sha256: runtime.sha256, state, folder, fault }
  }
  return { faceMatching: await line(faceMatching), attackDetection: await line(attackDetection) }
}

const ENGINE_WORDS: Readonly<Record<keyof EngineMounts, string>> = {
  faceMatching: 'faces are compared by',
  attackDetection: 'attacks in single pictures are detected by',
}

async function describe(manifest: Manifest, modelsDir: string, data: string | undefined) {
  const models = await Promise.all(
    manifest.models.map(async (entry) => ({
      id: entry.id,
      version: entry.version,
      pack: entry.pack,
      role: entry.role,
      state: await checkModel(entry, modelsDir),
      sha256: entry.sha256,
      licence: entry.licence,
      file: locateModel(entry, modelsDir),
    })),
  )
  return {
    modelsDir,
    packs: await installedPacks(manifest, modelsDir),
    models,
    engines: await describeEngines(data),
  }
}

const isPublished = (entry: ModelEntry): entry is PublishedModel =>
  entry.source === 'installed' && entry.download !== undefined

/** Tells what each licence asks and what the network was trained on. Null if the question got no yes. */
async function acceptLicences(models: readonly PublishedModel[]): Promise<boolean> {
  say('These models are not part of the product. Their licences and training data:')
  for (const { id, licence, trainingData, download } of models)
    say(`  ${id} (${download.repository}): ${licence}. Trained on: ${trainingData ?? 'not known'}.`)
  if (!process.stdin.isTTY) {
    say('Nothing was downloaded. Repeat the command with --accept-licences to accept them.')
    return false
  }
  const terminal = openTerminal()
  try {
    return (await terminal.ask('Type yes to accept these licences:')).toLowerCase() === 'yes'
  } finally {
    terminal.close()
  }
}

async function installAll(
  models: readonly PublishedModel[],
  from: string | null,
  modelsDir: string,
): Promise<boolean> {
  let isComplete = true
  for (const entry of models) {
    const { id, download } = entry
    const result = await installOne(entry, from, modelsDir)
    say(`${id}: ${describeOutcome(result, entry)}`)
    if (result.kind !== 'installed' && result.kind !== 'already_there') isComplete = false
    else if (result.kind === 'installed') say(`  ${download.bytes} bytes, SHA-256 as pinned`)
  }
  if (!isComplete) say('Not all models are installed. Repeat the command: it continues where it stopped.')
  return isComplete
}

type Outcome = DownloadOutcome | { readonly kind: 'not_found' }

async function installOne(entry: PublishedModel, from: string | null, modelsDir: string): Promise<Outcome> {
  if (from === null || isAddress(from))
    return downloadModel(entry, { modelsDir, mirror: from, onProgress: showProgress(entry) })
  return { kind: await installModel(entry, resolve(from), modelsDir) }
}

const isAddress = (from: string): boolean => /^https?:\/\//.test(from)

/** One line that is written over, on a terminal only. */
function showProgress({ id, download }: PublishedModel): ((bytes: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined
  return (bytes) => process.stderr.write(`\r${id}: ${Math.round((100 * bytes) / download.bytes)} % \r`)
}

function describeOutcome(result: Outcome, { file }: PublishedModel): string {
  switch (result.kind) {
    case 'installed':
      return 'installed'
    case 'already_there':
      return 'already installed'
    case 'not_found':
      return `the folder has no file ${file}`
    case 'hash_mismatch':
      return 'refused: the file is not the pinned one (another SHA-256)'
    case 'too_large':
      return 'refused: the file is larger than the pinned one'
    case 'interrupted':
      return `not complete (${result.reason})`
  }
}

/** Returns the manifest's text with new hashes for some models; every other byte stays. */
export function repin(text: string, pins: readonly { entry: ModelEntry; sha256: string }[]): string {
  let pinned = text
  for (const { entry, sha256 } of pins) {
    const block = new RegExp(`("id": "${entry.id}",[^{}]*?"sha256": ")[0-9a-f]*(")`)
    if (!block.test(pinned)) throw new TypeError(`no pin for ${entry.id}`)
    pinned = pinned.replace(block, `$1${sha256}$2`)
  }
  return pinned
}

async function pin(manifest: Manifest, modelsDir: string): Promise<void> {
  const pins: { entry: ModelEntry; sha256: string }[] = []
  for (const entry of manifest.models.filter(({ source }) => source === 'committed')) {
    const bytes = await readFile(locateModel(entry, modelsDir)).catch(() => null)
    if (!bytes) {
      say(`${entry.id}: no file`)
      continue
    }
    const sha256 = computeSha256(bytes)
    say(`${entry.id}: ${sha256 === entry.sha256 ? 'unchanged' : `now ${sha256}`}`)
    pins.push({ entry, sha256 })
  }
  await writeFile(MANIFEST_PATH, repin(await readFile(MANIFEST_PATH, 'utf8'), pins))
}

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      'accept-licences': { type: 'boolean', default: false },
      'models-dir': { type: 'string' },
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [command] = positionals
  const wrongCall =
    (command !== undefined && command !== 'pin' && command !== 'download') || values.from === ''
  if (wrongCall) {
    say(HELP)
    return 2
  }

  const modelsDir = values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir()
  let complete = true
  try {
    if (command === 'pin') await pin(readManifest(), modelsDir)
    for (const id of await buildCorePack(readManifest(), modelsDir)) say(`${id}: built`)
    if (command === 'download') {
      const models = readManifest().models.filter(isPublished)
      if (!values['accept-licences'] && !(await acceptLicences(models))) return 2
      complete = await installAll(models, values.from ?? null, modelsDir)
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    say(`${error.code}: ${JSON.stringify(error.details)}`)
    return 1
  }

  const report = await describe(readManifest(), modelsDir, values.data)
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`)
  else {
    say(`models folder ${modelsDir}; complete packs: ${report.packs.join(', ') || 'none'}`)
    for (const { id, pack, role, state } of report.models)
      say(`${state.padEnd(8)} ${pack.padEnd(9)} ${id.padEnd(22)} ${role}`)
    for (const [role, engine] of Object.entries(report.engines)) {
      const by = engine
        ? `${engine.id} ${engine.version} (${engine.state}, ${engine.folder})${engine.fault === null ? '' : `: ${engine.fault}`}`
        : 'these models'
      say(`${ENGINE_WORDS[role as keyof EngineMounts]} ${by}`)
    }
  }
  const parts = [...report.models, ...Object.values(report.engines)]
  return complete && parts.every((part) => part?.state !== 'refused') ? 0 : 1
}
