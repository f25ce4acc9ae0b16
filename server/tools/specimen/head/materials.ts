/** Colour and gloss of every material at a point. Separate files handle the skin. */
import { ramp } from './distance.ts'
import { mix, tint, toLinear } from './colour.ts'
import type { Paint } from './colour.ts'
import { cloudNoise, valueNoise } from './noise.ts'
import type { Material, Scene } from './scene.ts'
import { createSkinPaint } from './skin-paint.ts'

/** A painted point's response to light. */
export interface Finish {
  /** Strength and sharpness of the highlight. */
  gloss: number
  sharpness: number
  /** Share of light that travels under the surface, 0–1. */
  translucency: number
  /** Height of the finest bumps. */
  bump: number
}

interface Materials {
  readonly finish: Finish
  /** Paints a point; uses head-frame coordinates except for cloth, which uses world coordinates. */
  paint(material: Material, x: number, y: number, z: number, out: Paint): void
}

const IRIS_RADIUS = 0.62
const PUPIL_RADIUS = 0.25

export function createMaterials(scene: Scene): Materials {
  const { who } = scene.sitting
  const { eyes, hair } = scene
  const finish: Finish = { gloss: 0, sharpness: 1, translucency: 0, bump: 0 }
  const paintSkin = createSkinPaint(scene)
  const hairColour = toLinear(who.hair.colour)
  const irisColour = toLinear(who.eyes.colour)
  const clothColour = toLinear(who.clothColour)

  function set(gloss: number, sharpness: number, translucency: number): void {
    finish.gloss = gloss
    finish.sharpness = sharpness
    finish.translucency = translucency
    finish.bump = 0
  }

  function paintEye(x: number, y: number, z: number, out: Paint): void {
    set(0.9, 260, 0.3)
    const side = x > 0 ? 1 : -1
    const nx = (x - side * eyes.x) / eyes.ballRadius
    const ny = y / eyes.ballRadius
    const nz = (z - eyes.z) / eyes.ballRadius
    const turn = eyes.gazeX - side * 0.03
    const fx = Math.sin(turn) * Math.cos(eyes.gazeY)
    const fy = Math.sin(eyes.gazeY)
    const fz = Math.cos(turn) * Math.cos(eyes.gazeY)
    const fromAxis = Math.acos(Math.min(1, nx * fx + ny * fy + nz * fz)) * eyes.ballRadius
    const opening = eyes.lookAt(Math.abs(x), y)
    // A brighter white of the eye would look like a stare.
    const vein = cloudNoise(x * 5, y * 9, who.seed) - 0.4
    const edge = ramp(0.7, 1.3, Math.abs(nx * 1.1))
    out[0] = 0.56 * (1 - 0.05 * vein)
    out[1] = 0.51 * (1 - 0.2 * Math.max(0, vein) - 0.12 * edge)
    out[2] = 0.48 * (1 - 0.25 * Math.max(0, vein) - 0.15 * edge)
    if (fromAxis < IRIS_RADIUS + 0.06) {
      const angle = Math.atan2(ny - fy, nx - fx)
      const rays = valueNoise(Math.cos(angle) * 9 + 5, Math.sin(angle) * 9, fromAxis * 3)
      const limbus = 1 - ramp(IRIS_RADIUS - 0.15, IRIS_RADIUS, fromAxis) * 0.75
      const pupil = 1 - ramp(PUPIL_RADIUS + 0.02, PUPIL_RADIUS - 0.03, fromAxis)
      const k = (0.7 + 0.6 * rays + 0.25 * ramp(0.5, 0.25, fromAxis)) * limbus * pupil
      const share = ramp(IRIS_RADIUS + 0.05, IRIS_RADIUS - 0.03, fromAxis)
      mix(out, irisColour[0] * k, irisColour[1] * k, irisColour[2] * k, share)
    }
    const lidShadow =
      0.25 +
      0.75 *
        ramp(-0.02, 0.42, opening.upper - opening.across) *
        ramp(0, 0.15, opening.across - opening.lower + 0.05)
    tint(out, lidShadow, lidShadow, lidShadow)
  }

  function paintHair(x: number, y: number, z: number, out: Paint): void {
    const s = hair.strand(x, y, z)
    const a = hair.azimuth(x, z)
    const phase = who.seed % 97
    const lock = valueNoise(a * 9 + phase, y * 0.25, 2.2) - 0.4
    const k = 0.35 + s + 0.5 * lock + 0.35 * (valueNoise(a * 120, y * 1.2, 9) - 0.5)
    out[0] = hairColour[0] * k
    out[1] = hairColour[1] * k
    out[2] = hairColour[2] * k
    set(0.28 * (0.4 + s), 14, 0)
  }

  return {
    finish,
    paint(material, x, y, z, out) {
      switch (material) {
        case 'skin':
          return paintSkin(x, y, z, out, finish)
        case 'eyeball':
          return paintEye(x, y, z, out)
        case 'hair':
          return paintHair(x, y, z, out)
        case 'glasses': {
          const k = who.glasses === 'square' ? 0.02 : 0.05
          out[0] = k * 1.2
          out[1] = k
          out[2] = k
          return set(0.8, 80, 0)
        }
        case 'cloth': {
          const weave = 0.9 + 0.2 * valueNoise(x * 9, y * 9, z * 9)
          out[0] = clothColour[0] * weave
          out[1] = clothColour[1] * weave
          out[2] = clothColour[2] * weave
          return set(0.05, 8, 0)
        }
      }
    },
  }
}
