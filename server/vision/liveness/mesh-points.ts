/** Selects the points of the face mesh that the liveness geometry uses. Indices are MediaPipe's. */
import type { MeshPoint } from '../faces/pose.ts'

const MESH_POINTS = 468
export const RIGHT_SIDE = 234
export const LEFT_SIDE = 454
export const NOSE = 1

/** Outline of the face in order. Its surroundings change when the head turns. */
export const OVAL_POINTS: readonly number[] = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
  150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
]
/** The lips move independently of the head. */
const LIPS = new Set([
  0, 11, 12, 13, 14, 15, 16, 17, 37, 38, 39, 40, 41, 42, 61, 62, 72, 73, 74, 76, 77, 78, 80, 81, 82, 84, 85,
  86, 87, 88, 89, 90, 91, 95, 96, 146, 178, 179, 180, 181, 183, 184, 185, 191, 267, 268, 269, 270, 271, 272,
  291, 292, 302, 303, 304, 306, 307, 308, 310, 311, 312, 314, 315, 316, 317, 318, 319, 320, 321, 324, 325,
  375, 402, 403, 404, 405, 407, 408, 409, 415,
])

/** The 388 points that move rigidly with the head. */
export const STIFF_POINTS: readonly number[] = indicesWithout(LIPS)
/** The 352 rigid points whose surroundings stay visible. */
export const TRACKED_POINTS: readonly number[] = indicesWithout(LIPS, new Set(OVAL_POINTS))

function indicesWithout(...sets: readonly ReadonlySet<number>[]): number[] {
  return Array.from({ length: MESH_POINTS }, (_, i) => i).filter((i) => !sets.some((set) => set.has(i)))
}

/** 3D distance from ear to ear in pixels: does not shrink when the head turns. */
export function headWidth(mesh: readonly MeshPoint[]): number {
  const [right, left] = [mesh[RIGHT_SIDE], mesh[LEFT_SIDE]]
  return Math.hypot(left.x - right.x, left.y - right.y, left.z - right.z)
}
