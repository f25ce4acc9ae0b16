/** Which of the 468 points of a face mesh serve the geometry of liveness. Indices are MediaPipe's. */
import type { MeshPoint } from '../faces/pose.ts'

const MESH_POINTS = 468
export const RIGHT_SIDE = 234
export const LEFT_SIDE = 454
export const NOSE = 1

/** The outline of the face, one point after the other: what is seen there changes when the head turns. */
export const OVAL_POINTS: readonly number[] = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
  150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
]
/** The lips move by themselves. */
const LIPS = new Set([
  0, 11, 12, 13, 14, 15, 16, 17, 37, 38, 39, 40, 41, 42, 61, 62, 72, 73, 74, 76, 77, 78, 80, 81, 82, 84, 85,
  86, 87, 88, 89, 90, 91, 95, 96, 146, 178, 179, 180, 181, 183, 184, 185, 191, 267, 268, 269, 270, 271, 272,
  291, 292, 302, 303, 304, 306, 307, 308, 310, 311, 312, 314, 315, 316, 317, 318, 319, 320, 321, 324, 325,
  375, 402, 403, 404, 405, 407, 408, 409, 415,
])

/** Points that move as the head does: 388. */
export const STIFF_POINTS: readonly number[] = indicesWithout(LIPS)
/** Of those, the points whose surroundings stay in sight: 352. */
export const TRACKED_POINTS: readonly number[] = indicesWithout(LIPS, new Set(OVAL_POINTS))

function indicesWithout(...sets: readonly ReadonlySet<number>[]): number[] {
  return Array.from({ length: MESH_POINTS }, (_, i) => i).filter((i) => !sets.some((set) => set.has(i)))
}

/** From ear to ear in space, pixels: does not shrink when the head turns. */
export function headWidth(mesh: readonly MeshPoint[]): number {
  const [right, left] = [mesh[RIGHT_SIDE], mesh[LEFT_SIDE]]
  return Math.hypot(left.x - right.x, left.y - right.y, left.z - right.z)
}
