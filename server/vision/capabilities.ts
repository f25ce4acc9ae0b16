/**
 * What the worker is able to do, by the models that each ability needs, and which of it is lost when a file was refused.
 * Tables and their reading; loads nothing and opens no picture.
 */
import type { ModelEntry } from './manifest.ts'
import type { CapabilityHealth, VisionCall } from './protocol.ts'

const FACES = ['face-detector', 'face-mesh'] as const
const MATCHING = [...FACES, 'face-embedding'] as const
const DOCUMENTS = [...FACES, 'mrz-recogniser'] as const

/** Roles of models/manifest.json: with one of an ability's roles gone, the ability is. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  'document-reading': DOCUMENTS,
  'document-location': ['document-locator'],
  'document-second-reader': ['mrz-traineddata'],
  'text-reading': ['text-detector', 'text-recogniser', 'text-alphabet'],
  'face-detection': FACES,
  'face-matching': MATCHING,
  'face-liveness': MATCHING,
  'presentation-attack-detection': [...FACES, 'presentation-attack'],
  // Nobody asks these yet. Their files are compared with the manifest all the same: one that was changed is a warning.
  'eye-measurement': ['iris'],
  'alternative-face-detection': ['face-detector-alternative'],
}
/**
 * Roles that an ability can do without where they were never installed, and not where their file was refused: whoever could
 * take the networks against presentation attacks away would have sessions judged by the laxer rules of an appliance that
 * never had them.
 */
const TAKES_ALONG: Readonly<Partial<Record<string, readonly string[]>>> = {
  'face-liveness': ['presentation-attack'],
}
export const CAPABILITY_NAMES: readonly string[] = Object.keys(CAPABILITIES)

/**
 * Calls that answer nothing at all without these roles: half an answer would look like a finding about the picture. Where a
 * role is not named here, its measurement is left out of the answer, as without the pack.
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

/** Thrown by a call that cannot be answered for want of these models. */
export class ModelRefusedError extends Error {
  override readonly name = 'ModelRefusedError'
  readonly models: readonly string[]
  constructor(models: readonly string[]) {
    super('a model was refused')
    this.models = models
  }
}

type Found = Pick<ModelEntry, 'id' | 'role'>

/** `loaded`: whose file was right, whether a network was made of it or not. */
export function capabilitiesOf(loaded: readonly Found[], refused: readonly Found[]): CapabilityHealth[] {
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

/** Ids of the refused models for want of which this call cannot be answered. */
export function refusedFor(call: VisionCall, refused: readonly Found[]): string[] {
  const roles = NEEDED[call] ?? []
  return refused.filter(({ role }) => roles.includes(role)).map(({ id }) => id)
}
