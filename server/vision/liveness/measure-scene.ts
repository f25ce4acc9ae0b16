/**
 * Compares the camera's picture of the empty scene with one of the applicant, and measures how much of the visible scene
 * has changed. An applicant covers only what is behind; a tablet or print brings its own background. Compensates the
 * camera's automatic adjustments first. Defines no limit.
 */
import type { Point } from '../protocol.ts'
import { sampleAffine, type Raster, boxAround } from '../raster.ts'
import { solveSymmetric } from './linear.ts'
import { createSceneTest } from './person-area.ts'

/** Working width: averages out camera noise and small shifts. */
const COMPARED_WIDTH_PX = 160
/** Tile size in working pixels: 20 tiles across. */
const TILE_PX = 8
/** Minimum number of tiles beside the person; with fewer the head fills the picture. */
const MIN_TILES = 24
/** A rotated camera or another aspect ratio is not comparable. */
const MAX_SHAPE_DIFFERENCE = 0.01

/** Maximum difference of an unchanged tile after compensation (npm run bench:pad -- --simulate). */
const LIMITS = {
  /** Log difference of 8-bit values from the fitted light change. */
  brightness: 0.25,
  /** The same for the difference between the colours. */
  chroma: 0.08,
  /** Standard deviation of a tile's grey values below which it has no pattern. */
  pattern: 5,
  /** Minimum correlation of two patterns of the same object. */
  correlation: 0.5,
}
const CLIPPED = 250

interface Tile {
  /** Position of its centre, −1 to 1 across the picture's width. */
  readonly x: number
  readonly y: number
  readonly r: number
  readonly g: number
  readonly b: number
  readonly deviation: number
  readonly grey: Float32Array
  readonly isClipped: boolean
}

/**
 * `points`: mesh points in pixels of `picture`. Returns the share (0–1) of changed tiles beside and above the person;
 * null if the pictures differ in shape or the person leaves too little of the scene.
 */
export function measureSceneChange(
  picture: Raster,
  points: readonly Point[],
  emptyScene: Raster,
): number | null {
  const shape = (raster: Raster) => raster.width / raster.height
  if (Math.abs(shape(picture) / shape(emptyScene) - 1) > MAX_SHAPE_DIFFERENCE) return null
  const scale = COMPARED_WIDTH_PX / picture.width
  const isFree = createSceneTest(boxAround(points), scale)
  const pairs = tilePairs(toCompared(picture), toCompared(emptyScene), isFree)
  if (pairs.length < MIN_TILES) return null
  const light = changeOfLight(pairs)
  return pairs.filter((pair) => differs(pair, light)).length / pairs.length
}

interface Compared {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
}

function toCompared(raster: Raster): Compared {
  const step = raster.width / COMPARED_WIDTH_PX
  const height = Math.round(raster.height / step)
  const shift = (step - 1) / 2
  return {
    data: sampleAffine(raster, [step, 0, shift, 0, step, shift], COMPARED_WIDTH_PX, height),
    width: COMPARED_WIDTH_PX,
    height,
  }
}

type Pair = readonly [now: Tile, before: Tile]

function tilePairs(now: Compared, before: Compared, isFree: (x: number, y: number) => boolean): Pair[] {
  const pairs: Pair[] = []
  const height = Math.min(now.height, before.height)
  for (let y = 0; y + TILE_PX <= height; y += TILE_PX)
    for (let x = 0; x + TILE_PX <= COMPARED_WIDTH_PX; x += TILE_PX) {
      const last = TILE_PX - 1
      const corners = [isFree(x, y), isFree(x + last, y), isFree(x, y + last), isFree(x + last, y + last)]
      if (corners.every(Boolean)) pairs.push([tileAt(now, x, y), tileAt(before, x, y)])
    }
  return pairs
}

function tileAt({ data, width }: Compared, left: number, top: number): Tile {
  const grey = new Float32Array(TILE_PX * TILE_PX)
  let [r, g, b] = [0, 0, 0]
  for (let y = 0, k = 0; y < TILE_PX; y++)
    for (let x = 0; x < TILE_PX; x++, k++) {
      const at = ((top + y) * width + left + x) * 3
      r += data[at]
      g += data[at + 1]
      b += data[at + 2]
      grey[k] = 0.3 * data[at] + 0.59 * data[at + 1] + 0.11 * data[at + 2]
    }
  const count = grey.length
  const mean = grey.reduce((sum, value) => sum + value, 0) / count
  grey.forEach((value, k) => void (grey[k] = value - mean))
  return {
    x: (2 * left + TILE_PX) / width - 1,
    y: (2 * top + TILE_PX) / width - 1,
    r: r / count + 1,
    g: g / count + 1,
    b: b / count + 1,
    deviation: Math.sqrt(grey.reduce((sum, value) => sum + value * value, 0) / count),
    grey,
    isClipped: Math.max(r, g, b) / count > CLIPPED,
  }
}

const COLOURS = ['r', 'g', 'b'] as const
/** Log change per colour, linear across the picture. */
type LightChange = Readonly<Record<(typeof COLOURS)[number], (tile: Tile) => number>>

/**
 * Change by exposure, white balance and lamps: the change on which most tiles agree. If a foreign picture covers most of
 * the scene there is no agreement, and the tiles differ under any assumption.
 */
function changeOfLight(pairs: readonly Pair[]): LightChange {
  const usable = pairs.filter(([now, before]) => !now.isClipped && !before.isClipped)
  const of = (colour: (typeof COLOURS)[number]) =>
    robustPlane(
      usable.map(([now, before]) => ({
        x: now.x,
        y: now.y,
        value: Math.log(now[colour] / before[colour]),
      })),
    )
  return { r: of('r'), g: of('g'), b: of('b') }
}

interface Sample {
  readonly x: number
  readonly y: number
  readonly value: number
}

/** Decreasing tolerances: a lamp's gradient is found first, then outliers are excluded. */
const AGREEMENT = [0.4, 0.3, 0.2, 0.15, 0.1, 0.1]
const DENSEST = 0.15

/** Robust plane fit, starting from the densest value. */
function robustPlane(samples: readonly Sample[]): (at: { readonly x: number; readonly y: number }) => number {
  let plane: readonly number[] = [mostCommon(samples.map(({ value }) => value)), 0, 0]
  const at = ({ x, y }: { readonly x: number; readonly y: number }) => plane[0] + plane[1] * x + plane[2] * y
  for (const agreement of AGREEMENT) {
    const near = samples.filter((sample) => Math.abs(sample.value - at(sample)) < agreement)
    plane = fitPlane(near) ?? plane
  }
  return at
}

/** Regularisation: without enough tiles the light is assumed even, with the weight of this many tiles. */
const EVEN_TILES = 2

function fitPlane(samples: readonly Sample[]): number[] | null {
  const matrix = new Float64Array(9)
  const right = new Float64Array(3)
  for (const { x, y, value } of samples) {
    const row = [1, x, y]
    row.forEach((a, i) => {
      right[i] += a * value
      row.forEach((b, j) => void (matrix[i * 3 + j] += a * b))
    })
  }
  matrix[4] += EVEN_TILES
  matrix[8] += EVEN_TILES
  const plane = solveSymmetric(matrix, right, 3)
  return plane && [...plane]
}

/** Centre of the densest window; 0 without values. */
function mostCommon(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  let [best, from, to] = [0, 0, 0]
  for (let i = 0, j = 0; i < sorted.length; i++) {
    while (j < sorted.length && sorted[j] - sorted[i] <= DENSEST) j++
    if (j - i > best) [best, from, to] = [j - i, i, j]
  }
  return best === 0 ? 0 : sorted.slice(from, to).reduce((sum, value) => sum + value, 0) / best
}

/** True if brightness, colour or pattern differs. */
function differs([now, before]: Pair, light: LightChange): boolean {
  if (now.isClipped && before.isClipped) return false
  if (now.isClipped === before.isClipped) {
    const [r, g, b] = COLOURS.map((colour) => Math.log(now[colour] / before[colour]) - light[colour](now))
    if (Math.abs((r + g + b) / 3) > LIMITS.brightness) return true
    if (Math.hypot(r - g, b - g) > LIMITS.chroma) return true
  }
  if (Math.max(now.deviation, before.deviation) < LIMITS.pattern) return false
  return correlation(now, before) < LIMITS.correlation
}

function correlation(a: Tile, b: Tile): number {
  const product = a.grey.reduce((sum, value, k) => sum + value * b.grey[k], 0) / a.grey.length
  // Prevents a bare wall from correlating with a pattern.
  const floor = 1
  return product / (Math.max(a.deviation, floor) * Math.max(b.deviation, floor))
}
