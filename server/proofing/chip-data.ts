/** Compares the MRZ in the chip with what the pictures show. Pure. */
import type { IdDocumentData } from './evidence.ts'
import type { CheckOutcome } from './judge.ts'
import type { MrzFacts } from './mrz/parse.ts'
import { toIsoDate } from './mrz/dates.ts'
import { compareStatedNames } from './name-agreement.ts'
import { toAlpha3 } from './country-codes.ts'

/**
 * Passes if number, issuer and dates are the same and the names may be those of one person: each recogniser errs in names, which no
 * check digit guards. Inconclusive if the pictures do not state number and date of birth.
 */
export function compareChipData(chip: MrzFacts, shown: IdDocumentData | null): CheckOutcome {
  const birth = shown?.personalAttributes.dateOfBirth?.value
  if (shown?.idDocumentNumber === undefined || birth === undefined) return 'inconclusive'
  const pairs: readonly (readonly [string | undefined, string | null])[] = [
    [shown.idDocumentNumber, chip.documentNumber],
    [birth, toIsoDate(chip.birthDate)],
    [shown.expiryDate, chip.expiryDate && toIsoDate(chip.expiryDate)],
    [shown.issuingCountry, toAlpha3(chip.issuingState)],
    [shown.idDocumentType === 'ID_DOCUMENT' ? undefined : shown.idDocumentType, chip.documentClass],
  ]
  const isSame = pairs.every(([printed, stored]) => printed === undefined || printed === stored)
  return isSame && isSameName(chip, shown) ? 'passed' : 'failed'
}

function isSameName(chip: MrzFacts, { personalAttributes, mrz }: IdDocumentData): boolean {
  const { surname, givenNames = [] } = personalAttributes
  if (surname === undefined) return true
  const given = givenNames.map(({ value }) => value).join(' ')
  const mayBeCut = mrz !== undefined && chip.nameMayBeTruncated
  const comparisons = compareStatedNames(
    { surname: surname.value, ...(given ? { givenNames: given } : {}), mayBeCut },
    { surname: chip.surname, givenNames: chip.givenNames.join(' '), mayBeCut: chip.nameMayBeTruncated },
  )
  return [...comparisons.values()].every((comparison) => comparison !== 'different')
}
