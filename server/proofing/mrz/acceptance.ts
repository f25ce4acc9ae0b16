/** When a reading may be used without a person looking at it. */
import { allChecksPass } from './checks.ts'

export interface ReadingToAccept {
  readonly lines: readonly string[]
  readonly repaired: readonly unknown[]
  readonly witnessesAgree: boolean
}

/**
 * Two engines read every character alike, nothing was repaired, and all check digits pass. Check digits alone are not
 * enough: on 109 photographs 4 to 18 readings that passed them were wrong, while 70 of 70 that two engines shared were
 * right. Everything else needs another frame or the operator.
 */
export function isAcceptableReading(reading: ReadingToAccept): boolean {
  return reading.witnessesAgree && reading.repaired.length === 0 && allChecksPass(reading.lines)
}
