/**
 * The networks in memory: one onnxruntime session a model, opened once and kept for the life of the worker
 * (sessions that come and go leak: microsoft/onnxruntime#25325). Never reads an image, never decides.
 */
import { AppError } from '../errors.ts'
import type { Manifest, ModelEntry, Pack } from './manifest.ts'
import { parseAlphabet } from './documents/text/networks.ts'
import { modelUse } from './manifest.ts'
import { openNetwork, type Network } from './network.ts'
import { openNetworkApart } from './network-apart.ts'
import { pathOf, readModel } from './packs.ts'
import { capabilitiesOf } from './capabilities.ts'
import type { CapabilityHealth, ModelUse } from './protocol.ts'

export interface ModelSession extends Network {
  readonly model: ModelUse
  readonly role: string
  readonly pack: Pack
}

export interface Sessions {
  readonly manifest: Manifest
  /** Every network by its id. */
  readonly byId: ReadonlyMap<string, ModelSession>
  /** The extended pack's tesseract data, when it is there and allowed. */
  readonly mrzTraineddata: { readonly path: string; readonly model: ModelUse } | null
  /** Of the text recogniser, by class; null without it. */
  readonly alphabet: readonly string[] | null
  /** Everything that was loaded or checked, networks or not. */
  readonly models: readonly (ModelUse & { readonly role: string; readonly pack: Pack })[]
  /** Whose file is not the manifest's. */
  readonly refused: readonly ModelEntry[]
  readonly capabilities: readonly CapabilityHealth[]
}

const OF_MANY_SIZES: ReadonlySet<string> = new Set(['mrz-recogniser', 'text-recogniser'])
const OF_PAGES = 'text-detector'
/** What takes longest on a page of print: the page is measured while they run. */
const APART: ReadonlySet<string> = new Set([OF_PAGES, 'text-recogniser'])

async function openModel(entry: ModelEntry, bytes: Buffer): Promise<ModelSession> {
  const open = APART.has(entry.role) ? openNetworkApart : openNetwork
  const network = await open(bytes, {
    // Lines have many sizes, and the arena keeps room for each.
    enableCpuMemArena: !OF_MANY_SIZES.has(entry.role),
    // Pages are large: without the arena a third of the time goes into new memory; a plan for each size would keep 200 MB more.
    enableMemPattern: entry.role !== OF_PAGES,
  })
  return { model: modelUse(entry), role: entry.role, pack: entry.pack, ...network }
}

/** Networks nobody asks yet: their files are made and pinned, but no memory is spent on them. */
const NOT_LOADED = new Set(['iris', 'face-detector-alternative'])
const TESSERACT_DATA = 'mrz-traineddata'
const ALPHABET = 'text-alphabet'
/** Files that are no networks. */
const DATA: ReadonlySet<string> = new Set([TESSERACT_DATA, ALPHABET])
/** Without these there is no vision at all. */
const REQUIRED_ROLES = ['face-detector', 'face-mesh', 'face-embedding']

/**
 * Opens every network of the allowed packs that is on this machine. A file whose hash is not the manifest's is never
 * loaded, nor any other of its role: what two networks were measured to do together, one alone does not do. Throws
 * `configuration_invalid` when a core face model is missing. `unbuilt`: ids of models that could not be made as pinned.
 */
export async function openSessions(
  manifest: Manifest,
  modelsDir: string,
  packs: readonly Pack[],
  unbuilt: readonly string[] = [],
): Promise<Sessions> {
  const allowed = manifest.models.filter(({ pack }) => packs.includes(pack))
  const files: { readonly entry: ModelEntry; readonly found: Buffer | 'missing' | 'refused' }[] = []
  for (const entry of allowed) {
    const found = unbuilt.includes(entry.id) ? 'refused' : await readModel(entry, modelsDir)
    files.push({ entry, found })
  }
  const refused = files.filter(({ found }) => found === 'refused').map(({ entry }) => entry)
  const lost = new Set(refused.map(({ role }) => role))
  const right = files.flatMap(({ entry, found }) =>
    typeof found === 'string' || lost.has(entry.role) ? [] : [{ entry, bytes: found }],
  )
  for (const role of REQUIRED_ROLES)
    if (!lost.has(role) && !right.some(({ entry }) => entry.pack === 'core' && entry.role === role))
      throw new AppError('configuration_invalid', { reason: 'core_model_missing', role })
  const used = right.filter(({ entry }) => !NOT_LOADED.has(entry.role))
  const byId = new Map<string, ModelSession>()
  for (const { entry, bytes } of used)
    if (!DATA.has(entry.role)) byId.set(entry.id, await openModel(entry, bytes))
  const data = used.find(({ entry }) => entry.role === TESSERACT_DATA)?.entry
  const alphabet = used.find(({ entry }) => entry.role === ALPHABET)?.bytes
  return {
    manifest,
    byId,
    mrzTraineddata: data ? { path: pathOf(data, modelsDir), model: modelUse(data) } : null,
    alphabet: alphabet ? parseAlphabet(alphabet.toString('utf8')) : null,
    models: used.map(({ entry }) => ({ ...modelUse(entry), role: entry.role, pack: entry.pack })),
    refused,
    capabilities: capabilitiesOf(
      right.map(({ entry }) => entry),
      refused,
    ),
  }
}

/** The networks of one role in the manifest's order. */
export const sessionsOf = (sessions: Sessions, role: string): ModelSession[] =>
  [...sessions.byId.values()].filter((session) => session.role === role)

/** The network with this id. A TypeError when it was not loaded: callers ask only for what they checked. */
export function sessionOf(sessions: Sessions, id: string): ModelSession {
  const session = sessions.byId.get(id)
  if (!session) throw new TypeError(`model ${id} is not loaded`)
  return session
}
