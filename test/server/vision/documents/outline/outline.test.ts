import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locateOutline } from '../../../../../server/vision/documents/outline/locate-outline.ts'
import {
  homography,
  invert,
  mapPoint,
  turnQuad,
} from '../../../../../server/vision/documents/outline/warp.ts'
import {
  alongText,
  placePageAroundMrz,
  computeMrzMisfit,
} from '../../../../../server/vision/documents/outline/mrz-page.ts'
import { decodeImage, encodeJpeg } from '../../../../../server/vision/image.ts'
import type { Raster } from '../../../../../server/vision/raster.ts'
import type { MrzReading, Point, Quad, Vision } from '../../../../../server/vision/protocol.ts'
import { lendVision } from '../../../../support/remembering-vision.ts'

const SPECIMENS = new URL('../../../../../resources/specimens/', import.meta.url)
const specimen = (name: string) => readFileSync(new URL(name, SPECIMENS))
const page = (await decodeImage(specimen('alba/passport-page.png'))).raster

const corners = (...values: number[]): Quad =>
  [0, 2, 4, 6].map((i) => ({ x: values[i], y: values[i + 1] })) as unknown as Quad

type Colour = (x: number, y: number) => readonly [number, number, number]

/** The specimen page laid on a ground, seen so that its corners are those of the quad; the same noise in every run. */
function scene(width: number, height: number, ground: Colour, quad: Quad | null, hasMrz = true): Raster {
  const data = new Uint8Array(width * height * 3)
  const map = quad && homography(quad)
  const toPage = map && invert(map)
  let noise = 1
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i += 3) {
      const at = toPage && mapPoint(toPage, { x: x + 0.5, y: y + 0.5 })
      const isOnPage = at !== null && at.x >= 0 && at.y >= 0 && at.x < 1 && at.y < 1
      const under = ground(x, y)
      for (let c = 0; c < 3; c++) {
        noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
        const value = isOnPage ? (hasMrz || at.y < 0.74 ? meanOnPage(at, c) : 232) : under[c]
        data[i + c] = Math.max(0, Math.min(255, value + (noise >>> 24) / 32 - 4))
      }
    }
  return { data, width, height }
}

function meanOnPage({ x, y }: Point, channel: number): number {
  const [i, j] = [Math.floor(x * page.width), Math.floor(y * page.height)]
  let [sum, count] = [0, 0]
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++) {
      const [u, v] = [i + dx, j + dy]
      if (u < 0 || v < 0 || u >= page.width || v >= page.height) continue
      sum += page.data[(v * page.width + u) * 3 + channel]
      count++
    }
  return sum / count
}

const wood: Colour = (x, y) => {
  const k = 1 + 0.12 * Math.sin(y / 9 + 2 * Math.sin(x / 140))
  return [120 * k, 84 * k, 56 * k]
}
const dark: Colour = () => [38, 40, 46]
const pale: Colour = (x) => [214 + x / 200, 214, 212]
/** Bright and dark oblongs without any print. */
const blocks: Colour = (x, y) => {
  const cell = Math.floor(x / 210) + 3 * Math.floor(y / 170)
  return [(cell * 53) % 200, (cell * 97) % 220, (cell * 31) % 180]
}

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)

/** The largest distance of a corner, in shares of the diagonal, whichever corner comes first. */
function worstCorner(found: Quad, truth: Quad): number {
  const diagonal = Math.hypot(truth[2].x - truth[0].x, truth[2].y - truth[0].y)
  const worst = [0, 1, 2, 3].map((turn) =>
    Math.max(
      ...truth.map((p, i) => Math.hypot(p.x - turnQuad(found, turn)[i].x, p.y - turnQuad(found, turn)[i].y)),
    ),
  )
  return Math.min(...worst) / diagonal
}

describe('a page on a table', () => {
  const straight = corners(300, 160, 1000, 175, 990, 668, 285, 650)
  const askew = corners(420, 120, 1030, 330, 860, 790, 230, 560)
  const fromTheSide = corners(330, 230, 950, 180, 1090, 700, 190, 640)

  test.each([
    ['on wood', wood, straight],
    ['askew on a dark table', dark, askew],
    ['seen from the side, on wood', wood, fromTheSide],
    ['of nearly the page’s own colour', pale, straight],
    ['among coloured oblongs', blocks, askew],
  ] as const)('%s is found within a hundredth of its diagonal', (_, ground, quad) => {
    const outline = locateOutline(scene(1280, 900, ground, quad), null)
    expect(outline).toMatchObject({ foundBy: 'edges', sidesOutside: 0, uprightBy: null })
    expect(worstCorner(outline?.quad ?? corners(0, 0, 0, 0, 0, 0, 0, 0), quad)).toBeLessThan(0.01)
    expect(outline?.confidence).toBeGreaterThan(0.5)
    expect(outline?.areaShare).toBeGreaterThan(0.2)
  })

  test('has its own proportions told, the perspective taken out', () => {
    const outline = locateOutline(scene(1280, 900, wood, straight), null)
    expect(Math.abs((outline?.aspect ?? 0) / (125 / 88) - 1)).toBeLessThan(0.03)
    expect(outline?.tiltDeg).toBeLessThan(8)
  })

  test('small on a sheet that was scanned is found on the sheet', () => {
    const quad = corners(380, 240, 1010, 246, 1006, 690, 376, 684)
    const outline = locateOutline(
      scene(1240, 1754, () => [250, 250, 250], quad),
      null,
    )
    expect(worstCorner(outline?.quad ?? corners(0, 0, 0, 0, 0, 0, 0, 0), quad)).toBeLessThan(0.01)
  })

  test('of which one side lies outside the picture says so', () => {
    const outline = locateOutline(
      scene(1280, 900, wood, corners(300, 380, 1060, 380, 1060, 915, 300, 915)),
      null,
    )
    expect(outline?.sidesOutside).toBe(1)
  })
})

describe('a picture without a document', () => {
  test.each([
    ['wood', wood],
    ['a dark table', dark],
    ['white paper', pale],
    ['coloured oblongs', blocks],
  ] as const)('has none found: %s', (_, ground) => {
    expect(locateOutline(scene(1280, 900, ground, null), null)).toBeNull()
  })

  test('has none found in a blank sheet and a pen', async () => {
    expect(locateOutline((await decodeImage(specimen('nothing.jpg'))).raster, null)).toBeNull()
  })

  test('of a few pixels is borne', () => {
    for (const [width, height] of [
      [1, 1],
      [3, 200],
      [40, 2],
    ])
      expect(locateOutline(scene(width, height, wood, null), null)).toBeNull()
  })
})

describe('which way up a page is', () => {
  const lying = corners(100, 200, 800, 200, 800, 693, 100, 693)
  const standing = corners(200, 100, 693, 100, 693, 800, 200, 800)
  let vision: Vision
  beforeAll(async () => {
    vision = await lendVision()
  })
  afterAll(() => vision.close())

  test.each([0, 90, 180, 270] as const)(
    'is told by the printed portrait where no MRZ is: turned by %i',
    async (turn) => {
      // The content's upper left corner is where the picture's corner of that many quarters is.
      const place = turn % 180 === 0 ? lying : standing
      const quad = [0, 1, 2, 3].map((i) => place[(i + turn / 90) % 4]) as unknown as Quad
      const image = await encodeJpeg(scene(900, 900, wood, quad, false), 92)
      const measured = await vision.measureDocument({ image })
      expect(measured.outline && worstCorner(measured.outline.quad, quad)).toBeLessThan(0.01)
      expect(distance(measured.outline?.quad[0] ?? { x: 0, y: 0 }, quad[0])).toBeLessThan(10)
      expect(measured.mrz).toBeNull()
      expect(measured.outline?.uprightBy).toBe('portrait')
      expect(measured.rotationDeg).toBe((360 - turn) % 360)
    },
  )
})

describe('an MRZ that was read', () => {
  const band = corners(130, 560, 770, 560, 770, 620, 130, 620)
  const reading = { band, format: 'TD3', lines: ['<'.repeat(44), '<'.repeat(44)] } as unknown as MrzReading

  test('tells the page around it, on which it stands where it should', () => {
    const around = placePageAroundMrz(reading)
    expect(around).not.toBeNull()
    if (around === null) return
    expect(computeMrzMisfit(around, reading)).toBeLessThan(0.02)
    expect((around[1].x - around[0].x) / (around[3].y - around[0].y)).toBeCloseTo(125 / 88, 2)
    expect(around[3].y).toBeGreaterThan(band[3].y)
  })

  test('does not stand on another page, nor upside down on its own', () => {
    const around = placePageAroundMrz(reading)
    if (around === null) throw new Error('no page')
    expect(computeMrzMisfit(turnQuad(around, 2), reading)).toBeGreaterThan(0.2)
    const other = around.map(({ x, y }) => ({ x, y: y - 450 })) as unknown as Quad
    expect(computeMrzMisfit(other, reading)).toBeGreaterThan(0.2)
  })

  test.each([0, 1, 2, 3])('orders the corners along its text, whichever came first: %i', (quarters) => {
    const around = placePageAroundMrz(reading)
    if (around === null) throw new Error('no page')
    expect(alongText(turnQuad(around, quarters), band)).toEqual(around)
  })
})

describe('the specimen photographs', () => {
  test.each(['alba', 'amber', 'cole', 'dorian'])(
    '%s: the page or the open booklet is found',
    async (name) => {
      const truth = JSON.parse(specimen(`${name}/truth.json`).toString('utf8')) as {
        photo: { corners: [number, number][] }
      }
      const quad = truth.photo.corners.map(([x, y]) => ({ x, y })) as unknown as Quad
      const raster = (await decodeImage(specimen(`${name}/passport-photo.jpg`))).raster
      const outline = locateOutline(raster, null)
      expect(worstCorner(outline?.quad ?? corners(0, 0, 0, 0, 0, 0, 0, 0), quad)).toBeLessThan(0.02)
    },
  )

  test('half as large and in grey give the same corners', async () => {
    const small = await sharp(specimen('amber/passport-photo.jpg')).resize(1200).greyscale().jpeg().toBuffer()
    const outline = locateOutline((await decodeImage(small)).raster, null)
    expect(outline?.foundBy).toBe('edges')
  })
})
