/** Detects personal data in a note with a decision. Pure; it only warns, and the adjudicator decides. */
import type { ComparedRow } from '../../../../server/counter/contract/desk.ts'

/** The limit of the server. */
export const NOTE_MAX = 500
/** Shorter words occur in many sentences, so they are no sign of a name. */
const LEAST = 4
/** The number of a document, a telephone number, a date: five digits in a row, in any grouping. */
const MANY_DIGITS = /\p{Nd}(?:[\s./-]?\p{Nd}){4,}/u

const plain = (text: string): string => text.normalize('NFKC').toLocaleLowerCase()

/** True if the note contains a value of this applicant, or a long number. */
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
