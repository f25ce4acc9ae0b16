/**
 * Position, alphabet and check digit of each field in each layout. From ICAO Doc 9303 parts 4 (TD3), 5 (TD1), 6 (TD2) and
 * 7 (visas); FRA is the French identity card of 1988–2021, FRA_DL and CHE_DL are the driving licences of France and of
 * Switzerland and Liechtenstein. Lines and columns are zero-based, `to` is exclusive.
 */
import { MRZ_SHAPES, type MrzFormat } from './format.ts'

export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
export const DIGITS = '0123456789'

/** Characters of each alphabet, in no particular order. */
export const ALPHABETS = {
  any: `${DIGITS}${LETTERS}<`,
  name: `${LETTERS}<`,
  digits: DIGITS,
  alphanumeric: `${DIGITS}${LETTERS}`,
  filler: '<',
  /** Languages of the Swiss licence: German, French, Italian, Romansh. */
  language: 'DFIR',
  /** Unknown parts of a date of birth are fillers (part 3, section 4.8). */
  date: `${DIGITS}<`,
  /** Some issuers print X, although the standard prescribes a filler. */
  sex: 'MF<X',
  /** A check digit, or a filler if the guarded field is empty or overflows. */
  check: `${DIGITS}<`,
  passportCode: 'P',
  visaCode: 'V',
  cardCode: 'ACI',
  /** The single-sheet emergency travel document in TD2 size is PU (part 8). */
  cardCodeOrPassport: 'ACIP',
  /** First and second letter of the code of the French licence (D1) and of the Swiss one (FA). */
  frenchLicenceCode: 'D',
  frenchLicenceKind: '1',
  swissLicenceCode: 'F',
  swissLicenceKind: 'A',
} as const
export type Alphabet = keyof typeof ALPHABETS

export type FieldName =
  | 'documentCode'
  | 'issuingState'
  | 'names'
  | 'surname'
  | 'givenNames'
  | 'documentNumber'
  | 'documentNumberCheck'
  | 'nationality'
  | 'birthDate'
  | 'birthDateCheck'
  | 'sex'
  | 'expiryDate'
  | 'expiryDateCheck'
  | 'optionalData'
  | 'optionalDataCheck'
  | 'optionalData2'
  | 'issueDate'
  | 'issuingOffice'
  | 'blankNumber'
  | 'language'
  | 'fillers'
  | 'compositeCheck'

interface MrzField {
  readonly field: FieldName
  readonly line: number
  readonly from: number
  readonly to: number
  readonly alphabet: Alphabet
}
export interface Span {
  readonly line: number
  readonly from: number
  readonly to: number
}
export type CheckName = 'documentNumber' | 'birthDate' | 'expiryDate' | 'optionalData' | 'composite'
export interface MrzCheckRule {
  readonly check: CheckName
  readonly over: readonly Span[]
  readonly digit: { readonly line: number; readonly column: number }
  /**
   * Meaning of a filler in place of the digit. `empty`: allowed if the guarded field is empty (TD3 optional data);
   * `overflow`: the document number continues in the optional data (TD1, TD2, and non-standard TD3); `never`: a failure.
   */
  readonly filler: 'empty' | 'overflow' | 'never'
}
interface MrzLayout {
  readonly fields: readonly MrzField[]
  readonly checks: readonly MrzCheckRule[]
}

const field = (name: FieldName, line: number, from: number, to: number, alphabet: Alphabet): MrzField => ({
  field: name,
  line,
  from,
  to,
  alphabet,
})
const span = (line: number, from: number, to: number): Span => ({ line, from, to })

/** First line of every two-line layout except the French one. */
const upperLine = (code: Alphabet, width: number): MrzField[] => [
  field('documentCode', 0, 0, 1, code),
  field('documentCode', 0, 1, 2, 'any'),
  field('issuingState', 0, 2, 5, 'name'),
  field('names', 0, 5, width, 'name'),
]
/** Columns 1 to 28 of the second line, equal in TD2, TD3 and both visas. */
const LOWER_LINE: readonly MrzField[] = [
  field('documentNumber', 1, 0, 9, 'any'),
  field('documentNumberCheck', 1, 9, 10, 'check'),
  field('nationality', 1, 10, 13, 'name'),
  field('birthDate', 1, 13, 19, 'date'),
  field('birthDateCheck', 1, 19, 20, 'digits'),
  field('sex', 1, 20, 21, 'sex'),
  field('expiryDate', 1, 21, 27, 'date'),
  field('expiryDateCheck', 1, 27, 28, 'check'),
]
const numberCheck = (filler: MrzCheckRule['filler']): MrzCheckRule => ({
  check: 'documentNumber',
  over: [span(1, 0, 9)],
  digit: { line: 1, column: 9 },
  filler,
})
const DATE_CHECKS: readonly MrzCheckRule[] = [
  { check: 'birthDate', over: [span(1, 13, 19)], digit: { line: 1, column: 19 }, filler: 'never' },
  { check: 'expiryDate', over: [span(1, 21, 27)], digit: { line: 1, column: 27 }, filler: 'empty' },
]

export const MRZ_LAYOUTS: Readonly<Record<MrzFormat, MrzLayout>> = {
  TD1: {
    fields: [
      field('documentCode', 0, 0, 1, 'cardCode'),
      field('documentCode', 0, 1, 2, 'any'),
      field('issuingState', 0, 2, 5, 'name'),
      field('documentNumber', 0, 5, 14, 'any'),
      field('documentNumberCheck', 0, 14, 15, 'check'),
      field('optionalData', 0, 15, 30, 'any'),
      field('birthDate', 1, 0, 6, 'date'),
      field('birthDateCheck', 1, 6, 7, 'digits'),
      field('sex', 1, 7, 8, 'sex'),
      field('expiryDate', 1, 8, 14, 'date'),
      field('expiryDateCheck', 1, 14, 15, 'check'),
      field('nationality', 1, 15, 18, 'name'),
      field('optionalData2', 1, 18, 29, 'any'),
      field('compositeCheck', 1, 29, 30, 'check'),
      field('names', 2, 0, 30, 'name'),
    ],
    checks: [
      { check: 'documentNumber', over: [span(0, 5, 14)], digit: { line: 0, column: 14 }, filler: 'overflow' },
      { check: 'birthDate', over: [span(1, 0, 6)], digit: { line: 1, column: 6 }, filler: 'never' },
      { check: 'expiryDate', over: [span(1, 8, 14)], digit: { line: 1, column: 14 }, filler: 'empty' },
      {
        check: 'composite',
        over: [span(0, 5, 30), span(1, 0, 7), span(1, 8, 15), span(1, 18, 29)],
        digit: { line: 1, column: 29 },
        filler: 'never',
      },
    ],
  },
  TD2: {
    fields: [
      ...upperLine('cardCodeOrPassport', 36),
      ...LOWER_LINE,
      field('optionalData', 1, 28, 35, 'any'),
      field('compositeCheck', 1, 35, 36, 'check'),
    ],
    checks: [
      numberCheck('overflow'),
      ...DATE_CHECKS,
      {
        check: 'composite',
        over: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 35)],
        digit: { line: 1, column: 35 },
        filler: 'never',
      },
    ],
  },
  TD3: {
    fields: [
      ...upperLine('passportCode', 44),
      ...LOWER_LINE,
      field('optionalData', 1, 28, 42, 'any'),
      field('optionalDataCheck', 1, 42, 43, 'check'),
      field('compositeCheck', 1, 43, 44, 'check'),
    ],
    checks: [
      numberCheck('overflow'),
      ...DATE_CHECKS,
      { check: 'optionalData', over: [span(1, 28, 42)], digit: { line: 1, column: 42 }, filler: 'empty' },
      {
        check: 'composite',
        over: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 43)],
        digit: { line: 1, column: 43 },
        filler: 'never',
      },
    ],
  },
  MRVA: {
    fields: [...upperLine('visaCode', 44), ...LOWER_LINE, field('optionalData', 1, 28, 44, 'any')],
    checks: [numberCheck('empty'), ...DATE_CHECKS],
  },
  MRVB: {
    fields: [...upperLine('visaCode', 36), ...LOWER_LINE, field('optionalData', 1, 28, 36, 'any')],
    checks: [numberCheck('empty'), ...DATE_CHECKS],
  },
  FRA: {
    fields: [
      field('documentCode', 0, 0, 1, 'cardCode'),
      field('documentCode', 0, 1, 2, 'name'),
      field('issuingState', 0, 2, 5, 'name'),
      field('surname', 0, 5, 30, 'name'),
      field('issuingOffice', 0, 30, 36, 'any'),
      field('issueDate', 1, 0, 4, 'digits'),
      field('documentNumber', 1, 4, 12, 'any'),
      field('documentNumberCheck', 1, 12, 13, 'digits'),
      field('givenNames', 1, 13, 27, 'name'),
      field('birthDate', 1, 27, 33, 'date'),
      field('birthDateCheck', 1, 33, 34, 'digits'),
      field('sex', 1, 34, 35, 'sex'),
      field('compositeCheck', 1, 35, 36, 'digits'),
    ],
    checks: [
      { check: 'documentNumber', over: [span(1, 0, 12)], digit: { line: 1, column: 12 }, filler: 'never' },
      { check: 'birthDate', over: [span(1, 27, 33)], digit: { line: 1, column: 33 }, filler: 'never' },
      {
        check: 'composite',
        over: [span(0, 0, 36), span(1, 0, 35)],
        digit: { line: 1, column: 35 },
        filler: 'never',
      },
    ],
  },
  FRA_DL: {
    fields: [
      field('documentCode', 0, 0, 1, 'frenchLicenceCode'),
      field('documentCode', 0, 1, 2, 'frenchLicenceKind'),
      field('issuingState', 0, 2, 5, 'name'),
      field('documentNumber', 0, 5, 14, 'any'),
      field('documentNumberCheck', 0, 14, 15, 'digits'),
      field('expiryDate', 0, 15, 21, 'date'),
      field('surname', 0, 21, 29, 'name'),
      field('compositeCheck', 0, 29, 30, 'digits'),
    ],
    checks: [
      { check: 'documentNumber', over: [span(0, 0, 14)], digit: { line: 0, column: 14 }, filler: 'never' },
      { check: 'composite', over: [span(0, 0, 29)], digit: { line: 0, column: 29 }, filler: 'never' },
    ],
  },
  CHE_DL: {
    fields: [
      field('blankNumber', 0, 0, 3, 'alphanumeric'),
      field('blankNumber', 0, 3, 6, 'digits'),
      field('language', 0, 6, 7, 'language'),
      field('fillers', 0, 7, 9, 'filler'),
      field('documentCode', 1, 0, 1, 'swissLicenceCode'),
      field('documentCode', 1, 1, 2, 'swissLicenceKind'),
      field('issuingState', 1, 2, 5, 'name'),
      // Nine digits of the person and three of the version: together the number printed on the front.
      field('documentNumber', 1, 5, 17, 'digits'),
      field('fillers', 1, 17, 19, 'filler'),
      field('birthDate', 1, 19, 25, 'date'),
      field('fillers', 1, 25, 30, 'filler'),
      field('names', 2, 0, 30, 'name'),
    ],
    checks: [],
  },
}

/** One alphabet per line and column. */
export function alphabetGrid(format: MrzFormat): Alphabet[][] {
  const grid = MRZ_SHAPES[format].map((width) => new Array<Alphabet>(width).fill('any'))
  for (const { line, from, to, alphabet } of MRZ_LAYOUTS[format].fields) grid[line]?.fill(alphabet, from, to)
  return grid
}

/** Characters of all fields with this name in table order; null if the layout lacks it. */
export function fieldText(format: MrzFormat, lines: readonly string[], name: FieldName): string | null {
  const parts = MRZ_LAYOUTS[format].fields.filter((f) => f.field === name)
  if (parts.length === 0) return null
  return parts.map((f) => (lines[f.line] ?? '').slice(f.from, f.to)).join('')
}
