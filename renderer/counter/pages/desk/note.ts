/** What a note with a decision must not hold, as far as it can be told. Pure; it warns, and the person decides. */
import type { ComparedRow } from '../../../../server/counter/contract/desk.ts'

/** As the server takes it. */
export const NOTE_MAX = 500
/** Shorter words stand in many sentences, whatever somebody is called. */
const LEAST = 4
/** A number of a document, a telephone, a date: five digits in a row, however they are grouped. */
const MANY_DIGITS = /\p{Nd}(?:[\s./-]?\p{Nd}){4,}/u

const plain = (text: string): string => text.normalize('NFKC').toLocaleLowerCase()

/** Something of this very person, or a long number. */
export function looksPersonal(
  note: string,
  rows: readonly Pick<ComparedRow, 'zone' | 'printed' | 'typed'>[],
): boolean {
  if (MANY_DIGITS.test(note)) return true
  const words = new Set(plain(note).split(/[^\p{L}\p{M}\p{N}]+/u))
  return rows
    .flatMap(({ zone, printed, typed }) => [zone, printed, typed])
    .flatMap((value) => (value === null ? [] : plain(value).split(/[^\p{L}\p{M}\p{N}]+/u)))
    .some((value) => value.length >= LEAST && words.has(value))
}
