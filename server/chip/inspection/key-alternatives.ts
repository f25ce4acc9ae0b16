/**
 * Other readings of the three fields that open a chip, where the optical reading doubts a letter. Only readings whose check digits
 * hold are given, the one with the fewest changes first, and few in all: a chip may answer more slowly after each wrong key.
 */
import { checkDigit } from '../../proofing/mrz/check-digit.ts'
import type { MrzFields } from '../access-key.ts'

/** A field as it was read, with the check digit behind it. */
export interface ReadField {
  readonly text: string
  readonly digit: string
}

export interface ReadMrzFields {
  readonly documentNumber: ReadField
  readonly dateOfBirth: ReadField
  readonly dateOfExpiry: ReadField
}

export const MAX_KEYS = 8
/** Letters that readers confuse (OCR-B, printed and worn). */
const CONFUSED: Readonly<Record<string, string>> = {
  O: '0QD',
  '0': 'OQD',
  Q: '0O',
  D: '0O',
  I: '1',
  '1': 'I',
  B: '8',
  '8': 'B',
  S: '5',
  '5': 'S',
  Z: '2',
  '2': 'Z',
  G: '6',
  '6': 'G',
}
const DIGIT_FOR: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  B: '8',
  S: '5',
  Z: '2',
  G: '6',
}

/**
 * Keys to try, at most eight; none if a field has a character that no MRZ has. The number as it was read comes first if its digit holds,
 * else last.
 */
export function listMrzKeys(read: ReadMrzFields): MrzFields[] {
  const dateOfBirth = toDigits(read.dateOfBirth.text)
  const dateOfExpiry = toDigits(read.dateOfExpiry.text)
  const { text, digit } = read.documentNumber
  const areFields = /^[0-9A-Z<]{1,22}$/.test(text) && [dateOfBirth, dateOfExpiry].every(isDate)
  if (!areFields) return []
  const numbers = listNumbers(text, toDigits(digit))
  return [...new Set(numbers)]
    .slice(0, MAX_KEYS)
    .map((documentNumber) => ({ documentNumber, dateOfBirth, dateOfExpiry }))
}

function listNumbers(text: string, digit: string): string[] {
  const holds = (number: string): boolean => checkDigit(number) === digit
  const one = changeOneLetter(text)
  const two = one.flatMap(changeOneLetter)
  const others = [...one, ...two].filter((number) => number !== text && holds(number))
  return holds(text) ? [text, ...others] : [...others.slice(0, MAX_KEYS - 1), text]
}

function changeOneLetter(text: string): string[] {
  return [...text].flatMap((letter, i) =>
    [...(CONFUSED[letter] ?? '')].map((other) => text.slice(0, i) + other + text.slice(i + 1)),
  )
}

function isDate(text: string): boolean {
  return /^[0-9<]{6}$/.test(text)
}

/** Dates and check digits have no letters. */
function toDigits(text: string): string {
  return [...text].map((letter) => DIGIT_FOR[letter] ?? letter).join('')
}
