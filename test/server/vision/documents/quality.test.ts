/** Tests what is measured on pages drawn for the purpose, whose light, edges and place are known. */
import { describe, expect, test } from 'vitest'
import { buildPyramid, type Pyramid } from '../../../../server/vision/documents/grey.ts'
import { measureDocumentQuality } from '../../../../server/vision/documents/quality.ts'
import { edgeWidthPx } from '../../../../server/vision/documents/quality-edges.ts'
import { judgeFraming } from '../../../../server/vision/documents/quality-framing.ts'
import { measureGlareShare } from '../../../../server/vision/documents/quality-glare.ts'
import { chooseOutline } from '../../../../server/vision/documents/quality-place.ts'
import { printedPlace } from '../../../../server/vision/documents/quality-print.ts'
import { wholePicture } from '../../../../server/vision/documents/outline/warp.ts'
import type { Box, DocumentOutline, Quad } from '../../../../server/vision/protocol.ts'

const drawn = (width: number, height: number, value: (x: number, y: number) => number) => {
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = value(x, y)
  return { data, width, height }
}

describe('the width of edges', () => {
  /** Bars whose edges rise over so many pixels. */
  const bars = (rise: number): Pyramid =>
    buildPyramid(
      drawn(
        400,
        400,
        (x) => 40 + 180 * Math.max(0, Math.min(1, 0.5 + (Math.abs((x % 80) - 40) - 20) / rise)),
      ),
    )
  test.each([
    [1, 2],
    [4, 4],
    [8, 8],
  ])('of %i pixels is told as %i', (rise, told) => {
    const pyramid = bars(rise)
    const width = edgeWidthPx(pyramid, wholePicture(pyramid[0])) ?? NaN
    expect(Math.abs(width - told)).toBeLessThan(1.2)
  })

  test('of a picture that was moved in one direction is that of the direction in which it is worst', () => {
    // Lines in both diagonals: those along the way of the hand stay sharp.
    const lines = (slope: number, rise: number) => (x: number, y: number) =>
      Math.max(0, Math.min(1, 0.5 + (Math.abs(((((x + slope * y) % 60) + 60) % 60) - 30) - 15) / rise))
    const [blurred, sharp] = [lines(1, 12), lines(-1, 1)]
    const pyramid = buildPyramid(
      drawn(400, 400, (x, y) => 40 + 180 * (y < 200 ? blurred(x, y) : sharp(x, y))),
    )
    expect(edgeWidthPx(pyramid, wholePicture(pyramid[0]))).toBeGreaterThan(5)
  })

  test('is unknown on an empty page', () => {
    const pyramid = buildPyramid(drawn(400, 400, () => 200))
    expect(edgeWidthPx(pyramid, wholePicture(pyramid[0]))).toBeNull()
  })
})

describe('glare', () => {
  const inPicture = new Uint8Array(400 * 280).fill(1)
  const patch = (soft: boolean) =>
    drawn(400, 280, (x, y) => {
      const distance = Math.hypot(x - 250, y - 150) - 50
      return soft ? Math.min(255, Math.max(190, 255 - 6 * Math.max(0, distance))) : distance < 0 ? 255 : 190
    })

  test('is a patch that fades into the paper, measured as its share of the page', () => {
    expect(measureGlareShare(patch(true), inPicture)).toBeCloseTo((Math.PI * 2500) / (400 * 280), 2)
  })

  test('is a large patch that fades slowly', () => {
    const large = drawn(400, 280, (x, y) => Math.min(255, 255 + 30 - Math.hypot(x - 200, y - 140) * 0.4))
    expect(measureGlareShare(large, inPicture)).toBeGreaterThan(0.15)
  })

  test('is not the white strip of an MRZ whose characters were read', () => {
    // Above the strip the paper darkens slowly, as under a lamp.
    const pyramid = buildPyramid(drawn(800, 560, (_, y) => Math.max(200, Math.min(255, 255 - (400 - y) / 3))))
    const found = { outline: null, band: null, portrait: null, proposed: null }
    const mrz: Quad = [
      { x: 50, y: 440 },
      { x: 750, y: 440 },
      { x: 750, y: 500 },
      { x: 50, y: 500 },
    ]
    expect(measureGlareShare(pyramid[1], new Uint8Array(400 * 280).fill(1))).toBeGreaterThan(0.2)
    expect(measureDocumentQuality(pyramid, found).glareShare).toBeGreaterThan(0.2)
    expect(measureDocumentQuality(pyramid, { ...found, readMrzQuad: mrz }).glareShare).toBe(0)
  })

  test('is not what ends at an edge, and not white paper', () => {
    expect(measureGlareShare(patch(false), inPicture)).toBe(0)
    expect(
      measureGlareShare(
        drawn(400, 280, (_, y) => (y % 20 < 6 ? 40 : 255)),
        inPicture,
      ),
    ).toBe(0)
  })
})

describe('the place of a document', () => {
  const PICTURE = { width: 1600, height: 1200 }
  const box = (x0: number, y0: number, x1: number, y1: number): Quad => [
    { x: x0, y: y0 },
    { x: x1, y: y0 },
    { x: x1, y: y1 },
    { x: x0, y: y1 },
  ]
  const outlineOf = (quad: Quad, known: Partial<DocumentOutline> = {}): DocumentOutline => ({
    quad,
    confidence: 0.9,
    aspect: (quad[1].x - quad[0].x) / (quad[3].y - quad[0].y),
    tiltDeg: 0,
    areaShare: 0.5,
    sidesOutside: 0,
    foundBy: 'edges',
    uprightBy: null,
    ...known,
  })
  const framed = (quad: Quad, known: Partial<DocumentOutline> = {}) =>
    judgeFraming(
      PICTURE,
      { outline: outlineOf(quad, known), band: null, portrait: null, proposed: null },
      null,
    )

  test('of a whole card tells its resolution, and that nothing is missing', () => {
    const framing = framed(box(200, 200, 1056, 740))
    expect(framing).toMatchObject({ by: 'outline', missingShare: 0 })
    expect(framing?.resolutionDpi).toBeCloseTo(254, 0)
  })

  test('of a card with a corner outside tells the share outside', () => {
    expect(framed(box(-85.6, 200, 770.4, 740))?.missingShare).toBeCloseTo(0.1, 2)
  })

  test('of a document that ends at the border of the picture tells what its form lacks', () => {
    expect(framed(box(0, 200, 600, 740))?.missingShare).toBeGreaterThan(0.2)
    expect(framed(box(0, 200, 1600, 1150))?.spanShare).toBeGreaterThan(1.07)
  })

  test.each([
    ['fits between the borders', 60, 1540, 0.9],
    ['leaves the picture on one side only', 300, 1595, 0.9],
    ['leaves the picture on both sides', 8, 1592, 1.1],
  ])('of an MRZ that %s is told by its ends', (_, from, to, spanShare) => {
    const geometry = { turnDeg: 0, widthShare: 0.885 * 0.9, isCut: false }
    const band = { quad: box(from, 900, to, 1000), characterPitchPx: 36, geometry }
    const framing = judgeFraming(PICTURE, { outline: null, band, portrait: null, proposed: null }, null)
    expect(framing?.spanShare).toBeCloseTo(spanShare, 6)
  })

  test('of a document that ends at the border lacks a part, even where it has the form of a card', () => {
    const card = box(0, 300, 856, 840)
    expect(framed(card)?.missingShare).toBeGreaterThan(0.02)
    expect(framed(box(200, 0, 1200, 580))?.missingShare).toBeGreaterThan(0.05)
  })

  const made = (quad: Quad, picture = PICTURE) =>
    judgeFraming(
      picture,
      { outline: null, band: null, portrait: null, proposed: { quad, score: 0.9 } },
      { quad, by: 'network', isSure: true },
    )

  test('of what is made out up to one border lacks a part, and a tilt is told where it is steep', () => {
    expect(made(box(-60, 300, 800, 840))).toMatchObject({ tiltDeg: null })
    expect(made(box(-60, 300, 800, 840))?.missingShare).toBeGreaterThan(0.05)
    expect(made(box(6, 300, 800, 800))?.missingShare).toBeGreaterThan(0.02)
    const [a, b, c, d] = box(300, 300, 1200, 868)
    expect(
      made([a, { x: b.x - 200, y: b.y + 140 }, { x: c.x - 200, y: c.y - 140 }, d])?.tiltDeg,
    ).toBeGreaterThan(30)
  })

  test('of a scan that the network sees up to its borders is whole', () => {
    expect(made(box(-4, -3, 1590, 1008), { width: 1600, height: 1009 })).toMatchObject({
      spanShare: 1,
      missingShare: 0,
    })
  })

  test('of what is made out all over the picture, without an edge, is beyond it', () => {
    expect(made(box(-80, 60, 1620, 1150))?.spanShare).toBeGreaterThan(1.07)
    expect(made(box(600, 500, 900, 690))).toMatchObject({ by: 'network', spanShare: 0.1875, missingShare: 0 })
  })

  test('is not that of a printed frame within what the locator network sees', () => {
    const frame = outlineOf(box(700, 300, 1000, 700))
    const dpi = { outline: () => 250, portrait: () => 260 }
    const believed = (outline: DocumentOutline, quad: Quad, portrait: Box | null = null) =>
      chooseOutline({ outline, band: null, portrait, proposed: { quad, score: 0.9 } }, dpi)
    expect(believed(frame, box(200, 250, 1050, 780))).toBeNull()
    expect(believed(frame, box(690, 290, 1010, 720))).toBe(frame)
    const finer = { ...dpi, portrait: () => 500 }
    expect(
      chooseOutline(
        { outline: frame, band: null, portrait: { x: 720, y: 320, width: 250, height: 320 }, proposed: null },
        finer,
      ),
    ).toBeNull()
  })

  test('is that of a page seen steeply from the side, though its portrait is larger than such a page has', () => {
    const steep = outlineOf(box(300, 300, 1000, 700), { tiltDeg: 42 })
    const portrait = { x: 320, y: 320, width: 300, height: 360 }
    const dpi = { outline: () => 200, portrait: () => 370 }
    expect(chooseOutline({ outline: steep, band: null, portrait, proposed: null }, dpi)).toBe(steep)
  })

  test('of print on a striped table is told by the print', () => {
    const striped = drawn(800, 600, (x, y) =>
      x > 300 && x < 500 && y > 200 && y < 320
        ? ((x >> 2) + (y >> 2)) % 2 === 0
          ? 40
          : 220
        : y % 8 < 4
          ? 90
          : 130,
    )
    const [first, , third] = printedPlace(buildPyramid(striped)) ?? []
    expect(Math.hypot((first?.x ?? NaN) - 300, (first?.y ?? NaN) - 200)).toBeLessThan(20)
    expect(Math.hypot((third?.x ?? NaN) - 500, (third?.y ?? NaN) - 320)).toBeLessThan(20)
    expect(printedPlace(buildPyramid(drawn(800, 600, (_, y) => (y % 8 < 4 ? 90 : 130))))).toBeNull()
  })

  test('of a scan cut out along the edges is whole', () => {
    const scan = framed(wholePicture(PICTURE), { foundBy: 'whole-picture' })
    expect(scan).toMatchObject({ missingShare: 0, spanShare: 1 })
  })
})
