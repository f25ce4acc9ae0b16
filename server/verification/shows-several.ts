/** Detects more than one document in the pictures of one evidence: no step may then use the values of either. */
import { resultError } from '../proofing/error-codes.ts'
import type { Finding } from '../proofing/judge.ts'
import { isAcceptableReading } from '../proofing/mrz/acceptance.ts'
import type { DocumentMeasurement } from '../vision/protocol.ts'

/** True for two fronts in one picture, or reliable MRZs with different contents. */
export function showsSeveral(sides: readonly DocumentMeasurement[]): boolean {
  const zones = sides.flatMap(({ mrz }) => (mrz && isAcceptableReading(mrz) ? [mrz.lines.join()] : []))
  return new Set(zones).size > 1 || sides.some(({ hasSecondFront }) => hasSecondFront === true)
}

export const SEVERAL_DOCUMENTS: Finding = {
  check: 'SINGLE_DOCUMENT',
  outcome: 'failed',
  errors: [
    resultError('1599', {
      message: 'there is more than one document in the pictures',
      field: 'SINGLE_DOCUMENT',
    }),
  ],
}
