/** A photograph of the bench with the place of its MRZ, and its warping into another photograph. Only for measuring. */
import type { Raster } from '../../../vision/raster.ts'
import type { Point, Quad } from '../../../vision/protocol.ts'

export interface Picture {
  readonly raster: Raster
  /** Corners of the MRZ in reading order; null if unknown. */
  readonly band: Quad | null
}

/** Row by row: (a·x + b·y + c, d·x + e·y + f) (g·x + h·y + 1). */
export type Homography = readonly number[]

export function mapPoint([a, b, c, d, e, f, g, h]: Homography, { x, y }: Point): Point {
  const w = g * x + h * y + 1
  return { x: (a * x + b * y + c) / w, y: (d * x + e * y + f) / w }
}

/** The homography that maps each of four points to its partner. */
export function solveHomography(from: readonly Point[], to: readonly Point[]): Homography {
  const rows = from.flatMap(({ x, y }, i) => [
    [x, y, 1, 0, 0, 0, -x * to[i].x, -y * to[i].x, to[i].x],
    [0, 0, 0, x, y, 1, -x * to[i].y, -y * to[i].y, to[i].y],
  ])
  return solve(rows)
}

/** Gauss-Jordan elimination with pivots; each row ends with its right-hand side. */
function solve(rows: readonly (readonly number[])[]): number[] {
  const m = rows.map((row) => [...row])
  const n = m.length
  for (let column = 0; column < n; column++) {
    let pivot = column
    for (let r = column + 1; r < n; r++) if (Math.abs(m[r][column]) > Math.abs(m[pivot][column])) pivot = r
    ;[m[column], m[pivot]] = [m[pivot], m[column]]
    for (let r = 0; r < n; r++) {
      if (r === column) continue
      const factor = m[r][column] / m[column][column]
      for (let k = column; k <= n; k++) m[r][k] -= factor * m[column][k]
    }
  }
  return m.map((row, i) => row[n] / row[i])
}

export function listCorners({ width, height }: Raster): Quad {
  return [
    { x: 0, y: 0 },
    { x: width - 1, y: 0 },
    { x: width - 1, y: height - 1 },
    { x: 0, y: height - 1 },
  ]
}

/** The picture laid over `ground` with its corners at `corners`. */
export function lay({ raster, band }: Picture, corners: Quad, ground: Raster): Picture {
  const outline = listCorners(raster)
  const toSource = solveHomography(corners, outline)
  const data = Uint8Array.from(ground.data)
  const [a, b, c, d, e, f, g, h] = toSource
  for (let y = 0; y < ground.height; y++)
    for (let x = 0; x < ground.width; x++) {
      const w = g * x + h * y + 1
      const sx = (a * x + b * y + c) / w
      const sy = (d * x + e * y + f) / w
      if (sx < 0 || sy < 0 || sx > raster.width - 1 || sy > raster.height - 1) continue
      sampleInto(raster, sx, sy, data, (y * ground.width + x) * 3)
    }
  const toTarget = solveHomography(outline, corners)
  return {
    raster: { data, width: ground.width, height: ground.height },
    band: band && mapQuad(band, (corner) => mapPoint(toTarget, corner)),
  }
}

function sampleInto(
  { data, width, height }: Raster,
  x: number,
  y: number,
  out: Uint8Array,
  at: number,
): void {
  const x0 = Math.min(width - 2, x | 0)
  const y0 = Math.min(height - 2, y | 0)
  const fx = x - x0
  const fy = y - y0
  const i = (y0 * width + x0) * 3
  const below = i + width * 3
  for (let c = 0; c < 3; c++) {
    const top = data[i + c] + (data[i + 3 + c] - data[i + c]) * fx
    const bottom = data[below + c] + (data[below + 3 + c] - data[below + c]) * fx
    out[at + c] = top + (bottom - top) * fy + 0.5
  }
}

export function mapQuad([a, b, c, d]: Quad, map: (corner: Point) => Point): Quad {
  return [map(a), map(b), map(c), map(d)]
}

/** Mean of the upper and the lower edge. */
export function measureWidth([topLeft, topRight, bottomRight, bottomLeft]: Quad): number {
  const length = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
  return (length(topLeft, topRight) + length(bottomLeft, bottomRight)) / 2
}

/** Recomputes every pixel and channel from its old value and its place (0–1 in each direction). */
export function repaint(
  { raster, band }: Picture,
  colour: (value: number, x: number, y: number, channel: number) => number,
): Picture {
  const { width, height } = raster
  const data = new Uint8Array(raster.data.length)
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++, i++) {
        const value = colour(raster.data[i], x / width, y / height, c)
        data[i] = value < 0 ? 0 : value > 255 ? 255 : value + 0.5
      }
  return { raster: { data, width, height }, band }
}

export function plain(width: number, height: number, [r, g, b]: readonly number[]): Raster {
  const data = new Uint8Array(width * height * 3)
  for (let i = 0; i < data.length; i += 3) {
    data[i] = r
    data[i + 1] = g
    data[i + 2] = b
  }
  return { data, width, height }
}
