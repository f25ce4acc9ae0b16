/**
 * Builds machine-readable lines with correct check digits from facts. For specimens and test vectors, never to alter a
 * reading.
 */
import { MRZ_SHAPES, type MrzFormat } from './format.ts'
import { checkDigit, isMrzText } from './check-digit.ts'
import { MRZ_LAYOUTS, type FieldName, type MrzCheckRule } from './fields.ts'
import { writeNames } from './names.ts'

/** Texts in the MRZ alphabet (A–Z, 0–9), dates as YYMMDD with fillers for unknown parts. */
export interface MrzContents {
  /** One or two characters: P, PP, ID, V … */
  readonly documentCode: string
  readonly issuingState: string
  /** More than nine characters overflow into the optional data of TD1 and TD2. */
  readonly documentNumber: string
  readonly nationality: string
  readonly birthDate: string
  readonly sex: 'M' | 'F' | 'X'
  readonly expiryDate: string
  /** Components separated by single spaces or fillers. */
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly optionalData?: string
  /** Second optional field of TD1. */
  readonly optionalData2?: string
}

const NUMBER_WIDTH = 9

type IcaoFormat = Exclude<MrzFormat, 'FRA' | 'FRA_DL' | 'CHE_DL'>

/** Throws TypeError if a value does not fit its field or contains a character outside the MRZ alphabet. */
export function buildMrz(contents: MrzContents, format: IcaoFormat): string[] {
  const grid = MRZ_SHAPES[format].map((width) => '<'.repeat(width))
  const values = fieldValues(contents, format)
  for (const f of MRZ_LAYOUTS[format].fields) {
    const value = values[f.field]
    if (value === undefined) continue
    // The document code consists of two one-character fields with different alphabets.
    const part = f.field === 'documentCode' ? value.charAt(f.from) : value
    if (part.length > f.to - f.from || !isMrzText(part))
      throw new TypeError(`${f.field} does not fit its field`)
    grid[f.line] = put(grid[f.line] ?? '', f.from, part)
  }
  for (const rule of MRZ_LAYOUTS[format].checks) {
    if (rule.check === 'documentNumber' && contents.documentNumber.length > NUMBER_WIDTH) continue
    grid[rule.digit.line] = put(grid[rule.digit.line] ?? '', rule.digit.column, computeCheck(rule, grid))
  }
  return grid
}

export function buildTd3(contents: MrzContents): [string, string] {
  const [upper = '', lower = ''] = buildMrz(contents, 'TD3')
  return [upper, lower]
}

/** Computes the digit that the rule requires from the given lines. */
function computeCheck(rule: MrzCheckRule, lines: readonly string[]): string {
  return checkDigit(rule.over.map((s) => (lines[s.line] ?? '').slice(s.from, s.to)).join(''))
}

function fieldValues(c: MrzContents, format: IcaoFormat): Partial<Record<FieldName, string>> {
  const [width] = MRZ_SHAPES[format]
  const overflow = c.documentNumber.slice(NUMBER_WIDTH)
  if (overflow !== '' && format !== 'TD1' && format !== 'TD2')
    throw new TypeError('documentNumber does not fit its field')
  // Doc 9303 part 5, section 4.2.2: the rest of the number, the check digit over the whole number, one filler.
  const continued = overflow === '' ? '' : `${overflow}${checkDigit(c.documentNumber)}<`
  return {
    documentCode: c.documentCode,
    issuingState: c.issuingState,
    documentNumber: c.documentNumber.slice(0, NUMBER_WIDTH),
    nationality: c.nationality,
    birthDate: c.birthDate,
    sex: c.sex === 'X' ? '<' : c.sex,
    expiryDate: c.expiryDate,
    names: writeNames(c.surname, c.givenNames, format === 'TD1' ? width : width - 5),
    optionalData: `${continued}${c.optionalData ?? ''}`,
    ...(format === 'TD1' ? { optionalData2: c.optionalData2 ?? '' } : {}),
  }
}

function put(line: string, at: number, text: string): string {
  return line.slice(0, at) + text + line.slice(at + text.length)
}
