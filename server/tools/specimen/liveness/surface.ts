/**
 * Surfaces with a photograph on them: flat, rolled or folded sheets, and heads. Centimetres; x to the picture's right, y
 * down, z away from the camera.
 */
import type { FaceMesh } from '../../../vision/faces/mesh.ts'
import type { MeshPoint } from '../../../vision/faces/pose.ts'
import { LEFT_SIDE, RIGHT_SIDE } from '../../../vision/liveness/mesh-points.ts'
import { rotationAbout, type Rotation } from '../../../vision/liveness/rotation.ts'
import type { Point } from '../../../vision/protocol.ts'

export interface Surface {
  readonly points: readonly MeshPoint[]
  /** Each point's place in the photograph, pixels. */
  readonly places: readonly Point[]
  /** Three points each. */
  readonly triangles: Int32Array
}

/** A grid over a part of the photograph; `lift` maps each place to its position. */
export function gridOver(
  box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  columns: number,
  rows: number,
  lift: (place: Point) => MeshPoint,
  isKept: (place: Point) => boolean = () => true,
): Surface {
  const places = Array.from({ length: columns * rows }, (_, i) => ({
    x: box.x + ((i % columns) / (columns - 1)) * box.width,
    y: box.y + (Math.floor(i / columns) / (rows - 1)) * box.height,
  }))
  const kept = places.map(isKept)
  const triangles: number[] = []
  for (let row = 0; row + 1 < rows; row++)
    for (let column = 0; column + 1 < columns; column++) {
      const a = row * columns + column
      const [b, c, d] = [a + 1, a + columns, a + columns + 1]
      for (const triangle of [
        [a, b, c],
        [b, d, c],
      ])
        if (triangle.every((corner) => kept[corner])) triangles.push(...triangle)
    }
  return { points: places.map(lift), places, triangles: Int32Array.from(triangles) }
}

export function movePoints(surface: Surface, move: (point: MeshPoint, place: Point) => MeshPoint): Surface {
  return { ...surface, points: surface.points.map((point, i) => move(point, surface.places[i])) }
}

export function joinSurfaces(a: Surface, b: Surface): Surface {
  const triangles = new Int32Array(a.triangles.length + b.triangles.length)
  triangles.set(a.triangles)
  triangles.set(
    b.triangles.map((corner) => corner + a.points.length),
    a.triangles.length,
  )
  return { points: [...a.points, ...b.points], places: [...a.places, ...b.places], triangles }
}

export function rotatePoint({ x, y, z }: MeshPoint, r: Rotation): MeshPoint {
  return {
    x: r[0] * x + r[1] * y + r[2] * z,
    y: r[3] * x + r[4] * y + r[5] * z,
    z: r[6] * x + r[7] * y + r[8] * z,
  }
}

/** The normal of every point: the mean of its triangles', towards the camera, of length 1. */
export function computeNormals({ points, triangles }: Surface): MeshPoint[] {
  const sums = points.map(() => ({ x: 0, y: 0, z: 0 }))
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [triangles[t], triangles[t + 1], triangles[t + 2]]
    const [a, b, c] = corners.map((corner) => points[corner])
    const [p, q] = [minus(b, a), minus(c, a)]
    const normal = { x: p.y * q.z - p.z * q.y, y: p.z * q.x - p.x * q.z, z: p.x * q.y - p.y * q.x }
    const towards = normal.z > 0 ? -1 : 1
    for (const corner of corners) {
      sums[corner].x += normal.x * towards
      sums[corner].y += normal.y * towards
      sums[corner].z += normal.z * towards
    }
  }
  return sums.map(({ x, y, z }) => {
    const length = Math.hypot(x, y, z) || 1
    return { x: x / length, y: y / length, z: z / length }
  })
}

function minus(a: MeshPoint, b: MeshPoint): MeshPoint {
  return { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }
}

/** The rotation that aligns the line from ear to ear with x, which undoes the head's turn and lean. */
export function facingForward({ points }: FaceMesh): Rotation {
  const [right, left] = [points[RIGHT_SIDE], points[LEFT_SIDE]]
  const [x, y, z] = [left.x - right.x, left.y - right.y, left.z - right.z]
  const off = Math.hypot(y, z)
  if (off < 1e-9) return rotationAbout(0, 0, 0)
  const angle = Math.atan2(off, x)
  // Rotates about the axis perpendicular to both lines, from the line to x.
  return rotationAbout(0, (angle * z) / off, (-angle * y) / off)
}

/** Tells whether a point is inside a closed line. */
export function isInside({ x, y }: Point, line: readonly Point[]): boolean {
  let inside = false
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [a, b] = [line[i], line[j]]
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside
  }
  return inside
}
