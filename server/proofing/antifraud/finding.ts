/** Result of an antifraud check, common to all rules of this folder. Pure. */
import type { Measured } from '../measures.ts'
import { isReason, nameReason, type SourceReason } from '../source-reply.ts'
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

/** The check could not run. @param reason why a source outside left it open */
export function createUnverifiedFinding(
  type: FraudCheckType,
  measured: Finding['measured'] = {},
  reason?: SourceReason,
): Finding {
  return {
    status: 'NOT_VERIFIED',
    indicators: [`${type}_UNVERIFIED`, ...(reason ? [nameReason(reason)] : [])],
    measured,
  }
}

/** The indicators of both without repetition, except that each check keeps its own reason of a source. */
export function joinIndicators(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...one, ...other.filter((name) => isReason(name) || !one.includes(name))]
}

/** A hint on which an officer decides. */
export function createWarningFinding(type: FraudCheckType, measured: Finding['measured']): Finding {
  return { status: 'NOT_VERIFIED', indicators: [`${type}_WARNING`], measured }
}
