/**
 * Licence numbers of US states that encode the holder's name and birth date with Soundex. Names change and some states
 * now issue other numbers, so agreement is evidence but disagreement is weak. Tables: highprogrammer.com and a Usenet
 * article of 1992, which agree.
 */
import type { CheckOutcome } from '../judge.ts'
import { keepLetters, type LicenceHolder } from './holder.ts'

/** Layout of a number. */
interface Layout {
  readonly form: RegExp
  /** Days per month in the code, and offset for women. */
  readonly monthStep: number
  readonly female: number
}

/** Named groups: coded surname (initial and digits), coded first and middle names, year, day of the year. */
const LAYOUTS: Readonly<Record<string, readonly Layout[]>> = {
  FL: [
    {
      form: /^(?<initial>[A-Z])(?<name>\d{3})(?<given>\d{3})(?<year>\d\d)(?<day>\d{3})\d$/,
      monthStep: 40,
      female: 500,
    },
  ],
  WI: [
    {
      form: /^(?<initial>[A-Z])(?<name>\d{3})(?<given>\d{3})(?<year>\d\d)(?<day>\d{3})\d\d$/,
      monthStep: 40,
      female: 500,
    },
  ],
  IL: [
    {
      form: /^(?<initial>[A-Z])(?<name>\d{3})(?<given>\d{3})(?<year>\d\d)(?<day>\d{3})$/,
      monthStep: 31,
      female: 600,
    },
    // The state's identity card has the initial at the end.
    {
      form: /^(?<name>\d{3})(?<given>\d{3})(?<year>\d\d)(?<day>\d{3})(?<initial>[A-Z])$/,
      monthStep: 31,
      female: 600,
    },
  ],
}

/** States with a coded surname and unpublished tables for the rest; Minnesota ended the scheme in December 2004. */
const SURNAME_ONLY: readonly string[] = ['MD', 'MI', 'MN']

const FIRST_LETTERS = codes(
  'A0 B60 C100 D160 E200 F240 G280 H320 I400 J420 K500 L520 M540 N620 O640 P660 Q700 R720 S780 T800 U840 V860 W880 X940 Y960 Z980',
)
const MIDDLE_LETTERS = codes(
  'A1 B2 C3 D4 E5 F6 G7 H8 I9 J10 K11 L12 M13 N14 O14 P15 Q15 R16 S17 T18 U18 V18 W19 X19 Y19 Z19',
)
const COMMON_NAMES = codes(`
ALBERT20 ALICE20 ANN40 ANNA40 ANNE40 ANNIE40 ARTHUR40 BERNARD80 BETTE80 BETTIE80 BETTY80 CARL120 CATHERINE120 CHARLES140
CLARA140 DONALD180 DOROTHY180 EDWARD220 ELIZABETH220 FLORENCE260 FRANK260 GEORGE300 GRACE300 HAROLD340 HARRIET340 HARRY360
HAZEL360 HELEN380 HENRY380 JAMES440 JANE440 JAYNE440 JEAN460 JOHN460 JOAN480 JOSEPH480 MARGARET560 MARTIN560 MARVIN580
MARY580 MELVIN600 MILDRED600 PATRICIA680 PAUL680 RICHARD740 RUBY740 ROBERT760 RUTH760 THELMA820 THOMAS820 WALTER900
WANDA900 WILLIAM920 WILMA920`)

function codes(table: string): ReadonlyMap<string, number> {
  return new Map([...table.matchAll(/([A-Z]+)(\d+)/g)].map(([, name, code]) => [name, Number(code)]))
}

/** The facts that the number encodes. */
export type CodedParts = 'surname' | 'all'

/** Returns null if this state's numbers are not coded, or only with unknown tables. */
export function findCoding(state: string): CodedParts | null {
  if (SURNAME_ONLY.includes(state)) return 'surname'
  return state in LAYOUTS ? 'all' : null
}

export function checkSoundexNumber(number: string, holder: LicenceHolder, state: string): CheckOutcome {
  const surnames = computeSoundex(holder.surname)
  if (surnames.length === 0) return 'inconclusive'
  if (SURNAME_ONLY.includes(state)) {
    if (!/^[A-Z]\d{12}$/.test(number)) return 'inconclusive'
    return surnames.includes(number.slice(0, 4)) ? 'passed' : 'failed'
  }
  for (const layout of LAYOUTS[state] ?? []) {
    const parts = layout.form.exec(number)?.groups
    if (!parts || holder.birthDate === null || holder.givenNames.length === 0) continue
    const [year, month, day] = holder.birthDate.split('-').map(Number)
    const inYear = (month - 1) * layout.monthStep + day
    const isPerson =
      surnames.includes(parts.initial + parts.name) &&
      listGivenCodes(holder.givenNames).includes(Number(parts.given)) &&
      Number(parts.year) === year % 100 &&
      listDays(inYear, layout.female, holder.sex).includes(Number(parts.day))
    return isPerson ? 'passed' : 'failed'
  }
  return 'inconclusive'
}

function listDays(inYear: number, female: number, sex: LicenceHolder['sex']): readonly number[] {
  if (sex === 'F') return [inYear + female]
  return sex === 'M' ? [inYear] : [inYear, inYear + female]
}

/** With and without a middle initial: a second given name need not be a middle name for the state. */
function listGivenCodes([first, ...others]: readonly string[]): readonly number[] {
  const name = keepLetters(first)
  const base = COMMON_NAMES.get(name) ?? FIRST_LETTERS.get(name.charAt(0)) ?? 0
  const middle = MIDDLE_LETTERS.get(keepLetters(others[0] ?? '').charAt(0)) ?? 0
  return [base + middle, base]
}

const SOUNDS: readonly string[] = ['AEIOUY', 'BFPV', 'CGJKQSXZ', 'DT', 'L', 'MN', 'R']

/** Initial and three digits. Programs differ in whether H and W separate equal sounds, so both results are returned. */
export function computeSoundex(surname: string): readonly string[] {
  const letters = keepLetters(surname)
  if (letters === '') return []
  return [...new Set([true, false].map((joins) => soundex(letters, joins)))]
}

function soundex(letters: string, joins: boolean): string {
  let figures = ''
  let previous = findSound(letters[0])
  for (const letter of letters.slice(1)) {
    const sound = findSound(letter)
    if (sound === null) {
      if (!joins) previous = null
      continue
    }
    if (sound > 0 && sound !== previous) figures += sound
    previous = sound
  }
  return letters[0] + figures.slice(0, 3).padEnd(3, '0')
}

/** Zero for vowels, null for H and W. */
function findSound(letter: string): number | null {
  const sound = SOUNDS.findIndex((group) => group.includes(letter))
  return sound < 0 ? null : sound
}
