/**
 * Computes how a document before the camera reflects the kiosk's own screen: the light that the screen sheds on the
 * document, and the picture of the screen in a glossy surface. Pure arithmetic, in millimetres, with the lens at the
 * origin: x to the right in the camera's picture, y down, z towards the document.
 */
import type { Reflection } from './light.ts'
import { FOCAL, type Placement } from './geometry.ts'

/** An upright 27-inch screen; the lens is in the middle of its upper frame. */
const SCREEN = { width: 336.2, height: 597.7, top: 18 } as const
/** Typical luminance of such a screen's white and black, cd/m². */
const WHITE = 300
const BLACK = 0.3
/**
 * Laminates and polycarbonate have a refractive index of about 1.5, which gives this reflectance at normal incidence
 * (Fresnel).
 */
const REFLECTED = 0.04
/** Diffuse reflectance of white paper. */
const PAPER = 0.85
/** Half of the angle over which a worn laminate spreads a reflection, in radians. */
const SPREAD = 0.02
const PATCH_MM = 12

/**
 * A part of the page with one linear brightness, 0–1; top and bottom relative to the screen's height, left and right to
 * its width.
 */
interface ScreenPart {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  readonly brightness: number
}

/** Later parts cover earlier ones. */
export type ScreenPage = readonly ScreenPart[]

/** Luminance of the screen at a place, cd/m²; 0 outside it. */
function luminanceAt(page: ScreenPage, x: number, y: number): number {
  const u = x / SCREEN.width + 0.5
  const v = (y - SCREEN.top) / SCREEN.height
  if (u < 0 || u > 1 || v < 0 || v > 1) return 0
  let brightness = 0
  for (const part of page)
    if (u >= part.left && u <= part.right && v >= part.top && v <= part.bottom) brightness = part.brightness
  return BLACK + brightness * WHITE
}

/** @returns lux from the screen on a document that faces it `distanceMm` away and `belowMm` under the lens */
export function screenIlluminance(page: ScreenPage, distanceMm: number, belowMm: number): number {
  let lux = 0
  for (let y = SCREEN.top + PATCH_MM / 2; y < SCREEN.top + SCREEN.height; y += PATCH_MM)
    for (let x = -SCREEN.width / 2 + PATCH_MM / 2; x < SCREEN.width / 2; x += PATCH_MM) {
      const squared = x * x + (y - belowMm) ** 2 + distanceMm ** 2
      // Both cosines are distance divided by path length.
      lux += (luminanceAt(page, x, y) * PATCH_MM * PATCH_MM * distanceMm ** 2) / squared ** 2
    }
  return lux
}

/** @returns luminance of white paper in this light, cd/m² */
export const paperLuminance = (lux: number): number => (PAPER * lux) / Math.PI

interface Pose {
  readonly right: Vector
  readonly down: Vector
  readonly normal: Vector
  /** Place of the document's upper left corner. */
  readonly corner: Vector
}
type Vector = readonly [number, number, number]

/** Pose of the document, derived from its place in the picture. */
export function derivePose({ toPicture: h }: Placement, widthPx: number, heightPx: number): Pose {
  const focal = FOCAL * Math.max(widthPx, heightPx)
  const column = (a: number, b: number, c: number): Vector => [
    (a - (widthPx / 2) * c) / focal,
    (b - (heightPx / 2) * c) / focal,
    c,
  ]
  const [first, second, third] = [column(h[0], h[3], h[6]), column(h[1], h[4], h[7]), column(h[2], h[5], 1)]
  const scale = 1 / Math.hypot(...first)
  const times = ([x, y, z]: Vector): Vector => [x * scale, y * scale, z * scale]
  const [right, down] = [times(first), times(second)]
  return { right, down, normal: cross(right, down), corner: times(third) }
}

/** @returns the light that the document reflects, relative to white paper */
export function buildReflection(page: ScreenPage, pose: Pose, paper: number): Reflection {
  const { right, down, normal, corner } = pose
  return (x, y) => {
    const at: Vector = [0, 1, 2].map((n) => corner[n] + x * right[n] + y * down[n]) as unknown as Vector
    const length = Math.hypot(...at)
    const along = (at[0] * normal[0] + at[1] * normal[1] + at[2] * normal[2]) / length
    const [rx, ry, rz] = [0, 1, 2].map((n) => at[n] / length - 2 * along * normal[n])
    if (rz >= -0.05) return 0
    // Length of the way back to the plane of the screen.
    const way = -at[2] / rz
    const [sx, sy] = [at[0] + way * rx, at[1] + way * ry]
    const blur = SPREAD * way
    const seen =
      (2 * luminanceAt(page, sx, sy) +
        luminanceAt(page, sx - blur, sy) +
        luminanceAt(page, sx + blur, sy) +
        luminanceAt(page, sx, sy - blur) +
        luminanceAt(page, sx, sy + blur)) /
      6
    // Schlick's approximation of Fresnel's law.
    const reflected = REFLECTED + (1 - REFLECTED) * (1 - Math.abs(along)) ** 5
    return (reflected * seen) / paper
  }
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
