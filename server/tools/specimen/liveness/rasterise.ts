/** Draws textured triangles: the nearest surface wins, perspective is exact, the texture is interpolated. */
import type { Raster } from '../../../vision/raster.ts'

/** The picture so far: colour 0–255, not rounded, and 1/distance, 0 where the canvas is empty. */
export interface Canvas {
  readonly width: number
  readonly height: number
  readonly colour: Float32Array
  readonly nearness: Float32Array
}

/** Corners in the camera's view, six numbers each: x and y in pixels, 1/distance, u and v in the texture, light. */
export type Corners = Float32Array
export const PER_CORNER = 6

export function emptyCanvas(background: Raster): Canvas {
  const { width, height } = background
  const canvas = {
    width,
    height,
    colour: new Float32Array(width * height * 3),
    nearness: new Float32Array(width * height),
  }
  return wiped(canvas, background)
}

/** Prepares the canvas for the next picture of the same size, because large arrays are costly to allocate. */
export function wiped(canvas: Canvas, background: Raster): Canvas {
  canvas.colour.set(background.data)
  canvas.nearness.fill(0)
  return canvas
}

export function drawTriangles(
  canvas: Canvas,
  corners: Corners,
  triangles: Int32Array,
  texture: Raster,
): void {
  for (let t = 0; t < triangles.length; t += 3)
    drawTriangle(
      canvas,
      corners,
      [triangles[t] * PER_CORNER, triangles[t + 1] * PER_CORNER, triangles[t + 2] * PER_CORNER],
      texture,
    )
}

/** Tolerance at the edges, so that no gap opens between neighbours. */
const SLACK = 1e-5

function drawTriangle(
  { width, height, colour, nearness }: Canvas,
  v: Corners,
  [a, b, c]: readonly [number, number, number],
  texture: Raster,
): void {
  const area = (v[b] - v[a]) * (v[c + 1] - v[a + 1]) - (v[b + 1] - v[a + 1]) * (v[c] - v[a])
  if (Math.abs(area) < 1e-9) return
  const left = Math.max(0, Math.ceil(Math.min(v[a], v[b], v[c])))
  const right = Math.min(width - 1, Math.floor(Math.max(v[a], v[b], v[c])))
  const top = Math.max(0, Math.ceil(Math.min(v[a + 1], v[b + 1], v[c + 1])))
  const bottom = Math.min(height - 1, Math.floor(Math.max(v[a + 1], v[b + 1], v[c + 1])))
  for (let y = top; y <= bottom; y++)
    for (let x = left; x <= right; x++) {
      const p = ((v[b] - x) * (v[c + 1] - y) - (v[b + 1] - y) * (v[c] - x)) / area
      const q = ((v[c] - x) * (v[a + 1] - y) - (v[c + 1] - y) * (v[a] - x)) / area
      const r = 1 - p - q
      if (p < -SLACK || q < -SLACK || r < -SLACK) continue
      const nearA = p * v[a + 2]
      const nearB = q * v[b + 2]
      const nearC = r * v[c + 2]
      const near = nearA + nearB + nearC
      const at = y * width + x
      if (near <= nearness[at]) continue
      nearness[at] = near
      const u = (nearA * v[a + 3] + nearB * v[b + 3] + nearC * v[c + 3]) / near
      const w = (nearA * v[a + 4] + nearB * v[b + 4] + nearC * v[c + 4]) / near
      paint(colour, at * 3, texture, u, w, p * v[a + 5] + q * v[b + 5] + r * v[c + 5])
    }
}

function paint(
  out: Float32Array,
  o: number,
  { data, width, height }: Raster,
  u: number,
  v: number,
  light: number,
): void {
  const x = Math.min(width - 1.001, Math.max(0, u))
  const y = Math.min(height - 1.001, Math.max(0, v))
  const [x0, y0] = [x | 0, y | 0]
  const [fx, fy] = [x - x0, y - y0]
  const i = (y0 * width + x0) * 3
  const below = i + width * 3
  for (let k = 0; k < 3; k++) {
    const upper = data[i + k] * (1 - fx) + data[i + 3 + k] * fx
    const lower = data[below + k] * (1 - fx) + data[below + 3 + k] * fx
    out[o + k] = (upper * (1 - fy) + lower * fy) * light
  }
}
