import sharp from 'sharp'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPictureShelf } from '../../../server/vision/picture-shelf.ts'

const KEPT_MS = 5000
const pictureOf = (grey: number, side = 40): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: { r: grey, g: grey, b: grey } } })
    .png()
    .toBuffer()

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('a picture that two checks ask about is decoded once, whichever buffer holds its bytes', async () => {
  const shelf = createPictureShelf(KEPT_MS)
  const bytes = await pictureOf(100)
  const first = await shelf.open(bytes)
  expect(await shelf.open(Buffer.from(bytes))).toBe(first)
  expect(first.greys()).toBe(first.greys())
})

test('two pictures of the same size are distinguished by their content', async () => {
  const shelf = createPictureShelf(KEPT_MS)
  const dark = await shelf.open(await pictureOf(20))
  const light = await shelf.open(await pictureOf(220))
  expect([dark.raster.data[0], light.raster.data[0]]).toEqual([20, 220])
})

test('pixels are forgotten some seconds after the last check that asked for them', async () => {
  const shelf = createPictureShelf(KEPT_MS)
  const bytes = await pictureOf(100)
  const first = await shelf.open(bytes)
  vi.advanceTimersByTime(KEPT_MS - 1)
  expect(await shelf.open(bytes)).toBe(first)
  vi.advanceTimersByTime(KEPT_MS - 1)
  expect(await shelf.open(bytes)).toBe(first)
  vi.advanceTimersByTime(KEPT_MS)
  expect(await shelf.open(bytes)).not.toBe(first)
})

test('front and back of one document are kept together, and a third picture takes the place of the older one', async () => {
  const shelf = createPictureShelf(KEPT_MS)
  const [front, back, other] = await Promise.all([pictureOf(10), pictureOf(20), pictureOf(30)])
  const [keptFront, keptBack] = [await shelf.open(front), await shelf.open(back)]
  expect(await shelf.open(front)).toBe(keptFront)
  await shelf.open(other)
  expect(await shelf.open(front)).toBe(keptFront)
  expect(await shelf.open(back)).not.toBe(keptBack)
})

test('a picture that is too large for the memory of the worker is not kept', async () => {
  const shelf = createPictureShelf(KEPT_MS)
  const large = await pictureOf(100, 5001)
  const first = await shelf.open(large)
  expect(await shelf.open(large)).not.toBe(first)
})

test('a damaged picture is refused each time', async () => {
  const shelf = createPictureShelf(KEPT_MS)
  const cut = (await pictureOf(100)).subarray(0, 60)
  await expect(shelf.open(cut)).rejects.toMatchObject({ fault: 'damaged' })
  await expect(shelf.open(cut)).rejects.toMatchObject({ fault: 'damaged' })
})
