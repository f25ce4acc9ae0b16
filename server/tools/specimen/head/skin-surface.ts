/** The skin as a distance: skull, jaw, nose, lips, sockets, lids, lines of age, and the person's own soft relief. */
import { bell, blend, capsule, carve, ellipsoid, ramp } from './distance.ts'
import type { CapsuleEnds } from './distance.ts'
import type { Eyes } from './eyes.ts'
import type { Sitting } from './identity.ts'
import type { Mouth } from './mouth.ts'
import { createNose } from './nose.ts'
import { createRelief } from './relief.ts'

export interface SkinSurface {
  /** Distance from a point of the head's frame to the skin. */
  distance(x: number, y: number, z: number): number
  /** Distance to the plain skull and flesh at the last call; hair grows from it. */
  readonly skullDistance: number
}

/** Features are on the front; behind this depth the surface is the plain skull. */
const FRONT_Z = 5
/**
 * Features are skipped beyond this distance from the skull; a margin of 2.9 prevents a ray from stepping through a nose.
 */
const FAR = 4
const FAR_MARGIN = 2.9

export function createSkinSurface(sitting: Sitting, eyes: Eyes, mouth: Mouth): SkinSurface {
  const { who, expression } = sitting
  const { skull, cheeks, jaw, chin, age, asymmetry } = who
  const { smile, browRaise } = expression
  const nose = createNose(who.nose)
  const relief = createRelief(who.relief)
  const headLength = skull.halfLength + skull.foreheadDepth * 0.3
  const jawEnds: CapsuleEnds = {
    from: [jaw.x, jaw.y, 0.6],
    to: [Math.max(0.2, chin.width), chin.y + 1.5, chin.z - 0.5],
    radiusFrom: jaw.radius,
    radiusTo: 1.35,
  }
  const browEnds: CapsuleEnds = {
    from: [1.2, 1.55 + browRaise * 0.1, 7.7 + skull.foreheadDepth],
    to: [4.5, 1.35, 5.6],
    radiusFrom: who.eyes.browRidge,
    radiusTo: who.eyes.browRidge * 0.8,
  }

  function skullAndFlesh(x: number, ax: number, y: number, z: number): number {
    let d = ellipsoid(
      x,
      y - (11.4 - skull.halfHeight),
      z + 0.2,
      skull.halfWidth,
      skull.halfHeight,
      headLength,
    )
    d = blend(d, ellipsoid(x, y + 3.2, z - 2.1, skull.faceHalfWidth, skull.faceHalfHeight, 7), 2.2)
    d = blend(d, capsule(ax, y, z, jawEnds), 2.6)
    d = blend(d, ellipsoid(x, y - chin.y - 1.45, z - chin.z, 1 + chin.width, 1.35, 1.55), 1.3)
    const bone = cheeks.boneRadius
    d = blend(d, ellipsoid(ax - cheeks.boneX, y - cheeks.boneY, z - 4.6, bone * 1.15, bone * 0.8, bone), 2.2)
    const fullness = 1.6 + cheeks.fullness + 0.25 * smile
    d = blend(d, ellipsoid(ax - 3.4, y + 4.6, z - 5.6, 1.7, 2.2, fullness), 1.6)
    return blend(d, ellipsoid(x, y + 7, z - 5.4, 3.2, 3.3, 4 + who.mouth.muzzle), 1.8)
  }

  /** Height of the lips' relief (negative: grooves), cm. `restY` is the height before the jaw drops. */
  function lipRelief(x: number, ax: number, y: number, restY: number): number {
    const lips = mouth.at(x)
    const { line, upperEdge, lowerEdge, weight } = lips
    let q = 0
    if (weight > 0) {
      const up = (y - line) / (upperEdge - line + 1e-3)
      const down = (line - y) / (line - lowerEdge + 1e-3)
      const ends = Math.min(1, weight * 2)
      if (up > 0 && up < 1.4) q += who.mouth.relief * 0.8 * Math.sin((Math.PI * up) / 1.4) * ends
      if (down > 0 && down < 1.3) q += who.mouth.relief * 1.1 * Math.sin((Math.PI * down) / 1.3) * ends
    }
    q -= 0.13 * bell(y - line, 0.1) * ramp(-0.05, 0.15, weight)
    q -= 0.14 * bell(ax - mouth.halfWidth, 0.3) * bell(y - line, 0.3)
    const philtrum = bell(x, 0.28) * ramp(-4.9, -5.4, y) * ramp(upperEdge - 0.1, upperEdge + 0.3, y)
    q -= 0.12 * philtrum
    q -= 0.2 * bell(y - (lowerEdge - 0.55), 0.45) * bell(x, 1.7)
    if (mouth.open > 0 && restY < mouth.y - 0.01) {
      const depth = mouth.y - restY
      if (depth < mouth.open) {
        const edge = Math.min(depth, mouth.open - depth) / 0.12
        q -= 0.75 * Math.min(1, edge) * ramp(0, 0.25, weight)
      }
    }
    return q * ramp(-4.8, -5.1, y) * ramp(-11, -10.2, y)
  }

  /** Grooves of age and expression, cm. */
  function lines(x: number, ax: number, y: number): number {
    let d = 0
    const t = (-4.3 - y) / 3.2
    if (t > -0.2 && t < 1.3) {
      const start = who.nose.halfWidth + 0.35
      const foldX = start + (mouth.halfWidth + 0.75 - start) * t
      d +=
        (0.03 + 0.09 * age + 0.12 * smile) * bell(ax - foldX, 0.3) * ramp(-0.2, 0.15, t) * ramp(1.3, 0.8, t)
    }
    const { wrinkles } = who.skin
    if (wrinkles > 0.2) {
      if (y > 2.2) {
        const first = bell(y - 2.9 - 0.1 * Math.sin(x * 1.3), 0.11)
        const second = bell(y - 3.7 - 0.12 * Math.sin(x * 1.1 + 1), 0.11)
        d += 0.07 * wrinkles * (first + second + bell(y - 4.5, 0.1)) * bell(x, 3.4)
      }
      const outside = ax - who.eyes.x - who.eyes.halfWidth
      const crowsFeet = bell(y - 0.25 - 0.5 * outside, 0.08) + bell(y + 0.25 + 0.2 * outside, 0.08)
      d += 0.06 * wrinkles * bell(outside - 0.55, 0.5) * crowsFeet
      d += 0.06 * wrinkles * bell(ax - 0.45, 0.1) * bell(y - 1.3, 0.6)
    }
    return d + (0.04 + 0.1 * age) * bell(y + 1.35 + 0.12 * (ax - 2.2), 0.3) * bell(ax - 2.4, 1.2)
  }

  function withLids(skin: number, ax: number, y: number, z: number): number {
    const dx = ax - eyes.x
    const dz = z - eyes.z
    let d = blend(skin, Math.sqrt(dx * dx + y * y + dz * dz) - eyes.ballRadius - 0.13, 0.42)
    const opening = eyes.lookAt(ax, y)
    const reach = Math.abs(opening.along)
    if (reach < 1.25 && z > eyes.z) {
      const arc = Math.max(0, 1 - opening.along * opening.along * 0.75)
      const crease = opening.across - (who.eyes.upperLid * arc * (0.55 + 0.45 * expression.lids) + 0.27)
      d += (0.05 + 0.07 * who.eyes.fold) * bell(crease, 0.12) * ramp(1.25, 0.9, reach)
      d += 0.03 * age * bell(opening.across - opening.lower + 0.45, 0.12)
    }
    return carve(d, -Math.max(opening.inside * 0.9, eyes.z + 0.5 - z), 0.1)
  }

  const surface = {
    skullDistance: 0,
    distance(x0: number, restY: number, z: number): number {
      let y = restY
      // An open mouth moves everything below the lip line down.
      if (mouth.open > 0 && y < mouth.y && z > 1) y += Math.min(mouth.y - y, mouth.open) * ramp(1, 5, z)
      const x = x0 + asymmetry * 0.012 * (y + 4)
      const ax = Math.abs(x)
      let d = skullAndFlesh(x, ax, y, z)
      surface.skullDistance = d
      if (d > FAR) return d - FAR_MARGIN
      if (z < 0) return d
      d = blend(d, capsule(ax, y, z, browEnds), 1.3)
      d = carve(d, -ellipsoid(ax - eyes.x + 0.1, y - 0.05, z - eyes.z - 2.85, 2.1, 1.25, 1.3), 1.3)
      d = carve(d, -ellipsoid(ax - 1.75, y + 0.1, z - eyes.z - 2.55, 0.6, 1, 1), 1.1)
      if (z <= FRONT_Z) return d
      d = nose.join(d, x, ax, y, z)
      if (y < -4.8 && y > -11) d -= lipRelief(x, ax, y, restY) * ramp(FRONT_Z, 6, z)
      d += lines(x, ax, y)
      if (d < 1.5) d -= relief(ax, y) * ramp(FRONT_Z, 6.4, z)
      if (y < 3.2 && y > -3.2 && z > eyes.z - 3) d = withLids(d, ax, y, z)
      return d
    },
  }
  return surface
}
