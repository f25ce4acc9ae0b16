/** A laid-on portrait throws its shadow along two sides; printed frames and text do not. Pages are drawn here. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { reliefAround } from '../../../../../server/vision/documents/authenticity/portrait-relief.ts'
import { buildPyramid } from '../../../../../server/vision/documents/grey.ts'
import { decodeImage } from '../../../../../server/vision/image.ts'
import { toGrey } from '../../../../../server/vision/raster.ts'

const PORTRAIT = { x: 100, y: 120, width: 280, height: 350 }
const PAGE = [
  { x: 0, y: 0 },
  { x: 900, y: 0 },
  { x: 900, y: 640 },
  { x: 0, y: 640 },
] as const
const [RIGHT, BOTTOM] = [PORTRAIT.x + PORTRAIT.width, PORTRAIT.y + PORTRAIT.height]
const picture = `<rect x="${PORTRAIT.x}" y="${PORTRAIT.y}" width="280" height="350" fill="#a0a0a0"/>`

async function reliefOf(marks: string): Promise<number> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="640"><rect width="900" height="640" fill="#e8e8e4"/>${marks}</svg>`
  const { raster } = await decodeImage(await sharp(Buffer.from(svg)).blur(0.7).png().toBuffer())
  return reliefAround(buildPyramid(toGrey(raster)), PORTRAIT, PAGE, 0)
}

const rim = `<rect x="${PORTRAIT.x - 4}" y="${PORTRAIT.y - 4}" width="288" height="358" fill="#f4f4f0"/>`
const shadow = `<rect x="${PORTRAIT.x}" y="${PORTRAIT.y}" width="287" height="357" fill="#808080"/>`

test('a print that was glued on is told by the shadow along two of its sides', async () => {
  expect(await reliefOf(shadow + rim + picture)).toBeGreaterThan(30)
})

test('a portrait that is part of the page has none', async () => {
  expect(await reliefOf(picture)).toBeLessThan(3)
})

test('a printed frame is the same on all four sides, and no shadow', async () => {
  const frame = `<rect x="${PORTRAIT.x - 5}" y="${PORTRAIT.y - 5}" width="290" height="360" fill="none" stroke="#606060" stroke-width="2"/>`
  expect(await reliefOf(frame + picture)).toBeLessThan(9)
})

test('text beside the portrait and below it is no shadow: there is paper between its letters', async () => {
  // Stems as wide as the gaps between them.
  const stems = (x: number, y: number) =>
    Array.from(
      { length: 14 },
      (_, i) => `<rect x="${x + i * 9}" y="${y}" width="4" height="12" fill="#202020"/>`,
    ).join('')
  const beside = Array.from({ length: 12 }, (_, i) => stems(RIGHT + 8, PORTRAIT.y + 10 + i * 28)).join('')
  const below = stems(PORTRAIT.x, BOTTOM + 10) + stems(PORTRAIT.x + 126, BOTTOM + 10)
  expect(await reliefOf(beside + below + picture)).toBeLessThan(6)
})
