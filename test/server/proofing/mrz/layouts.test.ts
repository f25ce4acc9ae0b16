/**
 * The layouts of Doc 9303 (parts 4 to 7) and of the national documents, drawn column by column: each sign stands for the
 * field that a column belongs to, each row of alphabets for the characters that a line may hold.
 */
import { describe, expect, test } from 'vitest'
import {
  ALPHABETS,
  alphabetGrid,
  fieldText,
  MRZ_LAYOUTS,
  type FieldName,
} from '../../../../server/proofing/mrz/fields.ts'
import { MRZ_FORMATS, type MrzFormat } from '../../../../server/proofing/mrz/format.ts'

const SIGNS: Readonly<Record<FieldName, string>> = {
  documentCode: 'D',
  issuingState: 'I',
  names: 'N',
  surname: 'U',
  givenNames: 'G',
  documentNumber: '#',
  documentNumberCheck: '1',
  nationality: 'A',
  birthDate: 'B',
  birthDateCheck: '2',
  sex: 'S',
  expiryDate: 'E',
  expiryDateCheck: '3',
  optionalData: 'O',
  optionalDataCheck: '4',
  optionalData2: 'P',
  issueDate: 'Y',
  issuingOffice: 'F',
  blankNumber: 'K',
  language: 'L',
  fillers: '<',
  compositeCheck: '5',
}

interface Drawn {
  readonly columns: readonly string[]
  readonly alphabets: readonly string[]
  /** Line and columns from zero, the end not included; the place of the digit; what a filler there means. */
  readonly checks: readonly string[]
}

const DRAWN: Readonly<Record<MrzFormat, Drawn>> = {
  TD1: {
    columns: [
      'DDIII#########1OOOOOOOOOOOOOOO',
      'BBBBBB2SEEEEEE3AAAPPPPPPPPPPP5',
      'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNN',
    ],
    alphabets: [
      '1 cardCode, 1 any, 3 name, 9 any, 1 check, 15 any',
      '6 date, 1 digits, 1 sex, 6 date, 1 check, 3 name, 11 any, 1 check',
      '30 name',
    ],
    checks: [
      'documentNumber over 0:5-14 in 0:14, overflow',
      'birthDate over 1:0-6 in 1:6, never',
      'expiryDate over 1:8-14 in 1:14, empty',
      'composite over 0:5-30 + 1:0-7 + 1:8-15 + 1:18-29 in 1:29, never',
    ],
  },
  TD2: {
    columns: ['DDIIINNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN', '#########1AAABBBBBB2SEEEEEE3OOOOOOO5'],
    alphabets: [
      '1 cardCodeOrPassport, 1 any, 34 name',
      '9 any, 1 check, 3 name, 6 date, 1 digits, 1 sex, 6 date, 1 check, 7 any, 1 check',
    ],
    checks: [
      'documentNumber over 1:0-9 in 1:9, overflow',
      'birthDate over 1:13-19 in 1:19, never',
      'expiryDate over 1:21-27 in 1:27, empty',
      'composite over 1:0-10 + 1:13-20 + 1:21-35 in 1:35, never',
    ],
  },
  TD3: {
    columns: ['DDIIINNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN', '#########1AAABBBBBB2SEEEEEE3OOOOOOOOOOOOOO45'],
    alphabets: [
      '1 passportCode, 1 any, 42 name',
      '9 any, 1 check, 3 name, 6 date, 1 digits, 1 sex, 6 date, 1 check, 14 any, 2 check',
    ],
    checks: [
      'documentNumber over 1:0-9 in 1:9, overflow',
      'birthDate over 1:13-19 in 1:19, never',
      'expiryDate over 1:21-27 in 1:27, empty',
      'optionalData over 1:28-42 in 1:42, empty',
      'composite over 1:0-10 + 1:13-20 + 1:21-43 in 1:43, never',
    ],
  },
  MRVA: {
    columns: ['DDIIINNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN', '#########1AAABBBBBB2SEEEEEE3OOOOOOOOOOOOOOOO'],
    alphabets: [
      '1 visaCode, 1 any, 42 name',
      '9 any, 1 check, 3 name, 6 date, 1 digits, 1 sex, 6 date, 1 check, 16 any',
    ],
    checks: [
      'documentNumber over 1:0-9 in 1:9, empty',
      'birthDate over 1:13-19 in 1:19, never',
      'expiryDate over 1:21-27 in 1:27, empty',
    ],
  },
  MRVB: {
    columns: ['DDIIINNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN', '#########1AAABBBBBB2SEEEEEE3OOOOOOOO'],
    alphabets: [
      '1 visaCode, 1 any, 34 name',
      '9 any, 1 check, 3 name, 6 date, 1 digits, 1 sex, 6 date, 1 check, 8 any',
    ],
    checks: [
      'documentNumber over 1:0-9 in 1:9, empty',
      'birthDate over 1:13-19 in 1:19, never',
      'expiryDate over 1:21-27 in 1:27, empty',
    ],
  },
  FRA: {
    columns: ['DDIIIUUUUUUUUUUUUUUUUUUUUUUUUUFFFFFF', 'YYYY########1GGGGGGGGGGGGGGBBBBBB2S5'],
    alphabets: [
      '1 cardCode, 29 name, 6 any',
      '4 digits, 8 any, 1 digits, 14 name, 6 date, 1 digits, 1 sex, 1 digits',
    ],
    checks: [
      'documentNumber over 1:0-12 in 1:12, never',
      'birthDate over 1:27-33 in 1:33, never',
      'composite over 0:0-36 + 1:0-35 in 1:35, never',
    ],
  },
  FRA_DL: {
    columns: ['DDIII#########1EEEEEEUUUUUUUU5'],
    alphabets: [
      '1 frenchLicenceCode, 1 frenchLicenceKind, 3 name, 9 any, 1 digits, 6 date, 8 name, 1 digits',
    ],
    checks: ['documentNumber over 0:0-14 in 0:14, never', 'composite over 0:0-29 in 0:29, never'],
  },
  CHE_DL: {
    columns: ['KKKKKKL<<', 'DDIII############<<BBBBBB<<<<<', 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNN'],
    alphabets: [
      '3 alphanumeric, 3 digits, 1 language, 2 filler',
      '1 swissLicenceCode, 1 swissLicenceKind, 3 name, 12 digits, 2 filler, 6 date, 5 filler',
      '30 name',
    ],
    checks: [],
  },
}

/** `3 name, 1 check`: how many columns in a row take which alphabet. */
function inRuns(alphabets: readonly string[]): string {
  const runs: { name: string; count: number }[] = []
  for (const name of alphabets) {
    const last = runs.at(-1)
    if (last?.name === name) last.count++
    else runs.push({ name, count: 1 })
  }
  return runs.map(({ name, count }) => `${count} ${name}`).join(', ')
}

describe.each(MRZ_FORMATS)('the layout %s', (format) => {
  const { columns, alphabets, checks } = DRAWN[format]

  test('gives every column to the field that the standard prints there', () => {
    for (const { field, line, from, to } of MRZ_LAYOUTS[format].fields)
      expect(columns[line].slice(from, to), field).toBe(SIGNS[field].repeat(to - from))
    const covered = MRZ_LAYOUTS[format].fields.reduce((sum, { from, to }) => sum + to - from, 0)
    expect(covered).toBe(columns.join('').length)
  })

  test('reads a field back from exactly its columns', () => {
    for (const name of Object.keys(SIGNS) as FieldName[]) {
      const drawn = columns
        .join('')
        .split('')
        .filter((sign) => sign === SIGNS[name])
      expect(fieldText(format, columns, name), name).toBe(drawn.length === 0 ? null : drawn.join(''))
    }
  })

  test('lets each line hold the characters of its fields', () => {
    expect(alphabetGrid(format).map(inRuns)).toEqual(alphabets)
  })

  test('guards what the standard guards, by the digit in its place', () => {
    const written = MRZ_LAYOUTS[format].checks.map(({ check, over, digit, filler }) => {
      const parts = over.map(({ line, from, to }) => `${line}:${from}-${to}`).join(' + ')
      return `${check} over ${parts} in ${digit.line}:${digit.column}, ${filler}`
    })
    expect(written).toEqual(checks)
  })
})

test('a line that is missing gives an empty field, not an error', () => {
  expect(fieldText('TD3', [], 'documentNumber')).toBe('')
})

test('the alphabets hold the characters of the MRZ that their fields may print', () => {
  const sorted = (text: string) => [...text].sort().join('')
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  expect(Object.fromEntries(Object.entries(ALPHABETS).map(([name, text]) => [name, sorted(text)]))).toEqual({
    any: `0123456789<${letters}`,
    name: `<${letters}`,
    digits: '0123456789',
    alphanumeric: `0123456789${letters}`,
    filler: '<',
    language: 'DFIR',
    date: '0123456789<',
    sex: '<FMX',
    check: '0123456789<',
    passportCode: 'P',
    visaCode: 'V',
    cardCode: 'ACI',
    cardCodeOrPassport: 'ACIP',
    frenchLicenceCode: 'D',
    frenchLicenceKind: '1',
    swissLicenceCode: 'F',
    swissLicenceKind: 'A',
  })
})
