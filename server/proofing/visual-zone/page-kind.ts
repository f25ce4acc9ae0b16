/** What kind of document the words of its pages name, and whose it is. */
import { distance } from 'fastest-levenshtein'
import type { DocumentKind, PageWords } from './knowledge.ts'
import type { Segment } from './segments.ts'

/** Words read with less confidence name nothing. */
const LEAST_CONFIDENCE = 0.5

export interface PageKind {
  readonly kind: DocumentKind | null
  readonly country: string | null
  readonly state: string | null
}

export function kindOfPages(segments: readonly Segment[], words: PageWords): PageKind {
  const sure = segments.filter((segment) => meanConfidence(segment) >= LEAST_CONFIDENCE)
  const kind = words.kinds
    .flatMap((entry) => entry.words.map((word) => ({ kind: entry.kind, height: heightOf(sure, word), word })))
    .filter(({ height }) => height > 0)
    // The title is the largest print; of two names in one line the longer says more.
    .sort((a, b) => b.height - a.height || b.word.length - a.word.length)
  const state = stateOf(sure, words)
  const country = state?.country ?? countryOf(sure, words)
  return { kind: kind[0]?.kind ?? null, country, state: state?.state ?? null }
}

function countryOf(segments: readonly Segment[], { countries }: PageWords): string | null {
  const named = Object.entries(countries)
    .flatMap(([country, names]) => names.map((name) => ({ country, height: heightOf(segments, name) })))
    .filter(({ height }) => height > 0)
    .sort((a, b) => b.height - a.height)
  return named[0]?.country ?? null
}

function stateOf(
  segments: readonly Segment[],
  { states }: PageWords,
): { readonly country: string; readonly state: string } | null {
  const named = Object.entries(states)
    .flatMap(([country, list]) =>
      Object.entries(list).flatMap(([state, names]) =>
        names.map((name) => ({ country, state, name, height: heightOf(segments, name) })),
      ),
    )
    .filter(({ height }) => height > 0)
    .sort((a, b) => b.height - a.height || b.name.length - a.name.length)
  return named[0] ?? null
}

/** Height of the largest line that holds the words; 0 when none does. */
function heightOf(segments: readonly Segment[], words: string): number {
  return Math.max(0, ...segments.filter(({ bare }) => holds(bare, words)).map(({ height }) => height))
}

/** Long titles may have an error of reading, very long ones two. */
const FORGIVING_LENGTH = 8
const LONG = 12

function holds(bare: string, words: string): boolean {
  const padded = ` ${bare} `
  if (padded.includes(` ${words} `)) return true
  if (words.length < FORGIVING_LENGTH || bare.length < words.length - 1) return false
  const parts = bare.split(' ')
  const count = words.split(' ').length
  const errors = words.length >= LONG ? 2 : 1
  return parts.some((_, i) => distance(parts.slice(i, i + count).join(' '), words) <= errors)
}

function meanConfidence({ words }: Segment): number {
  return words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length
}
