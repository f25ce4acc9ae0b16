/** Compares licence numbers that encode holder data with the card's data. A signal, not a proof. */
import type { CheckOutcome } from '../judge.ts'
import { checkDvlaNumber } from './dvla-number.ts'
import type { LicenceHolder } from './holder.ts'
import { plainNumber, type LicenceIssuer } from './number-form.ts'
import { checkSoundexNumber, findCoding, type CodedParts } from './soundex-number.ts'

export interface CodedNumberCheck {
  /** A failure is weak evidence: names and states' schemes change. */
  readonly outcome: CheckOutcome
  /** The facts that such a number encodes: the sound of the surname, or names and birth date. */
  readonly repeats: CodedParts
}

/** Returns null if this issuer's numbers encode nothing known. */
export function checkCodedNumber(
  number: string,
  holder: LicenceHolder,
  { issuingCountry, issuingState = '' }: LicenceIssuer,
): CodedNumberCheck | null {
  const plain = plainNumber(number)
  if (issuingCountry === 'GBR') return { outcome: checkDvlaNumber(plain, holder), repeats: 'all' }
  const repeats = issuingCountry === 'USA' ? findCoding(issuingState) : null
  return repeats && { outcome: checkSoundexNumber(plain, holder, issuingState), repeats }
}
