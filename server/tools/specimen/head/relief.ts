/** A soft relief over the front of the head with one weight per centre, for the unnamed parts of a face. */
import { SURFACE_CENTRES } from './identity.ts'

/** A bell below exp(-5) is ignored. */
const REACH = 5

/** Sum of the weighted bells at (|x|, y). */
export function createRelief(weights: readonly number[]): (ax: number, y: number) => number {
  const centres = SURFACE_CENTRES.map(([x, y, width], i) => ({
    x,
    y,
    inverse: 1 / width,
    weight: weights[i] ?? 0,
  }))
  return (ax, y) => {
    let sum = 0
    for (const centre of centres) {
      const u = (ax - centre.x) * centre.inverse
      const v = (y - centre.y) * centre.inverse
      const w = u * u + v * v
      if (w < REACH) sum += centre.weight * Math.exp(-w)
    }
    return sum
  }
}
