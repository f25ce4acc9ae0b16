/** 3D rotations as row-major 3 × 3 matrices. Pure arithmetic. */
import type { MeshPoint } from '../faces/pose.ts'
import type { Matrix3 } from './linear.ts'

export type Rotation = Matrix3

const IDENTITY: Rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1]

/** Rotation about an axis through the origin; the vector's norm is the angle in radians (Rodrigues). */
export function rotationAbout(x: number, y: number, z: number): Rotation {
  const angle = Math.hypot(x, y, z)
  if (angle < 1e-12) return IDENTITY
  const [ux, uy, uz] = [x / angle, y / angle, z / angle]
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const v = 1 - c
  return [
    c + ux * ux * v,
    ux * uy * v - uz * s,
    ux * uz * v + uy * s,
    uy * ux * v + uz * s,
    c + uy * uy * v,
    uy * uz * v - ux * s,
    uz * ux * v - uy * s,
    uz * uy * v + ux * s,
    c + uz * uz * v,
  ]
}

/** Gives a precision far below that of a face mesh. */
const POWER_STEPS = 100

/**
 * Least-squares rotation from `from` to `to` after centring (Horn 1987). The quaternion is the eigenvector of the largest
 * eigenvalue, found by power iteration on a shifted matrix.
 */
export function rotationBetween(from: readonly MeshPoint[], to: readonly MeshPoint[]): Rotation {
  const [a, b] = [centred(from), centred(to)]
  const sum = (f: (p: MeshPoint, q: MeshPoint) => number) => a.reduce((s, p, i) => s + f(p, b[i]), 0)
  const [xx, xy, xz] = [sum((p, q) => p.x * q.x), sum((p, q) => p.x * q.y), sum((p, q) => p.x * q.z)]
  const [yx, yy, yz] = [sum((p, q) => p.y * q.x), sum((p, q) => p.y * q.y), sum((p, q) => p.y * q.z)]
  const [zx, zy, zz] = [sum((p, q) => p.z * q.x), sum((p, q) => p.z * q.y), sum((p, q) => p.z * q.z)]
  const matrix = [
    [xx + yy + zz, yz - zy, zx - xz, xy - yx],
    [yz - zy, xx - yy - zz, xy + yx, zx + xz],
    [zx - xz, xy + yx, -xx + yy - zz, yz + zy],
    [xy - yx, zx + xz, yz + zy, -xx - yy + zz],
  ]
  const shift = Math.max(...matrix.map((row) => row.reduce((s, v) => s + Math.abs(v), 0)))
  if (!(shift > 0)) return IDENTITY
  let q = [1, 0.01, 0.01, 0.01]
  for (let step = 0; step < POWER_STEPS; step++) {
    const next = matrix.map((row, i) => row.reduce((s, v, j) => s + v * q[j], 0) + shift * q[i])
    const length = Math.hypot(...next)
    q = next.map((v) => v / length)
  }
  return ofQuaternion(q[0], q[1], q[2], q[3])
}

function centred(points: readonly MeshPoint[]): MeshPoint[] {
  const mean = (f: (p: MeshPoint) => number) => points.reduce((s, p) => s + f(p), 0) / points.length
  const centre = { x: mean(({ x }) => x), y: mean(({ y }) => y), z: mean(({ z }) => z) }
  return points.map(({ x, y, z }) => ({ x: x - centre.x, y: y - centre.y, z: z - centre.z }))
}

function ofQuaternion(w: number, x: number, y: number, z: number): Rotation {
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ]
}
