/** Kind and issuer of a document from the words on its pages. */
import { distance } from 'fastest-levenshtein'
import type { DocumentKind, PageWords } from './knowledge.ts'
import type { Segment } from './segments.ts'
import { countBits, letterBits } from './spelling.ts'

/** Words with less confidence are ignored. */
const MIN_CONFIDENCE = 0.5

export interface PageKind {
  readonly kind: DocumentKind | null
  readonly country: string | null
  readonly state: string | null
}

export function kindOfPages(segments: readonly Segment[], words: PageWords): PageKind {
  const sure = segments.filter((segment) => meanConfidence(segment) >= MIN_CONFIDENCE).map(asLine)
  const kind = words.kinds
    .flatMap((entry) =>
      entry.words.map((word) => ({ kind: entry.kind, height: measureHeight(sure, word), word })),
    )
    .filter(({ height }) => height > 0)
    // The title is the largest print; of two names in one line the longer is more specific.
    .sort((a, b) => b.height - a.height || b.word.length - a.word.length)
  const state = findState(sure, words)
  const country = state?.country ?? findCountry(sure, words)
  return { kind: kind[0]?.kind ?? null, country, state: state?.state ?? null }
}

function findCountry(lines: readonly Line[], { countries }: PageWords): string | null {
  const named = Object.entries(countries)
    .flatMap(([country, names]) => names.map((name) => ({ country, height: measureHeight(lines, name) })))
    .filter(({ height }) => height > 0)
    .sort((a, b) => b.height - a.height)
  return named[0]?.country ?? null
}

function findState(
  lines: readonly Line[],
  { states }: PageWords,
): { readonly country: string; readonly state: string } | null {
  const named = Object.entries(states)
    .flatMap(([country, list]) =>
      Object.entries(list).flatMap(([state, names]) =>
        names.map((name) => ({ country, state, name, height: measureHeight(lines, name) })),
      ),
    )
    .filter(({ height }) => height > 0)
    .sort((a, b) => b.height - a.height || b.name.length - a.name.length)
  return named[0] ?? null
}

/** A text line prepared for name searches. */
interface Line {
  readonly height: number
  readonly padded: string
  readonly parts: readonly string[]
  readonly letters: number
  /** All runs of this many words, by their number; computed on demand. */
  readonly windows: Map<number, readonly string[]>
}

function asLine({ bare, height }: Segment): Line {
  return {
    height,
    padded: ` ${bare} `,
    parts: bare.split(' '),
    letters: letterBits(bare),
    windows: new Map(),
  }
}

/** Height of the largest line with the words; 0 if there is none. */
function measureHeight(lines: readonly Line[], words: string): number {
  const letters = letterBits(words)
  const errors = words.length < FORGIVING_LENGTH ? 0 : words.length >= LONG ? 2 : 1
  let height = 0
  for (const line of lines)
    // Cheap rejection: each error adds at most one letter that the line lacks.
    if (line.height > height && countBits(letters & ~line.letters) <= errors && holds(line, words, errors))
      height = line.height
  return height
}

/** Long titles may have one reading error, very long ones two. */
const FORGIVING_LENGTH = 8
const LONG = 12

function holds(line: Line, words: string, errors: number): boolean {
  if (line.padded.includes(` ${words} `)) return true
  if (errors === 0 || line.padded.length < words.length + 1) return false
  return listWindows(line, words.split(' ').length).some(
    (window) => Math.abs(window.length - words.length) <= errors && distance(window, words) <= errors,
  )
}

function listWindows({ windows, parts }: Line, count: number): readonly string[] {
  const known = windows.get(count) ?? parts.map((_, i) => parts.slice(i, i + count).join(' '))
  windows.set(count, known)
  return known
}

function meanConfidence({ words }: Segment): number {
  return words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length
}
