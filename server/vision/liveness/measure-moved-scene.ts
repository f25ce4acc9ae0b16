/**
 * Measures how much of the scene behind the person moves between a session's pictures. Before a fixed camera the scene stays where
 * it is while the head moves; the recorded scene on a display that a hand holds moves with the hand, if only by a pixel. Compares
 * brightness tile by tile and takes out what the camera's exposure and a lamp change. Defines no limit.
 */
import { median } from '../documents/percentiles.ts'
import { boxAround, shrinkByWhole, toGrey } from '../raster.ts'
import type { FaceView } from './face-depth.ts'
import { solveSymmetric } from './linear.ts'
import { createSceneTest } from './person-area.ts'

/** Pictures are compared at this width or up to twice of it. */
const COMPARED_WIDTH_PX = 640
const TILE_PX = 24
/** Fewer tiles with a pattern say nothing: a plain wall, or a person who fills the picture. */
const MIN_TILES = 4
const MIN_VIEWS = 3
/** Shoulders and arms move from here down; face heights below the face's upper edge. */
const ABOVE_SHOULDERS = 0.8
/** Smoothing and gradients need their neighbours. */
const EDGE_PX = 3
/**
 * Least mean square of a tile's gradients, in levels per pixel: this, and this many times that of the picture's plain tiles, which
 * is the camera's noise. Where all tiles have a pattern, the plainest are no noise.
 */
const MIN_PATTERN = { least: 1.5, times: 3, most: 15 }
const PLAIN_SHARE = 0.2
/** A tile moved if its pattern is displaced by more than this, and by more than this many standard errors. */
const MOVED_PX = 0.8
const MOVED_ERRORS = 4
/** A lower correlation means that another thing is in its place. */
const MIN_CORRELATION = 0.7
/** Share of the trace that is added to the normal equations, because an edge shows a movement only across itself. */
const DAMPING = 0.02

/**
 * Median over the views of the share (0–1) of the scene's patterned tiles that moved since the first view. Null with fewer than
 * three views that show enough of a pattern.
 */
export function measureMovedScene(first: FaceView, others: readonly FaceView[]): number | null {
  const before = toCompared(first)
  const shares = others.flatMap((other) => movedShare(before, toCompared(other)) ?? [])
  return shares.length >= MIN_VIEWS ? median(shares) : null
}

interface Compared {
  readonly values: Float32Array
  readonly width: number
  readonly height: number
  readonly isFree: IsFree
  readonly tiles: readonly Tile[]
  readonly leastPattern: number
}

type IsFree = (x: number, y: number) => boolean

interface Tile {
  readonly x: number
  readonly y: number
  readonly pattern: number
}

function toCompared({ picture, mesh }: FaceView): Compared {
  const factor = Math.max(1, Math.floor(picture.width / COMPARED_WIDTH_PX))
  const { width, height, data } = toGrey(shrinkByWhole(picture, factor))
  const values = smooth(data, width, height)
  const face = boxAround(mesh.points)
  const isAway = createSceneTest(face, 1 / factor)
  const shoulders = (face.y + ABOVE_SHOULDERS * face.height) / factor
  const isFree = (x: number, y: number) => y < shoulders && isAway(x, y)
  const tiles = listTiles(values, width, height, isFree)
  return { values, width, height, isFree, tiles, leastPattern: leastPattern(tiles) }
}

/** 1 4 6 4 1 in both directions: takes out most of the noise and makes the gradients valid for a movement of a pixel. */
function smooth(data: Uint8Array, width: number, height: number): Float32Array {
  const across = new Float32Array(data.length)
  for (let y = 0; y < height; y++)
    for (let x = 2, i = y * width + 2; x < width - 2; x++, i++)
      across[i] = (data[i - 2] + data[i + 2] + 4 * (data[i - 1] + data[i + 1]) + 6 * data[i]) / 16
  const both = new Float32Array(data.length)
  for (let y = 2; y < height - 2; y++)
    for (let i = y * width, end = i + width; i < end; i++)
      both[i] =
        (across[i - 2 * width] +
          across[i + 2 * width] +
          4 * (across[i - width] + across[i + width]) +
          6 * across[i]) /
        16
  return both
}

/** Null if too little of the scene has a pattern. */
function movedShare(before: Compared, now: Compared): number | null {
  if (before.width !== now.width || before.height !== now.height) return null
  const free = before.tiles.filter(({ x, y }) => isFreeTile(now.isFree, x, y))
  const patterned = free.filter(({ pattern }) => pattern >= before.leastPattern)
  if (patterned.length < MIN_TILES) return null
  return patterned.filter(({ x, y }) => hasMoved(before, now, x, y)).length / patterned.length
}

/** Tiles that the person does not cover. */
function listTiles(values: Float32Array, width: number, height: number, isFree: IsFree): Tile[] {
  const tiles: Tile[] = []
  for (let y = EDGE_PX; y + TILE_PX + EDGE_PX < height; y += TILE_PX)
    for (let x = EDGE_PX; x + TILE_PX + EDGE_PX < width; x += TILE_PX)
      if (isFreeTile(isFree, x, y)) tiles.push({ x, y, pattern: patternAt(values, width, x, y) })
  return tiles
}

/** Mean square of the gradients. */
function patternAt(values: Float32Array, width: number, left: number, top: number): number {
  let sum = 0
  for (let y = top; y < top + TILE_PX; y++)
    for (let x = left, i = y * width + left; x < left + TILE_PX; x++, i++)
      sum += (values[i + 1] - values[i - 1]) ** 2 + (values[i + width] - values[i - width]) ** 2
  return sum / 4 / (TILE_PX * TILE_PX)
}

function leastPattern(tiles: readonly Tile[]): number {
  const sorted = tiles.map(({ pattern }) => pattern).sort((a, b) => a - b)
  const plain = sorted[Math.floor(sorted.length * PLAIN_SHARE)] ?? 0
  const { least, times, most } = MIN_PATTERN
  return Math.max(least, Math.min(most, times * plain))
}

function isFreeTile(isFree: IsFree, left: number, top: number): boolean {
  const [right, bottom] = [left + TILE_PX - 1, top + TILE_PX - 1]
  return isFree(left, top) && isFree(right, top) && isFree(left, bottom) && isFree(right, bottom)
}

/** Sums of the normal equations: displacement along x and y, brightness, contrast. */
const matrix = new Float64Array(16)
const right = new Float64Array(4)

function hasMoved(before: Compared, now: Compared, left: number, top: number): boolean {
  const { width } = before
  const [a, b] = [before.values, now.values]
  matrix.fill(0)
  right.fill(0)
  const count = TILE_PX * TILE_PX
  let [sumB, squaresB] = [0, 0]
  for (let y = top; y < top + TILE_PX; y++)
    for (let x = left, i = y * width + left; x < left + TILE_PX; x++, i++) {
      const gx = (a[i + 1] - a[i - 1]) / 2
      const gy = (a[i + width] - a[i - width]) / 2
      const [va, vb] = [a[i], b[i]]
      matrix[0] += gx * gx
      matrix[1] += gx * gy
      matrix[2] += gx
      matrix[3] += gx * va
      matrix[5] += gy * gy
      matrix[6] += gy
      matrix[7] += gy * va
      matrix[11] += va
      matrix[15] += va * va
      right[0] += gx * vb
      right[1] += gy * vb
      right[2] += vb
      right[3] += va * vb
      sumB += vb
      squaresB += vb * vb
    }
  matrix[10] = count
  const varianceA = matrix[15] - (matrix[11] * matrix[11]) / count
  const varianceB = squaresB - (sumB * sumB) / count
  const covariance = right[3] - (matrix[11] * sumB) / count
  if (covariance < MIN_CORRELATION * Math.sqrt(varianceA * varianceB)) return true
  for (let i = 0; i < 4; i++) for (let j = 0; j < i; j++) matrix[i * 4 + j] = matrix[j * 4 + i]
  const trace = matrix[0] + matrix[5]
  const sums = Float64Array.from(right)
  matrix[0] += DAMPING * trace
  matrix[5] += DAMPING * trace
  const found = solveSymmetric(matrix, right, 4)
  if (found === null) return false
  const [dx, dy, , contrast] = found
  if (!(contrast > 0)) return true
  const unexplained = squaresB - found.reduce((sum, value, i) => sum + value * sums[i], 0)
  const [shiftX, shiftY] = [dx / contrast, dy / contrast]
  const error = Math.sqrt(Math.max(0, unexplained) / count / (trace / 2)) / contrast
  const shift = Math.hypot(shiftX, shiftY)
  return shift > MOVED_PX && shift > MOVED_ERRORS * error * NOISE_TIMES
}

/** Neighbouring pixels of a smoothed picture share their noise. */
const NOISE_TIMES = 3
