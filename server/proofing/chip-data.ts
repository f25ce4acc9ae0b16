/** Compares the MRZ in the chip with what the pictures show. Pure. */
import type { IdDocumentData } from './evidence.ts'
import type { CheckOutcome } from './judge.ts'
import type { MrzFacts } from './mrz/parse.ts'
import { toIsoDate } from './mrz/dates.ts'
import { compareStatedNames } from './name-agreement.ts'
import { toAlpha3 } from './country-codes.ts'

/**
 * Inconclusive if the pictures do not state number and date of birth. Passes if number, issuer, kind and dates are the same, and
 * so is the rest of the MRZ: the chip holds the MRZ that is printed (Doc 9303-10, DG1).
 * @param printed the MRZ in the pictures; null if none was read
 */
export function compareChipData(
  chip: MrzFacts,
  shown: IdDocumentData | null,
  printed: MrzFacts | null,
): CheckOutcome {
  const birth = shown?.personalAttributes.dateOfBirth?.value
  if (shown?.idDocumentNumber === undefined || birth === undefined) return 'inconclusive'
  const pairs: readonly (readonly [string | undefined, string | null])[] = [
    [shown.idDocumentNumber, chip.documentNumber],
    [birth, toIsoDate(chip.birthDate)],
    [shown.expiryDate, chip.expiryDate && toIsoDate(chip.expiryDate)],
    [shown.issuingCountry, toAlpha3(chip.issuingState)],
    [shown.idDocumentType === 'ID_DOCUMENT' ? undefined : shown.idDocumentType, chip.documentClass],
  ]
  const isSame = pairs.every(([seen, stored]) => seen === undefined || seen === stored)
  return isSame && (printed ? isSameMrz(chip, printed) : isSameName(chip, shown)) ? 'passed' : 'failed'
}

/** Letters and digits that recognisers confuse, each with the sign that stands for its group. */
const ALIKE = new Map(
  ['0OQDC', '1IL', '2Z', '5S', '6G', '8B', 'UV', 'KX<'].flatMap((group) =>
    [...group].map((sign) => [sign, group[0]] as const),
  ),
)
const fold = (text: string): string => [...text].map((sign) => ALIKE.get(sign) ?? sign).join('')
const isAlike = (a: string, b: string): boolean => fold(a) === fold(b)

/** One wrong sign of ten, and one more, may be the recogniser's in a field that no check digit guards. */
const SIGNS_PER_ERROR = 10

/** The fields have a fixed width: a recogniser takes a sign for another one, and neither adds nor drops one. */
function isNearlySame(a: string, b: string): boolean {
  const width = Math.max(a.length, b.length)
  const [one, other] = [a, b].map((text) => fold(text.padEnd(width, '<')))
  const wrong = [...one].filter((sign, at) => sign !== other[at]).length
  return wrong <= 1 + Math.floor(width / SIGNS_PER_ERROR)
}

/** The numbers and dates were compared before. */
function isSameMrz(chip: MrzFacts, printed: MrzFacts): boolean {
  return (
    chip.format === printed.format &&
    chip.sex === printed.sex &&
    isAlike(chip.nationality, printed.nationality) &&
    isNearlySame(writeName(chip), writeName(printed)) &&
    isNearlySame(chip.optionalData, printed.optionalData) &&
    isNearlySame(chip.optionalData2, printed.optionalData2)
  )
}

const writeName = ({ surname, givenNames }: MrzFacts): string => [surname, '', ...givenNames].join('<')

/** Print without an MRZ may abbreviate a name. */
function isSameName(chip: MrzFacts, { personalAttributes }: IdDocumentData): boolean {
  const { surname, givenNames = [] } = personalAttributes
  if (surname === undefined) return true
  const given = givenNames.map(({ value }) => value).join(' ')
  const comparisons = compareStatedNames(
    { surname: surname.value, ...(given ? { givenNames: given } : {}), mayBeCut: false },
    { surname: chip.surname, givenNames: chip.givenNames.join(' '), mayBeCut: chip.nameMayBeTruncated },
  )
  return [...comparisons.values()].every((comparison) => comparison !== 'different')
}
