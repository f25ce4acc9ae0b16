/**
 * Computes how much light falls on each place, on a coarse grid over the picture: the falloff, the shadows, the dark
 * corners of the lens, and the glare.
 */
import { applyHomography } from '../passport/homography.ts'
import type { RectMm, Placement } from './geometry.ts'
import type { GlarePlan, ScenePlan } from './plan.ts'

/** Values at every `cell`-th pixel. */
export interface Field {
  readonly values: Float32Array
  readonly columns: number
  readonly cell: number
}

const CELL = 8

function makeField(widthPx: number, heightPx: number, at: (x: number, y: number) => number): Field {
  const columns = Math.ceil(widthPx / CELL) + 2
  const rows = Math.ceil(heightPx / CELL) + 2
  const values = new Float32Array(columns * rows)
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++) values[j * columns + i] = at(i * CELL, j * CELL)
  return { values, columns, cell: CELL }
}

const smoothStep = (t: number) => {
  const s = t <= 0 ? 0 : t >= 1 ? 1 : t
  return s * s * (3 - 2 * s)
}

/** Light that falls on the scene. 1 is the middle of an evenly lit picture. */
export function lightField(plan: ScenePlan): Field {
  const { widthPx, heightPx, shadows, lightSlope, lightAngleDeg, exposure } = plan
  const long = Math.max(widthPx, heightPx)
  const angle = (lightAngleDeg * Math.PI) / 180
  const edges = shadows.map((shadow) => ({
    ...shadow,
    cos: Math.cos((shadow.angleDeg * Math.PI) / 180),
    sin: Math.sin((shadow.angleDeg * Math.PI) / 180),
  }))
  return makeField(widthPx, heightPx, (px, py) => {
    const x = (px - widthPx / 2) / long
    const y = (py - heightPx / 2) / long
    let light = exposure * (1 + lightSlope * (x * Math.cos(angle) + y * Math.sin(angle)) * 1.6)
    light *= 1 - 0.45 * (x * x + y * y)
    for (const { at, width, softness, depth, cos, sin } of edges) {
      const across = x * cos + y * sin - at
      const inside = smoothStep(across / softness + 0.5) - smoothStep((across - width) / softness + 0.5)
      light *= 1 - depth * inside
    }
    return light
  })
}

/**
 * Light added at a place of the document, in millimetres from its upper left corner. 1 is white paper in full light.
 */
export type Reflection = (x: number, y: number) => number

/** Light that the document's surface mirrors, added to what it shows. Null if there is none. */
export function glareField(
  { glare, widthPx, heightPx }: ScenePlan,
  document: RectMm,
  { toTable }: Placement,
  reflection?: Reflection,
): Field | null {
  if (glare.length === 0 && !reflection) return null
  return makeField(widthPx, heightPx, (px, py) => {
    const [x, y] = applyHomography(toTable, px, py)
    return glareAt(glare, document, x, y) + (reflection?.(x, y) ?? 0)
  })
}

/**
 * Returns the light added at a place of the document: a bright middle with a wide, faint edge, as a satin surface
 * reflects a lamp.
 */
export function glareAt(glare: readonly GlarePlan[], document: RectMm, x: number, y: number): number {
  let added = 0
  for (const { at, size, angleDeg, strength } of glare) {
    const angle = (angleDeg * Math.PI) / 180
    const dx = x - document.x - document.width * at[0]
    const dy = y - document.y - document.height * at[1]
    const u = (dx * Math.cos(angle) + dy * Math.sin(angle)) / (document.width * size[0])
    const v = (-dx * Math.sin(angle) + dy * Math.cos(angle)) / (document.width * size[1])
    const r = u * u + v * v
    added += strength * (Math.exp(-1.4 * r * r) + 0.16 * Math.exp(-r / 5))
  }
  return added
}

/** One row of the picture, interpolated. */
export function readRow({ values, columns, cell }: Field, y: number, row: Float32Array): void {
  const j = Math.floor(y / cell)
  const fy = y / cell - j
  for (let x = 0, i = j * columns, step = 0; x < row.length; x++) {
    const fx = step / cell
    const upper = values[i] * (1 - fx) + values[i + 1] * fx
    const lower = values[i + columns] * (1 - fx) + values[i + columns + 1] * fx
    row[x] = upper * (1 - fy) + lower * fy
    if (++step === cell) {
      step = 0
      i++
    }
  }
}
