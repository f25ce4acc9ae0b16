/**
 * Where the points of one patch lie in another: Lucas and Kanade's method, from coarse to fine, there and back again.
 * Answers only points that come back to where they started; says nothing of what moved them.
 */
import type { Point } from '../protocol.ts'
import type { Level, PatchPyramid } from './patch.ts'

/** A window of 19 × 19 pixels, about a tenth of the head's width. */
const HALF_WINDOW = 9
const WINDOW = (2 * HALF_WINDOW + 1) ** 2
const MOST_STEPS = 20
const STILL_PX = 0.01
/** Least texture, as the smaller eigenvalue of the window's mean gradients: below it any direction fits. */
const LEAST_TEXTURE = 1
/** There and back again may miss by so much, and no point of a face moves further than this between aligned patches. */
const MOST_MISS_PX = 1
const MOST_SHIFT_PX = 25

/** Null where a point is lost. Pyramids of one size and depth. */
export function followPoints(
  from: PatchPyramid,
  to: PatchPyramid,
  points: readonly Point[],
): readonly (Point | null)[] {
  return points.map((point) => {
    const there = follow(from, to, point)
    const back = there && follow(to, from, there)
    if (there === null || back === null) return null
    const miss = Math.hypot(back.x - point.x, back.y - point.y)
    const shift = Math.hypot(there.x - point.x, there.y - point.y)
    return miss < MOST_MISS_PX && shift < MOST_SHIFT_PX ? there : null
  })
}

const seen = new Float32Array(WINDOW)
const there = new Float32Array(WINDOW)
const slopeX = new Float32Array(WINDOW)
const slopeY = new Float32Array(WINDOW)

function follow(from: PatchPyramid, to: PatchPyramid, { x, y }: Point): Point | null {
  let [dx, dy] = [0, 0]
  for (let l = from.length - 1; l >= 0; l--) {
    const scale = 1 / (1 << l)
    const found = followOnLevel(from[l], to[l], x * scale, y * scale, dx, dy)
    if (found === null && l === 0) return null
    if (found !== null) [dx, dy] = found
    if (l > 0) [dx, dy] = [dx * 2, dy * 2]
  }
  return { x: x + dx, y: y + dy }
}

/** The shift on one level, from a first guess; null where there is no texture to go by. */
function followOnLevel(
  from: Level,
  to: Level,
  x: number,
  y: number,
  guessX: number,
  guessY: number,
): [number, number] | null {
  cutWindow(from.values, from, x, y, seen)
  const contrast = aroundMean(seen)
  cutWindow(from.alongX, from, x, y, slopeX)
  cutWindow(from.alongY, from, x, y, slopeY)
  let [xx, xy, yy] = [0, 0, 0]
  for (let k = 0; k < WINDOW; k++) {
    xx += slopeX[k] * slopeX[k]
    xy += slopeX[k] * slopeY[k]
    yy += slopeY[k] * slopeY[k]
  }
  const determinant = xx * yy - xy * xy
  const texture = (xx + yy - Math.hypot(xx - yy, 2 * xy)) / 2 / WINDOW
  if (texture < LEAST_TEXTURE || !(determinant > 0)) return null
  let [dx, dy] = [guessX, guessY]
  for (let step = 0; step < MOST_STEPS; step++) {
    const { u, v } = differences(to, x + dx, y + dy, contrast)
    const moveX = (yy * u - xy * v) / determinant
    const moveY = (xx * v - xy * u) / determinant
    dx += moveX
    dy += moveY
    if (moveX * moveX + moveY * moveY < STILL_PX * STILL_PX) break
  }
  return [dx, dy]
}

/** Sums of (seen − there) times each slope, both windows around their mean and of one contrast: light may have changed. */
function differences(
  to: Level,
  x: number,
  y: number,
  contrast: number,
): { readonly u: number; readonly v: number } {
  cutWindow(to.values, to, x, y, there)
  const gain = contrast / Math.max(aroundMean(there), LEAST_CONTRAST)
  let [u, v] = [0, 0]
  for (let k = 0; k < WINDOW; k++) {
    const difference = seen[k] - gain * there[k]
    u += difference * slopeX[k]
    v += difference * slopeY[k]
  }
  return { u, v }
}

/** Deviation of a window, grey levels, below which there is nothing to compare. */
const LEAST_CONTRAST = 1

/** Takes the mean off a window and answers its deviation. */
function aroundMean(window: Float32Array): number {
  let [sum, squares] = [0, 0]
  for (let k = 0; k < WINDOW; k++) {
    sum += window[k]
    squares += window[k] * window[k]
  }
  const mean = sum / WINDOW
  for (let k = 0; k < WINDOW; k++) window[k] -= mean
  return Math.sqrt(Math.max(0, squares / WINDOW - mean * mean))
}

/** One weight for the whole window: its samples stand a whole pixel apart. */
function cutWindow(
  values: Float32Array,
  { width, height }: Level,
  x: number,
  y: number,
  out: Float32Array,
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
