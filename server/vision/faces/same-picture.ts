/**
 * Measures whether two pictures of a face are the same photograph. The fine structure of the aligned face survives
 * printing and re-photographing, and differs in any other picture of the same person. Gives no verdict.
 */
import { sampleAffine, type Raster } from '../raster.ts'
import { chipToPhoto, DLIB_CHIP_150, type FourPoints } from './align.ts'

/** Detail of an aligned face: luma of a `SIDE` × `SIDE` square without structures coarser than a facial feature. */
export type FaceDetail = Float32Array

const CHIP_PX = DLIB_CHIP_150.px
const SIDE = 50
const STEP = CHIP_PX / SIDE
/** Half widths of the smoothing boxes: below FINE is noise and print dots, above COARSE is the room's light. */
const FINE = 1
const COARSE = 4
/** Maximum misalignment of two chips in pixels of the square. */
const SHIFT = 3
/** Margin so that a shifted square stays inside. */
const MARGIN = 4

export function extractDetail(raster: Raster, points: FourPoints): FaceDetail {
  const luma = smallLuma(sampleAffine(raster, chipToPhoto(points, DLIB_CHIP_150), CHIP_PX, CHIP_PX))
  const coarse = boxBlur(luma, COARSE)
  return boxBlur(luma, FINE).map((value, i) => value - coarse[i])
}

/** −1 to 1; 1 for the same photograph. A mirrored copy counts as a copy. */
export function detailCorrelation(a: FaceDetail, b: FaceDetail): number {
  return Math.max(bestCorrelation(a, b), bestCorrelation(mirrored(a), b))
}

function smallLuma(rgb: Float32Array): Float32Array {
  const out = new Float32Array(SIDE * SIDE)
  for (let y = 0; y < CHIP_PX; y++)
    for (let x = 0; x < CHIP_PX; x++) {
      const from = (y * CHIP_PX + x) * 3
      const luma = 0.299 * rgb[from] + 0.587 * rgb[from + 1] + 0.114 * rgb[from + 2]
      out[Math.floor(y / STEP) * SIDE + Math.floor(x / STEP)] += luma / (STEP * STEP)
    }
  return out
}

/** Mean over a square of 2 × reach + 1 pixels, clipped at the border. */
function boxBlur(pixels: Float32Array, reach: number): Float32Array {
  const along = (from: Float32Array, step: number, line: number): Float32Array => {
    const out = new Float32Array(from.length)
    for (let row = 0; row < SIDE; row++)
      for (let at = 0; at < SIDE; at++) {
        let sum = 0
        const [first, last] = [Math.max(0, at - reach), Math.min(SIDE - 1, at + reach)]
        for (let k = first; k <= last; k++) sum += from[row * line + k * step]
        out[row * line + at * step] = sum / (last - first + 1)
      }
    return out
  }
  return along(along(pixels, 1, SIDE), SIDE, 1)
}

function mirrored(pixels: FaceDetail): FaceDetail {
  return pixels.map((_, i) => pixels[i - (i % SIDE) + (SIDE - 1 - (i % SIDE))])
}

function bestCorrelation(a: FaceDetail, b: FaceDetail): number {
  let best = -1
  for (let dy = -SHIFT; dy <= SHIFT; dy++)
    for (let dx = -SHIFT; dx <= SHIFT; dx++) best = Math.max(best, correlation(a, b, dy * SIDE + dx))
  return best
}

/** Pearson correlation inside the margin of `a` with `b` shifted; 0 if one of them has no detail. */
function correlation(a: FaceDetail, b: FaceDetail, shift: number): number {
  let [sumA, sumB, squaresA, squaresB, products, count] = [0, 0, 0, 0, 0, 0]
  for (let y = MARGIN; y < SIDE - MARGIN; y++)
    for (let x = MARGIN; x < SIDE - MARGIN; x++) {
      const p = a[y * SIDE + x]
      const q = b[y * SIDE + x + shift]
      sumA += p
      sumB += q
      squaresA += p * p
      squaresB += q * q
      products += p * q
      count++
    }
  const spread = Math.sqrt((squaresA - (sumA * sumA) / count) * (squaresB - (sumB * sumB) / count))
  return spread > 0 ? (products - (sumA * sumB) / count) / spread : 0
}
