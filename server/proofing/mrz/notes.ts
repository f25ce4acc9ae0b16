/**
 * What should be known of a zone beside its facts: deviations from the standard that are tolerated, and what the zone
 * cannot say. None of them makes a document wrong; a person or a rule may ask for more because of one.
 */
import type { MrzFormat } from './format.ts'
import { issuerKind } from './issuers.ts'
import { MRZ_LAYOUTS } from './fields.ts'

export const MRZ_NOTES = [
  /** More than nine characters on a passport, for which the standard has no rule (part 4). */
  'NUMBER_TOO_LONG_FOR_FORMAT',
  /** A sign that the standard does not have there, for which states print it all the same. Which one it is, the note does not say. */
  'SIGN_OUTSIDE_ALPHABET',
  /** A second letter that the standard excludes: V on a card (parts 5 and 6). */
  'CODE_NOT_ALLOWED',
  /** A code for states or persons that no list has. */
  'ISSUER_UNKNOWN',
  'NATIONALITY_UNKNOWN',
  /** Some part of the date of birth is not known to the issuer. */
  'BIRTH_DATE_INCOMPLETE',
  /** Two digits of a year that fit a child and somebody over a hundred. */
  'BIRTH_CENTURY_AMBIGUOUS',
  'NAME_MAY_BE_TRUNCATED',
  /** The layout has no field for it: the printed side has to say. */
  'EXPIRY_NOT_IN_ZONE',
  /** Of a visa: the last day of stay or of entry. It has nothing to do with the passport's expiry. */
  'EXPIRY_IS_OF_VISA',
  /** Nothing in the zone guards its characters. */
  'NO_CHECK_DIGITS',
] as const
export type MrzNote = (typeof MRZ_NOTES)[number]

/** Where the zone departs from Doc 9303 in a way that states are known to print. The other notes are no deviations. */
export const MRZ_DEVIATIONS: readonly MrzNote[] = [
  'NUMBER_TOO_LONG_FOR_FORMAT',
  'SIGN_OUTSIDE_ALPHABET',
  'CODE_NOT_ALLOWED',
  'NATIONALITY_UNKNOWN',
]

/** What the notes are made of. Codes without fillers. */
export interface Noticed {
  readonly format: MrzFormat
  readonly documentCode: string
  readonly issuingState: string
  /** Empty where the layout has none. */
  readonly nationality: string
  /** The sex field as printed; null where the layout has none. */
  readonly sexText: string | null
  readonly hasLongNumber: boolean
  /** Years that the birth date may stand for; null where the layout has no birth date. */
  readonly birth: { readonly isComplete: boolean; readonly possibleYears: readonly number[] } | null
  readonly nameMayBeTruncated: boolean
}

/** Their numbers may overflow, and their codes follow one rule (parts 5 and 6). */
const CARDS: ReadonlySet<MrzFormat> = new Set(['TD1', 'TD2'])
const VISAS: ReadonlySet<MrzFormat> = new Set(['MRVA', 'MRVB'])

export function notesOf(noticed: Noticed): readonly MrzNote[] {
  const { format, documentCode, issuingState, nationality, sexText, birth } = noticed
  const layout = MRZ_LAYOUTS[format]
  const hasExpiry = layout.fields.some(({ field }) => field === 'expiryDate')
  const applies: Readonly<Record<MrzNote, boolean>> = {
    NUMBER_TOO_LONG_FOR_FORMAT: noticed.hasLongNumber && !CARDS.has(format),
    SIGN_OUTSIDE_ALPHABET: sexText === 'X',
    CODE_NOT_ALLOWED: CARDS.has(format) && documentCode.charAt(1) === 'V',
    ISSUER_UNKNOWN: issuerKind(issuingState) === 'unknown',
    NATIONALITY_UNKNOWN: nationality !== '' && issuerKind(nationality) === 'unknown',
    BIRTH_DATE_INCOMPLETE: birth !== null && !birth.isComplete,
    BIRTH_CENTURY_AMBIGUOUS: birth !== null && birth.possibleYears.length > 1,
    NAME_MAY_BE_TRUNCATED: noticed.nameMayBeTruncated,
    EXPIRY_NOT_IN_ZONE: !hasExpiry,
    EXPIRY_IS_OF_VISA: VISAS.has(format),
    NO_CHECK_DIGITS: layout.checks.length === 0,
  }
  return MRZ_NOTES.filter((note) => applies[note])
}
