/** The colour of skin: tone, blood, freckles, lips, brows, lashes, beard and the shadow of cut hair. */
import { createBrowPaint, createLidPaint, createLipPaint } from './skin-features.ts'
import { STUBBLE_BELOW } from './beard.ts'
import { bell, ramp } from './distance.ts'
import { mix, skinTone, tint, toLinear } from './colour.ts'
import type { Paint } from './colour.ts'
import type { Finish } from './materials.ts'
import { cloudNoise, createRandom, valueNoise } from './noise.ts'
import { nostril } from './nose.ts'
import { createRelief } from './relief.ts'
import type { Scene } from './scene.ts'

/** Maximum linear brightness of brow and beard hair, for any colour of the head's hair. */
const FACIAL_HAIR_BRIGHTEST = 0.11
const MOLES = 2

export function createSkinPaint(scene: Scene) {
  const { who } = scene.sitting
  const { skin, nose, hair, beard, age, seed } = who
  const base = skinTone(skin.tone)
  const darkness = Math.min(1, skin.tone / 5)
  const hairColour = toLinear(hair.colour)
  const dim = Math.min(0.6, FACIAL_HAIR_BRIGHTEST / Math.max(...hairColour))
  const facialHair = hairColour.map((v) => v * dim) as [number, number, number]
  const shade = createRelief(who.shade)
  const flush = createRelief(who.flush)
  const paintLips = createLipPaint(scene, base, darkness)
  const paintBrows = createBrowPaint(scene, facialHair)
  const paintLids = createLidPaint(scene)
  const random = createRandom(seed + 77)
  const moles = Array.from({ length: skin.moles > 0 ? MOLES : 0 }, (): [number, number] => [
    (random() * 2 - 1) * 4.4,
    -9 + random() * 12,
  ])

  function paintBlood(ax: number, x: number, y: number, z: number, out: Paint): void {
    const cheeks = z > 2 ? bell(ax - 3.9, 1.7) * bell(y + 3.3, 1.6) : 0
    const noseTip = z > 9 ? 0.9 * bell(x, 1.3) * bell(y - nose.y, 1) : 0
    const ears = ax > 6.9 ? 0.8 : 0
    let red = 0.35 * skin.redness * (cheeks + noseTip + 0.25 * bell(y + 11, 1.2) + ears)
    red *= 1 - 0.6 * darkness
    tint(out, 1 - red * 0.08, 1 - red * 0.55, 1 - red * 0.55)
    if (z > 5) {
      const under = 0.3 * (0.35 + age * 0.65) * bell(y + 1.1, 0.55) * bell(ax - 2.9, 1.4)
      tint(out, 1 - under * 0.8, 1 - under, 1 - under * 0.85)
      const socket = 0.28 * bell(y - 0.55, 0.8) * bell(ax - 2.6, 1.5)
      tint(out, 1 - socket * 0.7, 1 - socket, 1 - socket)
    }
    if (z > 0) {
      const k = Math.exp(shade(ax, y) * ramp(0, 3, z))
      const c = flush(ax, y)
      tint(out, k * (1 + 0.25 * c), k * (1 - 0.5 * c), k * (1 - 0.45 * c))
    }
    if (who.sex === 'M' && z > 0) {
      const shadow = 0.13 * ramp(-6, -8, y)
      tint(out, 1 - shadow, 1 - shadow * 0.8, 1 - shadow * 0.6)
    }
  }

  function paintMarks(x: number, y: number, z: number, out: Paint): void {
    if (skin.freckles > 0) {
      const spot = Math.max(0, valueNoise(x * 4.6 + 9, y * 4.6, z * 4.6 + seed) - 0.68) * 3
      const f = spot * skin.freckles * bell(y + 2.2, 2.6) * ramp(3, 6, z)
      tint(out, 1 - 0.35 * f, 1 - 0.6 * f, 1 - 0.7 * f)
    }
    if (z > 4)
      for (const [mx, my] of moles) {
        const m = bell(Math.hypot(x - mx, y - my), 0.16)
        tint(out, 1 - 0.7 * m, 1 - 0.75 * m, 1 - 0.75 * m)
      }
  }

  function paintBeard(x: number, y: number, z: number, out: Paint, finish: Finish): void {
    const mask = scene.beardMask(x, y, z)
    if (mask <= 0) return
    const strand = valueNoise(x * 12, y * 5, z * 12) * 0.6 + valueNoise(x * 28, y * 11, z * 28) * 0.5
    const stubble = beard.density < STUBBLE_BELOW
    const share = Math.min(1, mask * beard.density * (stubble ? 0.5 + 0.8 * strand : 0.6 + 0.7 * strand))
    mix(out, facialHair[0] * 1.1, facialHair[1] * 1.1, facialHair[2] * 1.1, share)
    finish.gloss *= 1 - 0.7 * share
  }

  /** Hair roots tint the scalp near and behind the hairline, never the ears. */
  function paintScalp(ax: number, x: number, y: number, z: number, out: Paint): void {
    const ear = ax > who.skull.halfWidth * 0.97 && y < 1.5
    if (ear) return
    const cut = hair.style === 'bald' || hair.style === 'buzz'
    if (!cut && y <= 1) return
    scene.hair.distance(x, y, z, 0)
    const outside = scene.hair.outside
    const share = cut
      ? ramp(0.5, -0.8, outside) * (hair.style === 'bald' ? 0.28 : 0.9)
      : ramp(0.7, -0.3, outside) * 0.6
    mix(out, hairColour[0] * 0.7, hairColour[1] * 0.7, hairColour[2] * 0.7, share)
  }

  return (x: number, y: number, z: number, out: Paint, finish: Finish): void => {
    const ax = Math.abs(x)
    finish.gloss = 0.1 + 0.4 * skin.gloss
    finish.sharpness = 14 + 18 * skin.gloss
    finish.translucency = 1
    finish.bump = 0.6
    const patch = cloudNoise(x * 0.9 + seed, y * 0.9, z * 0.9) - 0.5
    const grain = valueNoise(x * 6, y * 6, z * 6) - 0.5
    const pore = valueNoise(x * 19, y * 19, z * 19) - 0.5
    const k = 1 + 0.16 * patch + 0.06 * grain + 0.07 * pore
    out[0] = base[0] * k
    out[1] = base[1] * k * (1 + 0.02 * grain)
    out[2] = base[2] * k
    paintBlood(ax, x, y, z, out)
    paintMarks(x, y, z, out)
    if (z > 4) {
      paintLips(x, y, z, out, finish)
      const hollow = 1 - 0.82 * ramp(0.1, -0.06, nostril(nose, ax, y, z))
      tint(out, hollow, hollow * 0.95, hollow)
      paintBrows(x, y, out, finish)
      paintLids(x, y, out)
    }
    if (beard.style !== 'none' && y < -1 && z > -1.5) paintBeard(x, y, z, out, finish)
    paintScalp(ax, x, y, z, out)
  }
}
