/**
 * Converts a strip to the input of tesseract's network: a line 36 pixels high, cropped to its ink, −1 (ink) to 1 (paper).
 */
import type { GreyRaster } from '../../raster.ts'
import { BORDER_PX, CAP_PX } from './strips.ts'

/** Height of a line in the network's input. */
export const LINE_PX = 36
/** Padding around the line: the network's first layer reads one pixel further on each side. */
const EDGE_PX = 1

/** Rows cut off above and below, in strip pixels: 256 of 308 lines then read as in tesseract.js (27 November 2026). */
const CUT = { top: 14, bottom: 8 }
/** Paper above a mark. */
const ABOVE_MARK_PX = 2
/** Paper left of the first letter and right of the last. With more, the network reads a sign that is not there. */
const BESIDE_PX = 4
/** A column belongs to a letter if this many pixels are this dark between the tops and bottoms of the capitals. */
const LETTER = { ink: 110, pixels: 3 }
const ROWS = { from: BORDER_PX + 0.33 * CAP_PX, to: BORDER_PX + 1.53 * CAP_PX }

interface StripInput {
  /** One line: (36 + 2) × (width + 2). */
  readonly data: Float32Array
  readonly width: number
  readonly height: number
  /** First column and number of columns of the strip that the line covers. */
  readonly from: number
  readonly columns: number
}

/**
 * Returns null for a strip without a letter. `hasMarks`: the network knows letters with marks; otherwise ink above the
 * capitals only disturbs it.
 */
export function stripInput(strip: GreyRaster, hasMarks: boolean): StripInput | null {
  const ends = findEnds(strip)
  if (ends === null) return null
  const from = Math.max(0, ends.first - BESIDE_PX)
  const columns = Math.min(strip.width, ends.last + 1 + BESIDE_PX) - from
  const top = hasMarks ? findTop(strip, from, columns) : CUT.top
  const rows = strip.height - top - CUT.bottom
  if (rows < LINE_PX / 4) return null
  const width = Math.max(3, Math.round((columns * LINE_PX) / rows))
  const grey = shrink(strip, { x: from, y: top, width: columns, height: rows }, width, LINE_PX)
  const { black, white } = measureShades(grey.subarray((LINE_PX >> 1) * width, ((LINE_PX >> 1) + 1) * width))
  const half = Math.max(1, (white - black) / 2)
  const [w, h] = [width + 2 * EDGE_PX, LINE_PX + 2 * EDGE_PX]
  const data = new Float32Array(w * h).fill(1)
  for (let y = 0; y < LINE_PX; y++)
    for (let x = 0; x < width; x++)
      data[(y + EDGE_PX) * w + x + EDGE_PX] = Math.max(
        -1,
        Math.min(1, (grey[y * width + x] - black) / half - 1),
      )
  return { data, width: w, height: h, from, columns }
}

/** Searches from both ends inwards: a printed line ends close to the ends of its strip. */
function findEnds({ data, width, height }: GreyRaster): { first: number; last: number } | null {
  const from = Math.round(ROWS.from) * width
  const to = Math.min(height, Math.round(ROWS.to)) * width
  const holdsLetter = (x: number): boolean => {
    let count = 0
    for (let i = from + x; i < to; i += width)
      if (data[i] < LETTER.ink && ++count === LETTER.pixels) return true
    return false
  }
  let first = 0
  while (first < width && !holdsLetter(first)) first++
  if (first === width) return null
  let last = width - 1
  while (!holdsLetter(last)) last--
  return { first, last }
}

/** Cuts less if ink rises above the capitals: the marks of Ś and Ü. */
function findTop({ data, width }: GreyRaster, from: number, columns: number): number {
  for (let y = BORDER_PX; y < CUT.top; y++) {
    const row = data.subarray(y * width + from, y * width + from + columns)
    if (row.filter((value) => value < LETTER.ink).length >= LETTER.pixels) return y - ABOVE_MARK_PX
  }
  return CUT.top
}

/** Black and white level of the middle row, computed as in tesseract: quartiles of its valleys and of its peaks. */
function measureShades(row: Float32Array): { black: number; white: number } {
  const valleys: number[] = []
  const peaks: number[] = []
  for (let x = 1; x + 1 < row.length; x++) {
    const [before, here, after] = [row[x - 1], row[x], row[x + 1]]
    if (here <= before && here <= after && (here < before || here < after)) valleys.push(here)
    if (here >= before && here >= after && (here > before || here > after)) peaks.push(here)
  }
  const at = (values: number[], share: number, none: number): number =>
    values.length === 0
      ? none
      : values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]
  return { black: at(valleys, 0.25, 0), white: at(peaks, 0.75, 255) }
}

interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Each pixel is the weighted mean of the pixels it covers; nearer ones weigh more. */
function shrink(
  { data, width: stride }: GreyRaster,
  part: Part,
  width: number,
  height: number,
): Float32Array {
  const across = computeWeights(part.width, width)
  const down = computeWeights(part.height, height)
  const rows = new Float32Array(part.height * width)
  for (let y = 0; y < part.height; y++) {
    const o = (part.y + y) * stride + part.x
    for (let x = 0; x < width; x++) rows[y * width + x] = sumTaps(data, o, 1, across[x])
  }
  const out = new Float32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) out[y * width + x] = sumTaps(rows, x, width, down[y])
  return out
}

interface Taps {
  readonly from: number
  readonly weights: Float32Array
}

function sumTaps(data: ArrayLike<number>, offset: number, step: number, { from, weights }: Taps): number {
  let sum = 0
  for (let i = 0, at = offset + from * step; i < weights.length; i++, at += step) sum += data[at] * weights[i]
  return sum
}

/** Triangle filter, two pixels of the larger size wide. */
function computeWeights(from: number, to: number): readonly Taps[] {
  const scale = from / to
  const reach = Math.max(1, scale)
  return Array.from({ length: to }, (_, i) => {
    const middle = (i + 0.5) * scale - 0.5
    const first = Math.max(0, Math.ceil(middle - reach))
    const last = Math.min(from - 1, Math.floor(middle + reach))
    const weights = Float32Array.from({ length: last - first + 1 }, (_, k) =>
      Math.max(1e-6, 1 - Math.abs(first + k - middle) / reach),
    )
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return { from: first, weights: weights.map((weight) => weight / sum) }
  })
}
