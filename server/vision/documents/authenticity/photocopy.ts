/**
 * Measures whether the page has colours of its own. Paper, ink and lamp tint every picture, so the tint is removed first:
 * a monochrome copy has no colour left. Cannot detect a colour copy.
 */
import type { Raster } from '../../raster.ts'
import type { AuthenticitySignal, Box } from '../../protocol.ts'
import { homography, mapPoint } from '../outline/warp.ts'
import type { AuthenticityHints } from './region.ts'
import { pageQuad } from './region.ts'

/** Number of sampled places on the page. */
const GRID = { columns: 112, rows: 80 }
/** Share of the page's sides that is left out, because the outline may be inaccurate. */
const INSET = 0.04
/**
 * Chroma (0–128) left on the most colourful part of page or portrait at which genuine and copy cannot be distinguished.
 */
const LIMIT = 1.5
/** Reach from which sampling every second pixel in each direction is enough. */
const LARGE_REACH = 4
/** Minimum number of places for a measurement. */
const MIN_PLACES = 500

interface Spot {
  readonly x: number
  readonly y: number
  readonly luma: number
  readonly blue: number
  readonly red: number
  readonly inPortrait: boolean
}

export function measurePhotocopy(raster: Raster, hints: AuthenticityHints): AuthenticitySignal {
  const signal = 'PHOTOCOPY'
  const spots = sampleSpots(raster, hints)
  if (spots.length < MIN_PLACES) return { signal, score: null, measures: {} }
  const left = spots.map(() => 0)
  for (const channel of ['blue', 'red'] as const) {
    const rest = withoutTint(spots, channel)
    rest.forEach((value, i) => (left[i] += value * value))
  }
  const colour = left.map(Math.sqrt)
  const ofPage = share(colour, 0.95)
  const inPortrait = colour.filter((_, i) => spots[i].inPortrait)
  const ofPortrait = inPortrait.length > 50 ? share(inPortrait, 0.75) : 0
  const chroma = Math.max(ofPage, ofPortrait)
  const score = 1 / (1 + (chroma / LIMIT) ** 2)
  return { signal, score, measures: { pageChroma: ofPage, portraitChroma: ofPortrait } }
}

function sampleSpots(raster: Raster, hints: AuthenticityHints): Spot[] {
  // An MRZ alone may be printed in black only.
  const quad = hints.quad || hints.portrait ? pageQuad(raster, hints) : null
  const map = quad && homography(quad)
  if (!map) return []
  const side = Math.hypot(quad[1].x - quad[0].x, quad[1].y - quad[0].y)
  const reach = Math.max(1, Math.round(side / GRID.columns / 2))
  const spots: Spot[] = []
  for (let row = 0; row < GRID.rows; row++)
    for (let column = 0; column < GRID.columns; column++) {
      const u = INSET + ((column + 0.5) / GRID.columns) * (1 - 2 * INSET)
      const v = INSET + ((row + 0.5) / GRID.rows) * (1 - 2 * INSET)
      const at = mapPoint(map, { x: u, y: v })
      const colour = meanAround(raster, Math.round(at.x), Math.round(at.y), reach)
      if (!colour) continue
      const [r, g, b] = colour
      const luma = 0.299 * r + 0.587 * g + 0.114 * b
      // Over- and underexposed places have lost their colour.
      if (luma > 250 || luma < 12) continue
      const inPortrait = hints.portrait !== null && isInside(at.x, at.y, hints.portrait)
      // Chroma as in JPEG (ITU-R BT.601).
      spots.push({ x: u, y: v, luma, blue: 0.564 * (b - luma), red: 0.713 * (r - luma), inPortrait })
    }
  return spots
}

function isInside(x: number, y: number, box: Box): boolean {
  return x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height
}

function meanAround({ data, width, height }: Raster, x: number, y: number, reach: number): number[] | null {
  // Outside the picture, or not a number beyond the horizon of a bad outline.
  const isInside = x >= reach && y >= reach && x < width - reach && y < height - reach
  if (!isInside) return null
  const sum = [0, 0, 0]
  const pace = reach >= LARGE_REACH ? 2 : 1
  for (let dy = -reach; dy <= reach; dy += pace)
    for (let dx = -reach, i = ((y + dy) * width + x - reach) * 3; dx <= reach; dx += pace, i += 3 * pace) {
      sum[0] += data[i]
      sum[1] += data[i + 1]
      sum[2] += data[i + 2]
    }
  const n = Math.ceil((2 * reach + 1) / pace) ** 2
  return sum.map((value) => value / n)
}

/** Residual colour after a least-squares fit on 1, luma, luma², x, y. */
function withoutTint(spots: readonly Spot[], channel: 'blue' | 'red'): number[] {
  const rows = spots.map(({ luma, x, y }) => [1, luma / 128, (luma / 128) ** 2, x, y])
  const solution = leastSquares(
    rows,
    spots.map((spot) => spot[channel]),
  )
  return rows.map((row, i) => spots[i][channel] - row.reduce((sum, value, k) => sum + value * solution[k], 0))
}

/** Solves the normal equations by Gauss with pivoting. Linearly dependent columns get coefficient 0. */
export function leastSquares(rows: readonly (readonly number[])[], values: readonly number[]): number[] {
  const n = rows[0]?.length ?? 0
  const m = Array.from({ length: n }, () => new Float64Array(n + 1))
  rows.forEach((row, r) => {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) m[i][j] += row[i] * row[j]
      m[i][n] += row[i] * values[r]
    }
  })
  for (let k = 0; k < n; k++) {
    let pivot = k
    for (let i = k; i < n; i++) if (Math.abs(m[i][k]) > Math.abs(m[pivot][k])) pivot = i
    ;[m[k], m[pivot]] = [m[pivot], m[k]]
    if (Math.abs(m[k][k]) < 1e-9) continue
    for (let i = 0; i < n; i++) {
      const factor = i === k ? 0 : m[i][k] / m[k][k]
      for (let j = k; factor !== 0 && j <= n; j++) m[i][j] -= factor * m[k][j]
    }
  }
  return m.map((row, k) => (Math.abs(row[k]) < 1e-9 ? 0 : row[n] / row[k]))
}

function share(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
}
