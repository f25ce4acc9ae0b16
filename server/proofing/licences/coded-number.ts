/** Licence numbers that repeat something of their holder, compared with what the card says of him. A signal, no proof. */
import type { CheckOutcome } from '../judge.ts'
import { checkDvlaNumber } from './dvla-number.ts'
import type { LicenceHolder } from './holder.ts'
import { plainNumber, type LicenceIssuer } from './number-form.ts'
import { checkSoundexNumber, codingOf, type CodedParts } from './soundex-number.ts'

export interface CodedNumberCheck {
  /** Failed says little: people change their names, and states their schemes. */
  readonly outcome: CheckOutcome
  /** How much of the holder such a number repeats: the sound of his surname, or names and birth date. */
  readonly repeats: CodedParts
}

/** Null where this issuer's numbers repeat nothing that is known. */
export function checkCodedNumber(
  number: string,
  holder: LicenceHolder,
  { issuingCountry, issuingState = '' }: LicenceIssuer,
): CodedNumberCheck | null {
  const plain = plainNumber(number)
  if (issuingCountry === 'GBR') return { outcome: checkDvlaNumber(plain, holder), repeats: 'all' }
  const repeats = issuingCountry === 'USA' ? codingOf(issuingState) : null
  return repeats && { outcome: checkSoundexNumber(plain, holder, issuingState), repeats }
}
