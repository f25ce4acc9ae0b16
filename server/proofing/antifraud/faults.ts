/**
 * Determines which faults of the appliance affect an evidence or fraud check. Pure. A part that was never set up (camera,
 * inspections, central service, lists) is no fault.
 */
import type { Fault, Touched } from '../assurance/faults.ts'
import { HOUR_MS } from '../time.ts'
import type { FraudCheckType } from '../types.ts'
import type { CameraState } from './device-integrity.ts'

/** A capability of the vision worker. */
export interface AbilityState {
  readonly name: string
  readonly state: 'UP' | 'DOWN' | 'NOT_INSTALLED'
}

export interface EnvironmentFacts {
  /** Empty if the worker did not report. */
  readonly abilities: readonly AbilityState[]
  readonly clock: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  /** Configured connectors that did not answer last time. */
  readonly connectorsDown: readonly ConnectorName[]
  /** Milliseconds since the last contact with the central service; null if none is configured online. */
  readonly silentForMs: number | null
  readonly offlineHours: number
  readonly inspection: 'NOT_DEMANDED' | 'IN_DATE' | 'OVERDUE'
  readonly tampered: boolean
  /** True if an imported watchlist exceeds its maximum age. */
  readonly watchlistOutdated: boolean
  /** The same for the list of lost documents. */
  readonly registerOutdated: boolean
}

/** Nothing is missing or faulty; the abilities are those of no part. */
export const ALL_WELL: EnvironmentFacts = {
  abilities: [],
  clock: 'CENTRE',
  connectorsDown: [],
  silentForMs: null,
  offlineHours: 0,
  inspection: 'NOT_DEMANDED',
  tampered: false,
  watchlistOutdated: false,
  registerOutdated: false,
}

export type ConnectorName = 'sms' | 'smtp' | 'voice' | 'biometrics' | 'documentStatus' | 'fraudRegister'

/** Subject of the question. */
export interface Touching {
  readonly touched: Touched
  /** For evidence with pictures; absent if no camera was involved. */
  readonly camera?: CameraState
  /** True for a portrait from a capture session. */
  readonly live?: boolean
  /** For a fraud check. */
  readonly check?: FraudCheckType
}

const CONNECTORS_OF: Readonly<Partial<Record<Touched, readonly ConnectorName[]>>> = {
  CONTACT: ['sms'],
  EMAIL: ['smtp'],
  LANDLINE: ['voice'],
  PORTRAIT: ['biometrics'],
}

const FACES = ['face-detection', 'face-matching']
const READING = ['document-reading', 'document-location', 'document-second-reader', 'text-reading']
/** Capabilities of every installation. The others belong to the extended pack, which is optional. */
const ALWAYS_THERE = [
  'face-detection',
  'face-matching',
  'face-liveness',
  'document-reading',
  'document-location',
  'text-reading',
]

export function findFaults(facts: EnvironmentFacts, about: Touching): readonly Fault[] {
  const { touched, camera, live = false, check } = about
  const holds: Readonly<Record<Fault, boolean>> = {
    FACE_MODELS_MISSING: touched === 'PORTRAIT' && isMissing(facts, FACES),
    LIVENESS_MODELS_MISSING: touched === 'PORTRAIT' && live && isMissing(facts, ['face-liveness']),
    PAD_MODEL_MISSING: touched === 'PORTRAIT' && isMissing(facts, ['presentation-attack-detection']),
    READING_MODELS_MISSING: touched === 'IDDOCUMENT' && isMissing(facts, READING),
    CAMERA_NOT_PINNED: camera === 'OTHER' || camera === 'NOT_TOLD',
    // The pictures came from another camera.
    CAMERA_MISSING: camera === 'OTHER',
    CLOCK_UNSURE: facts.clock === 'UNSURE',
    CONNECTOR_DOWN: facts.connectorsDown.some((name) => listConnectors(about).includes(name)),
    OFFLINE_TOO_LONG: facts.silentForMs !== null && facts.silentForMs > facts.offlineHours * HOUR_MS,
    INSPECTION_OVERDUE: facts.inspection === 'OVERDUE',
    TAMPERED: facts.tampered,
    WATCHLIST_OUTDATED:
      (check === 'WATCHLIST' && facts.watchlistOutdated) ||
      (check === 'DOCUMENT_STATUS' && facts.registerOutdated),
  }
  return (Object.keys(holds) as Fault[]).filter((fault) => holds[fault])
}

function listConnectors({ touched, check }: Touching): readonly ConnectorName[] {
  return check === 'DOCUMENT_STATUS' ? ['documentStatus', 'fraudRegister'] : (CONNECTORS_OF[touched] ?? [])
}

/** Refused, or missing although every installation has it. */
function isMissing({ abilities }: EnvironmentFacts, names: readonly string[]): boolean {
  return abilities.some(
    ({ name, state }) =>
      names.includes(name) &&
      (state === 'DOWN' || (state === 'NOT_INSTALLED' && ALWAYS_THERE.includes(name))),
  )
}
