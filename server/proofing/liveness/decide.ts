/** From what a liveness session left behind to what it proves. Pure: no picture, no clock, no model. */
import type { CheckOutcome, Finding } from '../judge.ts'
import type { LivenessLimits } from './limits.ts'
import type { LivenessRecord } from './types.ts'

export interface LivenessVerdict {
  readonly outcome: CheckOutcome
  /** Why it is not passed: 1609 out of time, 1610 we could not measure, 1611 not live; null where it is passed. */
  readonly code: '1609' | '1610' | '1611' | null
  /** Which method spoke, for the proof and the relying service (never for the user agent). */
  readonly reasons: readonly string[]
  /** Spec "livenessDiagnostic": of LIVENESS_MLC where it is inconclusive. */
  readonly diagnostic: string | null
  /** Scores beside their thresholds and measured error rates. */
  readonly measured: NonNullable<Finding['measured']>
}

export function decideLiveness(_record: LivenessRecord, _limits: LivenessLimits): LivenessVerdict {
  throw new TypeError('not written yet')
}
