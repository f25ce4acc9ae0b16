/** Pieces of text for tests of the printed page, and how its values are read. Nothing here is measured: places are easy to count. */
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { bareText } from '../../../../server/proofing/visual-zone/spelling.ts'

/** One value for all words, or one for each word in order. */
export type Confidence = number | readonly number[]

/** Ten units high, each letter five wide. */
export function piece(text: string, over: Partial<Segment> & { confidence?: Confidence } = {}): Segment {
  const { confidence = 0.9, ...given } = over
  const x = given.x ?? 0
  let at = x
  const words = text.split(' ').map((word, i) => {
    const box = { x: at, y: given.y ?? 0, width: 5 * word.length, height: 10 }
    at += box.width + 5
    return { text: word, confidence: typeof confidence === 'number' ? confidence : confidence[i], box }
  })
  const width = at - 5 - x
  return {
    words,
    text,
    bare: bareText(text),
    captureIndex: 0,
    x,
    y: 0,
    width,
    height: 10,
    aspect: 1,
    ...given,
  }
}

/** Today is 21 November 2026; one month and two languages are known. */
export const CONTEXT = {
  months: { 8: ['aug'] },
  sexes: { M: ['m', 'male'], F: ['f', 'v', 'female'] },
  order: null,
  country: null,
  states: new Set<string>(),
  now: new Date('2026-11-21'),
} as const
