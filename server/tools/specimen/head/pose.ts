/** Turns the head about the top of the neck; the body stays. */
import type { HeadPose } from './identity.ts'

/** The head turns about this point (cm in the world, which is the head's frame at rest). */
const PIVOT_Y = -8
const PIVOT_Z = -2

export type Vector = readonly [number, number, number]

export interface PoseFrame {
  /** Row-major rotation, head to world. */
  readonly rotation: readonly number[]
  /** Returns a new vector; for set-up and shading, not for the inner loop. */
  toWorld(x: number, y: number, z: number): Vector
  /** Writes the head-frame coordinates of a world point into `out`. */
  toHead(x: number, y: number, z: number, out: Float64Array): void
}

function multiply(a: readonly number[], b: readonly number[]): number[] {
  const product: number[] = []
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      product.push(a[i * 3] * b[j] + a[i * 3 + 1] * b[3 + j] + a[i * 3 + 2] * b[6 + j])
  return product
}

/** R = Ry(yaw) · Rx(pitch) · Rz(roll), with pitch > 0 looking up. */
export function createPose(pose: HeadPose): PoseFrame {
  const radians = Math.PI / 180
  const cosYaw = Math.cos(pose.yawDeg * radians)
  const sinYaw = Math.sin(pose.yawDeg * radians)
  const cosPitch = Math.cos(pose.pitchDeg * radians)
  const sinPitch = Math.sin(pose.pitchDeg * radians)
  const cosRoll = Math.cos(pose.rollDeg * radians)
  const sinRoll = Math.sin(pose.rollDeg * radians)
  const rotation = multiply(
    multiply(
      [cosYaw, 0, sinYaw, 0, 1, 0, -sinYaw, 0, cosYaw],
      [1, 0, 0, 0, cosPitch, sinPitch, 0, -sinPitch, cosPitch],
    ),
    [cosRoll, -sinRoll, 0, sinRoll, cosRoll, 0, 0, 0, 1],
  )
  const [r0, r1, r2, r3, r4, r5, r6, r7, r8] = rotation as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return {
    rotation,
    toWorld(x, y, z) {
      const dy = y - PIVOT_Y
      const dz = z - PIVOT_Z
      return [
        r0 * x + r1 * dy + r2 * dz,
        r3 * x + r4 * dy + r5 * dz + PIVOT_Y,
        r6 * x + r7 * dy + r8 * dz + PIVOT_Z,
      ]
    },
    toHead(x, y, z, out) {
      const dy = y - PIVOT_Y
      const dz = z - PIVOT_Z
      out[0] = r0 * x + r3 * dy + r6 * dz
      out[1] = r1 * x + r4 * dy + r7 * dz + PIVOT_Y
      out[2] = r2 * x + r5 * dy + r8 * dz + PIVOT_Z
    },
  }
}
