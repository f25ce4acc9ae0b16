import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { augment, KINDS } from '../../../../server/tools/bench/mrz/augment.ts'
import { computeFigures, type Outcome } from '../../../../server/tools/bench/mrz/figures.ts'
import {
  solveHomography,
  lay,
  mapPoint,
  plain,
  repaint,
  measureWidth,
  type Picture,
} from '../../../../server/tools/bench/mrz/picture.ts'

const EXACT: Outcome = {
  isNegative: false,
  isUnreadable: false,
  isRead: true,
  isExact: true,
  isAccepted: true,
  checksPass: true,
  hasValidDigits: true,
  bandWidthPx: 700,
  errors: 0,
  characters: 88,
  ms: 100,
  cpuMs: 90,
}
const MISSED = { ...EXACT, isRead: false, isExact: false, isAccepted: false, checksPass: false, errors: 88 }

describe('the figures of the MRZ bench', () => {
  test('are gated to wide MRZs of documents that print right digits; an MRZ of unknown width counts', () => {
    const narrow = { ...MISSED, bandWidthPx: 499 }
    const wrongInPrint = { ...EXACT, hasValidDigits: false, checksPass: false, isAccepted: false }
    const unknown = { ...MISSED, bandWidthPx: null }
    expect(computeFigures([EXACT, narrow, wrongInPrint, unknown])).toMatchObject({
      images: 4,
      exact: 2,
      gated: { images: 2, exact: 1, exactRate: 0.5, autoAccepted: 1, autoAcceptedRate: 0.5 },
      wrongDigitsReportedValid: 0,
    })
  })

  test('count what was accepted and wrong, invented, and valid although the document is not', () => {
    const wrong = { ...EXACT, isExact: false, errors: 1 }
    const invented = { ...MISSED, isNegative: true, isRead: true, isAccepted: true, characters: 0, errors: 0 }
    const turnedValid = { ...wrong, hasValidDigits: false, isAccepted: false }
    expect(computeFigures([wrong, invented, turnedValid])).toMatchObject({
      images: 2,
      negatives: 1,
      invented: 1,
      autoAcceptedWrong: 2,
      checksValidButWrong: 2,
      wrongDigitsReportedValid: 1,
      cer: 0.0114,
    })
  })
})

describe('augmented photographs', () => {
  const blank = { raster: plain(480, 360, [200, 190, 180]), band: null }
  const picture: Picture = {
    // Stripes: on blank paper nothing would be seen of a blur.
    raster: repaint(blank, (value, x) => (Math.floor(x * 30) % 2 === 0 ? value : 40)).raster,
    band: [
      { x: 40, y: 240 },
      { x: 440, y: 240 },
      { x: 440, y: 320 },
      { x: 40, y: 320 },
    ],
  }

  test('a point goes through a perspective and back', () => {
    const square = [0, 100].flatMap((y) => [0, 100].map((x) => ({ x, y })))
    const bent = [
      { x: 5, y: 3 },
      { x: 90, y: 10 },
      { x: 0, y: 80 },
      { x: 100, y: 95 },
    ]
    const back = mapPoint(
      solveHomography(bent, square),
      mapPoint(solveHomography(square, bent), { x: 30, y: 70 }),
    )
    expect(back.x).toBeCloseTo(30, 6)
    expect(back.y).toBeCloseTo(70, 6)
  })

  test('the MRZ keeps its place on the picture that is laid on another', () => {
    const corners = [
      { x: 50, y: 40 },
      { x: 288, y: 40 },
      { x: 288, y: 218 },
      { x: 50, y: 218 },
    ] as const
    const { band } = lay(picture, corners, plain(400, 300, [0, 0, 0]))
    expect(band && measureWidth(band)).toBeCloseTo(198.75, 0)
  })

  test.each(KINDS)('%s gives the same picture for the same seed, and another for another', async (kind) => {
    const made = (seed: number) => augment(picture, 'a.jpg', KINDS.indexOf(kind), seed)
    const [once, again, other] = [await made(1), await made(1), await made(2)]
    expect(once.kind).toBe(kind)
    expect(once.jpeg.equals(again.jpeg)).toBe(true)
    expect((await sharp(once.jpeg).metadata()).format).toBe('jpeg')
    // The zone is removed in one way only.
    if (kind !== 'zone removed') expect(once.jpeg.equals(other.jpeg)).toBe(false)
    expect(once.band === null).toBe(kind === 'zone removed')
  })
})
