/** Result of an antifraud check, common to all rules of this folder. Pure. */
import type { Measured } from '../measures.ts'
import type { EvidenceStatus, FraudCheckType } from '../types.ts'

export interface Finding {
  readonly status: EvidenceStatus
  readonly indicators: readonly string[]
  /** Counts, limits, dates, hashes and names of lists; never a value of the applicant. */
  readonly measured: Measured
}

/** The check ran and found nothing. */
export function createOkFinding(type: FraudCheckType, measured: Finding['measured']): Finding {
  return { status: 'VERIFIED', indicators: [`${type}_OK`], measured }
}

/** The check could not run. */
export function createUnverifiedFinding(type: FraudCheckType, measured: Finding['measured'] = {}): Finding {
  return { status: 'NOT_VERIFIED', indicators: [`${type}_UNVERIFIED`], measured }
}

/** A hint on which an officer decides. */
export function createWarningFinding(type: FraudCheckType, measured: Finding['measured']): Finding {
  return { status: 'NOT_VERIFIED', indicators: [`${type}_WARNING`], measured }
}
