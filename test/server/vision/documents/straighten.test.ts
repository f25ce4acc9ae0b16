/** The page of a document, straight, and the other side beside it. */
import { describe, expect, test } from 'vitest'
import { straightenPage } from '../../../../server/vision/documents/visual-zone/straighten.ts'
import type { Quad } from '../../../../server/vision/protocol.ts'

const picture = (width: number, height: number) => ({
  data: new Uint8Array(width * height * 3),
  width,
  height,
})
const at = (x: number, y: number, width: number, height: number): Quad => [
  { x, y },
  { x: x + width, y },
  { x: x + width, y: y + height },
  { x, y: y + height },
]
/** Upright strokes, as text has them. */
function drawBars(
  { data, width }: ReturnType<typeof picture>,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  for (let row = y; row < y + h; row++)
    for (let column = x; column < x + w; column += 24)
      data.fill(255, (row * width + column) * 3, (row * width + column + 6) * 3)
}
const CARD = { width: 800, height: 505 }

describe('a card in a picture', () => {
  test('that has room for nothing else is the whole page', () => {
    const { raster, page } = straightenPage(picture(1000, 700), at(100, 100, CARD.width, CARD.height), 0)
    expect([Math.abs(page.x), Math.abs(page.y)]).toEqual([0, 0])
    expect(raster.width / raster.height).toBeCloseTo(CARD.width / CARD.height, 1)
  })

  test.each([
    ['above', at(50, 620, CARD.width, CARD.height), { x: 0, y: 1.25 }],
    ['below', at(50, 50, CARD.width, CARD.height), { x: 0, y: 0 }],
  ] as const)('is seen with what lies %s it', (_, quad, { y }) => {
    const { raster, page } = straightenPage(picture(900, 1200), quad, 0)
    expect(raster.height / page.height).toBeCloseTo(2.25, 1)
    expect(raster.width / page.width).toBeCloseTo(1, 2)
    expect(page.y / page.height).toBeCloseTo(y, 2)
  })

  test('is seen with what lies beside it', () => {
    const { raster, page } = straightenPage(picture(1750, 650), at(900, 60, CARD.width, CARD.height), 0)
    expect(raster.width / page.width).toBeCloseTo(2.25, 1)
    expect(page.x / page.width).toBeCloseTo(1.25, 2)
  })

  test('is seen without the table where only the card is printed, with the other side where that is printed too', () => {
    const card = at(50, 50, CARD.width, CARD.height)
    const straighten = (...tops: readonly number[]) => {
      const printed = picture(900, 1200)
      for (const top of tops) drawBars(printed, 80, top, 740, 440)
      return straightenPage(printed, card, 0)
    }
    const [alone, both] = [straighten(80), straighten(80, 640)]
    expect(alone.raster.height / alone.page.height).toBeLessThan(1.05)
    expect(both.raster.height / both.page.height).toBeCloseTo(2.25, 1)
  })

  test('that is small is made larger, twice at most', () => {
    const { page } = straightenPage(picture(520, 340), at(10, 10, 500, 316), 0)
    expect(page.width).toBeCloseTo(1000, 0)
  })
})

test('without corners the whole picture is the page', () => {
  expect(straightenPage(picture(300, 200), null, 90).page).toEqual({ x: 0, y: 0, width: 200, height: 300 })
})
