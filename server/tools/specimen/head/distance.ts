/** Signed distances to simple bodies, and ways to blend them. Centimetres; negative inside. */

/** Smooth minimum: blends the two bodies over a width of `k`. */
export function blend(a: number, b: number, k: number): number {
  const h = k - Math.abs(a - b)
  return (a < b ? a : b) - (h > 0 ? (h * h) / (4 * k) : 0)
}

/** Smooth maximum: the intersection of two bodies with a rounded edge; with a negated body, a soft carving. */
export function carve(a: number, b: number, k: number): number {
  const h = k - Math.abs(a - b)
  return (a > b ? a : b) + (h > 0 ? (h * h) / (4 * k) : 0)
}

/** Ellipsoid about the origin with half-axes a, b, c (first-order distance). */
export function ellipsoid(x: number, y: number, z: number, a: number, b: number, c: number): number {
  const u = x / a
  const v = y / b
  const w = z / c
  const k0 = Math.sqrt(u * u + v * v + w * w)
  const p = u / a
  const q = v / b
  const r = w / c
  const k1 = Math.sqrt(p * p + q * q + r * r)
  return k1 < 1e-6 ? -Math.min(a, b, c) : (k0 * (k0 - 1)) / k1
}

export interface CapsuleEnds {
  readonly from: readonly [number, number, number]
  readonly to: readonly [number, number, number]
  readonly radiusFrom: number
  readonly radiusTo: number
}

/** Capsule whose radius changes linearly from one end to the other. */
export function capsule(x: number, y: number, z: number, ends: CapsuleEnds): number {
  const { from, to, radiusFrom, radiusTo } = ends
  const ux = to[0] - from[0]
  const uy = to[1] - from[1]
  const uz = to[2] - from[2]
  const vx = x - from[0]
  const vy = y - from[1]
  const vz = z - from[2]
  let h = (ux * vx + uy * vy + uz * vz) / (ux * ux + uy * uy + uz * uz)
  h = h < 0 ? 0 : h > 1 ? 1 : h
  const dx = vx - ux * h
  const dy = vy - uy * h
  const dz = vz - uz * h
  return Math.sqrt(dx * dx + dy * dy + dz * dz) - (radiusFrom + (radiusTo - radiusFrom) * h)
}

/** Returns 0 at `from`, 1 at `to`, and smooth values between them. `from` may be larger than `to`. */
export function ramp(from: number, to: number, x: number): number {
  let t = (x - from) / (to - from)
  t = t < 0 ? 0 : t > 1 ? 1 : t
  return t * t * (3 - 2 * t)
}

/** Bell curve with value 1 at 0 and 1/e at `width`. */
export function bell(x: number, width: number): number {
  return Math.exp(-(x * x) / (width * width))
}

export function clamp(x: number, low: number, high: number): number {
  return x < low ? low : x > high ? high : x
}
