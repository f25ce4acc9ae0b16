/** What an antifraud check ends with. Pure: every rule of this folder answers in this form. */
import type { Measured } from '../measures.ts'
import type { EvidenceStatus, FraudCheckType } from '../types.ts'

export interface Finding {
  readonly status: EvidenceStatus
  readonly indicators: readonly string[]
  /** Counts, limits, dates, hashes and names of lists: never a value that was read. */
  readonly measured: Measured
}

/** It was carried out, and found nothing. */
export function checked(type: FraudCheckType, measured: Finding['measured']): Finding {
  return { status: 'VERIFIED', indicators: [`${type}_OK`], measured }
}

/** It could not be carried out: neither good nor bad. */
export function notChecked(type: FraudCheckType, measured: Finding['measured'] = {}): Finding {
  return { status: 'NOT_VERIFIED', indicators: [`${type}_UNVERIFIED`], measured }
}

/** A hint on which a person decides. */
export function doubted(type: FraudCheckType, measured: Finding['measured']): Finding {
  return { status: 'NOT_VERIFIED', indicators: [`${type}_WARNING`], measured }
}
