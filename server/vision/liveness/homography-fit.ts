/** Least-squares homography of many point pairs. Pure arithmetic. */
import { invert, type Homography } from '../documents/outline/warp.ts'
import type { Point } from '../protocol.ts'
import { product, solveSymmetric } from './linear.ts'

const UNKNOWNS = 8

/** Minimises the algebraic error after normalising both sets (Hartley 1997); null for collinear points. */
export function fitHomography(from: readonly Point[], to: readonly Point[]): Homography | null {
  const [a, b] = [computeScaling(from), computeScaling(to)]
  const matrix = new Float64Array(UNKNOWNS * UNKNOWNS)
  const right = new Float64Array(UNKNOWNS)
  from.forEach((p, i) => {
    const [x, y] = [(p.x - a.x) * a.scale, (p.y - a.y) * a.scale]
    const [u, v] = [(to[i].x - b.x) * b.scale, (to[i].y - b.y) * b.scale]
    addRow(matrix, right, [x, y, 1, 0, 0, 0, -u * x, -u * y], u)
    addRow(matrix, right, [0, 0, 0, x, y, 1, -v * x, -v * y], v)
  })
  const h = solveSymmetric(matrix, right, UNKNOWNS)
  const back = invert([b.scale, 0, -b.x * b.scale, 0, b.scale, -b.y * b.scale, 0, 0, 1])
  if (h === null || back === null) return null
  const there: Homography = [a.scale, 0, -a.x * a.scale, 0, a.scale, -a.y * a.scale, 0, 0, 1]
  return product(back, product([h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1], there))
}

function addRow(matrix: Float64Array, right: Float64Array, row: readonly number[], value: number): void {
  for (let i = 0; i < UNKNOWNS; i++) {
    for (let j = 0; j <= i; j++) matrix[i * UNKNOWNS + j] += row[i] * row[j]
    right[i] += row[i] * value
  }
}

function computeScaling(points: readonly Point[]): {
  readonly x: number
  readonly y: number
  readonly scale: number
} {
  const x = points.reduce((sum, p) => sum + p.x, 0) / points.length
  const y = points.reduce((sum, p) => sum + p.y, 0) / points.length
  const spread = points.reduce((sum, p) => sum + Math.hypot(p.x - x, p.y - y), 0) / points.length
  return { x, y, scale: spread > 0 ? Math.SQRT2 / spread : 1 }
}
