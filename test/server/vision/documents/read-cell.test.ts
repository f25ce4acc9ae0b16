/** One letter of a cell, read by the real network in one line with the print beside it, on drawn print. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { isBeside, isDoubtedLetter } from '../../../../server/vision/documents/visual-zone/single-letters.ts'
import { readCell } from '../../../../server/vision/documents/visual-zone/read-cell.ts'
import { wordsToFuse } from '../../../../server/vision/documents/visual-zone/read-page.ts'
import type { Strip } from '../../../../server/vision/documents/visual-zone/strips.ts'
import type { Raster } from '../../../../server/vision/raster.ts'
import { textNetworks } from '../../../support/text-networks.ts'

const NETWORKS = await textNetworks()
const SIZE = { width: 600, height: 200 }
const FRAME = [
  { x: 0, y: 0 },
  { x: 600, y: 0 },
  { x: 600, y: 200 },
  { x: 0, y: 200 },
] as const
const ROW = { x: 0.05, y: 0.4, width: 0.7, height: 0.25 }
const CELL = { ...ROW, width: 0.2 }

async function drawn(cell: string, ink = '#1c1c22'): Promise<Raster> {
  const waves = Array.from(
    { length: 15 },
    (_, i) =>
      `<path d="M0 ${i * 14} Q 150 ${i * 14 - 20} 300 ${i * 14} T 600 ${i * 14}" stroke="#bbc8b0" fill="none"/>`,
  ).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#eef2e4"/>${waves}<g font-family="DejaVu Sans" font-weight="bold" font-size="34" fill="${ink}"><text x="50" y="118">${cell}</text><text x="240" y="118">UTOPIAN</text></g></svg>`
  const { data } = await sharp(Buffer.from(svg))
    .flatten()
    .blur(1.5)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, ...SIZE }
}
const read = async (cell: string, ink?: string) =>
  readCell(await drawn(cell, ink), { frame: FRAME, row: ROW, cell: CELL }, NETWORKS)

test.each([
  ['F', '#1c1c22'],
  ['M', '#1c1c22'],
  ['F', '#808080'],
  ['M', '#808080'],
])(
  'the letter of a cell is read beside other print, and one reader alone says it: %s in %s',
  async (letter, ink) => {
    const found = await read(letter, ink)
    expect(found?.character).toBe(letter)
    // Below what counts as certain.
    expect(found?.confidence).toBeLessThan(0.85)
  },
)

test.each(['', 'FM', '•'])('a cell with %j in it holds no letter', async (cell) => {
  expect((await read(cell))?.character ?? '').not.toMatch(/^[A-Z]$/)
})

test('a frame without an inside has no cell', async () => {
  const point = { x: 1, y: 1 }
  const place = { frame: [point, point, point, point], row: ROW, cell: CELL } as const
  expect(await readCell(await drawn('F'), place, NETWORKS)).toBeNull()
})

const word = (text: string, confidence: number) => ({ text, confidence, x0: 0, y0: 0, x1: 9, y1: 9 })

test('a letter is read a second time where it is one capital, doubted, and level with a line of its size', () => {
  expect(isDoubtedLetter([word('F', 0.65)])).toBe(true)
  for (const words of [
    [word('F', 0.8)],
    [word('f', 0.65)],
    [word('7', 0.65)],
    [word('F', 0.6), word('M', 0.6)],
    [],
  ])
    expect(isDoubtedLetter(words)).toBe(false)
  const strip = (y0: number, capHeight: number) =>
    ({ line: { y0, y1: y0 + capHeight, capHeight } }) as unknown as Strip
  const line = (y0: number, capHeight: number, quad: unknown = FRAME) => ({
    strip: strip(y0, capHeight),
    quad,
  })
  const letter = strip(100, 30)
  expect(isBeside(letter, line(104, 30))).toBe(true)
  expect(isBeside(letter, line(115, 30))).toBe(false)
  expect(isBeside(letter, line(90, 50))).toBe(false)
  expect(isBeside(letter, line(100, 30, null))).toBe(false)
})

test('a sign that tesseract made of a line says nothing of where its words are', () => {
  const whole = { text: '', x: 0.67 }
  expect(wordsToFuse([{ text: '}', x: 0.74 }], whole)).toEqual([whole])
  expect(wordsToFuse([], whole)).toEqual([whole])
  expect(wordsToFuse([{ text: '15', x: 0.67 }], whole)).toEqual([{ text: '15', x: 0.67 }])
})
