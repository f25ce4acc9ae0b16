/**
 * `npm run models`: builds the core models, installs the extended ones from a folder, pins our own, and lists
 * them. Downloads nothing.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AppError } from '../errors.ts'
import type { Manifest, ModelEntry } from '../vision/manifest.ts'
import { MANIFEST_PATH, readManifest } from '../vision/manifest.ts'
import {
  buildCorePack,
  defaultModelsDir,
  installModel,
  installedPacks,
  locateModel,
  sha256Of,
  checkModel,
} from '../vision/packs.ts'

const HELP = `Usage: npm run models [-- COMMAND] [OPTIONS]

Without a command: builds the core models that are missing and lists the state of all models.

Commands
  install --from DIR   copies the extended models from DIR, each after its SHA-256 was verified
  pin                  writes the hashes of our own committed models (models/ocrb, models/document) into models/manifest.json

Options
  --models-dir DIR     folder of built and installed models (default: out/models, or COUNTERPROOF_MODELS)
  --json               prints one JSON object
  --help               prints this text

Example: npm run models -- install --from /media/usb/models
`
const say = (text: string): void => void process.stderr.write(`${text}\n`)

async function describe(manifest: Manifest, modelsDir: string) {
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
  return { modelsDir, packs: await installedPacks(manifest, modelsDir), models }
}

async function install(manifest: Manifest, from: string, modelsDir: string): Promise<boolean> {
  let complete = true
  for (const entry of manifest.models.filter(({ source }) => source === 'installed')) {
    const outcome = await installModel(entry, from, modelsDir)
    say(`${entry.id}: ${outcome.replaceAll('_', ' ')}`)
    if (outcome === 'not_found' || outcome === 'hash_mismatch') complete = false
  }
  return complete
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
    const sha256 = sha256Of(bytes)
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
      'models-dir': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [command] = positionals
  const wrongCall = command === 'install' ? !values.from : command !== undefined && command !== 'pin'
  if (wrongCall) {
    say(HELP)
    return 2
  }

  const modelsDir = values['models-dir'] ? resolve(values['models-dir']) : defaultModelsDir()
  let complete = true
  try {
    if (command === 'pin') await pin(readManifest(), modelsDir)
    for (const id of await buildCorePack(readManifest(), modelsDir)) say(`${id}: built`)
    if (command === 'install' && values.from)
      complete = await install(readManifest(), resolve(values.from), modelsDir)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    say(`${error.code}: ${JSON.stringify(error.details)}`)
    return 1
  }

  const report = await describe(readManifest(), modelsDir)
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`)
  else {
    say(`models folder ${modelsDir}; complete packs: ${report.packs.join(', ') || 'none'}`)
    for (const { id, pack, role, state } of report.models)
      say(`${state.padEnd(8)} ${pack.padEnd(9)} ${id.padEnd(22)} ${role}`)
  }
  return complete && report.models.every(({ state }) => state !== 'refused') ? 0 : 1
}
