/**
 * What may be wrong with the appliance while evidence is verified: each fault leaves a named indicator on the evidence, and
 * every policy says how far evidence that carries it can reach (`caps`). The table is data: resources/degraded.json.
 */

export const FAULTS = [
  'FACE_MODELS_MISSING',
  'LIVENESS_MODELS_MISSING',
  'PAD_MODEL_MISSING',
  'READING_MODELS_MISSING',
  'CAMERA_NOT_PINNED',
  'CAMERA_MISSING',
  'CLOCK_UNSURE',
  'CONNECTOR_DOWN',
  'OFFLINE_TOO_LONG',
  'INSPECTION_OVERDUE',
  'TAMPERED',
  'WATCHLIST_OUTDATED',
] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultRule {
  readonly fault: Fault
  /** Ends in _UNVERIFIED. */
  readonly indicator: string
  /** Families of evidence that it touches; absent: all. */
  readonly families?: readonly string[]
  /** For the person who reads a proof. */
  readonly meaning: string
}
