/** Lips and the open mouth, eyebrows, lash lines and eyeshadow: paint that follows the lines of the features. */
import { bell, clamp, ramp } from './distance.ts'
import { mix, tint } from './colour.ts'
import type { Paint } from './colour.ts'
import type { Finish } from './materials.ts'
import { valueNoise } from './noise.ts'
import type { Scene } from './scene.ts'

/** Two lip reds, linear; a person's hue lies between them. */
const LIP_REDS = [
  [0.42, 0.13, 0.12],
  [0.5, 0.2, 0.18],
] as const
/** Half height in cm of the upper row of teeth. */
const TEETH = 0.85

export function createLipPaint(scene: Scene, skin: readonly number[], darkness: number) {
  const { mouth } = scene
  const { hue, colourStrength } = scene.sitting.who.mouth
  const share = Math.min(0.95, 0.45 * colourStrength + 0.25)
  const lip = skin.map((v, k) => {
    const red = LIP_REDS[0][k] + (LIP_REDS[1][k] - LIP_REDS[0][k]) * hue
    return v * (1 - share) * 0.95 + share * red * (1 - 0.5 * darkness)
  }) as [number, number, number]

  function paintGap(ax: number, y: number, weight: number, out: Paint): void {
    const depth = mouth.y - y
    const k = ramp(0, 0.1, Math.min(depth, mouth.open - depth)) * ramp(0.02, 0.25, weight)
    const teeth = depth < Math.min(TEETH, mouth.open * 0.8) && ax < mouth.halfWidth * 0.72
    if (!teeth) return mix(out, 0.05, 0.012, 0.012, k)
    const gap = Math.abs(((ax * 1.35) % 1) - 0.5)
    const white = 0.62 - 0.16 * gap * ramp(0.4, 0.5, gap)
    mix(out, white, white * 0.94, white * 0.84, k)
  }

  return (x: number, y: number, z: number, out: Paint, finish: Finish): void => {
    const closedY = mouth.open > 0 && y < mouth.y ? y + Math.min(mouth.y - y, mouth.open) : y
    const { line, upperEdge, lowerEdge, weight } = mouth.at(x)
    if (weight > -0.02) {
      const within =
        ramp(upperEdge + 0.09, upperEdge - 0.054, closedY) *
        ramp(lowerEdge - 0.09, lowerEdge + 0.072, closedY) *
        ramp(-0.02, 0.12, weight)
      if (within > 0) {
        const s = 0.93 + 0.14 * valueNoise(x * 14, y * 3, z * 2)
        mix(out, lip[0] * s, lip[1] * s, lip[2] * s, within * 0.9)
        finish.gloss = 0.35 + 0.4 * within
        finish.sharpness = 24 + 20 * within
        const seam = 1 - bell(closedY - line, 0.07) * 0.75 * ramp(0, 0.12, weight)
        if (mouth.open <= 0) tint(out, seam, seam, seam)
      }
    }
    if (mouth.open > 0 && y < mouth.y && y > mouth.y - mouth.open && weight > 0)
      paintGap(Math.abs(x), y, weight, out)
  }
}

export function createBrowPaint(scene: Scene, colour: readonly [number, number, number]) {
  const { who, expression } = scene.sitting
  const { brows, asymmetry, seed } = who
  return (x: number, y: number, out: Paint, finish: Finish): void => {
    const ax = Math.abs(x)
    const left = x > 0
    const along = (ax - brows.innerX) / brows.length
    if (along < -0.1 || along > 1.15) return
    const tail = along > 0.7 ? (along - 0.7) * 0.9 * (0.5 + brows.arch) : 0
    const middle =
      brows.y -
      0.42 +
      brows.arch * Math.sin(Math.PI * clamp(along * 0.85, 0, 1)) +
      brows.tilt * 2 * along -
      tail +
      0.35 * expression.browRaise +
      0.05 * asymmetry * (left ? 1 : -1)
    const half = brows.thickness * (along < 0.15 ? 0.8 + along * 1.3 : 1 - 0.75 * Math.max(0, along - 0.3))
    // Hairs stand up at the inner end (70°) and lie down towards the temple (6°).
    const lean = 1.25 - 1.15 * clamp(along * 1.4, 0, 1)
    const cos = Math.cos(lean)
    const sin = Math.sin(lean)
    const across = -ax * sin + (y - middle) * cos
    const down = ax * cos + (y - middle) * sin
    const hairs =
      valueNoise(across * 15 + (left ? 50 : 0), down * 2.2, seed) * 0.75 +
      valueNoise(across * 30, down * 4 + (left ? 9 : 0), seed + 3) * 0.45
    let mask = ramp(1.3, 0.3, Math.abs((y - middle) / half) + 0.5 * (hairs - 0.6))
    mask *= ramp(-0.1, 0.1, along) * ramp(1.15, 0.85, along)
    mask *= Math.min(1, brows.density * (0.25 + hairs * 1.05))
    mix(out, colour[0], colour[1], colour[2], mask * 0.93)
    if (mask > 0.3) finish.gloss *= 0.5
  }
}

export function createLidPaint(scene: Scene) {
  const { who } = scene.sitting
  const woman = who.sex === 'F'
  return (x: number, y: number, out: Paint): void => {
    const opening = scene.eyes.lookAt(Math.abs(x), y)
    const reach = Math.abs(opening.along)
    if (reach >= 1.12) return
    const above = opening.across - opening.upper
    const below = opening.lower - opening.across
    if (reach < 1.05) {
      const upper = above > -0.3 ? 0.9 * bell(Math.max(0, above - 0.02), woman ? 0.13 : 0.09) : 0
      const lower = below > -0.2 ? (woman ? 0.45 : 0.25) * bell(Math.max(0, below), 0.06) : 0
      const lash = Math.max(upper, lower) * ramp(1.12, 0.85, reach)
      tint(out, 1 - lash * 0.85, 1 - lash * 0.88, 1 - lash * 0.88)
    }
    // The wet inner rim.
    if (opening.inside < -0.02) mix(out, 0.45, 0.2, 0.18, 0.7)
    if (who.eyes.makeup > 0 && above > 0) {
      const shadow = 0.6 * who.eyes.makeup * bell(above - 0.3, 0.3) * ramp(1.2, 0.8, reach)
      tint(out, 1 - shadow * 0.6, 1 - shadow * 0.8, 1 - shadow * 0.7)
    }
  }
}
