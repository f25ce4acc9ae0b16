/** Tests where the letter of the sex is searched again: below its label, level with another value, or behind the label. */
import { describe, expect, test } from 'vitest'
import type { UnreadCell } from '../../../../server/proofing/visual-zone/page-facts.ts'
import { cellsOfSex } from '../../../../server/proofing/visual-zone/unread-cells.ts'
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { content, PASSPORT, read } from './a-page.ts'
import { piece } from './a-piece.ts'

const SEX = piece('Sex', { x: 100, y: 100 })
const label = (segment: Segment, rest: Segment | null = null) => ({ segment, field: 'sex' as const, rest })
const cells = (segments: readonly Segment[], rest: Segment | null = null): readonly UnreadCell[] =>
  cellsOfSex([label(SEX, rest)], [SEX, ...segments])
const holds = ({ x, y, width, height }: UnreadCell['cell'], at: readonly [x: number, y: number]): boolean =>
  at[0] >= x && at[0] <= x + width && at[1] >= y && at[1] <= y + height

describe('the cell of the sex', () => {
  test.each([
    ['right of it', 200],
    ['left of it', 20],
  ])('lies below its label, in one row with a value %s', (_, x) => {
    const [{ row, cell, value }] = cells([piece('UTOPIAN', { x, y: 115 })])
    expect(holds(cell, [103, 120])).toBe(true)
    expect(holds(row, [103, 120])).toBe(true)
    expect(holds(row, [x + 30, 120])).toBe(true)
    expect(holds(cell, [x + 30, 120])).toBe(false)
    expect(value).toMatchObject({ x: 100, y: 115, height: 10 })
  })

  test.each([
    ['doubted', { x: 200, y: 115, confidence: 0.89 }],
    ['smaller than the label', { x: 200, y: 115, height: 7 }],
    ['level with the label', { x: 200, y: 100 }],
    ['too far below', { x: 200, y: 143 }],
    ['on another side', { x: 200, y: 115, captureIndex: 1 }],
    ['in the cell itself', { x: 100, y: 115 }],
  ])('has no row beside what is %s', (_, over) => {
    expect(cells([piece('UTOPIAN', over)])).toHaveLength(1)
  })

  test('lies behind its label where no row is below', () => {
    const [{ row, cell }, ...others] = cells([])
    expect(others).toEqual([])
    expect(holds(cell, [120, 104])).toBe(true)
    expect(holds(cell, [110, 104])).toBe(false)
    expect(holds(row, [105, 104])).toBe(true)
  })

  test('is none where something follows the label in its piece, and none of another label', () => {
    expect(cells([], piece('F'))).toEqual([])
    expect(cellsOfSex([{ ...label(SEX), field: 'surname' }], [SEX])).toEqual([])
  })
})

test('a page names the cell where the label of the sex has no value, and only there', () => {
  const page = (sex: string) =>
    read([
      content([
        PASSPORT,
        ['Sex', 0.1, 0.3],
        [sex, 0.1, 0.38],
        ['Nationality', 0.4, 0.3],
        ['UTOPIAN', 0.4, 0.38],
      ]),
    ])
  expect(page('F')).not.toHaveProperty('sexNotRead')
  const { sexNotRead } = page('®')
  expect(sexNotRead).toHaveLength(2)
  // Unit: shares of the page.
  expect(sexNotRead?.[0].value).toMatchObject({ x: 0.1, y: 0.38 })
})
