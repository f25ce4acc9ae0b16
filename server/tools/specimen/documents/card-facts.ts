/**
 * Facts printed on one specimen document: holder, numbers, dates. Drawn from a seed; issuers are Utopia and fictitious
 * states.
 */
import { isMedicareNumber } from '../../../proofing/medicare.ts'
import type { CalendarDate } from '../passport/holder.ts'
import { createDraw, inventPerson, plainSpelling, type BirthDate, type Draw, type Person } from './person.ts'

export interface CardFacts {
  readonly seed: number
  readonly holder: Person
  readonly documentNumber: string
  readonly cardNumber: string
  readonly personalNumber: string
  readonly issueDate: CalendarDate
  readonly expiryDate: CalendarDate
  readonly authority: string
  /** Ten digits. */
  readonly medicareNumber: string
  readonly medicareReference: string
}

/** Composition of a document number; `long` numbers overflow their field in the MRZ (Doc 9303 part 5, 4.2.2). */
export type NumberStyle = 'passport' | 'card' | 'licence-letters' | 'licence-uk' | 'digits'

const ISSUED_FIRST_YEAR = 2020
const ISSUED_LAST_YEAR = 2025
const SHARE_OVERFLOWING = 0.08

export function inventCard(seed: number, style: NumberStyle, validYears: number): CardFacts {
  const holder = inventPerson(seed)
  const draw = createDraw(seed * 13 + 577)
  const issueDate = {
    year: draw.whole(ISSUED_FIRST_YEAR, ISSUED_LAST_YEAR),
    month: draw.whole(1, 12),
    day: draw.whole(1, 28),
  }
  return {
    seed,
    holder,
    documentNumber: documentNumber(draw, style, holder),
    cardNumber: `P${draw.digits(9)}`,
    personalNumber: `${draw.digits(6)}-${draw.digits(4)}`,
    issueDate,
    expiryDate: dayBefore(issueDate, validYears),
    authority: draw.pick(['UTOPIA IDENTITY OFFICE', 'DISTRICT OF ZENITH', 'PORT CLEMENT REGISTRY']),
    medicareNumber: medicareNumber(draw),
    medicareReference: String(draw.whole(1, 5)),
  }
}

function dayBefore({ year, month, day }: CalendarDate, yearsLater: number): CalendarDate {
  const end = new Date(Date.UTC(year + yearsLater, month - 1, day - 1))
  return { year: end.getUTCFullYear(), month: end.getUTCMonth() + 1, day: end.getUTCDate() }
}

function documentNumber(draw: Draw, style: NumberStyle, holder: Person): string {
  switch (style) {
    case 'passport':
      return `${draw.letters(2)}${draw.digits(7)}`
    case 'card':
      return draw.letters(1) + draw.digits(draw.chance(SHARE_OVERFLOWING) ? 11 : 8)
    case 'licence-letters':
      return draw.letters(1) + draw.digits(draw.pick([7, 8, 12]))
    case 'licence-uk':
      return britishStyle(draw, holder)
    case 'digits':
      return draw.pick(['1', '2', '3', '4', '5', '6', '7', '8', '9']) + draw.digits(7)
  }
}

/** Sixteen characters from name and date of birth, in the layout that DVLA publishes; the last two letters are random. */
function britishStyle(draw: Draw, { surname, givenNames, sex, birthDate }: Person): string {
  const five = plainSpelling(surname).replaceAll(' ', '').slice(0, 5).padEnd(5, '9')
  const [first = '9', second = '9'] = givenNames.map((name) => plainSpelling(name).charAt(0))
  const month = String(birthDate.month + (sex === 'F' ? 50 : 0)).padStart(2, '0')
  const day = String(birthDate.day ?? 1).padStart(2, '0')
  const year = String(birthDate.year)
  return `${five}${year.charAt(2)}${month}${day}${year.charAt(3)}${first}${second}9${draw.letters(2)}`
}

function medicareNumber(draw: Draw): string {
  const base = String(draw.whole(2, 6)) + draw.digits(7)
  const issue = String(draw.whole(1, 5))
  const digit = [...'0123456789'].find((candidate) => isMedicareNumber(base + candidate + issue))
  return base + (digit ?? '0') + issue
}

const two = (n: number) => String(n % 100).padStart(2, '0')

/** YYMMDD, with fillers for an unknown day. */
export function formatMrzDate({ year, month, day }: BirthDate): string {
  return two(year) + two(month) + (day === null ? '<<' : two(day))
}

/** YYYY-MM-DD, or YYYY-MM for an unknown day. */
export function truthDate({ year, month, day }: BirthDate): string {
  return `${year}-${two(month)}${day === null ? '' : `-${two(day)}`}`
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** Printed forms of dates; an unknown day is XX, or 00 if the card's standard requires it. */
export const DATE_STYLES = {
  '07 MAR 1984': ({ year, month, day }: BirthDate) =>
    `${day === null ? 'XX' : two(day)} ${MONTHS[month - 1]} ${year}`,
  '07.03.1984': ({ year, month, day }: BirthDate) =>
    `${day === null ? 'XX' : two(day)}.${two(month)}.${year}`,
  '03/07/1984': ({ year, month, day }: BirthDate) =>
    `${two(month)}/${day === null ? '00' : two(day)}/${year}`,
  '07 Mar 1984': ({ year, month, day }: BirthDate) => {
    const name = MONTHS[month - 1]
    return `${day === null ? 'XX' : two(day)} ${name.charAt(0)}${name.slice(1).toLowerCase()} ${year}`
  },
  '1984-03-07': ({ year, month, day }: BirthDate) =>
    `${year}-${two(month)}-${day === null ? 'XX' : two(day)}`,
} as const
export type DateStyle = keyof typeof DATE_STYLES
