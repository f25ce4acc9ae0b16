/** Pages for tests of the printed page, with a layout, words and numbers of the tests’ own. */
import type {
  PageKnowledge,
  PageTemplate,
  PageWords,
} from '../../../../server/proofing/visual-zone/knowledge.ts'
import type { PageFacts } from '../../../../server/proofing/visual-zone/page-facts.ts'
import { readPageFacts } from '../../../../server/proofing/visual-zone/read-facts.ts'
import type { PageContent } from '../../../../server/proofing/visual-zone/text.ts'
import { CONTEXT } from './a-piece.ts'

const WORDS = {
  labels: {
    documentNumber: ['passport no', 'visa no', 'document no'],
    cardNumber: ['card number'],
    surname: ['surname', 'surname in passport'],
    givenNames: ['given names'],
    birthDate: ['date of birth', 'date and place of birth'],
    birthPlace: ['place of birth'],
    issueDate: ['issued'],
    address: ['address'],
    sex: ['sex'],
    nationality: ['nationality'],
  },
  notFields: ['height'],
  kinds: [
    { kind: 'PASSPORT', words: ['passport'] },
    { kind: 'VISA', words: ['visa'] },
    { kind: 'IDENTITY_CARD', words: ['identity card'] },
    { kind: 'DRIVING_LICENSE', words: ['driving licence'] },
  ],
  months: CONTEXT.months,
  sexes: CONTEXT.sexes,
  countries: { UTO: ['utopia'], USA: ['united states'], NLD: ['nederland'] },
  nationalities: { UTO: ['utopian'], NLD: ['nederlandse', 'dutch'], USA: ['american'], DNK: ['dansk'] },
  states: { USA: { VA: ['virginia'] } },
} as unknown as PageWords

export const template = (id: string, over: Partial<PageTemplate> = {}): PageTemplate => ({
  id,
  kinds: ['PASSPORT'],
  countries: [],
  aspect: { least: 1, most: 2 },
  anchors: [],
  leastAnchors: 0,
  dateOrder: 'dmy',
  numbered: {},
  places: {},
  ...over,
})

/** Text, upper left corner, height, confidence: in shares of the page, each letter an eightieth of it wide. */
export type Line = readonly [text: string, x: number, y: number, height?: number, confidence?: number]
const LETTER = 1 / 80

export function content(lines: readonly Line[], aspect = 2): PageContent {
  return {
    aspect,
    lines: lines.map(([text, x, y, height = 1 / 16, confidence = 0.9]) => {
      let at = x
      const words = text.split(' ').map((word) => {
        const box = { x: at, y, width: word.length * LETTER, height }
        at += box.width + LETTER
        return { text: word, confidence, box }
      })
      return { words, box: { x, y, width: text.length * LETTER, height } }
    }),
  }
}
export function read(pages: readonly PageContent[], templates: readonly PageTemplate[] = []): PageFacts {
  const knowledge: PageKnowledge = { words: WORDS, templates, scripts: {}, languages: {} }
  return readPageFacts(pages, CONTEXT.now, knowledge)
}
export const factsOf = (lines: readonly Line[], ...templates: readonly PageTemplate[]) =>
  read([content(lines)], templates)
export const told = (lines: readonly Line[], ...templates: readonly PageTemplate[]) =>
  factsOf(lines, ...templates).fields.map(({ field, value }) => `${field} ${value}`)

export const PASSPORT: Line = ['PASSPORT', 0.7, 0.02, 0.1]
/** A label and, right below it, a value. */
export const labelled = (label: string, value: string, y = 0.3): readonly Line[] => [
  [label, 0.1, y],
  [value, 0.1, y + 0.08],
]
