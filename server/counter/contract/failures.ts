/**
 * Reasons why visits at this kiosk fail, as figures without personal data: steps, reasons of a closed list, counts and times.
 * GET failures?from&to     → FailuresView                 (charts:see)
 * GET failures.csv?from&to → a row per step and reason    (charts:export)
 */
import type { Failures } from '../../proofing/why-people-fail.ts'

export type { FailureDay, FailureReason, FailureStep, NextAct } from '../../proofing/why-people-fail.ts'

export interface FailuresView extends Failures {
  /** First and last day. */
  readonly from: string
  readonly to: string
  /** The name of the machine for staff. */
  readonly kiosk: string
  /** Days with fewer visits than this are only counted together. */
  readonly leastVisits: number
}
