/**
 * Finds changes of brightness or colour on a small copy: thinned edge pixels with direction. Knows neither lines nor
 * documents.
 */
import type { Raster } from '../../raster.ts'

/** Working copy, and the number of picture pixels per copy pixel in each direction. */
export interface SmallCopy {
  readonly raster: Raster
  readonly factor: number
}

export interface EdgeMap {
  readonly width: number
  readonly height: number
  /** Per pixel: 0, or 1 + the index of its edge in the lists below. */
  readonly at: Int32Array
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  /** Direction of increasing brightness (or red, or blue), radians, −π…π. */
  readonly angle: Float32Array
  /** Height of the step in levels, 0–255. */
  readonly step: Float32Array
}

/** Enough to separate the sides of a card that covers a tenth of the picture, small enough for live guidance. */
const WORKING_SIDE_PX = 512
/** Lower steps are noise: a white card on white paper shows 3 to 6 levels at its shadow. */
const MIN_STEP = 2.5
/** Minimum multiple of the median gradient, to exclude texture and noise. */
const MIN_OVER_MEDIAN = 1.6
/** One level after Sobel's weights (1 2 1), times the gain of the smoothing. */
const SOBEL_GAIN = 16

/** Averages blocks of pixels; in large blocks every second pixel in each direction is enough. */
export function makeSmallCopy(picture: Raster): SmallCopy {
  const { width, height } = picture
  const factor = Math.max(1, Math.ceil(Math.max(width, height) / WORKING_SIDE_PX))
  const [w, h] = [Math.max(1, Math.floor(width / factor)), Math.max(1, Math.floor(height / factor))]
  if (factor === 1) return { raster: picture, factor }
  const data = new Uint8Array(w * h * 3)
  for (let y = 0; y < h; y++) averageBlocks(picture, y, factor, data.subarray(y * w * 3, (y + 1) * w * 3))
  return { raster: { data, width: w, height: h }, factor }
}

/** One row of blocks. A function for each row is compiled early; one for the whole picture is not. */
function averageBlocks({ data, width, height }: Raster, y: number, factor: number, out: Uint8Array): void {
  const pace = factor >= 4 ? 2 : 1
  const taken = Math.ceil(Math.min(factor, width) / pace) * Math.ceil(Math.min(factor, height) / pace)
  const share = 1 / taken
  const below = Math.min((y + 1) * factor, height)
  for (let x = 0, o = 0; o < out.length; x++, o += 3) {
    let [r, g, b] = [0, 0, 0]
    const right = Math.min((x + 1) * factor, width)
    for (let j = y * factor; j < below; j += pace)
      for (let i = (j * width + x * factor) * 3, end = (j * width + right) * 3; i < end; i += 3 * pace) {
        r += data[i]
        g += data[i + 1]
        b += data[i + 2]
      }
    out[o] = r * share + 0.5
    out[o + 1] = g * share + 0.5
    out[o + 2] = b * share + 0.5
  }
}

/** Strongest change among brightness and two colour differences per pixel, thinned to its ridge. */
export function findEdges(raster: Raster): EdgeMap {
  const { width, height } = raster
  const gradient = strongestGradient(raster)
  const { squared, across, down } = gradient
  const floor = computeFloor(squared)
  const at = new Int32Array(width * height)
  const most = (width * height) >> 1
  const places = new Int32Array(most)
  let count = 0
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, i = y * width + 1; x < width - 1; x++, i++) {
      const m = squared[i]
      if (m < floor || count === most) continue
      const next = neighbourAlong(across[i], down[i], width)
      if (m < squared[i + next] || m <= squared[i - next]) continue
      places[count++] = i
      at[i] = count
    }
  return describeEdges(places.subarray(0, count), at, gradient, width, height)
}

/** The neighbour (of eight) in the gradient's direction; tan(22.5°) = 0.414. */
function neighbourAlong(gx: number, gy: number, width: number): number {
  const ax = gx < 0 ? -gx : gx
  const ay = gy < 0 ? -gy : gy
  if (ay < 0.414 * ax) return 1
  if (ax < 0.414 * ay) return width
  return gx > 0 === gy > 0 ? width + 1 : width - 1
}

interface Gradient {
  readonly squared: Int32Array
  readonly across: Int16Array
  readonly down: Int16Array
}

function strongestGradient({ data, width, height }: Raster): Gradient {
  const squared = new Int32Array(width * height)
  const across = new Int16Array(width * height)
  const down = new Int16Array(width * height)
  const plane = new Int16Array(width * height)
  const soft = new Int16Array(width * height)
  const gradient = { squared, across, down }
  for (const valueOf of PLANES) {
    for (let i = 0, j = 0; i < plane.length; i++, j += 3)
      plane[i] = valueOf(data[j], data[j + 1], data[j + 2])
    smooth(plane, soft, width)
    for (let y = 1; y < height - 1; y++) keepStronger(plane, gradient, y * width, width)
  }
  return gradient
}

/** One row, which begins at `row`. A function for each row is compiled early; one for the whole picture is not. */
function keepStronger(
  plane: Int16Array,
  { squared, across, down }: Gradient,
  row: number,
  width: number,
): void {
  for (let i = row + 1; i < row + width - 1; i++) {
    const a = i - width
    const b = i + width
    const gx = plane[a + 1] + 2 * plane[i + 1] + plane[b + 1] - plane[a - 1] - 2 * plane[i - 1] - plane[b - 1]
    const gy = plane[b - 1] + 2 * plane[b] + plane[b + 1] - plane[a - 1] - 2 * plane[a] - plane[a + 1]
    const m = gx * gx + gy * gy
    if (m <= squared[i]) continue
    squared[i] = m
    across[i] = gx
    down[i] = gy
  }
}

/** Binomial weights 1 2 1 in each direction with a gain of four; the outermost pixels stay unchanged. */
function smooth(plane: Int16Array, soft: Int16Array, width: number): void {
  for (let i = 1; i < plane.length - 1; i++) soft[i] = plane[i - 1] + 2 * plane[i] + plane[i + 1]
  for (let i = width; i < plane.length - width; i++)
    plane[i] = (soft[i - width] + 2 * soft[i] + soft[i + width] + 2) >> 2
}

/** BT.601 luma, red minus green, and blue minus yellow. */
const PLANES: readonly ((r: number, g: number, b: number) => number)[] = [
  (r, g, b) => (77 * r + 150 * g + 29 * b) >> 8,
  (r, g) => r - g,
  (r, g, b) => b - ((r + g) >> 1),
]

/** Minimum squared gradient of an edge. */
function computeFloor(squared: Int32Array): number {
  const least = MIN_STEP * SOBEL_GAIN
  const counts = new Uint32Array(256)
  let taken = 0
  // Every seventh pixel is enough for the median; gradients above 1020 are clamped.
  for (let i = 0; i < squared.length; i += 7, taken++)
    counts[Math.min(255, (Math.sqrt(squared[i]) / 4) | 0)]++
  let median = 0
  for (let seen = 0; median < 255 && seen + counts[median] < taken / 2; median++) seen += counts[median]
  return Math.max(least, MIN_OVER_MEDIAN * 4 * median) ** 2
}

function describeEdges(
  places: Int32Array,
  at: Int32Array,
  { squared, across, down }: Gradient,
  width: number,
  height: number,
): EdgeMap {
  const count = places.length
  const x = new Float32Array(count)
  const y = new Float32Array(count)
  const angle = new Float32Array(count)
  const step = new Float32Array(count)
  for (let k = 0; k < count; k++) {
    const i = places[k]
    x[k] = i % width
    y[k] = (i / width) | 0
    angle[k] = Math.atan2(down[i], across[i])
    step[k] = Math.sqrt(squared[i]) / SOBEL_GAIN
  }
  return { width, height, at, count, x, y, angle, step }
}
