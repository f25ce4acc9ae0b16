/** A line cut out of the picture of a document: straight, the right one, and never larger than a screen shows. */
import { expect, test } from 'vitest'
import { cutLine } from '../../../../server/vision/documents/cut-line.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import type { Quad } from '../../../../server/vision/protocol.ts'

/** White, with a black bar where the line is. */
function aPage(width: number, height: number, bar: { readonly from: number; readonly to: number }) {
  const data = new Uint8Array(width * height * 3).fill(255)
  data.fill(0, bar.from * width * 3, bar.to * width * 3)
  return { data, width, height }
}
const whole = (width: number, height: number): Quad => [
  { x: 0, y: 0 },
  { x: width, y: 0 },
  { x: width, y: height },
  { x: 0, y: height },
]

test('the cut line has a margin around it', async () => {
  const page = aPage(400, 200, { from: 100, to: 120 })
  const box = { x: 0.25, y: 0.5, width: 0.5, height: 0.1 }
  const { jpeg, widthPx, heightPx } = await cutLine(page, whole(400, 200), box)
  expect([widthPx, heightPx]).toEqual([214, 34])
  const { raster } = await decodeImage(jpeg)
  const rowAt = (y: number) => raster.data[(y * raster.width + 100) * 3]
  expect(rowAt(2)).toBeGreaterThan(200)
  expect(rowAt(17)).toBeLessThan(60)
  expect(rowAt(32)).toBeGreaterThan(200)
})

test('the cut line is no wider than a kiosk shows it and ends with the page', async () => {
  const page = aPage(3000, 100, { from: 0, to: 20 })
  const { widthPx } = await cutLine(page, whole(3000, 100), { x: 0, y: 0, width: 1, height: 0.2 })
  expect(widthPx).toBe(1000)
})

test('the cut line of a turned page is upright', async () => {
  const page = aPage(200, 400, { from: 0, to: 400 })
  const [a, b, c, d] = whole(200, 400)
  const turned: Quad = [b, c, d, a]
  const { widthPx, heightPx } = await cutLine(page, turned, { x: 0.2, y: 0.4, width: 0.6, height: 0.1 })
  expect(widthPx).toBeGreaterThan(heightPx)
})
