/** A character's window against a template: how alike they are, and where it lies best. Arithmetic alone. */
import type { GreyRaster } from '../../image.ts'
import { WINDOW } from './zone-shapes.ts'

/** One place of the zone's lattice. */
export interface Cell {
  readonly line: number
  readonly column: number
  readonly character: string
  /** Middle of its place. */
  readonly x: number
  readonly y: number
}

export interface Shift {
  readonly dx: number
  readonly dy: number
}

export interface Match extends Shift {
  /** Normalised correlation, −1…1. */
  readonly score: number
}

const PIXELS = WINDOW.width * WINDOW.height
/** Windows of less variance than one level show nothing to compare. */
const LEAST_VARIANCE = PIXELS

/** The best place of the template within `reach` of the cell's place moved by `around`. */
export function matchAt(
  { data, width, height }: GreyRaster,
  cell: Cell,
  template: Float32Array,
  around: Shift,
  reach: { readonly x: number; readonly y: number },
): Match {
  const left = Math.round(cell.x - (WINDOW.width - 1) / 2) + around.dx
  const top = Math.round(cell.y - (WINDOW.height - 1) / 2) + around.dy
  let best: Match = { score: 0, ...around }
  for (let dy = -reach.y; dy <= reach.y; dy++)
    for (let dx = -reach.x; dx <= reach.x; dx++) {
      const x0 = left + dx
      const y0 = top + dy
      if (x0 < 0 || y0 < 0 || x0 + WINDOW.width > width || y0 + WINDOW.height > height) continue
      const score = correlation(data, y0 * width + x0, width, template)
      if (score > best.score) best = { score, dx: around.dx + dx, dy: around.dy + dy }
    }
  return best
}

function correlation(data: Uint8Array, from: number, stride: number, template: Float32Array): number {
  let sum = 0
  let squares = 0
  let product = 0
  for (let y = 0, t = 0, row = from; y < WINDOW.height; y++, row += stride)
    for (let x = 0, i = row; x < WINDOW.width; x++, i++, t++) {
      const value = 255 - data[i]
      sum += value
      squares += value * value
      product += value * template[t]
    }
  const variance = squares - (sum * sum) / PIXELS
  return variance > LEAST_VARIANCE ? product / Math.sqrt(variance) : 0
}

export interface Print {
  /** Luminance of the ground around the character and of its ink. */
  readonly ground: number
  readonly ink: number
}

export function printAt({ data, width, height }: GreyRaster, cell: Cell, { dx, dy }: Shift): Print | null {
  const left = Math.round(cell.x - (WINDOW.width - 1) / 2) + dx
  const top = Math.round(cell.y - (WINDOW.height - 1) / 2) + dy
  if (left < 0 || top < 0 || left + WINDOW.width > width || top + WINDOW.height > height) return null
  const values = new Uint8Array(PIXELS)
  for (let y = 0; y < WINDOW.height; y++)
    values.set(
      data.subarray((top + y) * width + left, (top + y) * width + left + WINDOW.width),
      y * WINDOW.width,
    )
  values.sort()
  return { ground: values[Math.floor(PIXELS * 0.85)], ink: values[Math.floor(PIXELS * 0.03)] }
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length
}
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted.length === 0 ? 0 : sorted[sorted.length >> 1]
}
