/** Hair: the skull's surface grown outwards within the hairline, with noise as strands. */
import { bell, blend, carve, ellipsoid, ramp } from './distance.ts'
import type { Sitting } from './identity.ts'
import { valueNoise } from './noise.ts'

export interface Hair {
  readonly present: boolean
  /** Distance to the hair; `skull` is the distance to the bare skull at the same point. */
  distance(x: number, y: number, z: number, skull: number): number
  /** Distance of the last measured point from the hairline; negative where hair grows. */
  readonly outside: number
  /** Strand pattern in [0, 1]. */
  strand(x: number, y: number, z: number): number
  /** Azimuth about the parting, radians: the coordinate across strands. */
  azimuth(x: number, z: number): number
  /** Omits strands, for shadow rays: strands cost more than everything else. */
  plain: boolean
}

/** Strands are computed only within this distance of the skull. */
const STRAND_REACH = 2.2

export function createHair({ who }: Sitting): Hair {
  const { hair } = who
  const { style, partX, thickness } = hair
  const isLong = style === 'long' || style === 'bob'
  const isCropped = style === 'buzz' || style === 'crop'
  const phase = who.seed % 97
  const hairlineY = style === 'bangs' ? 2.9 : hair.hairlineY

  const azimuth = (x: number, z: number) => Math.atan2(x - partX * 0.6, z + 3.5)

  function strand(x: number, y: number, z: number): number {
    const a = azimuth(x, z)
    const h = y * 0.5
    const lock = valueNoise(a * 26 + phase, h * 0.8 + 1.5 * valueNoise(a * 5, h, 3), 1.7)
    return lock * 0.6 + valueNoise(a * 70 + phase, h * 1.6, 5.1) * 0.4
  }

  /** Signed distance to the hairline on the skull, negative above it. */
  function hairline(x: number, y: number, z: number): number {
    const ax = Math.abs(x)
    let curve = -0.075 * ax * ax
    if (style === 'bangs') curve = 0.02 * ax * ax
    else if (hair.receding) curve = 0.05 * ax * ax - 0.012 * ax * ax * ax
    const slant = style === 'side' || isLong ? 0.12 * (x - partX) * (partX > 0 ? 1 : -1) : 0
    const front = hairlineY + curve + slant - y + 0.25 * hair.peak * bell(ax, 1.2)
    let sideZ: number
    if (isLong) sideZ = 2.9 + (y < 0 ? 0.08 * y : 0)
    else if (y > -0.5) sideZ = 2.6 - (y < 2 ? 0.1 * (y - 2) : 0)
    else if (y > -4) sideZ = isCropped ? 1 + y * 0.15 : 1.5
    else sideZ = -2.6 + 0.3 * (4 + y)
    let side = z - sideZ
    if (style === 'bangs' && ax > 4.6) side = z - 5.2
    return blend(front, side, 2)
  }

  function layerThickness(y: number, inside: number): number {
    let t = thickness * (0.45 + 0.55 * ramp(0, 9, y))
    if (style === 'buzz') t = 0.12
    else if (style === 'crop') t = 0.35 + 0.4 * ramp(3, 10, y)
    else if (style === 'short' && y < 2) t *= 0.6
    else if (style === 'bun') t = 0.12 + t * 0.35
    // A short ramp behind the hairline would look like a helmet.
    return t * ramp(0.2, style === 'bangs' ? -2.4 : -4.2, inside)
  }

  /** The hanging part of long hair: a shell open at the face. */
  function curtain(x: number, y: number, z: number): number {
    const ax = Math.abs(x)
    const bob = style === 'bob'
    const width = 8.1 + thickness * 0.55 - (bob ? 0 : 0.3)
    let c = ellipsoid(x, y + (bob ? 1 : 5), z + 1.9, width, bob ? 8.5 : 15, 6.6)
    c = carve(c, z - 2.4 + (y < 0 ? 0.048 * y : 0), 0.8)
    const innerX = 5.6 - 1.2 * ramp(-7.5, -12.5, y)
    c = Math.max(c, -(ax - innerX) * 0.7)
    return Math.max(c, z - 2.6 + 1.4 * ramp(-8, -13, y))
  }

  const result = {
    present: style !== 'bald',
    outside: 0,
    plain: false,
    strand,
    azimuth,
    distance(x: number, y: number, z: number, skull: number): number {
      if (!isLong && skull > 4) return skull - 3.2
      let outside = hairline(x, y, z)
      let pattern = 0.5
      const close = skull < STRAND_REACH && outside < 2.5
      if (close && !result.plain) {
        pattern = strand(x, y, z)
        // Locks of several widths break the edge, which would otherwise look cut with scissors.
        const lock = valueNoise(azimuth(x, z) * 9 + phase, y * 0.35, 8.3)
        outside += style === 'buzz' ? 0.35 * (pattern - 0.5) : 0.8 * (pattern - 0.5) + 0.55 * (lock - 0.5)
      }
      if (!isLong && y < -9) outside = Math.max(outside, -9 - y)
      let d = Math.max(skull - layerThickness(y, outside) - 0.04, outside * 0.8)
      if (style === 'short' || style === 'side') {
        const quiff = ellipsoid(x - partX * 0.25, y - 8.9, z - 3.6, 5.4, 2.1 + thickness * 0.4, 4.4)
        d = carve(blend(d, quiff, 2.4), outside * 0.8, 0.5)
      }
      if (style === 'bun') d = Math.min(d, ellipsoid(x, y - 12.2, z + 4.5, 3.1, 2.7, 3))
      if (isLong) {
        const hanging = curtain(x, y, z)
        d = blend(d, hanging, 1)
        if (outside > 0 && hanging < 0.5) outside = -0.5
      }
      result.outside = outside
      if (d < 0.5 && !result.plain) {
        const relief = close ? pattern : strand(x, y, z)
        d -= (style === 'buzz' ? 0.03 : 0.22) * (relief - 0.5)
      }
      return d
    },
  }
  return result
}
