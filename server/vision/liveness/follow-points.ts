/**
 * Tracks points from one patch to another with the pyramidal Lucas–Kanade method, forwards and backwards. Returns only
 * points that return to their start. A session's measurement spends most of its time here, so the loops allocate no
 * objects or arrays.
 */
import type { Point } from '../protocol.ts'
import type { Level, PatchPyramid } from './patch.ts'

/** A window of 19 × 19 pixels, about a tenth of the head's width. */
const HALF_WINDOW = 9
const WINDOW = (2 * HALF_WINDOW + 1) ** 2
const MAX_STEPS = 20
const STILL_PX = 0.01
/** Coarser stop criterion for a smaller level, whose result is only the start of the next one. */
const COARSELY_STILL_PX = 0.05
/** Minimum texture: smaller eigenvalue of the window's mean gradients. Below it any direction fits. */
const MIN_TEXTURE = 1
/** Maximum forward-backward error, and maximum motion of a point between aligned patches. */
const MAX_MISS_PX = 1
const MAX_SHIFT_PX = 25

/** Null for a lost point. Requires pyramids of equal size and depth. */
export function followPoints(
  from: PatchPyramid,
  to: PatchPyramid,
  points: readonly Point[],
): readonly (Point | null)[] {
  return points.map((point) => {
    const there = follow(from, to, point)
    if (there === null || !(distance(there, point) < MAX_SHIFT_PX)) return null
    const back = follow(to, from, there)
    return back !== null && distance(back, point) < MAX_MISS_PX ? there : null
  })
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

/** Output of a search step, reused because a session makes half a million steps. */
const sums = { mean: 0, deviation: 0, alongX: 0, alongY: 0 }
const seen = new Float64Array(WINDOW)
const slopeX = new Float64Array(WINDOW)
const slopeY = new Float64Array(WINDOW)
const shift = { x: 0, y: 0 }

function follow(from: PatchPyramid, to: PatchPyramid, { x, y }: Point): Point | null {
  shift.x = shift.y = 0
  for (let l = from.length - 1; l >= 0; l--) {
    const scale = 1 / (1 << l)
    const isFound = followOnLevel(
      from[l],
      to[l],
      x * scale,
      y * scale,
      l === 0 ? STILL_PX : COARSELY_STILL_PX,
    )
    if (!isFound && l === 0) return null
    if (l > 0) {
      shift.x *= 2
      shift.y *= 2
    }
  }
  return { x: x + shift.x, y: y + shift.y }
}

/** Refines the shift on one level. Returns false without changing it if there is too little texture. */
function followOnLevel(from: Level, to: Level, x: number, y: number, stillPx: number): boolean {
  cutWindow(from.values, from, x, y, seen)
  cutWindow(from.alongX, from, x, y, slopeX)
  cutWindow(from.alongY, from, x, y, slopeY)
  let [xx, xy, yy, sumX, sumY, sum, squares, seenX, seenY] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  for (let k = 0; k < WINDOW; k++) {
    const value = seen[k]
    const sx = slopeX[k]
    const sy = slopeY[k]
    xx += sx * sx
    xy += sx * sy
    yy += sy * sy
    sumX += sx
    sumY += sy
    sum += value
    squares += value * value
    seenX += value * sx
    seenY += value * sy
  }
  const determinant = xx * yy - xy * xy
  const texture = (xx + yy - Math.hypot(xx - yy, 2 * xy)) / 2 / WINDOW
  if (texture < MIN_TEXTURE || !(determinant > 0)) return false
  const mean = sum / WINDOW
  const contrast = Math.sqrt(Math.max(0, squares / WINDOW - mean * mean))
  for (let step = 0; step < MAX_STEPS; step++) {
    sumWindow(to, x + shift.x, y + shift.y)
    // Sums of (seen − there) times each slope, normalised for mean and contrast because the light may have changed.
    const gain = contrast / Math.max(sums.deviation, MIN_CONTRAST)
    const u = seenX - mean * sumX - gain * (sums.alongX - sums.mean * sumX)
    const v = seenY - mean * sumY - gain * (sums.alongY - sums.mean * sumY)
    const moveX = (yy * u - xy * v) / determinant
    const moveY = (xx * v - xy * u) / determinant
    shift.x += moveX
    shift.y += moveY
    if (moveX * moveX + moveY * moveY < stillPx * stillPx) break
  }
  return true
}

/** Minimum deviation of a window in grey levels. */
const MIN_CONTRAST = 1

/**
 * Writes mean and deviation of the window, and its sums times the slopes, to `sums`. Cuts and sums in one pass, because
 * most of the measuring time is spent here.
 */
function sumWindow(level: Level, x: number, y: number): void {
  let sum = 0
  let squares = 0
  let alongX = 0
  let alongY = 0
  const { values, width } = level
  const first = firstInside(level, x, y)
  if (first === null) {
    cutAtBorder(values, level, x, y, there)
    for (let k = 0; k < WINDOW; k++) {
      const value = there[k]
      sum += value
      squares += value * value
      alongX += value * slopeX[k]
      alongY += value * slopeY[k]
    }
  } else {
    const fx = x - Math.floor(x)
    const fy = y - Math.floor(y)
    rowBetween(values, first, fx)
    for (let j = 1, k = 0; j <= SIDE; j++) {
      let at = first + j * width
      let left = values[at]
      for (let i = 0; i < SIDE; i++, k++) {
        const right = values[++at]
        const between = left + fx * (right - left)
        left = right
        const value = upper[i] + fy * (between - upper[i])
        upper[i] = between
        sum += value
        squares += value * value
        alongX += value * slopeX[k]
        alongY += value * slopeY[k]
      }
    }
  }
  const mean = sum / WINDOW
  sums.mean = mean
  sums.deviation = Math.sqrt(Math.max(0, squares / WINDOW - mean * mean))
  sums.alongX = alongX
  sums.alongY = alongY
}

const SIDE = 2 * HALF_WINDOW + 1
const there = new Float64Array(WINDOW)
/** The row above, interpolated between its pixels. */
const upper = new Float64Array(SIDE)

/** One interpolation weight for the whole window, because its samples are whole pixels apart. */
function cutWindow(values: Float32Array, level: Level, x: number, y: number, out: Float64Array): void {
  const first = firstInside(level, x, y)
  if (first === null) return cutAtBorder(values, level, x, y, out)
  const fx = x - Math.floor(x)
  const fy = y - Math.floor(y)
  rowBetween(values, first, fx)
  for (let j = 1, k = 0; j <= SIDE; j++) {
    let at = first + j * level.width
    let left = values[at]
    for (let i = 0; i < SIDE; i++, k++) {
      const right = values[++at]
      const between = left + fx * (right - left)
      left = right
      out[k] = upper[i] + fy * (between - upper[i])
      upper[i] = between
    }
  }
}

function rowBetween(values: Float32Array, first: number, fx: number): void {
  for (let i = 0; i < SIDE; i++)
    upper[i] = values[first + i] + fx * (values[first + i + 1] - values[first + i])
}

/** Index of the window's first pixel in the level; null if the window crosses the border. */
function firstInside({ width, height }: Level, x: number, y: number): number | null {
  const left = Math.floor(x) - HALF_WINDOW
  const top = Math.floor(y) - HALF_WINDOW
  const isInside = left >= 0 && top >= 0 && left + SIDE < width && top + SIDE < height
  return isInside ? top * width + left : null
}

function cutAtBorder(
  values: Float32Array,
  { width, height }: Level,
  x: number,
  y: number,
  out: Float64Array,
): void {
  const [left, top] = [Math.floor(x), Math.floor(y)]
  const [fx, fy] = [x - left, y - top]
  const [a, b, c, d] = [(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy]
  for (let j = -HALF_WINDOW, k = 0; j <= HALF_WINDOW; j++) {
    const row = clamp(top + j, height - 1) * width
    const next = clamp(top + j + 1, height - 1) * width
    for (let i = -HALF_WINDOW; i <= HALF_WINDOW; i++, k++) {
      const x0 = clamp(left + i, width - 1)
      const x1 = clamp(left + i + 1, width - 1)
      out[k] = a * values[row + x0] + b * values[row + x1] + c * values[next + x0] + d * values[next + x1]
    }
  }
}

function clamp(value: number, last: number): number {
  return value < 0 ? 0 : value > last ? last : value
}
