/** The area where a beard grows: one mask for the colour of the skin and the relief of the hair. */
import { ramp } from './distance.ts'
import type { HeadIdentity } from './identity.ts'
import type { Mouth } from './mouth.ts'

/** Threshold: below this density a beard is stubble: colour only. */
export const STUBBLE_BELOW = 0.5

/** Share of beard at a point of the face, 0–1. */
export function createBeardMask(
  who: HeadIdentity,
  mouth: Mouth,
): (x: number, y: number, z: number) => number {
  const { beard } = who
  if (beard.style === 'none') return () => 0
  return (x, y, z) => {
    const ax = Math.abs(x)
    // No beard on the ears.
    if (ax > who.skull.halfWidth * 0.96 && z < 2) return 0
    const { upperEdge, lowerEdge } = mouth.at(x)
    // The cheek line runs from the sideburn (6.3, -2) to the corner of the mouth (2.6, -6.6).
    const cheekLine = -6.6 + Math.max(0, ax - 2.7) * 1.25
    let mask = ramp(cheekLine + 0.5, cheekLine - 0.4, y)
    if (ax < mouth.halfWidth + 0.9) {
      const underNose = ramp(who.nose.y - 0.75, who.nose.y - 1.15, y + 0.04 * ax * ax)
      const ends = ramp(mouth.halfWidth + 0.5, mouth.halfWidth - 0.3, ax - 0.35 * Math.max(0, upperEdge - y))
      const chin =
        ramp(lowerEdge - 0.55, lowerEdge - 0.95, y) +
        ramp(mouth.halfWidth - 0.35, mouth.halfWidth + 0.1, ax) * ramp(-5.4, -6.2, y)
      mask = Math.max(
        beard.moustache * underNose * ends,
        Math.min(1, chin) * Math.max(mask, ramp(-6.4, -7, y)),
      )
      if (y < upperEdge + 0.06 && y > lowerEdge - 0.06 && ax < mouth.halfWidth) mask = 0
    }
    if (beard.style === 'goatee') mask *= ramp(mouth.halfWidth + 1, mouth.halfWidth + 0.4, ax)
    if (beard.style === 'moustache')
      mask *=
        ramp(lowerEdge + 0.1, lowerEdge + 0.4, y) * ramp(mouth.halfWidth + 0.5, mouth.halfWidth - 0.1, ax)
    mask *= ramp(-12.2, -11, y) * 0.9 + 0.1
    return mask * ramp(-1.5, 0.8, z)
  }
}
