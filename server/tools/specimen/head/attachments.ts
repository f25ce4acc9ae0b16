/** Ears, neck, clothes and glasses. */
import { blend, capsule, carve, ellipsoid } from './distance.ts'
import type { CapsuleEnds } from './distance.ts'
import type { Eyes } from './eyes.ts'
import type { HeadIdentity } from './identity.ts'
import type { PoseFrame } from './pose.ts'

/** Both ears (|x|), as nested ellipsoids: shell, hollow, tragus. */
export function createEars(who: HeadIdentity): (ax: number, y: number, z: number) => number {
  const { size, angle } = who.ears
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  const rootX = who.skull.halfWidth * 0.985 + 0.1
  return (ax, y, z) => {
    const a = ax - rootX
    const c = z + 0.6
    const q = a * cos + c * sin
    const w = -a * sin + c * cos
    const b = ((y + 1.35) / size) * 1.12 + 0.1 * w
    if (q * q + b * b + w * w > 30) return Math.sqrt(q * q + b * b + w * w) - 4
    let d = ellipsoid(q - 0.25, b, w + 0.4, 0.55, 3, 1.8)
    d = carve(d, -ellipsoid(q - 0.75, b - 0.2, w + 0.25, 0.5, 2.1, 1.15), 0.35)
    d = blend(d, ellipsoid(q - 0.3, b + 0.2, w - 0.75, 0.4, 0.8, 0.45), 0.3)
    d = blend(d, ellipsoid(q, b - 0.1, w + 0.9, 0.4, 1.5, 0.3), 0.3)
    return d * 0.9
  }
}

/** Neck in world coordinates: from the turned head down to the still body. */
export function neckEnds(who: HeadIdentity, pose: PoseFrame): CapsuleEnds {
  return {
    from: pose.toWorld(0, -8.5, -1.6),
    to: [0, -19, -3.2],
    radiusFrom: who.neckRadius,
    radiusTo: who.neckRadius + 0.25,
  }
}

const SHOULDER: CapsuleEnds = {
  from: [1.5, -15.9, -4.2],
  to: [14.5, -20.5, -4.5],
  radiusFrom: 3.2,
  radiusTo: 4.6,
}
const UPPER_ARM: CapsuleEnds = { from: [17, -22.5, -4.5], to: [20, -52, -3], radiusFrom: 4.9, radiusTo: 4.4 }

/** A plain pullover: trunk, shoulders, upper arms, and a collar that hugs the neck. */
export function clothes(x: number, y: number, z: number, neck: number): number {
  const ax = Math.abs(x)
  let d = ellipsoid(x, y + 46, z + 4.5, 18, 29, 9.5)
  d = blend(d, capsule(ax, y, z, SHOULDER), 3)
  d = blend(d, capsule(ax, y, z, UPPER_ARM), 3)
  // Cloth 0.5 cm over the neck, ending in a rounded rim.
  const rim = carve(neck - 0.5, y + 15.4 + 0.3 * (z + 3), 0.35)
  return blend(d, rim, 0.9)
}

/** Frames without lenses; 9 (far) if the person wears none. */
export function createGlasses(who: HeadIdentity, eyes: Eyes): (x: number, y: number, z: number) => number {
  if (who.glasses === 'none') return () => 9
  const round = who.glasses === 'round'
  const halfWidth = Math.min(round ? 2.2 : 2.5, eyes.x - 0.75)
  const halfHeight = round ? 2 : 1.6
  const corner = round ? 1.8 : 0.7
  // A frame thicker than 0.12 cm makes the face detector fail.
  const wire = round ? 0.1 : 0.12
  const hingeX = eyes.x + halfWidth
  const hingeZ = eyes.z + 3.05 - 0.045 * hingeX * hingeX
  const bridge: CapsuleEnds = {
    from: [0, 0.35, eyes.z + 3.2],
    to: [eyes.x - halfWidth, 0.1, eyes.z + 3],
    radiusFrom: 0.12,
    radiusTo: 0.12,
  }
  const arm: CapsuleEnds = {
    from: [hingeX, 0.1, hingeZ],
    to: [who.skull.halfWidth + 0.15, 0.1, -0.2],
    radiusFrom: 0.13,
    radiusTo: 0.13,
  }
  return (x, y, z) => {
    const ax = Math.abs(x)
    const qx = Math.abs(ax - eyes.x) - (halfWidth - corner)
    const qy = Math.abs(y + 0.35) - (halfHeight - corner)
    const outline = Math.hypot(Math.max(qx, 0), Math.max(qy, 0)) + Math.min(0, Math.max(qx, qy)) - corner
    const depth = z - (eyes.z + 3.05 - 0.045 * ax * ax)
    let d = (Math.sqrt(outline * outline + depth * depth) - wire) * 0.9
    d = Math.min(d, capsule(ax, y, z, bridge))
    return Math.min(d, capsule(ax, y, z, arm))
  }
}
