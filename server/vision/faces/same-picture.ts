/**
 * Measures whether two pictures of a face are the same photograph. The fine structure of the aligned face survives
 * printing and re-photographing, and differs in any other picture of the same person. Each part of the face is aligned
 * by itself, because a tilted or bent print moves them differently. Gives no verdict.
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
/** Maximum misalignment of a part in pixels of the square, and so the margin that its shifts need. */
const SHIFT = 4
/** The square inside the margin has this many parts in each direction. */
const PARTS = 3
const PART = (SIDE - 2 * SHIFT) / PARTS

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

/** Correlation of all parts of `a` inside the margin with `b`, each shifted to where it fits best. */
function bestCorrelation(a: FaceDetail, b: FaceDetail): number {
  let [products, squaresA, squaresB] = [0, 0, 0]
  for (let part = 0; part < PARTS * PARTS; part++) {
    const from = (SHIFT + PART * Math.floor(part / PARTS)) * SIDE + SHIFT + PART * (part % PARTS)
    const best = fitPart(a, b, from)
    products += best.products
    squaresA += best.squaresA
    squaresB += best.squaresB
  }
  return correlate({ products, squaresA, squaresB })
}

/** Sums of products and squares of deviations from the mean. */
interface Deviations {
  readonly products: number
  readonly squaresA: number
  readonly squaresB: number
}

/** Pearson's correlation; 0 if one of both has no detail. */
function correlate({ products, squaresA, squaresB }: Deviations): number {
  const spread = Math.sqrt(squaresA * squaresB)
  return spread > 0 ? products / spread : 0
}

function fitPart(a: FaceDetail, b: FaceDetail, from: number): Deviations {
  let best: Deviations = { products: 0, squaresA: 0, squaresB: 0 }
  let bestCorrelation = -Infinity
  for (let dy = -SHIFT; dy <= SHIFT; dy++)
    for (let dx = -SHIFT; dx <= SHIFT; dx++) {
      const deviations = comparePart(a, b, from, dy * SIDE + dx)
      const correlation = correlate(deviations)
      if (correlation > bestCorrelation) [best, bestCorrelation] = [deviations, correlation]
    }
  return best
}

function comparePart(a: FaceDetail, b: FaceDetail, from: number, shift: number): Deviations {
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0]
  for (let y = 0; y < PART; y++)
    for (let x = 0, at = from + y * SIDE; x < PART; x++, at++) {
      const p = a[at]
      const q = b[at + shift]
      sumA += p
      sumB += q
      squaresA += p * p
      squaresB += q * q
      products += p * q
    }
  const count = PART * PART
  return {
    products: products - (sumA * sumB) / count,
    squaresA: squaresA - (sumA * sumA) / count,
    squaresB: squaresB - (sumB * sumB) / count,
  }
}
