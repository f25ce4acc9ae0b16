/** Colours in linear light, and the skin tones. */
import type { Colour } from './identity.ts'

/** sRGB 0–255 to linear 0–1. */
export function toLinear(colour: Colour): [number, number, number] {
  return colour.map((value) => {
    const v = value / 255
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
}

/** Linear light to sRGB, both 0–1. */
export function toSrgb(v: number): number {
  return v <= 0.0031308 ? 12.92 * v : 1.055 * Math.pow(v, 1 / 2.4) - 0.055
}

/** Six tones between the lightest and the darkest skin, sRGB; other tones are interpolated in linear light. */
const SKIN_TONES: readonly Colour[] = [
  [238, 203, 180],
  [228, 184, 155],
  [212, 160, 124],
  [184, 128, 92],
  [138, 90, 62],
  [88, 56, 40],
]

/** tone 0 lightest … 5 darkest, linear RGB. */
export function skinTone(tone: number): [number, number, number] {
  const t = Math.max(0, Math.min(SKIN_TONES.length - 1.001, tone))
  const i = Math.floor(t)
  const a = toLinear(SKIN_TONES[i])
  const b = toLinear(SKIN_TONES[i + 1])
  return a.map((v, k) => v + (b[k] - v) * (t - i)) as [number, number, number]
}

/** A colour being mixed; every surface writes into one of these. */
export type Paint = Float64Array

/** Moves the paint towards a colour by `share`. */
export function mix(paint: Paint, r: number, g: number, b: number, share: number): void {
  paint[0] += (r - paint[0]) * share
  paint[1] += (g - paint[1]) * share
  paint[2] += (b - paint[2]) * share
}

/** Multiplies the paint channel by channel. */
export function tint(paint: Paint, r: number, g: number, b: number): void {
  paint[0] *= r
  paint[1] *= g
  paint[2] *= b
}
