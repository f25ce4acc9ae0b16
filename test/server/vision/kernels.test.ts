import { expect, test } from 'vitest'
import { buildPyramid } from '../../../server/vision/documents/grey.ts'
import { warpQuad } from '../../../server/vision/documents/outline/warp.ts'
import { close } from '../../../server/vision/documents/running-extremes.ts'
import { withKernels } from '../../../server/vision/kernels/kernels.ts'
import type { Quad } from '../../../server/vision/protocol.ts'
import { shrinkByWhole, toGrey, type GreyRaster, type Raster } from '../../../server/vision/raster.ts'

/** Sizes below, at and above whole vectors. */
const SIZES = [
  [1, 1],
  [3, 2],
  [16, 4],
  [131, 130],
  [261, 9],
] as const

/** Bytes without a pattern, the same in every run. */
function noise(length: number): Uint8Array {
  let state = length
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16)
}

const colour = ([width, height]: readonly [number, number]): Raster => ({
  data: noise(width * height * 3),
  width,
  height,
})

const grey = ([width, height]: readonly [number, number]): GreyRaster => ({
  data: noise(width * height),
  width,
  height,
})

test.each(SIZES)('%i × %i pixels become grey by their luma', (...size) => {
  const { data } = colour(size)
  const luma = Array.from(
    { length: size[0] * size[1] },
    (_, i) => (77 * data[3 * i] + 150 * data[3 * i + 1] + 29 * data[3 * i + 2] + 128) >> 8,
  )
  expect([...toGrey(colour(size)).data]).toEqual(luma)
})

test('a picture with more pixels than one band becomes grey to its end', () => {
  const picture = colour([700, 200])
  const { data } = toGrey(picture)
  const last = data.length - 1
  const [r, g, b] = picture.data.slice(-3)
  expect(data[last]).toBe((77 * r + 150 * g + 29 * b + 128) >> 8)
})

/** Means of four bytes each. */
function halve(data: Uint8Array, [width, height]: readonly [number, number], channels: number): number[] {
  const [w, h, row] = [width >> 1, height >> 1, width * channels]
  return Array.from({ length: w * h * channels }, (_, i) => {
    const [pixel, c] = [Math.floor(i / channels), i % channels]
    const at = 2 * Math.floor(pixel / w) * row + 2 * (pixel % w) * channels + c
    return (data[at] + data[at + channels] + data[at + row] + data[at + row + channels] + 2) >> 2
  })
}

test.each(SIZES.slice(1))('%i × %i pixels are halved by their means, in colour and in grey', (...size) => {
  expect([...shrinkByWhole(colour(size), 2).data]).toEqual(halve(colour(size).data, size, 3))
  const levels = buildPyramid(grey(size))
  if (levels.length > 1) expect([...levels[1].data]).toEqual(halve(grey(size).data, size, 1))
})

test.each(SIZES)('a closing of %i × %i pixels is the darkest of the brightest in every window', (...size) => {
  const picture = grey(size)
  const [width, height] = size
  const extreme = (data: ArrayLike<number>, across: number, down: number, pick: typeof Math.max) =>
    Array.from({ length: width * height }, (_, i) => {
      const [x, y] = [i % width, Math.floor(i / width)]
      const values: number[] = []
      for (let v = Math.max(0, y - (down >> 1)); v <= Math.min(height - 1, y + (down >> 1)); v++)
        for (let u = Math.max(0, x - (across >> 1)); u <= Math.min(width - 1, x + (across >> 1)); u++)
          values.push(data[v * width + u])
      return pick(...values)
    })
  for (const [across, down] of [
    [1, 1],
    [5, 3],
    [23, 11],
    [19, 1],
  ]) {
    const brightest = extreme(picture.data, across, down, Math.max)
    expect([...close(picture, across, down).data]).toEqual(extreme(brightest, across, down, Math.min))
  }
})

test('a picture warped onto itself stays the same, and its border is repeated around it', () => {
  const picture = colour([40, 30])
  const own: Quad = [
    { x: 0, y: 0 },
    { x: 40, y: 0 },
    { x: 40, y: 30 },
    { x: 0, y: 30 },
  ]
  expect(warpQuad(picture, own, 40, 30).data).toEqual(picture.data)
  const wider = own.map(({ x, y }) => ({ x: x === 0 ? -5 : x + 5, y })) as unknown as Quad
  const { data } = warpQuad(picture, wider, 50, 30)
  expect(data.slice(0, 3)).toEqual(picture.data.slice(0, 3))
  expect(data.slice(49 * 3, 50 * 3)).toEqual(picture.data.slice(39 * 3, 40 * 3))
})

test('corners without any area, or through infinity, never leave the picture', () => {
  const picture = colour([40, 30])
  const corners = Array.from(noise(400), (value) => value - 100)
  for (let i = 0; i + 8 <= corners.length; i += 8) {
    const quad = [0, 2, 4, 6].map((k) => ({ x: corners[i + k], y: corners[i + k + 1] })) as unknown as Quad
    expect(warpQuad(picture, quad, 17, 11).data).toHaveLength(17 * 11 * 3)
  }
})

test('the memory for a huge picture is dropped after its use', () => {
  const sizeFor = (bytes: number): number => withKernels(bytes, (_, memory) => memory.byteLength)
  expect(sizeFor(70_000_000)).toBeGreaterThanOrEqual(70_000_000)
  expect(sizeFor(1000)).toBeLessThan(1_000_000)
})
