/** The PP-OCR networks on drawn lines: what they find and what they read. All texts are invented. */
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { detectLines } from '../../../../../server/vision/documents/text/detect-lines.ts'
import { parseAlphabet } from '../../../../../server/vision/documents/text/networks.ts'
import { recogniseLines } from '../../../../../server/vision/documents/text/recognise-lines.ts'
import { turnQuad } from '../../../../../server/vision/documents/outline/warp.ts'
import { boxAround, type Raster } from '../../../../../server/vision/raster.ts'
import { textNetworks } from '../../../../support/text-networks.ts'

const NETWORKS = await textNetworks()
const SIZE = { width: 900, height: 560 }
const TEXTS = ['L898902C3', '12.08.1974', 'ERIKSSON', 'ANNA MARIA']

async function drawn(inside: string): Promise<Raster> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><rect width="100%" height="100%" fill="#dfe8ef"/>${inside}</svg>`
  const { data } = await sharp(Buffer.from(svg)).flatten().raw().toBuffer({ resolveWithObject: true })
  return { data, ...SIZE }
}
const PAGE = await drawn(
  TEXTS.map(
    (text, i) => `<text x="80" y="${100 + i * 120}" font-size="36" font-family="DejaVu Sans">${text}</text>`,
  ).join(''),
)
const textOf = (letters: readonly { readonly character: string }[]): string =>
  letters.map(({ character }) => character).join('')

describe('lines of a drawn page', () => {
  test('are each found once, where they stand, and read sign by sign', async () => {
    const lines = await detectLines(PAGE, NETWORKS.detector)
    expect(lines).toHaveLength(TEXTS.length)
    const sorted = [...lines].sort((a, b) => a.quad[0].y - b.quad[0].y)
    sorted.forEach(({ quad, score }, i) => {
      const { x, y, height } = boxAround(quad)
      expect(Math.abs(x - 80)).toBeLessThan(20)
      expect(Math.abs(y + height / 2 - (87 + i * 120))).toBeLessThan(10)
      expect(score).toBeGreaterThan(0.6)
    })
    const read = await recogniseLines(
      PAGE,
      sorted.map(({ quad }) => quad),
      NETWORKS,
    )
    expect(read.map((letters) => textOf(letters).replaceAll(' ', ''))).toEqual(
      TEXTS.map((text) => text.replaceAll(' ', '')),
    )
    for (const letters of read)
      letters.slice(1).forEach(({ at }, i) => expect(at).toBeGreaterThan(letters[i].at))
  })

  test('are read against their direction as nothing of the kind', async () => {
    const [{ quad }] = await detectLines(PAGE, NETWORKS.detector)
    const [as, against] = await recogniseLines(PAGE, [quad, turnQuad(quad, 2)], NETWORKS)
    expect(TEXTS.map((text) => text.replaceAll(' ', ''))).toContain(textOf(as).replaceAll(' ', ''))
    expect(textOf(against)).not.toBe(textOf(as))
  })
})

test('an empty page has no lines, and a picture of one pixel does no harm', async () => {
  expect(await detectLines(await drawn(''), NETWORKS.detector)).toEqual([])
  const pixel = { data: new Uint8Array(3), width: 1, height: 1 }
  expect(await detectLines(pixel, NETWORKS.detector)).toEqual([])
})

test('the alphabet begins with no character and ends with the blank', () => {
  expect(parseAlphabet('A\nB\n')).toEqual(['', 'A', 'B', ' '])
  expect(NETWORKS.alphabet).toHaveLength(6625)
})
