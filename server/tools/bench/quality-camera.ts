/**
 * Simulates a camera and its light: reflections, a lens out of focus, a moving hand, sensor noise. Computes in linear
 * light. Of a document it uses only the corners.
 */
import { homography, invert } from '../../vision/documents/outline/warp.ts'
import type { Raster } from '../../vision/raster.ts'
import type { Quad } from '../../vision/protocol.ts'

/** Linear light, three values per pixel; 1 is white paper in full light. */
export interface Light {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
}

export const GAMMA = 2.2
/** Standard deviation of a sensor's read-out noise, and of its photon noise at full light, in 8-bit steps. */
const READ_NOISE = 1.2
const PHOTON_NOISE = 2.2

/** An oval reflection of a lamp: full in its middle, fading over its outer third. The full part is white. */
export function addGlare(
  { data, width, height }: Light,
  quad: Quad,
  { widthMm, heightMm }: { readonly widthMm: number; readonly heightMm: number },
  share: number,
  random: () => number,
): void {
  const map = homography(quad)
  const back = map && invert(map)
  if (!back) return
  const [a, b, c, d, e, f, g, h, i] = back
  const stretch = 1 + random()
  const radius = Math.sqrt((share * widthMm * heightMm) / Math.PI)
  const [rx, ry] = [radius * Math.sqrt(stretch), radius / Math.sqrt(stretch)]
  const room = (r: number, side: number) => (r < side / 2 ? r + random() * (side - 2 * r) : side / 2)
  const [cx, cy] = [room(rx, widthMm), room(ry, heightMm)]
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      const w = g * x + h * y + i
      const u = ((a * x + b * y + c) / w) * widthMm
      const v = ((d * x + e * y + f) / w) * heightMm
      const distance = Math.hypot((u - cx) / rx, (v - cy) / ry)
      if (distance > 2.5) continue
      // Just enough at the rim to blow out paper.
      const added = distance <= 1 ? 0.4 + 2 * (1 - distance) : 0.4 * Math.exp(-4 * (distance - 1))
      for (let k = 0; k < 3; k++) data[o + k] += added
    }
}

/** Three box filters approximate a Gaussian; applied to linear light, as in a lens. */
export function blur({ data, width, height }: Light, sigma: number): void {
  const radius = Math.max(0.5, (Math.sqrt(4 * sigma * sigma + 1) - 1) / 2)
  const other = new Float32Array(data.length)
  for (let n = 0; n < 3; n++) {
    for (let y = 0; y < height; y++)
      average(data, other, { start: y * width * 3, count: width, step: 3, lanes: 3 }, radius)
    average(other, data, { start: 0, count: height, step: width * 3, lanes: width * 3 }, radius)
  }
}

/** `count` groups of `lanes` neighbouring values, `step` apart. */
interface Groups {
  readonly start: number
  readonly count: number
  readonly step: number
  readonly lanes: number
}

/** Mean over ±radius groups with weighted fractions, separately for each lane; the end values are repeated outwards. */
function average(
  from: Float32Array,
  to: Float32Array,
  { start, count, step, lanes }: Groups,
  radius: number,
): void {
  const whole = Math.floor(radius)
  const part = radius - whole
  const weight = 1 / (2 * radius + 1)
  const place = (n: number) => start + Math.max(0, Math.min(count - 1, n)) * step
  const sums = new Float64Array(lanes)
  for (let n = -whole; n <= whole; n++) for (let k = 0, i = place(n); k < lanes; k++, i++) sums[k] += from[i]
  for (let n = 0; n < count; n++) {
    const [before, first, after] = [place(n - whole - 1), place(n - whole), place(n + whole + 1)]
    for (let k = 0, o = start + n * step; k < lanes; k++, o++) {
      to[o] = (sums[k] + part * (from[before + k] + from[after + k])) * weight
      sums[k] += from[after + k] - from[first + k]
    }
  }
}

/** Motion blur along a straight line of some pixels. */
export function smear({ data, width, height }: Light, way: number, angle: number): void {
  const source = data.slice()
  const taps = Math.ceil(way)
  const offsets = Array.from({ length: taps }, (_, n) => {
    const s = ((n + 0.5) / taps - 0.5) * way
    return [Math.round(s * Math.cos(angle)), Math.round(s * Math.sin(angle))] as const
  })
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      let [r, g, b] = [0, 0, 0]
      for (const [dx, dy] of offsets) {
        const px = Math.min(width - 1, Math.max(0, x + dx))
        const py = Math.min(height - 1, Math.max(0, y + dy))
        const i = (py * width + px) * 3
        r += source[i]
        g += source[i + 1]
        b += source[i + 2]
      }
      data[o] = r / taps
      data[o + 1] = g / taps
      data[o + 2] = b / taps
    }
}

/** Number of noise values that are drawn once; each row begins at a different one. */
const NOISE_VALUES = 65_521
/** Steps for converting light up to twice the full level to 8 bits: a third of a level in the darkest part. */
const LIGHT_STEPS = 1 << 16

/** Converts to 8 bits, with the noise of low light. */
export function expose(light: Light, exposure: number, random: () => number): Raster {
  const { width, height } = light
  const noise = Float32Array.from({ length: NOISE_VALUES }, () => (random() + random() + random() - 1.5) * 2)
  const levels = Float32Array.from(
    { length: LIGHT_STEPS },
    (_, i) => 255 * ((2 * i) / LIGHT_STEPS) ** (1 / GAMMA),
  )
  // Photon noise grows with the square root of the light; a display's curve makes it about constant in steps.
  const dim = 1 + 0.6 * (1 - exposure)
  const data = new Uint8Array(light.data.length)
  for (let y = 0, i = 0; y < height; y++) {
    let at = Math.floor(random() * NOISE_VALUES)
    for (const end = i + 3 * width; i < end; i++) {
      const full = Math.max(0, light.data[i] * exposure)
      const level = levels[Math.min(LIGHT_STEPS - 1, (full * LIGHT_STEPS) >> 1)]
      at = at + 1 < NOISE_VALUES ? at + 1 : 0
      const value = level + (READ_NOISE + PHOTON_NOISE * Math.sqrt(Math.min(1, full))) * dim * noise[at]
      data[i] = value < 0 ? 0 : value > 255 ? 255 : value
    }
  }
  return { data, width, height }
}
