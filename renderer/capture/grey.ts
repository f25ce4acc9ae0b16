/**
 * Measurements of the page on a small grey copy of the camera's picture. Pure; the appliance gives the
 * verdicts.
 */
import type { Point } from './events.ts'

export interface Grey {
  readonly width: number
  readonly height: number
  readonly values: Uint8Array
}

/** ITU-R BT.601 luma. */
export function toGrey(rgba: Uint8ClampedArray, width: number, height: number): Grey {
  const values = new Uint8Array(width * height)
  for (let i = 0; i < values.length; i++)
    values[i] = 0.299 * rgba[i * 4] + 0.587 * rgba[i * 4 + 1] + 0.114 * rgba[i * 4 + 2]
  return { width, height, values }
}

/** Mean difference of two pictures, 0–255, after removing a change of the overall brightness. */
export function movementBetween(a: Grey, b: Grey): number {
  const count = Math.min(a.values.length, b.values.length)
  if (count === 0) return 0
  let shift = 0
  for (let i = 0; i < count; i++) shift += a.values[i] - b.values[i]
  shift /= count
  let sum = 0
  for (let i = 0; i < count; i++) sum += Math.abs(a.values[i] - b.values[i] - shift)
  return sum / count
}

/**
 * Mean difference between neighbouring pixels, 0–255: the sharpest of several pictures of one scene has the
 * most.
 */
export function measureSharpness({ width, height, values }: Grey): number {
  let sum = 0
  for (let y = 1; y < height; y++)
    for (let x = 1; x < width; x++) {
      const here = values[y * width + x]
      sum += Math.abs(here - values[y * width + x - 1]) + Math.abs(here - values[(y - 1) * width + x])
    }
  return sum / Math.max(1, 2 * (width - 1) * (height - 1))
}

const FLAT = { width: 24, height: 15 } as const

/**
 * Flattens the document to 24 × 15 dots (the shape of a card), sampled along straight lines between its
 * corners.
 */
export function flattenDocument(grey: Grey, corners: readonly Point[]): Float64Array {
  const dots = new Float64Array(FLAT.width * FLAT.height)
  for (let y = 0; y < FLAT.height; y++)
    for (let x = 0; x < FLAT.width; x++) {
      const [u, v] = [(x + 0.5) / FLAT.width, (y + 0.5) / FLAT.height]
      const at = between(between(corners[0], corners[1], u), between(corners[3], corners[2], u), v)
      dots[y * FLAT.width + x] = valueAt(grey, at)
    }
  return dots
}

/** Correlation of two flattened documents, upright or upside down, whichever is higher. 1: the same side. */
export function compareFlattened(a: Float64Array, b: Float64Array): number {
  return Math.max(correlation(a, b), correlation(a, b.toReversed()))
}

function correlation(a: Float64Array, b: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanA, meanB] = [mean(a), mean(b)]
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] - meanA, b[i] - meanB]
    ab += x * y
    aa += x * x
    bb += y * y
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0
}

function between(a: Point, b: Point, share: number): Point {
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share }
}

function valueAt({ width, height, values }: Grey, { x, y }: Point): number {
  const column = Math.min(width - 1, Math.max(0, Math.floor(x * width)))
  const row = Math.min(height - 1, Math.max(0, Math.floor(y * height)))
  return values[row * width + column]
}
