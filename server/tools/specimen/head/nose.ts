/** Bridge, tip, wings and nostrils. */
import { bell, blend, capsule, carve, ellipsoid, ramp } from './distance.ts'
import type { CapsuleEnds } from './distance.ts'
import type { HeadIdentity } from './identity.ts'

/** The nose looks stuck on below about 0.85. */
const JOIN_WIDTH = 1.3

/** Distance to one nostril's hollow; the material also darkens it. */
export function nostril(nose: HeadIdentity['nose'], ax: number, y: number, z: number): number {
  const { halfWidth } = nose
  return ellipsoid(
    ax - 0.42 - halfWidth * 0.16,
    y - nose.y + 0.74,
    z - nose.z + 0.95,
    0.2 + 0.13 * halfWidth,
    0.3,
    0.55,
  )
}

export function createNose(nose: HeadIdentity['nose']) {
  const { tipRadius, halfWidth, bridgeRadius } = nose
  const ridge: CapsuleEnds = {
    from: [0, 0.9, nose.bridgeZ - 0.1],
    to: [0, nose.y + 0.35, nose.z - 0.15],
    radiusFrom: bridgeRadius,
    radiusTo: bridgeRadius + 0.12,
  }
  return {
    /** The face's distance with the nose joined to it. */
    join(face: number, x: number, ax: number, y: number, z: number): number {
      let n = capsule(x, y, z, ridge)
      if (nose.hump) n -= nose.hump * 0.45 * bell(y + 1.6, 1) * bell(x, 0.8)
      const tip = ellipsoid(
        x,
        y - nose.y,
        z - nose.z + tipRadius * 0.55,
        tipRadius * 1.05,
        tipRadius * 0.85,
        tipRadius,
      )
      n = blend(n, tip, 0.7)
      n = blend(
        n,
        ellipsoid(ax - halfWidth + 0.3, y - nose.y + 0.22, z - nose.z + 1.5, 0.72, nose.wing * 0.9, 1),
        0.6,
      )
      n = blend(n, ellipsoid(x, y - nose.y + 0.55, z - nose.z + 1.1, 0.35, 0.4, 0.9), 0.4)
      n = carve(n, -nostril(nose, ax, y, z), 0.15)
      const groove = Math.hypot(ax - halfWidth - 0.42, (y - nose.y - 0.05) * 0.7)
      return blend(face, n, JOIN_WIDTH) + 0.07 * bell(groove, 0.28) * ramp(nose.z - 4.5, nose.z - 2.6, z)
    },
  }
}
