/**
 * Renders one view of one specimen person on the CPU: returns pixels and true landmarks for an identity and a view. Never
 * reads a file, a clock or a model; the same numbers give the same picture on the same Node version.
 */
import { paintBackground } from './background.ts'
import { toSrgb } from './colour.ts'
import type { HeadIdentity } from './identity.ts'
import { landmarkPositions } from './landmarks.ts'
import type { LandmarkName } from './landmarks.ts'
import { createMaterials } from './materials.ts'
import { createRandom, valueNoise } from './noise.ts'
import { createScene } from './scene.ts'
import type { SurfacePoint } from './shading.ts'
import { createShading } from './shading.ts'
import type { View } from './view.ts'

export interface RenderedHead {
  readonly width: number
  readonly height: number
  /** RGB, 8 bit. */
  readonly pixels: Uint8Array
  /** Pixels from the top left. */
  readonly landmarks: Readonly<Record<LandmarkName, readonly [number, number]>>
}

export interface RenderSize {
  readonly width: number
  readonly height: number
  /** Four more rays where neighbouring pixels differ. Default true. */
  readonly antialias?: boolean
}

const MAX_STEPS = 110
/** Rays advance by this share of the distance, because distances of blended bodies are not exact. */
const STEP_SHARE = 0.82
/** Depths before and behind the head's centre that contain the person, cm. */
const NEAREST_Z = 15
const FARTHEST_Z = -14
/** Neighbours that differ by more than this (sRGB, full scale 1) are anti-aliased. */
const EDGE = 0.09
const SUBPIXELS = [
  [0.125, 0.375],
  [0.375, -0.125],
  [-0.125, -0.375],
  [-0.375, 0.125],
] as const

export function renderHead(who: HeadIdentity, view: View, size: RenderSize): RenderedHead {
  const { width, height } = size
  const { camera, light } = view
  const scene = createScene({ who, pose: view.pose, expression: view.expression })
  const materials = createMaterials(scene)
  const shade = createShading(scene, light)
  const focal = camera.focal * width
  const footprint = 0.5 / focal
  const colour = new Float64Array(3)
  const head = new Float64Array(3)
  const p: SurfacePoint = { x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0, dx: 0, dy: 0, dz: 0 }

  /** Moves `p` along its ray to the surface; returns false if the ray hits nothing. */
  function march(): boolean {
    let t = (camera.distanceCm - NEAREST_Z) / -p.dz
    const end = (camera.distanceCm - FARTHEST_Z) / -p.dz
    for (let step = 0; step < MAX_STEPS && t <= end; step++) {
      p.x = camera.aimX + p.dx * t
      p.y = camera.aimY + p.dy * t
      p.z = camera.distanceCm + p.dz * t
      const d = scene.distance(p.x, p.y, p.z)
      if (d < footprint * t * 0.6) return true
      t += d * STEP_SHARE
    }
    return false
  }

  function setNormal(bump: number, bx: number, by: number, bz: number): void {
    const e = Math.max(0.0105, footprint * (camera.distanceCm - p.z) * 0.8)
    const a = scene.distance(p.x + e, p.y - e, p.z - e)
    const b = scene.distance(p.x - e, p.y - e, p.z + e)
    const c = scene.distance(p.x - e, p.y + e, p.z - e)
    const d = scene.distance(p.x + e, p.y + e, p.z + e)
    let nx = a - b - c + d
    let ny = -a - b + c + d
    let nz = -a + b - c + d
    let scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz)
    nx *= scale
    ny *= scale
    nz *= scale
    if (bump > 0) {
      const k = bump * 0.1
      const coarse = (shift: number) => valueNoise(bx * 13 + shift, by * 13, bz * 13) - 0.5
      const fine = (shift: number) => valueNoise(bx * 27 + shift, by * 27, bz * 27) - 0.5
      nx += k * (coarse(0) + 0.8 * fine(0))
      ny += k * (coarse(40) + 0.8 * fine(40))
      scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz)
      nx *= scale
      ny *= scale
      nz *= scale
    }
    p.nx = nx
    p.ny = ny
    p.nz = nz
  }

  /** Writes the light at a picture point to `colour`, tone-mapped sRGB 0–1. */
  function trace(i: number, j: number): void {
    const dx = (i - width / 2) / focal
    const dy = -(j - height / 2) / focal
    const scale = 1 / Math.sqrt(dx * dx + dy * dy + 1)
    p.dx = dx * scale
    p.dy = dy * scale
    p.dz = -scale
    if (march()) {
      scene.distance(p.x, p.y, p.z)
      const { material } = scene
      if (material === 'cloth') head.set([p.x, p.y, p.z])
      else scene.pose.toHead(p.x, p.y, p.z, head)
      const x = head[0]
      const y = head[1]
      const z = head[2]
      materials.paint(material, x, y, z, colour)
      setNormal(materials.finish.bump, x, y, z)
      shade(p, material, materials.finish, colour)
    } else paintBackground(view.background, i / width, j / height, colour)
    for (let k = 0; k < 3; k++) colour[k] = toSrgb(1 - Math.exp(-colour[k] * 1.35 * light.exposure))
  }

  const image = new Float32Array(width * height * 3)
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      trace(i + 0.5, j + 0.5)
      image.set(colour, (j * width + i) * 3)
    }
  if (size.antialias ?? true) smoothEdges(image, width, height, trace, colour)

  const positions = landmarkPositions(scene)
  const landmarks = Object.fromEntries(
    Object.entries(positions).map(([name, [x, y, z]]) => [
      name,
      [
        width / 2 + (focal * (x - camera.aimX)) / (camera.distanceCm - z),
        height / 2 - (focal * (y - camera.aimY)) / (camera.distanceCm - z),
      ],
    ]),
  ) as unknown as RenderedHead['landmarks']
  return { width, height, pixels: addSensorNoise(image, view, who.seed), landmarks }
}

function smoothEdges(
  image: Float32Array,
  width: number,
  height: number,
  trace: (i: number, j: number) => void,
  colour: Float64Array,
): void {
  const edges: number[] = []
  const differ = (a: number, b: number) =>
    Math.abs(image[a * 3 + 1] - image[b * 3 + 1]) + 0.5 * Math.abs(image[a * 3] - image[b * 3]) > EDGE
  for (let j = 1; j < height - 1; j++)
    for (let i = 1; i < width - 1; i++) {
      const k = j * width + i
      if (differ(k, k - 1) || differ(k, k + 1) || differ(k, k - width) || differ(k, k + width)) edges.push(k)
    }
  for (const k of edges) {
    const sum = [0, 0, 0]
    for (const [a, b] of SUBPIXELS) {
      trace((k % width) + 0.5 + a, Math.floor(k / width) + 0.5 + b)
      for (let c = 0; c < 3; c++) sum[c] += colour[c] / SUBPIXELS.length
    }
    image.set(sum, k * 3)
  }
}

function addSensorNoise(image: Float32Array, view: View, seed: number): Uint8Array {
  const random = createRandom(seed * 31 + view.noiseSeed)
  const pixels = new Uint8Array(image.length)
  for (let k = 0; k < image.length; k++) {
    // The sum of three uniform numbers is bell-shaped with deviation 0.5.
    const noise = (random() + random() + random() - 1.5) * 2 * view.noise
    pixels[k] = Math.max(0, Math.min(255, Math.round((image[k] + noise) * 255)))
  }
  return pixels
}
