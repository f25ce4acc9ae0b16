/**
 * Measures sharpness as the width of edges from dark to light, in pixels, on the document only. Defocus widens all edges,
 * motion those across its direction. Does not judge whether it is sharp enough.
 */
import type { GreyRaster } from '../raster.ts'
import type { Quad } from '../protocol.ts'
import type { Pyramid } from './grey.ts'
import { countValues, percentileIn } from './percentiles.ts'
import { inset, getCoveredRange } from './quality-region.ts'

/** Inset towards the middle, because the background is not print. */
const RIM = 0.04
/** Maximum number of document pixels on the measured level: more cost time without precision. */
const MAX_PIXELS = 1_500_000
/** Minimum contrast of an edge, as a share of the document's luminance range and in levels: less is noise or pattern. */
const MIN_CONTRAST = { share: 0.25, steps: 18 }
const RANGE_TAIL = 0.02
/**
 * The median edge per direction: motion leaves some edges sharp in every direction, and in sharp pictures the median is
 * close to the sharper quarter (2.3 against 2.0 pixels, 3.0 at most, on 54 of 55 scans and photographs, 21 November
 * 2026).
 */
const MIDDLE = 0.5
/** Minimum edges per direction as a share of the pixels; with fewer the next coarser level is used. */
const MIN_EDGES = 0.0008
const COARSEST_SIDE_PX = 60
/** Widths are counted in tenths of a pixel, up to this maximum. */
const TENTHS = 10
const MAX_TENTHS = 400

/** Returns null if no level shows edges: an empty page, or no light. */
export function edgeWidthPx(pyramid: Pyramid, document: Quad): number | null {
  for (const [index, level] of pyramid.entries()) {
    const scale = 2 ** -index
    const quad = inset(document, RIM).map(({ x, y }) => ({ x: x * scale, y: y * scale })) as unknown as Quad
    const rows = listRows(quad, level)
    const pixels = rows.reduce((sum, [, from, to]) => sum + to - from, 0)
    if (pixels > MAX_PIXELS && index < pyramid.length - 1) continue
    if (Math.min(level.width, level.height) < COARSEST_SIDE_PX) return null
    const width = measureWidth(level, rows, pixels)
    if (width !== null) return width / scale
  }
  return null
}

type Row = readonly [y: number, from: number, to: number]

function listRows(quad: Quad, { width, height }: GreyRaster): readonly Row[] {
  const rows: Row[] = []
  for (let y = 1; y < height - 1; y++) {
    const span = getCoveredRange(quad, y + 0.5, width)
    if (span && span[1] - span[0] > 4) rows.push([y, Math.max(1, span[0]), Math.min(width - 1, span[1])])
  }
  return rows
}

/** The worst of the directions that have enough edges. */
function measureWidth(grey: GreyRaster, rows: readonly Row[], pixels: number): number | null {
  const widths = countWidths(grey, rows, leastContrast(grey, rows))
    .map((counts) => ({ counts, edges: counts.reduce((sum, count) => sum + count, 0) }))
    .filter(({ edges }) => edges >= Math.max(20, MIN_EDGES * pixels))
    .map(({ counts, edges }) => percentileIn(counts, edges, MIDDLE) / TENTHS)
  return widths.length === 0 ? null : Math.max(...widths)
}

function leastContrast({ data, width }: GreyRaster, rows: readonly Row[]): number {
  const inside = new Uint8Array(rows.reduce((sum, [, from, to]) => sum + to - from, 0))
  let o = 0
  for (const [y, from, to] of rows) {
    inside.set(data.subarray(y * width + from, y * width + to), o)
    o += to - from
  }
  const counts = countValues(inside, 256)
  const range =
    percentileIn(counts, inside.length, 1 - RANGE_TAIL) - percentileIn(counts, inside.length, RANGE_TAIL)
  return Math.max(MIN_CONTRAST.steps, MIN_CONTRAST.share * range)
}

/**
 * At every steepest point: luminance range along one direction, divided by the slope. The slope spans two pixels, so an
 * ideal step has width two.
 */
function countWidths(grey: GreyRaster, rows: readonly Row[], least: number): readonly Uint32Array[] {
  const counts = DIRECTIONS.map(() => new Uint32Array(MAX_TENTHS + 1))
  // A shallower slope would give an edge wider than the maximum.
  const leastSlope = Math.max(4, (2 * least * TENTHS) / MAX_TENTHS)
  for (const row of rows) countInRow(grey, row, { least, leastSlope }, counts)
  return counts
}

/** A function for each row is compiled early; one for the whole document is not. */
function countInRow(
  { data, width, height }: GreyRaster,
  [y, from, to]: Row,
  { least, leastSlope }: { readonly least: number; readonly leastSlope: number },
  counts: readonly Uint32Array[],
): void {
  for (let x = from, i = y * width + from; x < to; x++, i++) {
    const dx = data[i + 1] - data[i - 1]
    const dy = data[i + width] - data[i - width]
    const sizeX = dx < 0 ? -dx : dx
    const sizeY = dy < 0 ? -dy : dy
    if (sizeX < leastSlope && sizeY < leastSlope) continue
    const contrast =
      sizeX >= sizeY
        ? contrastAlong(data, i, 1, dx, x, width - 1 - x)
        : contrastAlong(data, i, width, dy, y, height - 1 - y)
    if (contrast < least) continue
    const tenths = Math.round((2 * TENTHS * contrast) / Math.sqrt(dx * dx + dy * dy))
    counts[chooseDirection(dx, dy)][Math.min(MAX_TENTHS, tenths)]++
  }
}

/** Horizontal, both diagonals, vertical: 45 degrees each. */
const DIRECTIONS = [0, 1, 2, 3] as const
const TAN_22_5 = Math.SQRT2 - 1

function chooseDirection(dx: number, dy: number): (typeof DIRECTIONS)[number] {
  const sizeX = Math.abs(dx)
  const sizeY = Math.abs(dy)
  if (sizeY < TAN_22_5 * sizeX) return 0
  if (sizeX < TAN_22_5 * sizeY) return 2
  return dx > 0 === dy > 0 ? 1 : 3
}

/** Returns 0 if a neighbour is steeper, so that every edge counts once. */
function contrastAlong(
  data: Uint8Array,
  i: number,
  step: number,
  slope: number,
  before: number,
  after: number,
): number {
  if (before < 2 || after < 2) return 0
  const size = Math.abs(slope)
  if (Math.abs(data[i] - data[i - 2 * step]) > size || Math.abs(data[i + 2 * step] - data[i]) >= size)
    return 0
  const sign = slope < 0 ? -1 : 1
  let [low, high] = [i, i]
  for (let n = before; n > 0 && (data[low] - data[low - step]) * sign > 0; n--) low -= step
  for (let n = after; n > 0 && (data[high + step] - data[high]) * sign > 0; n--) high += step
  return (data[high] - data[low]) * sign
}
