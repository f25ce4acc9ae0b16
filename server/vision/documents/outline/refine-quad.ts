/**
 * Moves the sides of a proposed quadrilateral onto the real edges with sub-pixel precision in the full picture, and
 * measures how much of each side has an edge. Used for all proposers; selects none.
 */
import type { Raster } from '../../raster.ts'
import type { Point, Quad } from '../../protocol.ts'
import { isConvex, SIDES } from './proposal.ts'
import { sideLength } from './warp.ts'

interface RefinedSide {
  /** Share of the side inside the picture with an edge on one straight line. */
  readonly coverage: number
  /** Mean step of that edge in levels, 0–255. */
  readonly step: number
  /** −1…1: share of the edge with a brighter inside minus the share with a darker one. */
  readonly inwards: number
  /** The side is the picture's border: the document may continue beyond it. */
  readonly isBorder: boolean
}

export interface RefinedQuad {
  readonly quad: Quad
  readonly sides: readonly RefinedSide[]
}

/** Places along a side at which the edge is searched. */
const PLACES = 40
/** Excludes the rounded corners of cards. */
const TRIM_SHARE = 0.06
/**
 * Search distance on both sides, in pixels of the copy on which edges were found: lines are accurate to one such pixel.
 */
const LINE_REACH = 2.4
/** Search steps per such pixel; a step is at least one pixel of the picture. */
const FINENESS = 3
/** Minimum share of a side inside the picture for a coverage. */
const MIN_INSIDE = 0.35
/** Lower steps at one place are noise. */
const MIN_STEP = 3.5
/** Maximum distance from the line, in search steps, at which a place counts. */
const TOLERANCE = 1.3

export function refineQuad(raster: Raster, quad: Quad, factor: number, reach = LINE_REACH): RefinedQuad {
  const fitted = SIDES.map((side) => refineSide(raster, quad, side, factor, reach))
  const corners = SIDES.map((i) => cross(fitted[(i + 3) % 4].line, fitted[i].line))
  const furthest = 4 * reach * factor
  const isNear = corners.every(
    (corner, i) => corner !== null && Math.hypot(corner.x - quad[i].x, corner.y - quad[i].y) <= furthest,
  )
  const refined = corners as unknown as Quad
  return {
    quad: isNear && isConvex(refined) ? refined : quad,
    sides: fitted.map(({ side }) => side),
  }
}

type Segment = readonly [Point, Point]

function refineSide(
  raster: Raster,
  quad: Quad,
  side: number,
  factor: number,
  reach: number,
): { line: Segment; side: RefinedSide } {
  const [a, b] = [quad[side], quad[(side + 1) % 4]]
  const border = borderAlong(a, b, raster, 1.6 * factor)
  if (border !== null) return { line: border, side: { coverage: 0, step: 0, inwards: 0, isBorder: true } }
  const profile = scan(raster, a, b, sideLength(quad, side), factor, reach)
  const { line, ...found } = fit(profile, a, b)
  return { line, side: { ...found, isBorder: false } }
}

/** The picture's border along which or beyond which the side runs. */
function borderAlong(a: Point, b: Point, { width, height }: Raster, near: number): Segment | null {
  if (a.x < near && b.x < near)
    return [
      { x: 0, y: a.y },
      { x: 0, y: b.y },
    ]
  if (a.y < near && b.y < near)
    return [
      { x: a.x, y: 0 },
      { x: b.x, y: 0 },
    ]
  if (a.x > width - near && b.x > width - near)
    return [
      { x: width, y: a.y },
      { x: width, y: b.y },
    ]
  if (a.y > height - near && b.y > height - near)
    return [
      { x: a.x, y: height },
      { x: b.x, y: height },
    ]
  return null
}

/** The strongest step at every place inside the picture. */
interface Profile {
  /** Place along the side, 0 to 1. */
  readonly along: number[]
  /** Distance from the side in pixels, outwards. */
  readonly off: number[]
  readonly step: number[]
  /** True where the inside is brighter. */
  readonly isBrighterInside: boolean[]
  readonly stepPx: number
  /** Places of the side inside the picture, with or without a step. */
  places: number
}

function scan(raster: Raster, a: Point, b: Point, length: number, factor: number, reach: number): Profile {
  const { width, height, data } = raster
  const stepPx = Math.max(1, factor / FINENESS)
  const half = Math.ceil((reach * factor) / stepPx)
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length]
  // Corners run clockwise, so outwards is to the left along a side.
  const [nx, ny] = [dy, -dx]
  const count = 2 * half + 3
  const values = new Float64Array(count * 3)
  const profile: Profile = { along: [], off: [], step: [], isBrighterInside: [], stepPx, places: 0 }
  const gap = Math.max(1, factor / 2)
  for (let k = 0; k < PLACES; k++) {
    const along = TRIM_SHARE + ((k + 0.5) / PLACES) * (1 - 2 * TRIM_SHARE)
    const [x, y] = [a.x + (b.x - a.x) * along - 0.5, a.y + (b.y - a.y) * along - 0.5]
    if (!(x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1)) continue
    profile.places++
    for (let s = 0; s < count; s++) {
      let [red, green, blue] = [0, 0, 0]
      const off = (s - half - 1) * stepPx
      for (let tap = -1; tap <= 1; tap++) {
        const px = Math.round(x + nx * off + dx * tap * gap)
        const py = Math.round(y + ny * off + dy * tap * gap)
        const cx = px < 0 ? 0 : px >= width ? width - 1 : px
        const cy = py < 0 ? 0 : py >= height ? height - 1 : py
        const i = (cy * width + cx) * 3
        red += data[i]
        green += data[i + 1]
        blue += data[i + 2]
      }
      values[3 * s] = red / 3
      values[3 * s + 1] = green / 3
      values[3 * s + 2] = blue / 3
    }
    keepStrongest(profile, values, count, half, along)
  }
  return profile
}

/** Finds the largest change over two search steps, refined between samples by a parabola. */
function keepStrongest(p: Profile, values: Float64Array, count: number, half: number, along: number): void {
  let [best, at, signed] = [0, -1, 0]
  const changes = new Float64Array(count)
  for (let s = 1; s < count - 1; s++) {
    let [sum, luma] = [0, 0]
    for (let c = 0; c < 3; c++) {
      const change = values[3 * (s + 1) + c] - values[3 * (s - 1) + c]
      sum += change * change
      luma += change
    }
    changes[s] = Math.sqrt(sum / 3)
    // Among equally strong steps the one nearer to the proposed side wins.
    const value = changes[s] * (1 - (0.35 * Math.abs(s - half - 1)) / (half + 1))
    if (value > best) [best, at, signed] = [value, s, luma]
  }
  if (at < 0 || changes[at] < MIN_STEP) return
  const [left, middle, right] = [changes[at - 1], changes[at], changes[at + 1]]
  const bend = left - 2 * middle + right
  const shift =
    at > 1 && at < count - 2 && bend < 0 ? Math.max(-0.5, Math.min(0.5, (left - right) / (2 * bend))) : 0
  p.along.push(along)
  p.off.push((at + shift - half - 1) * p.stepPx)
  p.step.push(middle)
  p.isBrighterInside.push(signed < 0)
}

interface Fit {
  readonly line: Segment
  readonly coverage: number
  readonly step: number
  readonly inwards: number
}

/** Fits the line on which most places agree; returns the proposed side if they do not agree. */
function fit(profile: Profile, a: Point, b: Point): Fit {
  const { along, off, step, isBrighterInside, stepPx } = profile
  const n = along.length
  const tolerance = TOLERANCE * stepPx
  let [bestScore, from, to] = [0, 0, 0]
  const span = Math.max(1, Math.floor(n / 4))
  for (let i = 0; i < n; i += 2)
    for (let j = i + span; j < n; j += 3) {
      const slope = (off[j] - off[i]) / (along[j] - along[i])
      const start = off[i] - slope * along[i]
      let score = 0
      for (let k = 0; k < n; k++) {
        const miss = Math.abs(off[k] - start - slope * along[k])
        if (miss < tolerance) score += Math.min(step[k], 30) + 6
      }
      if (score > bestScore) [bestScore, from, to] = [score, start, start + slope]
    }
  const inliers = along.map((t, k) => Math.abs(off[k] - from - (to - from) * t) < tolerance)
  const count = inliers.filter(Boolean).length
  if (count >= 6) [from, to] = leastSquares(along, off, inliers)
  const steps = step.reduce((sum, value, k) => (inliers[k] ? sum + value : sum), 0)
  const brighter = isBrighterInside.reduce((sum, is, k) => (inliers[k] ? sum + (is ? 1 : -1) : sum), 0)
  return {
    line: shifted(a, b, count >= 6 ? from : 0, count >= 6 ? to : 0),
    coverage: count / Math.max(profile.places, PLACES * MIN_INSIDE),
    step: count > 0 ? steps / count : 0,
    inwards: count > 0 ? brighter / count : 0,
  }
}

function leastSquares(along: number[], off: number[], inliers: boolean[]): [number, number] {
  let [n, st, sd, stt, std] = [0, 0, 0, 0, 0]
  for (let k = 0; k < along.length; k++) {
    if (!inliers[k]) continue
    n++
    st += along[k]
    sd += off[k]
    stt += along[k] * along[k]
    std += along[k] * off[k]
  }
  const spread = n * stt - st * st
  if (!(spread > 1e-9)) return [sd / n, sd / n]
  const slope = (n * std - st * sd) / spread
  const start = (sd - slope * st) / n
  return [start, start + slope]
}

/** Moves the side outwards by `from` at its start and `to` at its end. */
function shifted(a: Point, b: Point, from: number, to: number): Segment {
  const length = Math.hypot(b.x - a.x, b.y - a.y)
  const [nx, ny] = [(b.y - a.y) / length, -(b.x - a.x) / length]
  return [
    { x: a.x + nx * from, y: a.y + ny * from },
    { x: b.x + nx * to, y: b.y + ny * to },
  ]
}

function cross([a, b]: Segment, [c, d]: Segment): Point | null {
  const [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, d.x - c.x, d.y - c.y]
  const det = ux * vy - uy * vx
  if (Math.abs(det) < 1e-9) return null
  const t = ((c.x - a.x) * vy - (c.y - a.y) * vx) / det
  return { x: a.x + ux * t, y: a.y + uy * t }
}
