/**
 * Opens one onnxruntime session per model and keeps it for the life of the worker (closing and reopening leaks:
 * microsoft/onnxruntime#25325). Reads no image and decides nothing.
 */
import { AppError } from '../errors.ts'
import type { Manifest, ModelEntry, Pack } from './manifest.ts'
import { parseAlphabet } from './documents/text/networks.ts'
import { modelUse } from './manifest.ts'
import { openNetwork, type Network } from './network.ts'
import { openNetworkApart } from './network-apart.ts'
import { locateModel, readModel } from './packs.ts'
import { isRoleUsed, listCapabilities } from './capabilities.ts'
import type { CapabilityHealth, ModelUse, VisionCall } from './protocol.ts'

export interface ModelSession extends Network {
  readonly model: ModelUse
  readonly role: string
  readonly pack: Pack
}

export interface Sessions {
  readonly manifest: Manifest
  /** Every network by its id. */
  readonly byId: ReadonlyMap<string, ModelSession>
  /** Tesseract data of the extended pack, if present and allowed. */
  readonly mrzTraineddata: { readonly path: string; readonly model: ModelUse } | null
  /** Alphabet of the text recogniser by class; null without it. */
  readonly alphabet: readonly string[] | null
  /** Everything that was loaded or checked, including data files. */
  readonly models: readonly (ModelUse & { readonly role: string; readonly pack: Pack })[]
  /** Models whose file differs from the manifest. */
  readonly refused: readonly ModelEntry[]
  readonly capabilities: readonly CapabilityHealth[]
}

const OF_MANY_SIZES: ReadonlySet<string> = new Set(['mrz-recogniser', 'text-recogniser'])
const OF_PAGES = 'text-detector'
/** The slowest networks on a page: the page is measured while they run. */
const APART: ReadonlySet<string> = new Set([OF_PAGES, 'text-recogniser'])

async function openModel(entry: ModelEntry, bytes: Buffer): Promise<ModelSession> {
  const open = APART.has(entry.role) ? openNetworkApart : openNetwork
  const network = await open(bytes, {
    // Lines have many sizes, and the arena would keep memory for each.
    enableCpuMemArena: !OF_MANY_SIZES.has(entry.role),
    // Without the arena a third of the time is spent allocating for large pages; planning per size would keep 200 MB
    // more.
    enableMemPattern: entry.role !== OF_PAGES,
  })
  return { model: modelUse(entry), role: entry.role, pack: entry.pack, ...network }
}

/** Networks without a caller: their files are built and pinned but not loaded. */
const NOT_LOADED = new Set(['iris', 'face-detector-alternative'])
const TESSERACT_DATA = 'mrz-traineddata'
const ALPHABET = 'text-alphabet'
/** Files that are no networks. */
const DATA: ReadonlySet<string> = new Set([TESSERACT_DATA, ALPHABET])
/** Roles that are required for any vision. */
const REQUIRED_ROLES = ['face-detector', 'face-mesh', 'face-embedding']

/**
 * Opens every network of the allowed packs on this machine. If a file's hash differs from the manifest, no model of its
 * role is loaded, because error rates were measured for the whole role. Throws `configuration_invalid` if a core face
 * model is missing. `unbuilt`: ids of models that could not be built as pinned. `calls`: opens only the models of these
 * calls.
 */
export async function openSessions(
  manifest: Manifest,
  modelsDir: string,
  packs: readonly Pack[],
  {
    unbuilt = [],
    calls,
  }: { readonly unbuilt?: readonly string[]; readonly calls?: readonly VisionCall[] | undefined } = {},
): Promise<Sessions> {
  const allowed = manifest.models.filter(
    ({ pack, role }) => packs.includes(pack) && (!calls || isRoleUsed(role, calls)),
  )
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
  const networks = used.filter(({ entry }) => !DATA.has(entry.role))
  // Opened side by side, because the thread of the networks works beside the others.
  const opened = await Promise.all(networks.map(({ entry, bytes }) => openModel(entry, bytes)))
  const byId = new Map(opened.map((session) => [session.model.id, session]))
  const data = used.find(({ entry }) => entry.role === TESSERACT_DATA)?.entry
  const alphabet = used.find(({ entry }) => entry.role === ALPHABET)?.bytes
  return {
    manifest,
    byId,
    mrzTraineddata: data ? { path: locateModel(data, modelsDir), model: modelUse(data) } : null,
    alphabet: alphabet ? parseAlphabet(alphabet.toString('utf8')) : null,
    models: used.map(({ entry }) => ({ ...modelUse(entry), role: entry.role, pack: entry.pack })),
    refused,
    capabilities: listCapabilities(
      right.map(({ entry }) => entry),
      refused,
    ),
  }
}

/** Networks of one role in the manifest's order. */
export const listSessions = (sessions: Sessions, role: string): ModelSession[] =>
  [...sessions.byId.values()].filter((session) => session.role === role)

/** Returns the network with this id. Throws TypeError if it is not loaded, because callers must check first. */
export function requireSession(sessions: Sessions, id: string): ModelSession {
  const session = sessions.byId.get(id)
  if (!session) throw new TypeError(`model ${id} is not loaded`)
  return session
}
