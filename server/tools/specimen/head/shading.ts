/** Light on a point of the surface: key light with soft shadow, ambient occlusion, highlights, light under the skin. */
import type { Finish } from './materials.ts'
import { latticeValue } from './noise.ts'
import type { Paint } from './colour.ts'
import type { Material, Scene } from './scene.ts'
import type { Light } from './view.ts'

export interface SurfacePoint {
  x: number
  y: number
  z: number
  nx: number
  ny: number
  nz: number
  /** Direction of the ray that found it. */
  dx: number
  dy: number
  dz: number
}

const SHADOW_STEPS = 16
const SHADOW_REACH = 16
/** Larger: harder edges. */
const SHADOW_HARDNESS = 7
/** Red light travels furthest under skin: the wrap of each channel, and the softness of its shadow. */
const WRAP = [0.38, 0.2, 0.12] as const
const SHADOW_SOFTENING = [0.65, 0.9, 1] as const
const OCCLUSION_SOFTENING = [0.7, 0.95, 1] as const

export function createShading(scene: Scene, light: Light) {
  const keyX = Math.sin(light.azimuth) * Math.cos(light.elevation)
  const keyY = Math.sin(light.elevation)
  const keyZ = Math.cos(light.azimuth) * Math.cos(light.elevation)

  function occlusion(p: SurfacePoint): number {
    let covered = 0
    let total = 0
    let weight = 1
    for (let step = 1; step <= 4; step++) {
      const h = 0.12 + 0.14 * step * step
      const d = scene.distance(p.x + p.nx * h, p.y + p.ny * h, p.z + p.nz * h)
      covered += (weight * Math.max(0, h - d)) / h
      total += weight
      weight *= 0.75
    }
    return Math.max(0.05, 1 - 0.85 * Math.min(1, (covered / total) * 1.1))
  }

  /** 0 in full shadow … 1 lit. The start is jittered, because equal steps would draw rings on the neck. */
  function shadow(p: SurfacePoint): number {
    let lowest = 1
    const jitter = latticeValue(Math.floor(p.x * 400), Math.floor(p.y * 400), Math.floor(p.z * 400))
    let t = 0.18 + 0.14 * jitter
    for (let step = 0; step < SHADOW_STEPS && t <= SHADOW_REACH; step++) {
      const x = p.x + p.nx * 0.08 + keyX * t
      const y = p.y + p.ny * 0.08 + keyY * t
      const d = scene.distance(x, y, p.z + p.nz * 0.08 + keyZ * t)
      const open = (d * SHADOW_HARDNESS) / t
      if (open < lowest) lowest = open
      if (lowest < -0.2) break
      t += Math.max(0.2, Math.min(2, d)) * (0.85 + 0.3 * jitter)
    }
    const s = (Math.max(-0.2, lowest) + 0.2) / 1.2
    return s * s * (3 - 2 * s)
  }

  /** Turns the painted colour (linear albedo) into light, in place. */
  return (p: SurfacePoint, material: Material, finish: Finish, paint: Paint): void => {
    scene.hair.plain = true
    const open = occlusion(p)
    const towardsKey = p.nx * keyX + p.ny * keyY + p.nz * keyZ
    const lit = towardsKey > -0.35 ? shadow(p) : 0
    scene.hair.plain = false
    const hx = keyX - p.dx
    const hy = keyY - p.dy
    const hz = keyZ - p.dz
    const half = Math.max(0, (p.nx * hx + p.ny * hy + p.nz * hz) / Math.sqrt(hx * hx + hy * hy + hz * hz))
    const facing = Math.max(0, -(p.nx * p.dx + p.ny * p.dy + p.nz * p.dz))
    const fresnel = 0.4 + 1.2 * Math.pow(1 - facing, 4)
    let highlight = 0
    if (material === 'hair')
      highlight = finish.gloss * 1.2 * Math.pow(half, 10) * lit * light.key * (0.03 + paint[0] * 1.5)
    else if (material === 'eyeball') highlight = 1.1 * Math.pow(half, 220) * light.key + 0.015
    else if (towardsKey > -0.1) {
      const lobes = Math.pow(half, finish.sharpness) * 0.5 + Math.pow(half, finish.sharpness * 0.35) * 0.12
      highlight = 0.5 * finish.gloss * fresnel * lobes * lit * light.key
    }
    const sky = 0.45 + 0.55 * (0.5 + 0.5 * p.ny)
    const fill = light.fill * Math.max(0, p.nz * 0.8 - p.nx * Math.sign(keyX || 1) * 0.5 + 0.1)
    const rim = finish.gloss * 0.04 * Math.pow(1 - facing, 3) * light.ambient * open
    const deep = finish.translucency
    for (let k = 0; k < 3; k++) {
      const wrap = WRAP[k] * deep
      let diffuse = Math.max(0, (towardsKey + wrap) / (1 + wrap))
      diffuse *= deep ? Math.pow(lit, SHADOW_SOFTENING[k]) : lit
      const ao = deep ? Math.pow(open, OCCLUSION_SOFTENING[k]) : open
      const around = light.ambient * light.ambientColour[k] * sky * ao + fill * ao
      paint[k] =
        paint[k] * (diffuse * light.key * light.keyColour[k] + around) + highlight * light.keyColour[k] + rim
    }
  }
}
