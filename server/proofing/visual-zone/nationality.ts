/** Which line of a page names the nationality that its zone gives as a code. The line is returned as it is printed. */
import type { PageWords } from './knowledge.ts'
import type { PageFacts, PageField } from './page-facts.ts'
import { bareText } from './spelling.ts'

/** What names of a country and of its people have in common: Utopia and Utopian, España and española. */
const STEM = 5
const LEAST_SURE = 0.7

/** Null where none does, or two different ones do. */
export function nationalityLine(
  { print = [] }: PageFacts,
  code: string,
  { countries }: Pick<PageWords, 'countries'>,
): PageField | null {
  const names = (countries[code] ?? [])
    .flatMap((name) => name.split(' '))
    .filter((name) => name.length >= STEM)
  const found = print.filter(({ text, confidence }) => {
    const bare = bareText(text)
    // The country's own name is the title of the page; no word beside it, or it is an authority's or a form's.
    const isPeople = names.some((name) => bare.startsWith(name.slice(0, STEM)) && !names.includes(bare))
    return confidence >= LEAST_SURE && isPeople && !bare.includes(' ')
  })
  if (new Set(found.map(({ text }) => bareText(text))).size !== 1) return null
  const { text, confidence, captureIndex } = found[0]
  return { field: 'nationality', value: text, confidence, captureIndex, foundBy: 'zone' }
}
