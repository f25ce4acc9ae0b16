/**
 * Faults of the appliance during verification. Each leaves an indicator on the evidence, and policies cap the LOA for it
 * (`caps`). Table: resources/degraded.json. Does not determine which faults are in force.
 */
import { EVIDENCE_FAMILIES } from '../evidence.ts'

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

/** The scope of a fault: a family of evidence, or the fraud checks. */
export const TOUCHED = [...EVIDENCE_FAMILIES, 'ANTIFRAUD'] as const
export type Touched = (typeof TOUCHED)[number]

export interface FaultRule {
  readonly fault: Fault
  /** Ends in _UNVERIFIED. */
  readonly indicator: string
  readonly families: readonly Touched[]
  /** For readers of a proof. */
  readonly meaning: string
}

/** Indicators for this family under the given faults, in table order without duplicates. */
export function faultIndicators(
  rules: readonly FaultRule[],
  inForce: readonly Fault[],
  family: Touched,
): readonly string[] {
  const raised = rules
    .filter(({ fault, families }) => inForce.includes(fault) && families.includes(family))
    .map(({ indicator }) => indicator)
  return [...new Set(raised)]
}
