/** The soft shadow of an object with an irregular outline, on a coarse grid over the table. */
import type { RectMm } from './geometry.ts'

/** Share of the light from above that the hand blocks, one value per millimetre around it. */
export interface Shadow {
  readonly values: Float32Array
  readonly width: number
  readonly height: number
  readonly x: number
  readonly y: number
}

interface Caster {
  readonly alpha: Float32Array
  readonly width: number
  readonly height: number
  readonly area: RectMm
  readonly scale: number
}

const SHADOW_MARGIN = 8
/** Offset of the shadow from the hand, millimetres. */
const SHADOW_SHIFT = [2.2, 2.6] as const

/** The caster's coverage is 0–1 at `scale` values per millimetre. */
export function castShadow({ alpha, width, height, area, scale }: Caster): Shadow {
  const columns = Math.ceil(area.width) + 2 * SHADOW_MARGIN
  const rows = Math.ceil(area.height) + 2 * SHADOW_MARGIN
  let values = new Float32Array(columns * rows)
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) {
      const u = Math.round((i - SHADOW_MARGIN) * scale)
      const v = Math.round((j - SHADOW_MARGIN) * scale)
      if (u >= 0 && v >= 0 && u < width && v < height) values[j * columns + i] = alpha[v * width + u]
    }
  // Three passes of a small mean approximate a soft lamp.
  for (let pass = 0; pass < 3; pass++) values = meanOfNeighbours(values, columns, rows)
  return {
    values,
    width: columns,
    height: rows,
    x: area.x - SHADOW_MARGIN + SHADOW_SHIFT[0],
    y: area.y - SHADOW_MARGIN + SHADOW_SHIFT[1],
  }
}

function meanOfNeighbours(values: Float32Array, width: number, height: number): Float32Array<ArrayBuffer> {
  const mean = new Float32Array(values.length)
  for (let y = 1; y < height - 1; y++)
    for (let x = 1; x < width - 1; x++) {
      let sum = 0
      for (let dy = -1; dy <= 1; dy++)
        for (let dx = -1; dx <= 1; dx++) sum += values[(y + dy) * width + x + dx]
      mean[y * width + x] = sum / 9
    }
  return mean
}

/** 0–1; 0 outside the grid. */
export function shadowAt({ values, width, height, x: left, y: top }: Shadow, x: number, y: number): number {
  const u = x - left
  const v = y - top
  if (u < 0 || v < 0 || u >= width - 1 || v >= height - 1) return 0
  const i = u | 0
  const j = v | 0
  const at = j * width + i
  const upper = values[at] * (1 - u + i) + values[at + 1] * (u - i)
  const lower = values[at + width] * (1 - u + i) + values[at + width + 1] * (u - i)
  return upper * (1 - v + j) + lower * (v - j)
}
