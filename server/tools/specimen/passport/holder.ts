/** Fictitious holders and their passports: everything printed on a page, drawn from a seed. */
import { buildTd3 } from '../../../proofing/mrz/build.ts'
import { createRandom } from '../head/noise.ts'

export interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

export interface PassportFacts {
  readonly documentCode: 'P'
  /** Utopia: reserved by ICAO Doc 9303 for specimens. */
  readonly issuingState: 'UTO'
  readonly nationality: 'UTO'
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly sex: 'F' | 'M'
  readonly birthDate: CalendarDate
  readonly birthPlace: string
  readonly documentNumber: string
  readonly issueDate: CalendarDate
  readonly expiryDate: CalendarDate
  readonly authority: string
  readonly mrz: readonly [string, string]
}

const SURNAMES = [
  'ALDERBROOK', 'BRANDVOLD', 'CASTELMARE', 'DORNFELD', 'ELMQUIST', 'FAIRWATER', 'GRANDVAL', 'HOLLOWAY',
  'ISERMARK', 'JUNIPERO', 'KESTRELL', 'LINDQVARN', 'MORAVANE', 'NORTHBECK', 'OAKENSHAW', 'PELLERIN',
  'QUILLFORD', 'ROSENDAHL', 'SILVERTHORN', 'TAMARISK', 'ULVESKOG', 'VALMONTE', 'WINTERMOOR', 'YARROWGATE',
] // oxfmt-ignore
const GIVEN_NAMES = {
  F: [
    'ADELA',
    'BIRGIT',
    'CELESTE',
    'DELPHINE',
    'ESTRID',
    'FIONA',
    'GRETA',
    'HELENA',
    'IRIS',
    'JOSEFA',
    'LIVIA',
    'MARTHE',
  ],
  M: [
    'ANSELM',
    'BASTIAN',
    'CONRAD',
    'DARIO',
    'EMERIC',
    'FELIX',
    'GUSTAV',
    'HENRIK',
    'IVO',
    'JASPER',
    'LEANDER',
    'MATTEO',
  ],
} as const
const PLACES = ['ZENITH', 'PORT CLEMENT', 'NEW AMAUROT', 'ANYDER BRIDGE', 'SALTERNE', 'MIRADOR']
/** Letters that cannot be confused with digits. */
const NUMBER_LETTERS = 'CFHJKLMNPRTVWXYZ'

const ISSUED_FIRST_YEAR = 2022
const ISSUED_LAST_YEAR = 2025
/** Validity of an adult's passport in years. */
const VALIDITY_YEARS = 10
const YOUNGEST_BIRTH_YEAR = 2002
const OLDEST_BIRTH_YEAR = 1952

export interface HolderOptions {
  readonly seed: number
  readonly sex?: 'F' | 'M'
  readonly birthYear?: number
}

/**
 * The same seed gives the same holder. Dates of issue are in 2022–2025, so that every page is valid until at least 2032.
 */
export function inventHolder({ seed, sex: wantedSex, birthYear }: HolderOptions): PassportFacts {
  const random = createRandom(seed + 4711)
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]
  const date = (from: number, to: number): CalendarDate => ({
    year: whole(from, to),
    month: whole(1, 12),
    day: whole(1, 28),
  })

  const drawnSex = random() < 0.5 ? 'F' : 'M'
  const sex = wantedSex ?? drawnSex
  const surname = pick(SURNAMES)
  const first = pick(GIVEN_NAMES[sex])
  const second = pick(GIVEN_NAMES[sex].filter((name) => name !== first))
  const born = date(OLDEST_BIRTH_YEAR, YOUNGEST_BIRTH_YEAR)
  const birthDate = birthYear === undefined ? born : { ...born, year: birthYear }
  const issueDate = date(ISSUED_FIRST_YEAR, ISSUED_LAST_YEAR)
  const expiry = new Date(Date.UTC(issueDate.year + VALIDITY_YEARS, issueDate.month - 1, issueDate.day - 1))
  const expiryDate = {
    year: expiry.getUTCFullYear(),
    month: expiry.getUTCMonth() + 1,
    day: expiry.getUTCDate(),
  }
  const documentNumber = `${pick([...NUMBER_LETTERS])}${pick([...NUMBER_LETTERS])}${whole(1_000_000, 9_999_999)}`
  const givenNames = [first, second]
  return {
    documentCode: 'P',
    issuingState: 'UTO',
    nationality: 'UTO',
    surname,
    givenNames,
    sex,
    birthDate,
    birthPlace: pick(PLACES),
    documentNumber,
    issueDate,
    expiryDate,
    authority: 'UTOPIA PASSPORT OFFICE',
    mrz: buildTd3({
      documentCode: 'P',
      issuingState: 'UTO',
      documentNumber,
      nationality: 'UTO',
      birthDate: mrzDate(birthDate),
      sex,
      expiryDate: mrzDate(expiryDate),
      surname,
      givenNames,
    }),
  }
}

const two = (n: number) => String(n % 100).padStart(2, '0')

/** YYMMDD. */
function mrzDate({ year, month, day }: CalendarDate): string {
  return two(year) + two(month) + two(day)
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** As printed: 07 MAR 1984. */
export function printedDate({ year, month, day }: CalendarDate): string {
  return `${two(day)} ${MONTHS[month - 1]} ${year}`
}

/** yyyy-mm-dd. */
export function isoDate({ year, month, day }: CalendarDate): string {
  return `${year}-${two(month)}-${two(day)}`
}
