/** Text of the pages → facts: by templates first, then by the labels on the page. */
import type { PageFacts } from './page-facts.ts'
import type { PageContent } from './text.ts'

/** One entry per side, in the order front, back. */
export function readPageFacts(_pages: readonly PageContent[], _now: Date): PageFacts {
  return { template: null, kind: null, country: null, state: null, fields: [] }
}
