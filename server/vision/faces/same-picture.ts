/**
 * Whether two pictures of a face are one photograph: the fine light and dark of the aligned face is the same in a copy, however it
 * was printed and photographed again, and another in every other picture of the same person. Measures; never judges.
 */
import { sampleAffine, type Raster } from '../raster.ts'
import { chipToPhoto, DLIB_CHIP_150, type FourPoints } from './align.ts'

/** The detail of an aligned face: luma of a square of `SIDE`, without what is coarser than a feature of a face. */
export type FaceDetail = Float32Array

const CHIP_PX = DLIB_CHIP_150.px
const SIDE = 50
const STEP = CHIP_PX / SIDE
/** Half the width of the box that smooths: noise and print dots below, light and shade of the room above. */
const FINE = 1
const COARSE = 4
/** How far two alignments of one face may lie apart, in pixels of the square. */
const SHIFT = 3
/** Outside it a shifted square has no neighbour. */
const MARGIN = 4

export function detailOf(raster: Raster, points: FourPoints): FaceDetail {
  const luma = smallLuma(sampleAffine(raster, chipToPhoto(points, DLIB_CHIP_150), CHIP_PX, CHIP_PX))
  const coarse = boxBlur(luma, COARSE)
  return boxBlur(luma, FINE).map((value, i) => value - coarse[i])
}

/** -1 to 1: 1 for one photograph. A mirrored copy is a copy. */
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

/** Mean of the square of 2 × reach + 1 around each pixel, as far as it lies in the picture. */
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

/** Pearson's, of what lies within the margin of `a` and as far shifted in `b`; 0 where one of them has no detail. */
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
