/**
 * Simulates a forger's change: one character of the print, so that the print and the MRZ or barcode differ. Check digits
 * stay valid on both sides.
 */
import type { CardFacts } from './card-facts.ts'
import { createDraw, plainSpelling, type BirthDate, type Draw } from './person.ts'

export const FORGED_FIELDS = ['documentNumber', 'surname', 'birthDate', 'expiryDate'] as const
export type ForgedField = (typeof FORGED_FIELDS)[number]

interface ForgedFacts {
  readonly facts: CardFacts
  readonly field: ForgedField
}

/** The same facts with one character of one field changed; the same seed makes the same change. */
export function forgeFacts(facts: CardFacts, seed: number): ForgedFacts {
  const draw = createDraw(seed * 29 + 11)
  const field = draw.pick(FORGED_FIELDS)
  const { holder } = facts
  switch (field) {
    case 'documentNumber':
      return { field, facts: { ...facts, documentNumber: withOneSign(facts.documentNumber, draw) } }
    case 'surname':
      return {
        field,
        facts: { ...facts, holder: { ...holder, surname: withOneLetter(holder.surname, draw) } },
      }
    case 'birthDate':
      return {
        field,
        facts: { ...facts, holder: { ...holder, birthDate: withOneDigit(holder.birthDate, draw) } },
      }
    case 'expiryDate': {
      const { year, month, day } = withOneDigit(facts.expiryDate, draw)
      return { field, facts: { ...facts, expiryDate: { year, month, day: day ?? facts.expiryDate.day } } }
    }
  }
}

/** Letters stay letters and digits stay digits; the changed place is within the field of any MRZ. */
const SHOWN = 8

function withOneSign(number: string, draw: Draw): string {
  const at = draw.whole(0, Math.min(SHOWN, number.length) - 1)
  return exchanged(
    number,
    at,
    /\d/.test(number.charAt(at)) ? [...'0123456789'] : [...'CFHJKLMNPRTVWXYZ'],
    draw,
  )
}

function withOneLetter(name: string, draw: Draw): string {
  const plain = plainSpelling(name)
  const places = [...plain.slice(0, SHOWN)].flatMap((letter, at) => (letter === ' ' ? [] : [at]))
  return exchanged(plain, draw.pick(places), [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'], draw)
}

function exchanged(text: string, at: number, alphabet: readonly string[], draw: Draw): string {
  const other = draw.pick(alphabet.filter((sign) => sign !== text.charAt(at)))
  return text.slice(0, at) + other + text.slice(at + 1)
}

/** Changes the last digit of the year, or a digit of month or day if the result is a date too. */
function withOneDigit(date: BirthDate, draw: Draw): BirthDate {
  const { year, month, day } = date
  const digits = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const years = digits(0, 9).map((last) => ({ ...date, year: year - (year % 10) + last }))
  const months = digits(1, 12)
    .filter((other) => isOneDigitApart(other, month))
    .map((other) => ({ ...date, month: other }))
  const days =
    day === null
      ? []
      : digits(1, 28)
          .filter((other) => isOneDigitApart(other, day))
          .map((other) => ({ ...date, day: other }))
  const others = [...years.filter((other) => other.year !== year), ...months, ...days]
  return draw.pick(others.filter((other) => (other.day ?? 1) <= 28))
}

function isOneDigitApart(a: number, b: number): boolean {
  const [tens, units] = [Math.trunc(a / 10) === Math.trunc(b / 10), a % 10 === b % 10]
  return tens !== units
}
