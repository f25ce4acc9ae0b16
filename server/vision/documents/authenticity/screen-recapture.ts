/**
 * Detects a picture of a display. Its pixels and coloured stripes repeat at one distance all over the page, directly or
 * as moiré with the camera's pixels: narrow spectral peaks at the same frequency in every part of the picture. Security
 * print and printer screens bend or vary across the page; JPEG has known frequencies.
 */
import type { Raster } from '../../raster.ts'
import type { AuthenticitySignal, Box } from '../../protocol.ts'
import { transformSquare } from './fft.ts'
import type { AuthenticityHints } from './region.ts'
import { computeHull, pageQuad, scoreAt } from './region.ts'

const SIDES_PX = [256, 128] as const
const WINDOWS = 6
/** Text and guilloche are as regular as a display if a window has fewer periods. */
const MIN_FREQUENCY = 0.06
/**
 * Decades by which the peaks of brightness and colour together exceed their neighbourhood. A printer's screen may be as
 * regular in brightness as a display but rarely in red against blue, so brightness alone cannot reach this limit.
 */
const LIMIT = 4.9
const MAX_LUMA = 3.5

export function measureScreenRecapture(raster: Raster, hints: AuthenticityHints): AuthenticitySignal {
  const signal = 'SCREEN_RECAPTURE'
  const quad = pageQuad(raster, hints)
  const page = quad ? computeHull(quad, raster) : { x: 0, y: 0, width: raster.width, height: raster.height }
  const side = SIDES_PX.find((s) => page !== null && page.width >= 1.5 * s && page.height >= 1.2 * s)
  if (page === null || side === undefined) return { signal, score: null, measures: {} }
  const windows = flattest(raster, page, side)
  if (windows.length < 3) return { signal, score: null, measures: {} }
  const spectra = windows.map(({ x, y }) => spectraAt(raster, x, y, side))
  const luma = peak(
    spectra.map((both) => both.luma),
    side,
  )
  const colour = peak(
    spectra.map((both) => both.colour),
    side,
  )
  const score = scoreAt(Math.min(luma.excess, MAX_LUMA) + colour.excess, LIMIT)
  return {
    signal,
    score,
    measures: {
      lumaPeakDecades: luma.excess,
      lumaFrequency: luma.frequency,
      colourPeakDecades: colour.excess,
      colourFrequency: colour.frequency,
      windows: windows.length,
    },
  }
}

/** Windows that overlap by half, sorted by fewest strong edges. */
function flattest(raster: Raster, page: Box, side: number): { x: number; y: number }[] {
  const places: { x: number; y: number; edges: number }[] = []
  const stepX = Math.max(side / 2, (page.width - side) / 5)
  const stepY = Math.max(side / 2, (page.height - side) / 4)
  for (let y = page.y; y + side <= page.y + page.height; y += stepY)
    for (let x = page.x; x + side <= page.x + page.width; x += stepX) {
      const place = { x: Math.floor(x), y: Math.floor(y) }
      places.push({ ...place, edges: edgesAt(raster, place.x, place.y, side) })
    }
  return places.sort((a, b) => a.edges - b.edges).slice(0, WINDOWS)
}

/** Differences at a distance of four pixels that exceed what a display's grid causes: text and borders. */
function edgesAt({ data, width }: Raster, left: number, top: number, side: number): number {
  let sum = 0
  for (let y = 4; y < side; y += 4)
    for (let x = 8; x < side; x += 4) {
      const i = ((top + y) * width + left + x) * 3 + 1
      const difference = Math.abs(data[i] + data[i - 3] - data[i - 21] - data[i - 24]) / 2
      sum += Math.max(0, difference - 24)
    }
  return sum
}

/** Power by frequency. */
interface Spectra {
  readonly luma: Float64Array
  /** Red minus blue: the outer stripes of a display's pixel. */
  readonly colour: Float64Array
}

/** Both channels are real, so one complex transform computes both. */
function spectraAt({ data, width }: Raster, left: number, top: number, side: number): Spectra {
  const re = new Float64Array(side * side)
  const im = new Float64Array(side * side)
  for (let y = 0, o = 0; y < side; y++)
    for (let x = 0, i = ((top + y) * width + left) * 3; x < side; x++, i += 3, o++) {
      re[o] = 0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]
      im[o] = (data[i] - data[i + 2]) / 2
    }
  const fade = Float64Array.from({ length: side }, (_, i) => hann(i, side))
  for (const part of [re, im]) {
    let sum = 0
    for (let o = 0; o < part.length; o++) sum += part[o]
    const mean = sum / part.length
    for (let y = 0, o = 0; y < side; y++)
      for (let x = 0; x < side; x++, o++) part[o] = (part[o] - mean) * fade[x] * fade[y]
  }
  transformSquare({ re, im }, side)
  const luma = new Float64Array(side * side)
  const colour = new Float64Array(side * side)
  // Noise floor of a tenth of a level, so that an empty spectrum has no peaks.
  const floor = 0.01 * side * side * 0.14
  for (let v = 0; v < side; v++)
    for (let u = 0; u <= side / 2; u++) {
      const i = v * side + u
      const j = ((side - v) & (side - 1)) * side + ((side - u) & (side - 1))
      const [lumaRe, lumaIm] = [re[i] + re[j], im[i] - im[j]]
      const [colourRe, colourIm] = [re[i] - re[j], im[i] + im[j]]
      luma[i] = (lumaRe * lumaRe + lumaIm * lumaIm) / 4 + floor
      colour[i] = (colourRe * colourRe + colourIm * colourIm) / 4 + floor
    }
  mirror(luma, side)
  mirror(colour, side)
  return { luma, colour }
}

const hann = (i: number, side: number): number => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / side)

/**
 * Frequency with the largest excess over its neighbourhood in the mean of all windows, in decades. Each window contributes
 * the maximum of 3 × 3, because perspective shifts a peak slightly.
 */
function peak(spectra: readonly Float64Array[], side: number): { excess: number; frequency: number } {
  const sum = new Float64Array(side * side).fill(1)
  // The mean of the logarithms is that of the product, which needs one logarithm per frequency. Six powers of a window
  // with 65 536 pixels are below 1e90.
  for (const spectrum of spectra) multiplyWidened(spectrum, sum, side)
  for (let i = 0; i < sum.length; i++) sum[i] = Math.log10(sum[i]) / spectra.length
  mirror(sum, side)
  let best = { excess: 0, frequency: 0 }
  for (let v = 0; v < side; v++)
    for (let u = 0; u <= side / 2; u++) {
      const fv = v > side / 2 ? v - side : v
      const frequency = Math.hypot(u, fv) / side
      if (frequency < MIN_FREQUENCY || isJpegs(u, fv, side)) continue
      const excess = excessAt(sum, u, v, side, best.excess)
      if (excess > best.excess) best = { excess, frequency }
    }
  return best
}

/**
 * Multiplies `product` by the maximum of 3 × 3 around each frequency, in the half that `peak` searches: the other half is
 * its mirror.
 */
function multiplyWidened(spectrum: Float64Array, product: Float64Array, side: number): void {
  const mask = side - 1
  const half = side / 2
  const across = new Float64Array(spectrum.length)
  for (let row = 0; row < spectrum.length; row += side)
    for (let u = 0; u <= half; u++) {
      const here = spectrum[row + u]
      const after = spectrum[row + ((u + 1) & mask)]
      const before = spectrum[row + ((u - 1) & mask)]
      const most = here > after ? here : after
      across[row + u] = most > before ? most : before
    }
  const size = side * side - 1
  for (let row = 0; row < spectrum.length; row += side)
    for (let i = row; i <= row + half; i++) {
      const below = across[(i + side) & size]
      const above = across[(i - side) & size]
      const most = across[i] > below ? across[i] : below
      product[i] *= most > above ? most : above
    }
}

/** The power spectrum of a real picture is point-symmetric. */
function mirror(spectrum: Float64Array, side: number): void {
  const mask = side - 1
  for (let v = 0; v < side; v++)
    for (let u = side / 2 + 1; u < side; u++)
      spectrum[v * side + u] = spectrum[((side - v) & mask) * side + side - u]
}

/** JPEG blocks of 8 (16 with subsampled colour) cause peaks at their own frequencies. */
function isJpegs(u: number, v: number, side: number): boolean {
  const unit = side / 16
  const isNear = (k: number) => Math.abs(k - unit * Math.round(k / unit)) <= 2
  return isNear(u) && isNear(v) && (Math.abs(u) <= 2 || Math.abs(v) <= 2)
}

/**
 * Excess over the median of a ring around the place, or 0 if it does not exceed `least`, which is decided without
 * sorting.
 */
function excessAt(sum: Float64Array, u: number, v: number, side: number, least: number): number {
  const mask = side - 1
  const value = sum[v * side + u]
  const limit = value - least
  let higher = 0
  for (let i = 0; i < RING.length; i++)
    if (
      sum[((v + RING_Y[i]) & mask) * side + ((u + RING_X[i]) & mask)] >= limit &&
      ++higher >= RING.length / 2
    )
      return 0
  const values = RING.map(([x, y]) => sum[((v + y) & mask) * side + ((u + x) & mask)]).sort((a, b) => a - b)
  return value - values[values.length >> 1]
}
const RING: readonly (readonly [number, number])[] = [-6, -3, 0, 3, 6].flatMap((y) =>
  [-6, -3, 0, 3, 6].flatMap((x) => (Math.max(Math.abs(x), Math.abs(y)) >= 6 ? [[x, y] as const] : [])),
)
const RING_X = Int32Array.from(RING, ([x]) => x)
const RING_Y = Int32Array.from(RING, ([, y]) => y)
