/** Deforms a sheet of paper as a hand does. Each function takes a flat sheet around the origin and answers it bent. */
import type { MeshPoint } from '../../../vision/faces/pose.ts'

export type Bend = (point: MeshPoint) => MeshPoint

export const flat: Bend = (point) => point

/** Beyond this a sheet would meet itself. */
const MAX_ROLL = 1.5

/** Bends the sheet around an upright axis in front of or behind it. `radius` is in centimetres. */
export const rolledUpright =
  (radius: number): Bend =>
  ({ x, y, z }) => {
    const angle = Math.max(-MAX_ROLL, Math.min(MAX_ROLL, x / radius))
    return { x: radius * Math.sin(angle), y, z: z + radius * (1 - Math.cos(angle)) }
  }

/** Around a level axis. */
export const rolledLevel =
  (radius: number): Bend =>
  ({ x, y, z }) => {
    const angle = Math.max(-MAX_ROLL, Math.min(MAX_ROLL, y / radius))
    return { x, y: radius * Math.sin(angle), z: z + radius * (1 - Math.cos(angle)) }
  }

/** Along the nose, each half leaning back by this angle (radians). */
export const folded =
  (angle: number): Bend =>
  ({ x, y, z }) => ({ x: x * Math.cos(angle), y, z: z + Math.abs(x) * Math.sin(angle) })

/** Size of a nose of paper in centimetres: half its width, its length above and below the tip, and its height. */
const PAPER_NOSE = { halfWidth: 2.2, above: 4, below: 1, reach: 0.5, height: 2.2 }

/** Pushes out a ridge around the tip of the nose. */
export const withPaperNose =
  (tip: { readonly x: number; readonly y: number }): Bend =>
  ({ x, y, z }) => {
    const { halfWidth, above, below, reach, height } = PAPER_NOSE
    const across = Math.max(0, 1 - Math.abs(x - tip.x) / halfWidth)
    const from = (y - (tip.y - above - reach)) / above
    const to = (tip.y + below + reach / 2 - y) / below
    return { x, y, z: z - height * across * Math.max(0, Math.min(1, from, to)) }
  }
