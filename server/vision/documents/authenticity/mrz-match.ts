/** Matches a character's window with a template: likeness and best position. Pure arithmetic. */
import type { GreyRaster } from '../../raster.ts'
import { DARKEST, WINDOW } from './mrz-shapes.ts'

/** One cell of the MRZ's lattice. */
export interface Cell {
  readonly line: number
  readonly column: number
  readonly character: string
  /** Centre of the cell. */
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
/** Windows with less variance than one level contain nothing to compare. */
const MIN_VARIANCE = PIXELS

/** A grey picture as ink (255 is black) with summed-area tables, so that the sums of any window are available at once. */
export interface InkSums {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  /** One row and column larger than the picture: sums of ink and squared ink above and left of a place. */
  readonly sums: Float64Array
  readonly squares: Float64Array
}

export function inkSums({ data: grey, width, height }: GreyRaster): InkSums {
  const data = grey.map((value) => 255 - value)
  const stride = width + 1
  const sums = new Float64Array(stride * (height + 1))
  const squares = new Float64Array(stride * (height + 1))
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0, o = (y + 1) * stride + 1, row = 0, rowSquares = 0; x < width; x++, i++, o++) {
      row += data[i]
      rowSquares += data[i] * data[i]
      sums[o] = sums[o - stride] + row
      squares[o] = squares[o - stride] + rowSquares
    }
  return { data, width, height, sums, squares }
}

/** Step of the coarse search: likeness falls slowly around its peak. */
const PACE = 2

/**
 * Finds the template's best place within `reach` of the cell moved by `around`: every second place first, then around the
 * best.
 */
export function matchAt(
  ink: InkSums,
  cell: Cell,
  template: Float32Array,
  around: Shift,
  reach: { readonly x: number; readonly y: number },
): Match {
  const left = Math.round(cell.x - (WINDOW.width - 1) / 2) + around.dx
  const top = Math.round(cell.y - (WINDOW.height - 1) / 2) + around.dy
  let [score, bestX, bestY] = [0, 0, 0]
  const look = (dx: number, dy: number): void => {
    const [x0, y0] = [left + dx, top + dy]
    if (x0 < 0 || y0 < 0 || x0 + WINDOW.width > ink.width || y0 + WINDOW.height > ink.height) return
    const here = correlation(ink, x0, y0, template)
    if (here > score) [score, bestX, bestY] = [here, dx, dy]
  }
  for (let dy = -reach.y; dy <= reach.y; dy += PACE)
    for (let dx = -reach.x; dx <= reach.x; dx += PACE) look(dx, dy)
  const [coarseX, coarseY] = [bestX, bestY]
  for (let dy = Math.max(-reach.y, coarseY - 1); dy <= Math.min(reach.y, coarseY + 1); dy++)
    for (let dx = Math.max(-reach.x, coarseX - 1); dx <= Math.min(reach.x, coarseX + 1); dx++)
      if (dx !== coarseX || dy !== coarseY) look(dx, dy)
  return { score, dx: around.dx + bestX, dy: around.dy + bestY }
}

function correlation(
  { data, width, sums, squares }: InkSums,
  x0: number,
  y0: number,
  template: Float32Array,
): number {
  const upper = y0 * (width + 1) + x0
  const lower = upper + WINDOW.height * (width + 1)
  const over = (of: Float64Array) =>
    of[lower + WINDOW.width] - of[lower] - of[upper + WINDOW.width] + of[upper]
  const sum = over(sums)
  const variance = over(squares) - (sum * sum) / PIXELS
  if (variance <= MIN_VARIANCE) return 0
  let product = 0
  for (let y = 0, t = 0, row = y0 * width + x0; y < WINDOW.height; y++, row += width)
    for (let x = 0, i = row; x < WINDOW.width; x++, i++, t++) product += data[i] * template[t]
  return product / Math.sqrt(variance)
}

export interface Print {
  /** Luminance of the ground around the character and of its ink. */
  readonly ground: number
  readonly ink: number
}

export function printAt({ data, width, height }: InkSums, cell: Cell, { dx, dy }: Shift): Print | null {
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
  return { ground: 255 - values[Math.floor(PIXELS * 0.15)], ink: 255 - values[Math.floor(PIXELS * DARKEST)] }
}
