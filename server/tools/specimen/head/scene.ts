/**
 * The specimen person as one distance function in world coordinates (centimetres, camera on +z). Knows shapes and the
 * nearest material, but no colours, light or pixels.
 */
import { createEars, createGlasses, clothes, neckEnds } from './attachments.ts'
import { STUBBLE_BELOW, createBeardMask } from './beard.ts'
import { blend, capsule } from './distance.ts'
import { createEyes } from './eyes.ts'
import type { Eyes } from './eyes.ts'
import { createHair } from './hair.ts'
import type { Hair } from './hair.ts'
import type { Sitting } from './identity.ts'
import { createMouth } from './mouth.ts'
import type { Mouth } from './mouth.ts'
import { valueNoise } from './noise.ts'
import { createPose } from './pose.ts'
import type { PoseFrame } from './pose.ts'
import { createSkinSurface } from './skin-surface.ts'
import type { SkinSurface } from './skin-surface.ts'

export type Material = 'skin' | 'eyeball' | 'hair' | 'glasses' | 'cloth'

export interface Scene {
  readonly sitting: Sitting
  readonly pose: PoseFrame
  readonly eyes: Eyes
  readonly mouth: Mouth
  readonly hair: Hair
  readonly skin: SkinSurface
  beardMask(x: number, y: number, z: number): number
  /** Distance from a world point to the nearest surface. */
  distance(x: number, y: number, z: number): number
  /** The nearest material at the last call of `distance`. */
  readonly material: Material
}

/** Outside this ball around the head (squared radius, cm²) only the distance to a bounding ball is computed. */
const HEAD_BALL_SQUARED = 380
const HEAD_BALL_MARGIN = 16
/** Neck and clothes begin below these heights. */
const NECK_BELOW_Y = 0
const CLOTHES_BELOW_Y = -7
/** Distance to the highest cloth for points above it. */
const CLOTHES_TOP_Y = -11

export function createScene(sitting: Sitting): Scene {
  const { who } = sitting
  const pose = createPose(sitting.pose)
  const eyes = createEyes(sitting)
  const mouth = createMouth(sitting)
  const hair = createHair(sitting)
  const skin = createSkinSurface(sitting, eyes, mouth)
  const beardMask = createBeardMask(who, mouth)
  const ears = createEars(who)
  const glasses = createGlasses(who, eyes)
  const neckBody = neckEnds(who, pose)
  const hasBeard = who.beard.style !== 'none' && who.beard.density > STUBBLE_BELOW
  const earsShow = who.hair.style !== 'long' && who.hair.style !== 'bob'
  const head = new Float64Array(3)

  const scene = {
    sitting,
    pose,
    eyes,
    mouth,
    hair,
    skin,
    beardMask,
    material: 'skin' as Material,
    distance(wx: number, wy: number, wz: number): number {
      pose.toHead(wx, wy, wz, head)
      const x = head[0]
      const y = head[1]
      const z = head[2]
      const squared = x * x + y * y + z * z
      const low = wy < CLOTHES_BELOW_Y || squared > HEAD_BALL_SQUARED
      const neck = low || wy < NECK_BELOW_Y ? capsule(wx, wy, wz, neckBody) : 99
      const cloth = low ? clothes(wx, wy, wz, neck) : wy - CLOTHES_TOP_Y
      scene.material = 'skin'
      let d: number
      if (squared > HEAD_BALL_SQUARED) {
        d = Math.min(Math.sqrt(squared) - HEAD_BALL_MARGIN, neck)
        if (cloth < d) {
          d = cloth
          scene.material = 'cloth'
        }
        return d
      }
      d = skin.distance(x, y, z)
      const skull = skin.skullDistance
      const ax = Math.abs(x)
      if (earsShow && ax > 4 && z < 4 && z > -6) d = blend(d, ears(ax, y, z), 0.35)
      d = blend(d, neck, 1.3)
      if (hasBeard && y < -2 && z > -1 && d < 1.5) {
        const mask = beardMask(x, y, z)
        if (mask > 0) d -= 0.22 * who.beard.density * mask * (0.55 + 0.45 * valueNoise(x * 5, y * 2.2, z * 5))
      }
      if (z > 4.5) {
        const ex = ax - eyes.x
        const ez = z - eyes.z
        const ball = Math.sqrt(ex * ex + y * y + ez * ez) - eyes.ballRadius
        if (ball < d) {
          d = ball
          scene.material = 'eyeball'
        }
      }
      if (hair.present) {
        const h = hair.distance(x, y, z, skull)
        if (h < d) {
          d = h
          scene.material = 'hair'
        }
      }
      if (z > -2) {
        const g = glasses(x, y, z)
        if (g < d) {
          d = g
          scene.material = 'glasses'
        }
      }
      if (cloth < d) {
        d = cloth
        scene.material = 'cloth'
      }
      return d
    },
  }
  return scene
}
