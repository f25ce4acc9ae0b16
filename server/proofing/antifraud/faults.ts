/**
 * Which faults of the appliance are in force for a piece of evidence or a fraud check, from what is known of its parts.
 * Pure. What was never set up (a camera, inspections, a central service, lists) is no fault: there is nothing that could be missing.
 */
import type { Fault, Touched } from '../assurance/faults.ts'
import { HOUR_MS } from '../time.ts'
import type { FraudCheckType } from '../types.ts'
import type { CameraState } from './device-integrity.ts'

/** An ability of the vision worker. */
export interface AbilityState {
  readonly name: string
  readonly state: 'UP' | 'DOWN' | 'NOT_INSTALLED'
}

export interface EnvironmentFacts {
  /** Empty: the worker did not say. */
  readonly abilities: readonly AbilityState[]
  readonly clock: 'CENTRE' | 'SYSTEM' | 'UNSURE'
  /** Names of connectors that are configured and did not answer last. */
  readonly connectorsDown: readonly ConnectorName[]
  /** Milliseconds since the central service was last heard of; null where no central service is to be reached over a line. */
  readonly silentForMs: number | null
  readonly offlineHours: number
  readonly inspection: 'NOT_DEMANDED' | 'IN_DATE' | 'OVERDUE'
  readonly tampered: boolean
  /** Of the watchlists that were imported, one is older than it may be. */
  readonly watchlistOutdated: boolean
  /** The same of the list of lost documents. */
  readonly registerOutdated: boolean
}

export const CONNECTOR_NAMES = ['sms', 'biometrics', 'documentStatus'] as const
export type ConnectorName = (typeof CONNECTOR_NAMES)[number]

/** What the question is about. */
export interface Touching {
  readonly touched: Touched
  /** Of evidence with pictures; absent: there is nothing that a camera took. */
  readonly camera?: CameraState
  /** A portrait that was captured in a session. */
  readonly live?: boolean
  /** Of a fraud check. */
  readonly check?: FraudCheckType
}

const CONNECTORS_OF: Readonly<Partial<Record<Touched, readonly ConnectorName[]>>> = {
  CONTACT: ['sms'],
  PORTRAIT: ['biometrics'],
}

const FACES = ['face-detection', 'face-matching']
const READING = ['document-reading', 'document-location', 'document-second-reader', 'text-reading']
/** Every installation has these; the others come with the extended pack, and are no fault where it was never there. */
const ALWAYS_THERE = [
  'face-detection',
  'face-matching',
  'face-liveness',
  'document-reading',
  'document-location',
  'text-reading',
]

export function faultsOf(facts: EnvironmentFacts, about: Touching): readonly Fault[] {
  const { touched, camera, live = false, check } = about
  const holds: Readonly<Record<Fault, boolean>> = {
    FACE_MODELS_MISSING: touched === 'PORTRAIT' && isMissing(facts, FACES),
    LIVENESS_MODELS_MISSING: touched === 'PORTRAIT' && live && isMissing(facts, ['face-liveness']),
    PAD_MODEL_MISSING: touched === 'PORTRAIT' && isMissing(facts, ['presentation-attack-detection']),
    READING_MODELS_MISSING: touched === 'IDDOCUMENT' && isMissing(facts, READING),
    CAMERA_NOT_PINNED: camera === 'OTHER' || camera === 'NOT_TOLD',
    // The pictures came from somewhere else.
    CAMERA_MISSING: camera === 'OTHER',
    CLOCK_UNSURE: facts.clock === 'UNSURE',
    CONNECTOR_DOWN: facts.connectorsDown.some((name) => connectorsOf(about).includes(name)),
    OFFLINE_TOO_LONG: facts.silentForMs !== null && facts.silentForMs > facts.offlineHours * HOUR_MS,
    INSPECTION_OVERDUE: facts.inspection === 'OVERDUE',
    TAMPERED: facts.tampered,
    WATCHLIST_OUTDATED:
      (check === 'WATCHLIST' && facts.watchlistOutdated) ||
      (check === 'DOCUMENT_STATUS' && facts.registerOutdated),
  }
  return (Object.keys(holds) as Fault[]).filter((fault) => holds[fault])
}

function connectorsOf({ touched, check }: Touching): readonly ConnectorName[] {
  return check === 'DOCUMENT_STATUS' ? ['documentStatus'] : (CONNECTORS_OF[touched] ?? [])
}

/** Refused, or gone from where it always is. */
function isMissing({ abilities }: EnvironmentFacts, names: readonly string[]): boolean {
  return abilities.some(
    ({ name, state }) =>
      names.includes(name) &&
      (state === 'DOWN' || (state === 'NOT_INSTALLED' && ALWAYS_THERE.includes(name))),
  )
}
