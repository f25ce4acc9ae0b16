/** Nationalities as pages print them: which state a word means, and which line says what the zone gives as a code. */
import type { PageWords } from './knowledge.ts'
import type { PageFacts, PageField } from './page-facts.ts'
import { confidenceOf, type Segment } from './segments.ts'
import { bareText } from './spelling.ts'

/** The state of the people that a printed nationality names; null for a word that is not known, or is of two states. */
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

/** Shorter words are codes, and codes stand in other places too. */
const MIN_LETTERS = 5

/**
 * The state whose people a piece of print without a label names: by a word for the people alone, as that of the country is the
 * title of the page. Null where none does, or two name different states.
 */
export function nationalityAlone(
  segments: readonly Segment[],
  words: Pick<PageWords, 'countries' | 'nationalities'>,
): string | null {
  const countries = new Set(Object.values(words.countries).flat())
  const isPeople = (version: string): boolean => version.length >= MIN_LETTERS && !countries.has(version)
  const codes = segments.flatMap(({ text, words: read }) => {
    const versions = text.split(/[/|]/).map(bareText)
    if (confidenceOf(read) < MIN_SURE || !versions.every(isPeople)) return []
    return nationalityNamed(text, { ...words, countries: {} }) ?? []
  })
  return new Set(codes).size === 1 ? codes[0] : null
}

/** What names of a country and of its people have in common: Utopia and Utopian, España and española. */
const STEM = 5
const MIN_SURE = 0.7

/** Whether the word names the people of some state: it has its beginning in common with the state's name, and is not that name. */
export function namesPeople(word: string, { countries }: Pick<PageWords, 'countries'>): boolean {
  const bare = bareText(word)
  return !bare.includes(' ') && Object.values(countries).some((names) => beginsLikeOne(bare, names))
}

function beginsLikeOne(bare: string, names: readonly string[]): boolean {
  const long = names.flatMap((name) => name.split(' ')).filter((name) => name.length >= STEM)
  return long.some((name) => bare.startsWith(name.slice(0, STEM)) && !long.includes(bare))
}

/** Null where none does, or two different ones do. */
export function nationalityLine(
  { print = [] }: PageFacts,
  code: string,
  { countries }: Pick<PageWords, 'countries'>,
): PageField | null {
  const names = countries[code] ?? []
  const found = print.filter(({ text, confidence }) => {
    const bare = bareText(text)
    // The country's own name is the title of the page; no word beside it, or it is an authority's or a form's.
    return confidence >= MIN_SURE && beginsLikeOne(bare, names) && !bare.includes(' ')
  })
  if (new Set(found.map(({ text }) => bareText(text))).size !== 1) return null
  const { text, confidence, captureIndex } = found[0]
  return { field: 'nationality', value: text, confidence, captureIndex, foundBy: 'zone' }
}
