/** The strip of a line shows that line alone, and its words are as long as their letters. */
import { describe, expect, test } from 'vitest'
import type { InkLine } from '../../../../server/vision/documents/visual-zone/find-lines.ts'
import { splitWords } from '../../../../server/vision/documents/visual-zone/strip-words.ts'
import {
  BORDER_PX,
  cutStrip,
  findRoomBeside,
} from '../../../../server/vision/documents/visual-zone/strips.ts'

const aLine = (over: Partial<InkLine>): InkLine => ({
  x0: 0,
  y0: 20,
  x1: 10,
  y1: 50,
  capHeight: 30,
  pieces: 7,
  isMrz: false,
  pale: 178,
  ...over,
})

describe('the strip of a value whose label ends close before it', () => {
  const [LABEL, VALUE] = [aLine({ x0: 10, x1: 96 }), aLine({ x0: 100, x1: 180 })]
  /** White paper, black where the label is printed. */
  const ink = { width: 200, height: 80, data: new Uint8Array(200 * 80).fill(255) }
  for (let y = LABEL.y0; y < LABEL.y1; y++) ink.data.fill(0, y * 200 + LABEL.x0, y * 200 + LABEL.x1)

  test('shows no ink of the label', () => {
    const strip = cutStrip(ink, VALUE, findRoomBeside(VALUE, [LABEL, VALUE]))
    expect(strip.left).toBe(98)
    expect(strip.image.data.every((pixel) => pixel === 255)).toBe(true)
  })

  test('ends in the middle of the gap on both sides', () => {
    const after = aLine({ x0: 184, x1: 199 })
    expect(findRoomBeside(VALUE, [LABEL, VALUE, after])).toEqual({ left: 98, right: 182 })
  })

  test('keeps its margin beside specks and beside lines above and below it', () => {
    const speck = aLine({ x0: 90, x1: 96, pieces: 1 })
    const above = aLine({ x0: 10, x1: 96, y0: -20, y1: 10 })
    expect(findRoomBeside(VALUE, [speck, above])).toEqual({ left: -Infinity, right: Infinity })
    expect(cutStrip(ink, VALUE).left).toBe(91)
  })
})

test('a word is as long as its letters, also if glare made the last ones paler than ink', () => {
  const strip = { width: 100, height: 50, data: new Uint8Array(100 * 50).fill(255) }
  for (let y = BORDER_PX; y < 40; y++) strip.data.fill(0, y * 100 + 12, y * 100 + 30)
  // Ten steps of ten columns: A in the second, B in the eighth.
  const probabilities = new Float32Array(10 * 3)
  for (let step = 0; step < 10; step++) probabilities[step * 3 + (step === 1 ? 1 : step === 7 ? 2 : 0)] = 1
  const steps = { probabilities, steps: 10, classes: 3, from: 0, columns: 100 }
  expect(splitWords(strip, steps, [null, 'A', 'B'])).toMatchObject([{ text: 'AB', x0: 12, x1: 75 }])
})
