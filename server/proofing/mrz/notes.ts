/**
 * Notes about an MRZ besides its facts: tolerated deviations from the standard, and facts that it cannot express. None
 * makes a document invalid; a person or a rule may require more because of one.
 */
import type { MrzFormat } from './format.ts'
import { issuerKind } from './issuers.ts'
import { MRZ_LAYOUTS } from './fields.ts'

const MRZ_NOTES = [
  /** A passport number of more than nine characters, for which the standard has no rule (part 4). */
  'NUMBER_TOO_LONG_FOR_FORMAT',
  /** A character that the standard does not allow there but states print. The note does not name it. */
  'SIGN_OUTSIDE_ALPHABET',
  /** A second letter that the standard excludes: V on a card (parts 5 and 6). */
  'CODE_NOT_ALLOWED',
  /** A code of a state or nationality that is in no list. */
  'ISSUER_UNKNOWN',
  'NATIONALITY_UNKNOWN',
  /** The issuer does not know all parts of the date of birth. */
  'BIRTH_DATE_INCOMPLETE',
  /** A two-digit year that fits a child and a person over a hundred. */
  'BIRTH_CENTURY_AMBIGUOUS',
  'NAME_MAY_BE_TRUNCATED',
  /** The layout has no expiry field: the VIZ must state it. */
  'EXPIRY_NOT_IN_ZONE',
  /** For a visa: the last day of stay or of entry. Unrelated to the passport's expiry. */
  'EXPIRY_IS_OF_VISA',
  /** The MRZ has no check digits. */
  'NO_CHECK_DIGITS',
] as const
export type MrzNote = (typeof MRZ_NOTES)[number]

/** Deviations from Doc 9303 that states are known to print. The other notes are no deviations. */
export const MRZ_DEVIATIONS: readonly MrzNote[] = [
  'NUMBER_TOO_LONG_FOR_FORMAT',
  'SIGN_OUTSIDE_ALPHABET',
  'CODE_NOT_ALLOWED',
  'NATIONALITY_UNKNOWN',
]

/** Inputs of the notes. Codes without fillers. */
interface Noticed {
  readonly format: MrzFormat
  readonly documentCode: string
  readonly issuingState: string
  /** Empty if the layout has none. */
  readonly nationality: string
  /** The sex field as printed; null if the layout has none. */
  readonly sexText: string | null
  readonly hasLongNumber: boolean
  /** Years that the birth date may mean; null if the layout has no birth date. */
  readonly birth: { readonly isComplete: boolean; readonly possibleYears: readonly number[] } | null
  readonly nameMayBeTruncated: boolean
}

/** Cards, whose numbers may overflow and whose codes follow one rule (parts 5 and 6). */
const CARDS: ReadonlySet<MrzFormat> = new Set(['TD1', 'TD2'])
const VISAS: ReadonlySet<MrzFormat> = new Set(['MRVA', 'MRVB'])

export function listNotes(noticed: Noticed): readonly MrzNote[] {
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
