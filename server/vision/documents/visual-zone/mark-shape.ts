/** Classifies the shape of one mark from its ink. Knows no letters. */
import type { GreyRaster } from '../../raster.ts'
import { findPieces } from './pieces.ts'
import { CAP_PX } from './strips.ts'

/** Shapes that blurred print in a photograph can distinguish. */
export type MarkShape =
  | 'acute'
  | 'grave'
  | 'diaeresis'
  | 'two-acutes'
  | 'wide-above'
  | 'wide-below'
  | 'flat'
  | 'round'

/** Soft ink, 0 to 255, of the rows above or below a letter. */
interface MarkInk {
  readonly ink: GreyRaster
  readonly parts: readonly {
    readonly x0: number
    readonly x1: number
    readonly y0: number
    readonly y1: number
  }[]
  /** Number of pixels of the mark. */
  readonly area: number
  /** It continues above the examined rows: a hook attached to its letter. */
  readonly hangs: boolean
}

/** Blurred strokes of a mark are thinner and paler than a letter's; background lines are paler still. */
const INK = 150
const DARKEST = 110
/** Unit: cap heights: how far a mark may extend beyond its letter's place, and its minimum size. */
const BESIDE = 0.12
const LEAST = { height: 0.08, area: 0.012 }
/** Maximum distance between letter and mark, in cap heights. */
const FARTHEST = 0.17

/** Ink above a letter that belongs to a mark, without specks and the line above. Null if there is none. */
export function inkBetween(
  { data, width, height }: GreyRaster,
  place: { readonly x0: number; readonly x1: number },
  rows: { readonly from: number; readonly to: number; readonly letter: 'below' | 'above' },
): MarkInk | null {
  const [x0, x1] = [
    Math.max(0, Math.floor(place.x0 - BESIDE * CAP_PX)),
    Math.min(width, Math.ceil(place.x1 + BESIDE * CAP_PX)),
  ]
  const [y0, y1] = [Math.max(0, Math.round(rows.from)), Math.min(height, Math.round(rows.to))]
  if (x1 - x0 < 2 || y1 - y0 < 2) return null
  const ink = { data: new Uint8Array((x1 - x0) * (y1 - y0)), width: x1 - x0, height: y1 - y0 }
  for (let y = y0; y < y1; y++)
    ink.data.set(data.subarray(y * width + x0, y * width + x1), (y - y0) * ink.width)
  const parts = findPieces(ink, INK).filter(
    (part) =>
      part.darkest <= DARKEST &&
      isBeside(part, ink.height, rows.letter) &&
      part.y1 - part.y0 >= LEAST.height * CAP_PX &&
      part.area >= LEAST.area * CAP_PX ** 2 &&
      (part.x0 + part.x1) / 2 >= place.x0 - x0 &&
      (part.x0 + part.x1) / 2 <= place.x1 - x0,
  )
  if (parts.length === 0 || parts.length > 2) return null
  const hangs = parts.some((part) => part.y0 === 0)
  return { ink, parts, hangs, area: parts.reduce((sum, { area }) => sum + area, 0) }
}

/**
 * True if it is near the letter and not the end of something larger: a descender of the line above, or the line below.
 */
function isBeside(
  { y0, y1 }: { readonly y0: number; readonly y1: number },
  height: number,
  letter: 'below' | 'above',
): boolean {
  const [near, far] = letter === 'below' ? [height - y1, y0] : [y0, height - y1]
  return far > 0 && near <= FARTHEST * CAP_PX
}

/**
 * Tuned on names in six fonts and four sizes, blurred and compressed (21 November 2026). Narrow marks lean or not; wide
 * ones bend downwards, upwards or not; two merged dots are paler between. Widths in cap heights.
 */
const SHAPE = { dot: 0.21, narrow: 0.285, leaning: 0.13, wider: 1.12, bulging: 1.08, pale: 0.7 }
/** The lean required grows with the width, because a tilde leans by up to 0.2 (scenes, 28 Nov 2026). */
const LEANING_BY_WIDTH = 1.8
/**
 * How far the middle of a wide mark is below its ends, in cap heights: 0.12 to 0.17 for 3 carons, −0.05 to −0.09 for 2
 * rings, within ±0.017 for 13 tildes (scenes, 28 Nov 2026).
 */
const BENT = 0.03
/** Paler pixels have no weight, because the blur around a mark has no lean. */
const PALEST = 190

export function recogniseShape({ ink, parts }: MarkInk): MarkShape | null {
  const [{ slant, spread, between, width, bend }, second] = parts.map((part) => computeMoments(ink, part))
  if (second) return Math.max(slant, second.slant) <= -SHAPE.leaning ? 'two-acutes' : 'diaeresis'
  const more = LEANING_BY_WIDTH * Math.max(0, width - SHAPE.narrow)
  if (Math.abs(slant) >= Math.min(3 * SHAPE.leaning, SHAPE.leaning + more))
    return slant < 0 ? 'acute' : 'grave'
  if (width <= SHAPE.dot) return 'round'
  const [upper, middle, lower] = spread
  if (middle >= SHAPE.bulging * upper && middle >= SHAPE.bulging * lower) return 'round'
  if (upper >= SHAPE.wider * lower && bend >= BENT) return 'wide-above'
  if (lower >= SHAPE.wider * upper && bend <= -BENT) return 'wide-below'
  if (width <= SHAPE.narrow) return 'round'
  return between <= SHAPE.pale ? 'diaeresis' : 'flat'
}

interface Moments {
  /** Correlation of x and y: negative leans to the right. */
  readonly slant: number
  /** Spread of the ink in the upper, middle and lower third. */
  readonly spread: readonly number[]
  /** Ink in the middle third of its width relative to the other thirds. */
  readonly between: number
  readonly width: number
  /** How far its middle is below its ends, in cap heights. */
  readonly bend: number
}

function computeMoments({ data, width }: GreyRaster, { x0, x1, y0, y1 }: MarkInk['parts'][number]): Moments {
  const pixels: { readonly x: number; readonly y: number; readonly weight: number }[] = []
  for (let y = y0; y < y1; y++)
    for (let x = x0; x < x1; x++) {
      const weight = PALEST - data[y * width + x]
      if (weight > 0) pixels.push({ x, y, weight })
    }
  const total = pixels.reduce((sum, { weight }) => sum + weight, 0)
  const mean = (of: 'x' | 'y') => pixels.reduce((sum, pixel) => sum + pixel.weight * pixel[of], 0) / total
  const [mx, my] = [mean('x'), mean('y')]
  let [xx, yy, xy] = [1e-9, 1e-9, 0]
  const thirds = [0, 1, 2].map(() => ({ weight: 1e-9, spread: 0 }))
  for (const { x, y, weight } of pixels) {
    xx += weight * (x - mx) ** 2
    yy += weight * (y - my) ** 2
    xy += weight * (x - mx) * (y - my)
    const third = thirds[Math.min(2, Math.floor((3 * (y - y0)) / (y1 - y0)))]
    third.weight += weight
    third.spread += weight * (x - mx) ** 2
  }
  const inMiddle = pixels.filter(({ x }) => Math.floor((3 * (x - x0)) / (x1 - x0)) === 1)
  const ofMiddle = inMiddle.reduce((sum, { weight }) => sum + weight, 0)
  return {
    width: (x1 - x0) / CAP_PX,
    bend: computeBend(pixels, mx, my),
    between: (2 * ofMiddle) / (total - ofMiddle + 1e-9),
    slant: xy / Math.sqrt(xx * yy),
    spread: thirds.map(({ weight, spread }) => Math.sqrt(spread / weight)),
  }
}

interface Weighted {
  readonly x: number
  readonly y: number
  readonly weight: number
}

/** Quadratic term of the least-squares parabola through the ink, over half the mark's width; y grows downwards. */
function computeBend(pixels: readonly Weighted[], mx: number, my: number): number {
  const half = Math.max(1, ...pixels.map(({ x }) => Math.abs(x - mx)))
  const sum = (of: (x: number, y: number) => number): number =>
    pixels.reduce((total, { x, y, weight }) => total + weight * of((x - mx) / half, y - my), 0)
  const n = sum(() => 1)
  const [x2, x3, x4, xy, x2y] = [
    sum((x) => x ** 2),
    sum((x) => x ** 3),
    sum((x) => x ** 4),
    sum((x, y) => x * y),
    sum((x, y) => x ** 2 * y),
  ]
  // x and y are relative to their means, so their sums are zero.
  const spread = x4 - x2 ** 2 / n - x3 ** 2 / (x2 + 1e-9)
  return -(x2y - (x3 * xy) / (x2 + 1e-9)) / (spread + 1e-9) / CAP_PX
}

/** Unit: shares of the letter: the centre of an O, and the rows of an L in which only its stem is printed. */
const O_MIDDLE = { from: 0.4, to: 0.6 }
/** Mean ink: 123 to 178 in 90 Ø, at least 216 in 869 O (six fonts, four sizes, 21 November 2026). */
const O_STRUCK = 195
/** Spots inside an O on and off the stroke of an Ø: the bar of an Ə and specks darken both equally. */
const ON_SLASH = [
  [0.37, 0.67],
  [0.63, 0.33],
] as const
const OFF_SLASH = [
  [0.37, 0.33],
  [0.63, 0.67],
] as const
const SPOT = { across: 0.05, down: 0.06 }
/** Minimum difference between both: 106 to 139 on 3 Ø, at most 23 on 37 O and Ə (scenes, photographs, 23 Nov 2026). */
const O_SLASHED = 60
const L_ROWS = { from: 0.2, to: 0.65 }
/**
 * How far the stroke of an Ł extends beyond its stem, in cap heights: to the right above, to the left below. Pale print
 * or background beside a stem has no such direction.
 */
const STROKE = { right: 0.1, left: 0.06 }

/** Letters that may carry a stroke. */
export type StruckLetter = 'O' | 'L' | 'D'

/** Spots inside a D, right of its stem, on and off the bar of a Đ. */
const ON_BAR = [[0.45, 0.5]] as const
const OFF_BAR = [
  [0.45, 0.28],
  [0.45, 0.72],
] as const
/** Rows of a D between its bends; the bar of a Đ extends beyond its stem in the middle third of them. */
const D_ROWS = { from: 0.2, to: 0.8, barFrom: 0.33, barTo: 0.67 }

/** Detects a stroke: ink inside an O or a D, or a stem of an L that is wider at one place. */
export function isStruck(
  { data, width, height }: GreyRaster,
  { x0, x1 }: { readonly x0: number; readonly x1: number },
  { top, bottom }: { readonly top: number; readonly bottom: number },
  letter: StruckLetter,
): boolean {
  const row = (share: number) => Math.min(height - 1, Math.max(0, Math.round(top + share * (bottom - top))))
  const column = (share: number) => Math.min(width - 1, Math.max(0, Math.round(x0 + share * (x1 - x0))))
  const computeMean = (spots: readonly (readonly [x: number, y: number])[]): number => {
    let [sum, count] = [0, 0]
    for (const [across, down] of spots)
      for (let y = row(down - SPOT.down); y <= row(down + SPOT.down); y++)
        for (let x = column(across - SPOT.across); x <= column(across + SPOT.across); x++, count++)
          sum += data[y * width + x]
    return sum / count
  }
  if (letter === 'O') {
    let [sum, count] = [0, 0]
    for (let y = row(O_MIDDLE.from); y <= row(O_MIDDLE.to); y++)
      for (let x = column(O_MIDDLE.from); x <= column(O_MIDDLE.to); x++, count++) sum += data[y * width + x]
    if (sum > O_STRUCK * count) return false
    return computeMean(OFF_SLASH) - computeMean(ON_SLASH) >= O_SLASHED
  }
  if (letter === 'D') {
    if (computeMean(OFF_BAR) - computeMean(ON_BAR) < O_SLASHED) return false
    const starts: number[] = []
    for (let y = row(D_ROWS.from); y <= row(D_ROWS.to); y++) {
      let start = column(0)
      while (start < column(0.5) && data[y * width + start] > INK) start++
      starts.push(-start)
    }
    const bar = farthest(starts)
    const at = bar.row / starts.length
    return bar.by >= STROKE.left * CAP_PX && at >= D_ROWS.barFrom && at <= D_ROWS.barTo
  }
  const rows: { readonly start: number; readonly end: number }[] = []
  for (let y = row(L_ROWS.from); y <= row(L_ROWS.to); y++) {
    let [start, end] = [column(0), column(0)]
    while (start < column(0.5) && data[y * width + start] > INK) start++
    while (end < column(1) && (data[y * width + end] <= INK || end < column(0.25))) end++
    rows.push({ start, end })
  }
  const right = farthest(rows.map(({ end }) => end))
  const left = farthest(rows.map(({ start }) => -start))
  return right.by >= STROKE.right * CAP_PX && left.by >= STROKE.left * CAP_PX && right.row < left.row
}

/** The row that extends farthest, and by how much more than the stem, which most rows show. */
function farthest(ends: readonly number[]): { readonly row: number; readonly by: number } {
  const most = Math.max(...ends)
  return { row: ends.indexOf(most), by: most - [...ends].sort((a, b) => a - b)[ends.length >> 2] }
}
