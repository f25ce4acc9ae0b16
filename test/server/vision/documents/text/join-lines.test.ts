/** Lines of a network and lines of ink are each line of the page once. */
import { describe, expect, test } from 'vitest'
import { joinLines } from '../../../../../server/vision/documents/text/join-lines.ts'
import type { InkLine } from '../../../../../server/vision/documents/visual-zone/find-lines.ts'
import type { Quad } from '../../../../../server/vision/protocol.ts'
import type { GreyRaster } from '../../../../../server/vision/raster.ts'

const raster = (): GreyRaster => ({ data: new Uint8Array(4), width: 2, height: 2 })
const DARK = raster()
const LUMA = raster()
const quad = (x: number, y: number, width: number, height: number, fall = 0): Quad => [
  { x, y },
  { x: x + width, y: y + fall },
  { x: x + width, y: y + height + fall },
  { x, y: y + height },
]
const ink = (x0: number, x1: number, y: number, capHeight: number, pieces = 8, pale = 178) => ({
  line: { x0, x1, y0: y, y1: y + capHeight, capHeight, pieces, isMrz: false, pale } satisfies InkLine,
  ink: DARK,
})
const joined = (seen: readonly Quad[], found: readonly ReturnType<typeof ink>[]) =>
  joinLines(seen, found, () => LUMA)

describe('a line that both found', () => {
  test('is one, with the height and the ink that the ink knows', () => {
    const [line, ...others] = joined([quad(100, 90, 200, 40)], [ink(110, 290, 100, 22)])
    expect(others).toEqual([])
    expect(line.ink).toBe(DARK)
    expect(line.line).toMatchObject({ capHeight: 22, y0: 100, y1: 122 })
    expect(line.quad).toEqual(quad(100, 90, 200, 40))
  })

  test('is one though its ink broke into parts', () => {
    const parts = [ink(110, 150, 100, 22), ink(170, 290, 100, 22)]
    expect(joined([quad(100, 90, 200, 40)], parts)).toHaveLength(1)
  })

  test('is one though two pieces of its ink are higher: a hologram’s line that touches a day’s two figures', () => {
    const parts = [ink(110, 140, 94, 31, 2), ink(160, 290, 100, 22)]
    expect(joined([quad(100, 90, 200, 40)], parts)).toHaveLength(1)
  })

  test('is two where a label stands in front of a larger value', () => {
    const parts = [ink(110, 180, 108, 14), ink(190, 290, 100, 22)]
    const lines = joined([quad(100, 90, 200, 40)], parts)
    expect(lines.map(({ line }) => line.capHeight)).toEqual([14, 22])
    expect(lines[0].quad?.[1].x).toBe(185)
    expect(lines[1].quad?.[0].x).toBe(185)
  })
})

test.each([
  ['overlaps it: both are one word', 150, 1],
  ['stands a blank behind it: a label and its value', 195, 2],
  ['stands far behind it: the ink between both was too pale', 240, 1],
])('ink of another size that %s', (_case, x, count) => {
  const parts = [ink(110, 180, 108, 14), ink(x, 290, 100, 22)]
  expect(joined([quad(100, 90, 200, 40)], parts)).toHaveLength(count)
})

test('a line that only the network found has the height of its box and the ink of all colours', () => {
  const [line] = joined([quad(100, 90, 200, 34)], [])
  expect(line.ink).toBe(LUMA)
  expect(line.line.capHeight).toBeCloseTo(20, 5)
})

test('a line that falls is told with its slope', () => {
  expect(joined([quad(100, 90, 200, 40, 10)], [])[0].line.slope).toBeCloseTo(0.05, 5)
})

describe('ink that the network did not find', () => {
  const SEEN = [quad(100, 90, 200, 40)]
  test.each([
    ['a letter by itself', ink(500, 520, 300, 22, 1), true],
    ['a long line', ink(500, 700, 300, 22, 9), false],
    ['a speck', ink(500, 503, 300, 5, 1), false],
    ['a drawing', ink(500, 600, 300, 70, 1), false],
    ['a letter paler than all print', ink(500, 520, 300, 22, 1, 229), false],
  ] as const)('%s is a line: %j', (_, found, isLine) => {
    expect(joined(SEEN, [ink(110, 290, 100, 22), found])).toHaveLength(isLine ? 2 : 1)
  })

  test('is all there is where no network is installed', () => {
    expect(joined([], [ink(500, 700, 300, 22, 9), ink(10, 13, 10, 5, 1)])).toHaveLength(2)
  })
})
