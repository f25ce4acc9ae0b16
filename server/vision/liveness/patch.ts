/**
 * Cuts a face to a small grey picture of fixed scale and normalised light, as a pyramid with gradients for point
 * tracking. Does not keep the source picture.
 */
import { mapPoint, type Homography } from '../documents/outline/warp.ts'
import { sampleAt } from '../documents/grey.ts'
import type { GreyRaster } from '../raster.ts'

/** Head width in a patch, and patch size in pixels (laboratory values, 21 Nov 2026). */
export const HEAD_PX = 200
export const PATCH = { width: 256, height: 288 } as const
/**
 * A box of 41 pixels (about a fifth of the head), and the deviation in grey levels below which the box shows only
 * noise.
 */
const NORMALISED = { radius: 20, floor: 6, deviation: 40, middle: 128 }

/** One pyramid level: values and gradients along x and y, row-major. */
export interface Level {
  readonly values: Float32Array
  readonly alongX: Float32Array
  readonly alongY: Float32Array
  readonly width: number
  readonly height: number
}

export type PatchPyramid = readonly Level[]

/**
 * Samples the picture through `toPicture` (patch → picture, pixel centres are whole numbers), normalises light and
 * contrast, and halves it `levels` times.
 */
export function cutPatch(picture: GreyRaster, toPicture: Homography, levels: number): PatchPyramid {
  const even = evenLight(sampleGrey(picture, toPicture), PATCH.width, PATCH.height)
  return buildPyramid(even, PATCH.width, PATCH.height, levels)
}

/**
 * Averages several samples per pixel where the map shrinks: single samples would alias, and points would follow false
 * patterns.
 */
function sampleGrey(picture: GreyRaster, toPicture: Homography): Float32Array {
  const { width, height } = PATCH
  const out = new Float32Array(width * height)
  const middle = mapPoint(toPicture, { x: width / 2, y: height / 2 })
  const beside = mapPoint(toPicture, { x: width / 2 + 1, y: height / 2 })
  const perPixel = Math.min(4, Math.max(1, Math.round(Math.hypot(beside.x - middle.x, beside.y - middle.y))))
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o++) {
      let sum = 0
      for (let dy = 0; dy < perPixel; dy++)
        for (let dx = 0; dx < perPixel; dx++) {
          const px = x + (dx + 0.5) / perPixel - 0.5
          const py = y + (dy + 0.5) / perPixel - 0.5
          const w = toPicture[6] * px + toPicture[7] * py + toPicture[8]
          const sx = (toPicture[0] * px + toPicture[1] * py + toPicture[2]) / w
          const sy = (toPicture[3] * px + toPicture[4] * py + toPicture[5]) / w
          sum += sampleAt(picture, sx, sy)
        }
      out[o] = sum / (perPixel * perPixel)
    }
  return out
}

/** (value − local mean) / local deviation, so that light which changes with the pose does not move a point. */
export function evenLight(values: Float32Array, width: number, height: number): Float32Array {
  const { radius, floor, deviation, middle } = NORMALISED
  const [sums, squares] = summedAreas(values, width, height)
  const out = new Float32Array(values.length)
  const stride = width + 1
  for (let y = 0; y < height; y++) {
    const top = Math.max(0, y - radius) * stride
    const bottom = Math.min(height, y + radius + 1) * stride
    const rows = (bottom - top) / stride
    for (let x = 0; x < width; x++) {
      const left = Math.max(0, x - radius)
      const right = Math.min(width, x + radius + 1)
      const area = (right - left) * rows
      const mean = (sums[bottom + right] - sums[top + right] - sums[bottom + left] + sums[top + left]) / area
      const square =
        squares[bottom + right] - squares[top + right] - squares[bottom + left] + squares[top + left]
      const variance = Math.max(0, square / area - mean * mean)
      const value = values[y * width + x] - mean
      out[y * width + x] = (value / (Math.sqrt(variance) + floor)) * deviation + middle
    }
  }
  return out
}

function summedAreas(values: Float32Array, width: number, height: number): [Float64Array, Float64Array] {
  const stride = width + 1
  const sums = new Float64Array(stride * (height + 1))
  const squares = new Float64Array(stride * (height + 1))
  for (let y = 0; y < height; y++) {
    let sum = 0
    let square = 0
    for (let x = 0; x < width; x++) {
      const value = values[y * width + x]
      sum += value
      square += value * value
      const at = (y + 1) * stride + x + 1
      sums[at] = sums[at - stride] + sum
      squares[at] = squares[at - stride] + square
    }
  }
  return [sums, squares]
}

export function buildPyramid(
  values: Float32Array,
  width: number,
  height: number,
  levels: number,
): PatchPyramid {
  const out = [withGradients(values, width, height)]
  for (let i = 0; i < levels; i++) {
    const last = out[i]
    out.push(withGradients(halve(last), last.width >> 1, last.height >> 1))
  }
  return out
}

/** Scharr operator: the 3 × 3 operator with the smallest directional error. */
function withGradients(values: Float32Array, width: number, height: number): Level {
  const alongX = new Float32Array(values.length)
  const alongY = new Float32Array(values.length)
  for (let y = 1; y < height - 1; y++)
    for (let x = 1, i = y * width + 1; x < width - 1; x++, i++) {
      const nw = values[i - width - 1]
      const ne = values[i - width + 1]
      const sw = values[i + width - 1]
      const se = values[i + width + 1]
      alongX[i] = (3 * (ne - nw + se - sw) + 10 * (values[i + 1] - values[i - 1])) / 32
      alongY[i] = (3 * (sw - nw + se - ne) + 10 * (values[i + width] - values[i - width])) / 32
    }
  return { values, alongX, alongY, width, height }
}

const BINOMIAL = [1, 4, 6, 4, 1]

function halve({ values, width, height }: Level): Float32Array {
  const [w, h] = [width >> 1, height >> 1]
  const across = new Float32Array(w * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < w; x++) {
      let sum = 0
      for (let k = -2; k <= 2; k++)
        sum += BINOMIAL[k + 2] * values[y * width + Math.min(width - 1, Math.max(0, 2 * x + k))]
      across[y * w + x] = sum / 16
    }
  const out = new Float32Array(w * h)
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      let sum = 0
      for (let k = -2; k <= 2; k++)
        sum += BINOMIAL[k + 2] * across[Math.min(height - 1, Math.max(0, 2 * y + k)) * w + x]
      out[y * w + x] = sum / 16
    }
  return out
}
