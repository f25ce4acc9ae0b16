/** Printed nationalities: the state that a word names, and the line that equals the MRZ's code. */
import type { PageWords } from './knowledge.ts'
import type { PageFacts, PageField } from './page-facts.ts'
import { computeConfidence, type Segment } from './segments.ts'
import { bareText } from './spelling.ts'

/** State of a printed demonym; null for an unknown or ambiguous word. */
export function nationalityNamed(
  printed: string,
  { countries, nationalities }: Pick<PageWords, 'countries' | 'nationalities'>,
): string | null {
  const versions = printed.split(/[/|]/).map(bareText)
  const known = (lists: PageWords['countries'], version: string): string[] =>
    Object.entries(lists).flatMap(([code, names]) => (names.includes(version) ? [code] : []))
  const codes = versions.flatMap((version) => [
    ...known(nationalities, version),
    ...known(countries, version),
    ...(version.toUpperCase() in countries ? [version.toUpperCase()] : []),
  ])
  return new Set(codes).size === 1 ? codes[0] : null
}

/** Shorter words are codes, which also occur elsewhere. */
const MIN_LETTERS = 5

/**
 * State named by an unlabelled demonym; country names do not count because they are titles. Null if there is none or if
 * two states are named.
 */
export function nationalityAlone(
  segments: readonly Segment[],
  words: Pick<PageWords, 'countries' | 'nationalities'>,
): string | null {
  const countries = new Set(Object.values(words.countries).flat())
  const isPeople = (version: string): boolean => version.length >= MIN_LETTERS && !countries.has(version)
  const codes = segments.flatMap(({ text, words: read }) => {
    const versions = text.split(/[/|]/).map(bareText)
    if (computeConfidence(read) < MIN_SURE || !versions.every(isPeople)) return []
    return nationalityNamed(text, { ...words, countries: {} }) ?? []
  })
  return new Set(codes).size === 1 ? codes[0] : null
}

/** Common prefix of country name and demonym: Utopia and Utopian, España and española. */
const STEM = 5
const MIN_SURE = 0.7

/** True for a demonym: shares its prefix with a country's name but is not that name. */
export function namesPeople(word: string, { countries }: Pick<PageWords, 'countries'>): boolean {
  const bare = bareText(word)
  return !bare.includes(' ') && Object.values(countries).some((names) => beginsLikeOne(bare, names))
}

function beginsLikeOne(bare: string, names: readonly string[]): boolean {
  const long = names.flatMap((name) => name.split(' ')).filter((name) => name.length >= STEM)
  return long.some((name) => bare.startsWith(name.slice(0, STEM)) && !long.includes(bare))
}

/** Returns null if no line or two different ones match. */
export function nationalityLine(
  { print = [] }: PageFacts,
  code: string,
  { countries }: Pick<PageWords, 'countries'>,
): PageField | null {
  const names = countries[code] ?? []
  const found = print.filter(({ text, confidence }) => {
    const bare = bareText(text)
    // A country's name is the page's title, and a word beside it belongs to an authority or form.
    return confidence >= MIN_SURE && beginsLikeOne(bare, names) && !bare.includes(' ')
  })
  if (new Set(found.map(({ text }) => bareText(text))).size !== 1) return null
  const { text, confidence, captureIndex } = found[0]
  return { field: 'nationality', value: text, confidence, captureIndex, foundBy: 'zone' }
}
