/** A card laid on a flatbed scanner: a small document on a white page of A4, sent as PDF. Everything on it is invented. */
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { putTogether, readPicture, turnTold } from '../../../../server/tools/bench/documents/read-scene.ts'
import { quadIou, scoreField } from '../../../../server/tools/bench/documents/score.ts'
import { loadDocumentTemplates } from '../../../../server/config/document-templates.ts'
import type { RenderedSide } from '../../../../server/tools/specimen/documents/render.ts'
import type { Quad, QuarterTurn, Vision } from '../../../../server/vision/protocol.ts'
import { pdfOf, type Page } from '../../../support/pdf.ts'
import { renderDocument } from '../../../support/specimen-sides.ts'
import { lendVision } from '../../../support/remembering-vision.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
/** 210 mm by 297 mm at 300 dpi. */
const A4 = { width: 2480, height: 3508 }
const A4_POINTS = [595, 842] as const
const DOTS_PER_INCH = 300

let vision: Vision
beforeAll(async () => {
  vision = await lendVision()
})
afterAll(() => vision.close())

interface Scan extends Page {
  readonly quad: Quad
}

/** The lid is white and casts no shadow: the card's own paper is all that sets it off. */
async function scanned(side: RenderedSide, turnDeg: number, left: number, top: number): Promise<Scan> {
  const raw = { width: side.widthPx, height: side.heightPx, channels: 3 } as const
  const card = await sharp(side.pixels, { raw })
    .ensureAlpha()
    .rotate(turnDeg, { background: { r: 255, g: 255, b: 255, alpha: 0 } })
    .png()
    .toBuffer({ resolveWithObject: true })
  const jpeg = await sharp({ create: { ...A4, channels: 3, background: '#fbfbfa' } })
    .composite([{ input: card.data, left, top }])
    .blur(0.6)
    .jpeg({ quality: 80 })
    .toBuffer()
  const [x, y] = [left + card.info.width / 2, top + card.info.height / 2]
  const [cos, sin] = [Math.cos((turnDeg * Math.PI) / 180), Math.sin((turnDeg * Math.PI) / 180)]
  const corner = (u: number, v: number) => {
    const [a, b] = [(u * side.widthPx) / 2, (v * side.heightPx) / 2]
    return { x: x + a * cos - b * sin, y: y + a * sin + b * cos }
  }
  const quad: Quad = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
  return { jpeg, pixels: [A4.width, A4.height], points: A4_POINTS, quad }
}

test.each<readonly [lies: string, turnDeg: number, turn: QuarterTurn]>([
  ['a little askew', 1.5, 0],
  ['on its side', 90, 270],
])('a card that lies %s on the glass is outlined, told and read on both sides', async (_, turnDeg, turn) => {
  const sides = await renderDocument('residence-card', 903, DOTS_PER_INCH)
  const scans = [await scanned(sides[0], turnDeg, 700, 1200), await scanned(sides[1], turnDeg, 300, 400)]
  const pictures = await vision.rasterisePdf({ pdf: pdfOf(scans) })
  const readings = [await readPicture(vision, pictures[0]), await readPicture(vision, pictures[1])]
  readings.forEach((reading, i) => {
    const { outline, mrz } = reading.side
    // White on white without a shadow: what counts as found in bench:documents.
    expect(outline && quadIou(outline.quad, scans[i].quad)).toBeGreaterThan(0.9)
    expect(turnTold(reading)).toBe(turn)
    expect(mrz?.lines).toEqual(sides[i].truth.zone?.lines)
  })
  const read = await putTogether(vision, pictures, readings, loadDocumentTemplates(), NOW)
  expect(read.classification).toMatchObject({ layout: 'TD1', sides: ['FRONT', 'BACK'] })
  const fields = sides.flatMap(({ truth }) => truth.fields)
  const right = fields.filter((field) => scoreField(field, read.page.fields).isPlainExact)
  expect(fields.length).toBeGreaterThan(8)
  expect(right.map(({ field }) => field)).toEqual(fields.map(({ field }) => field))
})
