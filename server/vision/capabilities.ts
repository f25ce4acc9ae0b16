/**
 * Maps the worker's capabilities to the models they need, and tells which are lost when a model file is refused. Loads
 * nothing and opens no picture.
 */
import type { Engines } from './engines/engine.ts'
import type { ModelEntry } from './manifest.ts'
import type { CapabilityHealth, VisionCall } from './protocol.ts'

const FACES = ['face-detector', 'face-mesh'] as const
const MATCHING = [...FACES, 'face-embedding'] as const
const DOCUMENTS = [...FACES, 'mrz-recogniser'] as const

/** Values are roles of models/manifest.json. A capability is lost if one of its roles is. */
export const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  'document-reading': DOCUMENTS,
  'document-location': ['document-locator'],
  'document-second-reader': ['mrz-traineddata'],
  'text-reading': ['text-detector', 'text-recogniser', 'text-alphabet'],
  'face-detection': FACES,
  'face-matching': MATCHING,
  'face-liveness': MATCHING,
  'presentation-attack-detection': [...FACES, 'presentation-attack'],
  // No caller uses these capabilities yet. Their files are still compared with the manifest, and a changed file is a
  // warning.
  'eye-measurement': ['iris'],
  'alternative-face-detection': ['face-detector-alternative'],
}
/**
 * Optional roles: a capability works if they were never installed, but not if their file was refused. Otherwise an
 * attacker could delete the PAD networks to have sessions judged by the looser rules for appliances without them.
 */
const TAKES_ALONG: Readonly<Partial<Record<string, readonly string[]>>> = {
  'face-liveness': ['presentation-attack'],
}

/**
 * Calls that must fail without these roles, because a partial answer would look like a finding about the picture. A role
 * that is not listed here only leaves its measurement out of the answer.
 */
const NEEDED: Readonly<Partial<Record<VisionCall, readonly string[]>>> = {
  measureDocument: DOCUMENTS,
  measurePortrait: FACES,
  cropPortrait: FACES,
  trackFace: FACES,
  compareFaces: MATCHING,
  measureLiveness: [...MATCHING, ...(TAKES_ALONG['face-liveness'] ?? [])],
  makeTemplate: MATCHING,
  compareTemplates: MATCHING,
}

/** Calls that read print; no other call uses these roles. */
const READING_CALLS: readonly VisionCall[] = [
  'measureDocument',
  'readVisualZone',
  'readLinesAgain',
  'readCell',
  'readSide',
]
const READING_ROLES: ReadonlySet<string> = new Set([
  'mrz-recogniser',
  'mrz-traineddata',
  'text-detector',
  'text-recogniser',
  'text-alphabet',
])

/** False for a role that none of these calls uses. */
export function isRoleUsed(role: string, calls: readonly VisionCall[]): boolean {
  return !READING_ROLES.has(role) || calls.some((call) => READING_CALLS.includes(call))
}

/** Thrown by a call that needs a refused model. */
export class ModelRefusedError extends Error {
  override readonly name = 'ModelRefusedError'
  readonly models: readonly string[]
  constructor(models: readonly string[]) {
    super('a model was refused')
    this.models = models
  }
}

type Found = Pick<ModelEntry, 'id' | 'role'>

/** `loaded`: models with a correct file, whether or not a network was created from it. */
export function listCapabilities(loaded: readonly Found[], refused: readonly Found[]): CapabilityHealth[] {
  return Object.entries(CAPABILITIES).map(([name, roles]) => {
    const takesAlong = [...roles, ...(TAKES_ALONG[name] ?? [])]
    const own = refused.filter(({ role }) => takesAlong.includes(role)).map(({ id }) => id)
    const isThere = roles.every((role) => loaded.some((model) => model.role === role))
    return {
      name,
      state: own.length > 0 ? 'DOWN' : isThere ? 'UP' : 'NOT_INSTALLED',
      models: loaded.filter(({ role }) => roles.includes(role)).map(({ id }) => id),
      refused: own,
    }
  })
}

/** Values are capabilities that an engine carries out. */
const CARRIED_OUT: Readonly<Record<keyof Engines, string>> = {
  faceMatching: 'face-matching',
  attackDetection: 'presentation-attack-detection',
}

/** The capability of an engine is down while the engine cannot answer. */
export async function withEngines(
  capabilities: readonly CapabilityHealth[],
  engines: Engines,
): Promise<readonly CapabilityHealth[]> {
  const states = new Map<string, CapabilityHealth>()
  for (const role of Object.keys(CARRIED_OUT) as (keyof Engines)[]) {
    const engine = engines[role]
    const name = CARRIED_OUT[role]
    const own = capabilities.find((one) => one.name === name)
    if (!engine || own?.state === 'DOWN') continue
    const trouble = await engine.check()
    const models = engine.models.map(({ id }) => id)
    states.set(name, {
      name,
      state: trouble === null ? 'UP' : 'DOWN',
      models: trouble === null ? models : [],
      refused: trouble === null ? [] : models,
      ...(trouble !== null && { trouble }),
    })
  }
  return capabilities.map((one) => states.get(one.name) ?? one)
}

/** Ids of the refused models that this call needs. */
export function listRefusedModels(call: VisionCall, refused: readonly Found[]): string[] {
  const roles = NEEDED[call] ?? []
  return refused.filter(({ role }) => roles.includes(role)).map(({ id }) => id)
}
