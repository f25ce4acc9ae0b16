/** Renders the table through the lens: for every pixel the surface at its place and the light there. */
import type { Background } from './background.ts'
import type { Placement, RectMm } from './geometry.ts'
import type { Hand, Overlay } from './hand.ts'
import { readRow, type Field } from './light.ts'
import type { SceneObject } from './object.ts'
import { encode, LINEAR } from './raster.ts'
import { shadowAt } from './shadow.ts'

export interface Stage {
  readonly widthPx: number
  readonly heightPx: number
  readonly placement: Placement
  readonly background: Background
  /** Null: no object on the table. */
  readonly object: SceneObject | null
  readonly hand: Hand | null
  readonly light: Field
  readonly glare: Field | null
  readonly whiteBalance: readonly [number, number]
}

/** Offset of a shadow per millimetre of height, and its softness, in millimetres. */
const SHADOW_SHIFT = [0.9, 1.2] as const

/** Share of the light that remains under a touching finger. */
const HAND_SHADOW = 0.5

/** RGB bytes before the sensor: sharp and without noise. */
export function expose(stage: Stage): Uint8Array {
  const { widthPx, heightPx, placement, object, hand, glare } = stage
  const picture = new Uint8Array(widthPx * heightPx * 3)
  const lightRow = new Float32Array(widthPx)
  const glareRow = new Float32Array(widthPx)
  const colour = new Float32Array(3)
  const h = placement.toTable
  const gain = [stage.whiteBalance[0], 1, stage.whiteBalance[1]]
  const sharpness = placement.scale
  for (let j = 0, k = 0; j < heightPx; j++) {
    readRow(stage.light, j, lightRow)
    if (glare) readRow(glare, j, glareRow)
    const v = j + 0.5
    for (let i = 0; i < widthPx; i++, k += 3) {
      const u = i + 0.5
      const w = h[6] * u + h[7] * v + 1
      const x = (h[0] * u + h[1] * v + h[2]) / w
      const y = (h[3] * u + h[4] * v + h[5]) / w
      sampleBackground(stage.background, x, y, colour)
      if (hand?.below) blend(hand.below, x, y, colour, false)
      let mirrored = 0
      if (object) {
        const outside = measureOutside(object, x, y)
        const cover = 0.5 - outside * sharpness
        if (cover < 1 && outside < 8 + 4 * object.lift) shadowOnTable(object, x, y, colour)
        if (cover > 0) {
          const share = cover < 1 ? cover : 1
          sampleObject(object, x, y, colour, share, outside)
          mirrored = share * object.gloss
        }
      }
      if (hand) mirrored *= 1 - blend(hand.above, x, y, colour, true)
      const light = lightRow[i]
      const added = glare ? glareRow[i] * mirrored : 0
      picture[k] = encode((colour[0] * light + added) * gain[0])
      picture[k + 1] = encode((colour[1] * light + added) * gain[1])
      picture[k + 2] = encode((colour[2] * light + added) * gain[2])
    }
  }
  return picture
}

/** Linear light of the surface at a place of the table; its edge continues beyond the painted part. */
function sampleBackground(
  { data, width, height, area, scale }: Background,
  x: number,
  y: number,
  out: Float32Array,
): void {
  bilinear(data, width, height, (x - area.x) * scale - 0.5, (y - area.y) * scale - 0.5, out, 1)
}

function bilinear(
  data: Uint8Array,
  width: number,
  height: number,
  x: number,
  y: number,
  out: Float32Array,
  share: number,
): void {
  const u = x < 0 ? 0 : x > width - 1.001 ? width - 1.001 : x
  const v = y < 0 ? 0 : y > height - 1.001 ? height - 1.001 : y
  const i = u | 0
  const j = v | 0
  const fx = u - i
  const fy = v - j
  const at = (j * width + i) * 3
  const below = at + width * 3
  const a = (1 - fx) * (1 - fy)
  const b = fx * (1 - fy)
  const c = (1 - fx) * fy
  const d = fx * fy
  for (let n = 0; n < 3; n++) {
    const value =
      LINEAR[data[at + n]] * a +
      LINEAR[data[at + 3 + n]] * b +
      LINEAR[data[below + n]] * c +
      LINEAR[data[below + 3 + n]] * d
    out[n] = share === 1 ? value : out[n] * (1 - share) + value * share
  }
}

/** Signed distance in millimetres to the object's edge with its rounded corners; negative inside. */
function measureOutside({ rect, cornerRadius }: SceneObject, x: number, y: number): number {
  return roundedDistance(rect, cornerRadius, x, y)
}

function roundedDistance(rect: RectMm, radius: number, x: number, y: number): number {
  const dx = Math.abs(x - rect.x - rect.width / 2) - rect.width / 2 + radius
  const dy = Math.abs(y - rect.y - rect.height / 2) - rect.height / 2 + radius
  if (dx > 0 && dy > 0) return Math.sqrt(dx * dx + dy * dy) - radius
  return (dx > dy ? dx : dy) - radius
}

function shadowOnTable(object: SceneObject, x: number, y: number, out: Float32Array): void {
  const { lift, rect, cornerRadius } = object
  // Light comes from the upper left; even outside the cast shadow there is less light near the edge.
  const thrown = roundedDistance(rect, cornerRadius, x - SHADOW_SHIFT[0] * lift, y - SHADOW_SHIFT[1] * lift)
  const near = roundedDistance(rect, cornerRadius, x, y)
  const cast = 0.42 / (1 + Math.exp((thrown / lift) * 2.6))
  const contact = 0.34 * Math.exp(-Math.max(0, near) / (0.7 * lift))
  const k = (1 - cast) * (1 - contact)
  for (let n = 0; n < 3; n++) out[n] *= k
}

function sampleObject(
  object: SceneObject,
  x: number,
  y: number,
  out: Float32Array,
  share: number,
  outside: number,
): void {
  const { data, width, height, rect, scale } = object
  bilinear(data, width, height, (x - rect.x) * scale - 0.5, (y - rect.y) * scale - 0.5, out, share)
  // The cut edge: a thin line, brighter towards the light and darker away from it.
  if (outside > -0.35) {
    const towardsLight = x - rect.x < 1 || y - rect.y < 1
    const k = 1 + (towardsLight ? 0.16 : -0.2) * (1 + outside / 0.35)
    for (let n = 0; n < 3; n++) out[n] *= k
  }
}

/** Draws the overlay over `out`, its shadow first; returns the coverage. */
function blend(overlay: Overlay, x: number, y: number, out: Float32Array, throwsShadow: boolean): number {
  const { area, scale, width, height } = overlay
  const u = (x - area.x) * scale
  const v = (y - area.y) * scale
  if (throwsShadow) {
    const shade = shadowAt(overlay.shadow, x, y)
    if (shade > 0) for (let n = 0; n < 3; n++) out[n] *= 1 - HAND_SHADOW * shade
  }
  if (u < 1 || v < 1 || u >= width - 2 || v >= height - 2) return 0
  const i = u | 0
  const j = v | 0
  const fx = u - i
  const fy = v - j
  const at = j * width + i
  const { alpha, rgb } = overlay
  const cover =
    (alpha[at] * (1 - fx) + alpha[at + 1] * fx) * (1 - fy) +
    (alpha[at + width] * (1 - fx) + alpha[at + width + 1] * fx) * fy
  if (cover <= 0) return 0
  // Ignores the colours of uncovered neighbours.
  let red = 0
  let green = 0
  let blue = 0
  let weight = 0
  for (let n = 0; n < 4; n++) {
    const k = at + (n & 1) + (n >> 1) * width
    const a = alpha[k] * ((n & 1 ? fx : 1 - fx) * (n >> 1 ? fy : 1 - fy))
    red += LINEAR[rgb[k * 3]] * a
    green += LINEAR[rgb[k * 3 + 1]] * a
    blue += LINEAR[rgb[k * 3 + 2]] * a
    weight += a
  }
  if (weight <= 0) return 0
  out[0] = out[0] * (1 - cover) + (red / weight) * cover
  out[1] = out[1] * (1 - cover) + (green / weight) * cover
  out[2] = out[2] * (1 - cover) + (blue / weight) * cover
  return cover
}
