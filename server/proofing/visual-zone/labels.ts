/** Which pieces of text are labels, of which field, and what stands behind a label in the same piece. */
import type { PageWords } from './knowledge.ts'
import type { PageFieldName } from './page-facts.ts'
import { withoutFirst, type Segment } from './segments.ts'
import { editDistance, readingErrors } from './spelling.ts'

export interface Label {
  readonly segment: Segment
  /** Null: of something that is no field of ours. */
  readonly field: PageFieldName | null
  /** What follows the label in the same piece. */
  readonly rest: Segment | null
}

interface Entry {
  readonly field: PageFieldName | null
  readonly label: string
}

/** Longest first: `date of birth` before `birth`. */
export function labelEntries({ labels, notFields }: PageWords): readonly Entry[] {
  const known = Object.entries(labels).flatMap(([field, list]) =>
    list.map((label) => ({ field: field as PageFieldName, label })),
  )
  return [...known, ...notFields.map((label) => ({ field: null, label }))].sort(
    (a, b) => b.label.length - a.label.length,
  )
}

/** Errors of reading that a label of this length may have: none up to four letters, about one in six beyond. */
const errorsAllowed = (length: number): number => (length <= 4 ? 0 : length <= 7 ? 1 : Math.floor(length / 5))

export function findLabel(segment: Segment, entries: readonly Entry[]): Label | null {
  const words = segment.bare.split(' ')
  // A number or a sign may stand before it: `4d DL NO.`, `No Card No.`
  const first =
    matchAt(words, 0, entries) ??
    (words[0].length <= 2 ? matchAt(words, 1, entries) : null) ??
    lastLanguage(words, entries)
  if (!first) return null
  let { end } = first
  // The same label in further languages, and the words between.
  for (let next = matchAfter(words, end, entries, first.field); next !== null;) {
    end = next
    next = matchAfter(words, end, entries, first.field)
  }
  return { segment, field: first.field, rest: withoutFirst(segment, wordsUpTo(segment, end)) }
}

/** A label in two languages whose first was misread: what ends the line is a label of some length. */
const LEAST_LAST = 5
const MOST_BEFORE = 3

function lastLanguage(words: readonly string[], entries: readonly Entry[]): ReturnType<typeof matchAt> {
  for (let start = 1; start <= Math.min(MOST_BEFORE, words.length - 1); start++) {
    const match = matchAt(words, start, entries)
    if (match?.end === words.length && words.slice(start).join(' ').length >= LEAST_LAST) return match
  }
  return null
}

/** `rn` for `m` is one letter more and half an error. */
function errorsBetween(text: string, label: string, allowed: number): number {
  if (allowed === 0) return text === label ? 0 : 1
  if (editDistance(text, label, allowed + 1) > allowed + 1) return allowed + 1
  return readingErrors(text.toUpperCase(), label.toUpperCase())
}

function matchAt(
  words: readonly string[],
  start: number,
  entries: readonly Entry[],
): { readonly field: PageFieldName | null; readonly end: number } | null {
  let best: { field: PageFieldName | null; end: number; score: number } | null = null
  for (const { field, label } of entries) {
    const count = label.split(' ').length
    const allowed = errorsAllowed(label.length)
    // A reader may join or part words.
    for (const taken of allowed === 0 ? [count] : [count, count - 1, count + 1]) {
      if (taken < 1 || start + taken > words.length) continue
      const text = words.slice(start, start + taken).join(' ')
      const errors = errorsBetween(text, label, allowed)
      const score = label.length - 3 * errors
      if (errors <= allowed && (best === null || score > best.score))
        best = { field, end: start + taken, score }
    }
  }
  return best
}

/** End of a further label of the same field that begins here. */
function matchAfter(
  words: readonly string[],
  start: number,
  entries: readonly Entry[],
  field: PageFieldName | null,
): number | null {
  if (start >= words.length) return null
  const next = matchAt(
    words,
    start,
    entries.filter((entry) => entry.field === field && entry.label.length > 2),
  )
  return next?.end ?? null
}

/** How many words as they were read make up so many bare ones: `Sex/Sexe` is one and two. */
function wordsUpTo({ words }: Segment, bareCount: number): number {
  let counted = 0
  for (let i = 0; i < words.length; i++) {
    if (counted >= bareCount) return i
    counted += words[i].text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((part) => part !== '').length
  }
  return words.length
}
