/** Assigns measured skin light to the Monk Skin Tone scale (Ellis Monk, Google 2022; ten published sRGB colours). */
import type { LinearRgb } from '../../../vision/measured/liveness.ts'

const MONK_TONES = [
  '#f6ede4',
  '#f3e7db',
  '#f7ead0',
  '#eadaba',
  '#d7bd96',
  '#a07e56',
  '#825c43',
  '#604134',
  '#3a312a',
  '#292420',
]

type Lab = readonly [lightness: number, a: number, b: number]

/** Tone 1 (lightest) to 10: the nearest colour of the scale in CIELAB. Light and camera shift it by some tones. */
export function findMonkTone(skin: LinearRgb): number {
  const own = toLab([skin.r, skin.g, skin.b])
  const distances = SCALE.map((tone) => Math.hypot(...tone.map((value, i) => value - own[i])))
  return distances.indexOf(Math.min(...distances)) + 1
}

/** Linear sRGB 0–1 to CIELAB under D65 (IEC 61966-2-1, CIE 15). */
function toLab([r, g, b]: readonly [number, number, number]): Lab {
  const x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b
  const z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
  const root = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)
  return [116 * root(y) - 16, 500 * (root(x) - root(y)), 200 * (root(y) - root(z))]
}

const SCALE: readonly Lab[] = MONK_TONES.map((hex) => {
  const channel = (at: number): number => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return toLab([channel(1), channel(3), channel(5)])
})
