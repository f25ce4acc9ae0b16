/** The ink of one mark → which shape it has. Knows no letters. */
import type { GreyRaster } from '../../raster.ts'
import { piecesOf } from './pieces.ts'
import { CAP_PX } from './strips.ts'

/** As far as blurred print of a photograph tells them apart. */
export type MarkShape =
  'acute' | 'grave' | 'diaeresis' | 'two-acutes' | 'wide-above' | 'wide-below' | 'flat' | 'round'

/** Soft ink, 0 to 255 each, of the rows above or below a letter. */
export interface MarkInk {
  readonly ink: GreyRaster
  readonly parts: readonly {
    readonly x0: number
    readonly x1: number
    readonly y0: number
    readonly y1: number
  }[]
  /** Pixels of the mark itself. */
  readonly area: number
  /** It continues above the rows that were looked at: a hook that hangs on its letter. */
  readonly hangs: boolean
}

/** A mark's strokes are thinner than the letter's and paler in blur; lines of the background are paler still. */
const INK = 150
const DARKEST = 110
/** In heights of the capitals: a mark's share of a letter's place that may lie beside it, and how small it may be. */
const BESIDE = 0.12
const LEAST = { height: 0.08, area: 0.012 }
/** Between letter and mark, in heights of the capitals. */
const FARTHEST = 0.17

/** The ink above a letter that is a mark's: not of the line above, no speck. Null for none. */
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
  const parts = piecesOf(ink, INK).filter(
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

/** Near the letter, and not the end of something that continues beyond: a descender of the line above, the line below. */
function isBeside(
  { y0, y1 }: { readonly y0: number; readonly y1: number },
  height: number,
  letter: 'below' | 'above',
): boolean {
  const [near, far] = letter === 'below' ? [height - y1, y0] : [y0, height - y1]
  return far > 0 && near <= FARTHEST * CAP_PX
}

/**
 * Set on names in six fonts and four sizes, blurred and packed (21 November 2026). Narrow marks lean or do not; wide ones
 * are bent downwards, upwards or neither, and two dots that run together are paler between. Widths in heights of the capitals.
 */
const SHAPE = { dot: 0.21, narrow: 0.285, leaning: 0.13, wider: 1.12, bulging: 1.08, pale: 0.7 }
/** The wider a mark is, the more it has to lean: a wave leans by up to 0.2 (scenes, 28 Nov 2026). */
const LEANING_BY_WIDTH = 1.8
/**
 * How far the middle of a wide mark lies below its ends, in heights of the capitals: 0.12 to 0.17 of 3 carons, −0.05 to −0.09 of
 * 2 rings, at most 0.017 either way of 13 tildes (scenes, 28 Nov 2026).
 */
const BENT = 0.03
/** What is paler has no weight: the blur around a mark leans nowhere. */
const PALEST = 190

export function shapeOf({ ink, parts }: MarkInk): MarkShape | null {
  const [{ slant, spread, between, width, bend }, second] = parts.map((part) => momentsOf(ink, part))
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
  /** Correlation of x and y: below 0 it leans to the right. */
  readonly slant: number
  /** How far the ink of the upper, middle and lower third lies from the middle. */
  readonly spread: readonly number[]
  /** Ink of the middle third of its width against that of the others. */
  readonly between: number
  readonly width: number
  /** How far its middle lies below its ends, in heights of the capitals. */
  readonly bend: number
}

function momentsOf({ data, width }: GreyRaster, { x0, x1, y0, y1 }: MarkInk['parts'][number]): Moments {
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
    bend: bendOf(pixels, mx, my),
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

/** The square term of the parabola through the ink (least squares), over half the mark's width; y grows downwards. */
function bendOf(pixels: readonly Weighted[], mx: number, my: number): number {
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
  // x and y are measured from their means, so that their sums are nought.
  const spread = x4 - x2 ** 2 / n - x3 ** 2 / (x2 + 1e-9)
  return -(x2y - (x3 * xy) / (x2 + 1e-9)) / (spread + 1e-9) / CAP_PX
}

/** In shares of the letter: the middle of an O, and the rows of an L beside whose stem nothing else is printed. */
const O_MIDDLE = { from: 0.4, to: 0.6 }
/** Its mean: 123 to 178 in 90 Ø, 216 and more in 869 O (six fonts, four sizes, 21 November 2026). */
const O_STRUCK = 195
/** Inside an O, where the stroke of an Ø runs and where it does not: the bar of an Ə and specks of ink darken both alike. */
const ON_SLASH = [
  [0.37, 0.67],
  [0.63, 0.33],
] as const
const OFF_SLASH = [
  [0.37, 0.33],
  [0.63, 0.67],
] as const
const SPOT = { across: 0.05, down: 0.06 }
/** What it is darker by on the stroke: 106 to 139 on 3 Ø, at most 23 on 37 O and Ə (scenes, photographs, 23 Nov 2026). */
const O_SLASHED = 60
const L_ROWS = { from: 0.2, to: 0.65 }
/**
 * How far the stroke of an Ł reaches beyond its stem, in heights of the capitals: to the right above, to the left below. Ink that
 * pale print or the background adds to a stem has no such direction.
 */
const STROKE = { right: 0.1, left: 0.06 }

/** Letters through which strokes run. */
export type StruckLetter = 'O' | 'L' | 'D'

/** Inside a D, right of its stem: where the bar of a Đ runs, and where it does not. */
const ON_BAR = [[0.45, 0.5]] as const
const OFF_BAR = [
  [0.45, 0.28],
  [0.45, 0.72],
] as const
/** Rows of a D between its upper and its lower bend; the bar of a Đ reaches beyond its stem in the middle third of them. */
const D_ROWS = { from: 0.2, to: 0.8, barFrom: 0.33, barTo: 0.67 }

/** A stroke runs through it: the inside of an O or a D is ink, or the stem of an L is wider in one place. */
export function isStruck(
  { data, width, height }: GreyRaster,
  { x0, x1 }: { readonly x0: number; readonly x1: number },
  { top, bottom }: { readonly top: number; readonly bottom: number },
  letter: StruckLetter,
): boolean {
  const row = (share: number) => Math.min(height - 1, Math.max(0, Math.round(top + share * (bottom - top))))
  const column = (share: number) => Math.min(width - 1, Math.max(0, Math.round(x0 + share * (x1 - x0))))
  const meanOf = (spots: readonly (readonly [x: number, y: number])[]): number => {
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
    return meanOf(OFF_SLASH) - meanOf(ON_SLASH) >= O_SLASHED
  }
  if (letter === 'D') {
    if (meanOf(OFF_BAR) - meanOf(ON_BAR) < O_SLASHED) return false
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

/** The row that reaches farthest, and by how much more than the stem does, whose rows are most of all. */
function farthest(ends: readonly number[]): { readonly row: number; readonly by: number } {
  const most = Math.max(...ends)
  return { row: ends.indexOf(most), by: most - [...ends].sort((a, b) => a - b)[ends.length >> 2] }
}
