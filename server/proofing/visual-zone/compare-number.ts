/** Compares the printed document number with the one in the MRZ or barcode. */
import type { Comparison } from '../consistency.ts'
import { CERTAIN, type PageFacts } from './page-facts.ts'
import { MIN_ERRORS, looksAlike, readingErrors } from './spelling.ts'

export function compareNumber(page: PageFacts, expected: string): Comparison {
  const number = bareNumber(expected)
  const printed = page.fields.find(({ field }) => field === 'documentNumber') ?? null
  if (printed && isSameNumber(printed.value, number)) return 'same'
  if ((page.print ?? []).some(({ text }) => isPrinted(text, number))) return 'same'
  if (!printed || printed.confidence < CERTAIN || printed.foundBy === 'form') return 'unclear'
  const text = bareNumber(printed.value)
  // Many documents print several numbers; one of another structure is another number, not a changed one.
  if (!isMadeAlike(text, number) || readingErrors(text, number) < MIN_ERRORS) return 'unclear'
  const near = (page.print ?? []).some(({ text: line }) =>
    line.split(/\s+/).some((word) => readingErrors(bareNumber(word), number) < MIN_ERRORS),
  )
  return near ? 'unclear' : 'different'
}

/** As a word, or as a whole line that a recogniser split. */
function isPrinted(line: string, number: string): boolean {
  return isSameNumber(line, number) || line.split(/\s+/).some((word) => isSameNumber(word, number))
}

/** True if letters and digits are in the same places, except for similar shapes. */
function isMadeAlike(a: string, b: string): boolean {
  const isFigure = (sign: string) => /\d/.test(sign)
  return (
    a.length === b.length &&
    [...a].every((sign, i) => isFigure(sign) === isFigure(b[i]) || looksAlike(sign, b[i]))
  )
}

/** O and 0, I and 1 look alike in many fonts; the MRZ's font and check digits distinguish them. */
const oneShape = (number: string): string => number.replaceAll('O', '0').replaceAll('I', '1')

export function isSameNumber(a: string, b: string): boolean {
  return oneShape(bareNumber(a)) === oneShape(bareNumber(b))
}

export function bareNumber(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '')
}
