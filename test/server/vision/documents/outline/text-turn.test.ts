import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { isSure, uprightByText } from '../../../../../server/vision/documents/outline/text-turn.ts'
import { turnQuad } from '../../../../../server/vision/documents/outline/warp.ts'
import { textNetworks } from '../../../../support/text-networks.ts'
import type { Raster } from '../../../../../server/vision/raster.ts'
import type { Quad } from '../../../../../server/vision/protocol.ts'

const NETWORKS = await textNetworks()
const [WIDTH, HEIGHT] = [1000, 630]
const CORNERS: Quad = [
  { x: 0, y: 0 },
  { x: WIDTH, y: 0 },
  { x: WIDTH, y: HEIGHT },
  { x: 0, y: HEIGHT },
]

async function draw(inside: string): Promise<Raster> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#e8efe6"/>${inside}</svg>`
  const { data } = await sharp(Buffer.from(svg)).flatten().raw().toBuffer({ resolveWithObject: true })
  return { data, width: WIDTH, height: HEIGHT }
}

const BACK = await draw(
  [
    'Change of address: tell us within 14 days.',
    'If found, please return to any office.',
    'This card is the property of the State.',
  ]
    .map(
      (line, i) => `<text x="60" y="${180 + i * 70}" font-size="30" font-family="sans-serif">${line}</text>`,
    )
    .join(''),
)

describe('which way up a page lies', () => {
  test.each([0, 1, 2, 3])('is told by its text, corners given %i quarters on', async (quarters) => {
    const told = await uprightByText(BACK, turnQuad(CORNERS, quarters), NETWORKS)
    expect(told?.quad).toEqual(CORNERS)
    expect(told && isSure(told)).toBe(true)
  })

  test('is not told by figures that read the same from both sides', async () => {
    const page = await draw(
      '<text x="200" y="300" font-size="60" font-family="sans-serif">OXO HIH NOXON</text>' +
        '<text x="200" y="400" font-size="60" font-family="sans-serif">NOXON HIH OXO</text>',
    )
    const told = await uprightByText(page, CORNERS, NETWORKS)
    expect(told !== null && isSure(told)).toBe(false)
  })

  test('is not told by a page without text', async () => {
    expect(
      await uprightByText(await draw('<circle cx="400" cy="300" r="120"/>'), CORNERS, NETWORKS),
    ).toBeNull()
  })
})
