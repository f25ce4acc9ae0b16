/** Splits a band into its text lines and follows the slope and curvature of each. */
import type { GreyRaster } from '../raster.ts'
import { cutOblong, type Oblong, type Pyramid } from './grey.ts'
import { percentile, percentileOfCounts } from './percentiles.ts'

/** Working width of the band: the characters of a TD3 line are then about 22 pixels apart. */
const BAND_WIDTH_PX = 1000
/**
 * Margins around the proposal: for missed characters at the ends, and for a missed third line (line spacing ≤ 1/11 of its
 * width).
 */
const MARGIN_ALONG = 0.12
const MARGIN_ACROSS = 1 / 11
/** Columns of the band whose drift is measured separately. */
const SEGMENTS = 12

export interface TextBand {
  readonly oblong: Oblong
  /** Band pixels per picture pixel. */
  readonly scale: number
  readonly width: number
  readonly height: number
  /** Top to bottom. */
  readonly lines: readonly TextLine[]
}

/** Centre of the capitals at x (−1 left, 1 right edge of the band): c0 + c1·x + c2·x², in band pixels. */
export interface TextLine {
  readonly middle: readonly [c0: number, c1: number, c2: number]
  readonly capHeight: number
}

/** Returns no lines if there are fewer than `leastRows`. */
export function splitBand(pyramid: Pyramid, proposal: Oblong, leastRows = 1): TextBand {
  const oblong = {
    ...proposal,
    width: proposal.width * (1 + 2 * MARGIN_ALONG),
    height: proposal.height + 2 * MARGIN_ACROSS * proposal.width,
  }
  const scale = BAND_WIDTH_PX / oblong.width
  const band = cutOblong(pyramid, oblong, scale)
  const energy = strokeEnergy(band)
  const rows = findRows(rowProfile(energy, band.width, band.height, 0.06, 0.94), band.width)
  // A single row is no MRZ, and following it is the most expensive part.
  const lines = (rows.length < leastRows ? [] : rows)
    .map(({ from, to }) => followLine(energy, band, from, to))
    .filter((line) => line.capHeight >= MIN_CAP_PX && line.capHeight <= band.width * MAX_CAP_SHARE)
  return { oblong, scale, width: band.width, height: band.height, lines }
}

/** The same band rotated by 180 degrees. */
export function turnBand(band: TextBand): TextBand {
  return {
    ...band,
    oblong: { ...band.oblong, angleDeg: band.oblong.angleDeg + 180 },
    lines: band.lines
      .map(({ middle: [c0, c1, c2], capHeight }): TextLine => ({
        middle: [band.height - 1 - c0, c1, -c2],
        capHeight,
      }))
      .reverse(),
  }
}

/**
 * Keeps lines with a similar neighbour: similar height, at MRZ line spacing (1.6 to 2.4 times the cap height on the
 * specimens).
 */
export function withNeighbours(lines: readonly TextLine[]): TextLine[] {
  const areNeighbours = (a: TextLine | undefined, b: TextLine | undefined): boolean => {
    if (a === undefined || b === undefined) return false
    const ratio = a.capHeight / b.capHeight
    const spacing = (b.middle[0] - a.middle[0]) / ((a.capHeight + b.capHeight) / 2)
    return ratio > 0.6 && ratio < 1.65 && spacing > 1.2 && spacing < 3.4
  }
  return lines.filter((line, i) => areNeighbours(lines[i - 1], line) || areNeighbours(line, lines[i + 1]))
}

const MIN_CAP_PX = 6
/** The cap height of a TD1 line is about 1/32 of its length. */
const MAX_CAP_SHARE = 1 / 16

/** |Sobel x| clipped at its 95th percentile, so that a border or a fold does not outweigh the text. */
function strokeEnergy({ data, width, height }: GreyRaster): Uint16Array {
  const out = new Uint16Array(data.length)
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, i = y * width + 1; x < width - 1; x++, i++)
      out[i] = Math.abs(
        data[i - width + 1] +
          2 * data[i + 1] +
          data[i + width + 1] -
          data[i - width - 1] -
          2 * data[i - 1] -
          data[i + width - 1],
      )
  const limit = percentileOfCounts(out, 1021, 0.95) // 4 · 255 is the maximum of |Sobel x|
  for (let i = 0; i < out.length; i++) if (out[i] > limit) out[i] = limit
  return out
}

function rowProfile(
  energy: Uint16Array,
  width: number,
  height: number,
  from: number,
  to: number,
): Float32Array {
  const x0 = Math.max(0, Math.floor(from * width))
  const x1 = Math.min(width, Math.ceil(to * width))
  const out = new Float32Array(height)
  for (let y = 0; y < height; y++) {
    let sum = 0
    for (let x = x0, i = y * width + x0; x < x1; x++, i++) sum += energy[i]
    out[y] = sum / (x1 - x0)
  }
  return smooth(out)
}

function smooth(values: Float32Array): Float32Array {
  return values.map((v, i) => ((values[i - 1] ?? v) + 2 * v + (values[i + 1] ?? v)) / 4)
}

/** Rows with strokes: above a threshold between the quiet and busy rows of the neighbourhood. */
function findRows(profile: Float32Array, bandWidth: number): { from: number; to: number }[] {
  const low = percentile(profile, 0.08)
  const high = percentile(profile, 0.92)
  const threshold = low + 0.42 * (high - low)
  const rows: { from: number; to: number }[] = []
  for (let y = 0; y < profile.length;) {
    if (profile[y] <= threshold) {
      y++
      continue
    }
    const from = y
    while (y < profile.length && profile[y] > threshold) y++
    if (y - from >= Math.max(MIN_CAP_PX, bandWidth * 0.009)) rows.push({ from, to: y })
  }
  return rows
}

/**
 * Measures the line's drift by matching each segment's profile with the whole line's, then its height on the rectified
 * line.
 */
function followLine(
  energy: Uint16Array,
  band: { width: number; height: number },
  from: number,
  to: number,
): TextLine {
  const { width, height } = band
  const centre = (from + to - 1) / 2
  const extent = to - from
  let middle: [number, number, number] = [centre, 0, 0]
  for (let round = 0; round < 2; round++) {
    const reach = Math.max(2, Math.round(extent * (round === 0 ? 0.45 : 0.25)))
    const template = straightProfile(energy, width, height, middle, extent, -1, 1)
    const points: { x: number; y: number; weight: number }[] = []
    for (let s = 0; s < SEGMENTS; s++) {
      const x0 = -0.9 + (1.8 * s) / SEGMENTS
      const x1 = x0 + 1.8 / SEGMENTS
      const profile = straightProfile(energy, width, height, middle, extent, x0, x1)
      const { shift, weight } = bestShift(template, profile, reach)
      const x = (x0 + x1) / 2
      points.push({ x, y: middleAt(middle, x) + shift, weight })
    }
    middle = fitQuadratic(points)
  }
  const profile = straightProfile(energy, width, height, middle, extent, -0.85, 0.85)
  const { top, bottom } = halfHeight(profile)
  const offset = (profile.length - 1) / 2
  return {
    middle: [middle[0] + (top + bottom) / 2 - offset, middle[1], middle[2]],
    capHeight: bottom - top,
  }
}

/** Row of the line's centre at x (−1…1). */
export function middleAt([c0, c1, c2]: readonly [number, number, number], x: number): number {
  return c0 + c1 * x + c2 * x * x
}

/** Row means along the line over twice its height, between two places along it. */
function straightProfile(
  energy: Uint16Array,
  width: number,
  height: number,
  middle: readonly [number, number, number],
  extent: number,
  from: number,
  to: number,
): Float32Array {
  const half = Math.ceil(extent)
  const out = new Float32Array(2 * half + 1)
  const x0 = Math.max(0, Math.floor(((from + 1) / 2) * width))
  const x1 = Math.min(width, Math.ceil(((to + 1) / 2) * width))
  for (let x = x0; x < x1; x += 2) {
    const y = middleAt(middle, (2 * x) / (width - 1) - 1)
    const base = Math.round(y)
    for (let k = -half; k <= half; k++) {
      const row = base + k
      if (row >= 0 && row < height) out[k + half] += energy[row * width + x]
    }
  }
  return smooth(out)
}

function bestShift(
  template: Float32Array,
  profile: Float32Array,
  reach: number,
): { shift: number; weight: number } {
  const scores: number[] = []
  for (let shift = -reach; shift <= reach; shift++) {
    let sum = 0
    for (let i = 0; i < template.length; i++) {
      const j = i + shift
      if (j >= 0 && j < profile.length) sum += template[i] * profile[j]
    }
    scores.push(sum)
  }
  let best = 0
  scores.forEach((score, i) => {
    if (score > scores[best]) best = i
  })
  const mean = scores.reduce((a, b) => a + b, 0) / scores.length
  // A segment without strokes has no information about the slope.
  const weight = scores[best] > 0 ? Math.max(0, scores[best] / mean - 1) : 0
  const [a, b, c] = [scores[best - 1], scores[best], scores[best + 1]]
  const curve = a === undefined || c === undefined ? 0 : a - 2 * b + c
  return { shift: best - reach + (curve < 0 ? (0.5 * (a - c)) / curve : 0), weight }
}

/** Weighted least squares in two rounds; points far from the first fit get little weight in the second. */
function fitQuadratic(points: readonly { x: number; y: number; weight: number }[]): [number, number, number] {
  let weights = points.map((p) => p.weight)
  let fit: [number, number, number] = [points.reduce((s, p) => s + p.y, 0) / points.length, 0, 0]
  for (let round = 0; round < 3; round++) {
    fit = solveQuadratic(points, weights) ?? fit
    weights = points.map((p) => p.weight / (1 + (p.y - middleAt(fit, p.x)) ** 2))
  }
  return fit
}

function solveQuadratic(
  points: readonly { x: number; y: number }[],
  weights: readonly number[],
): [number, number, number] | null {
  const m = [0, 0, 0, 0, 0]
  const r = [0, 0, 0]
  points.forEach(({ x, y }, i) => {
    for (let k = 0; k < 5; k++) m[k] += weights[i] * x ** k
    for (let k = 0; k < 3; k++) r[k] += weights[i] * y * x ** k
  })
  // Regularisation: without clear evidence the line is straight and level.
  const a = [
    [m[0], m[1], m[2]],
    [m[1], m[2] + 0.01 * m[0], m[3]],
    [m[2], m[3], m[4] + 0.05 * m[0]],
  ]
  const det3 = (q: number[][]) =>
    q[0][0] * (q[1][1] * q[2][2] - q[1][2] * q[2][1]) -
    q[0][1] * (q[1][0] * q[2][2] - q[1][2] * q[2][0]) +
    q[0][2] * (q[1][0] * q[2][1] - q[1][1] * q[2][0])
  const det = det3(a)
  if (!(Math.abs(det) > 1e-9)) return null
  const [c0, c1, c2] = [0, 1, 2].map(
    (column) => det3(a.map((row, i) => row.map((v, j) => (j === column ? r[i] : v)))) / det,
  )
  return [c0, c1, c2]
}

/** Rows at which the profile falls to half between the line and its surroundings. */
function halfHeight(profile: Float32Array): { top: number; bottom: number } {
  const centre = (profile.length - 1) >> 1
  const quarter = Math.max(1, centre >> 1)
  const high = percentile(profile.subarray(centre - quarter + 1, centre + quarter), 0.6)
  const low = percentile(profile, 0.1)
  const threshold = low + 0.45 * (high - low)
  let top = centre
  while (top > 0 && profile[top - 1] > threshold) top--
  let bottom = centre
  while (bottom < profile.length - 1 && profile[bottom + 1] > threshold) bottom++
  return { top: top - 0.5, bottom: bottom + 0.5 }
}
