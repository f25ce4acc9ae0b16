/** Draws the surface under the document from noise, and the things on it. */
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'
import { clutterSvg } from './clutter.ts'
import type { RectMm } from './geometry.ts'
import type { BackgroundName } from './plan.ts'
import { surfaceNoise, type Rgb } from './raster.ts'

export interface Background extends Rgb {
  /** The visible part of the table, and pixels per millimetre. */
  readonly area: RectMm
  readonly scale: number
}

type Colour = readonly [number, number, number]
type Paint = (x: number, y: number, out: Float32Array) => void

/** Pixels of the surface; the lens would blur finer detail. */
const MAX_PIXELS = 1_300_000
const FINEST_PER_MM = 10
/** The minimum sigma of sharp, in pixels. */
const MIN_SIGMA = 0.3

export interface Things {
  readonly count: number
  /** Includes cards of shops. */
  readonly withCards: boolean
  /** Out of focus, standard deviation. */
  readonly blurMm: number
}

const shade = (out: Float32Array, [r, g, b]: Colour, k: number): void => {
  out[0] = r * k
  out[1] = g * k
  out[2] = b * k
}

function wood(colour: Colour, seed: number): Paint {
  return (x, y, out) => {
    const plank = Math.floor((y + 500) / 95)
    const shift = plank * 37.7 + seed
    const bend = 14 * surfaceNoise(x * 0.06 + shift, y * 0.3)
    const rings = surfaceNoise(x * 0.07 + shift, (y + bend) * 1.6 + shift)
    const pores = surfaceNoise(x * 0.6 + shift, y * 14)
    const seam = Math.abs((y + 500) % 95) < 0.5 ? 0.55 : 1
    shade(out, colour, (0.62 + 0.5 * rings + 0.22 * pores + 0.04 * (plank % 3)) * seam)
  }
}

function cloth(colour: Colour, seed: number): Paint {
  return (x, y, out) => {
    const weave = Math.sin(x * 7.2) * Math.sin(y * 7.2)
    const fold = surfaceNoise(x * 0.35 + seed, y * 0.22)
    const thread = surfaceNoise(x * 3 + seed, y * 22) + surfaceNoise(x * 22, y * 3 + seed)
    shade(out, colour, 0.5 + 0.09 * weave + 0.65 * fold + 0.16 * thread)
  }
}

function stone(seed: number): Paint {
  return (x, y, out) => {
    const cloud = surfaceNoise(x * 0.5 + seed, y * 0.5)
    const vein = 1 - Math.abs(2 * surfaceNoise(x * 0.8 + 40, y * 0.8 + seed) - 1)
    const grain = surfaceNoise(x * 9, y * 9 + seed)
    const k = 0.62 + 0.5 * cloud + 0.2 * grain - 0.35 * Math.max(0, vein - 0.86) * 7
    shade(out, [168, 164, 158], k)
  }
}

function plain(colour: Colour, seed: number): Paint {
  return (x, y, out) => {
    shade(
      out,
      colour,
      0.9 + 0.08 * surfaceNoise(x * 0.4 + seed, y * 0.4) + 0.1 * surfaceNoise(x * 12, y * 12),
    )
  }
}

function choosePaint(name: BackgroundName, seed: number, random: () => number): Paint {
  const tint = (r: number, g: number, b: number): Colour => {
    const k = 0.85 + 0.3 * random()
    return [r * k * (0.93 + 0.14 * random()), g * k, b * k * (0.93 + 0.14 * random())]
  }
  switch (name) {
    case 'wood':
      return wood(tint(168, 124, 84), seed)
    case 'dark-wood':
      return wood(tint(84, 58, 42), seed)
    case 'cloth':
      return cloth(tint(60 + 140 * random(), 60 + 110 * random(), 70 + 120 * random()), seed)
    case 'stone':
      return stone(seed)
    case 'papers':
      return wood(tint(150, 118, 88), seed)
    case 'keyboard':
      return plain(tint(70, 72, 78), seed)
    case 'laminate':
      return plain(tint(120 + 60 * random(), 120 + 60 * random(), 122 + 60 * random()), seed)
    case 'white':
      return plain(tint(232, 231, 228), seed)
    case 'dark':
      return plain(tint(34, 34, 38), seed)
  }
}

/** `keepFree` is the document's place: things may touch it but not cover it. */
export async function paintBackground(
  name: BackgroundName,
  seed: number,
  area: RectMm,
  keepFree: RectMm,
  { count, withCards, blurMm }: Things,
): Promise<Background> {
  const scale = Math.min(FINEST_PER_MM, Math.sqrt(MAX_PIXELS / (area.width * area.height)))
  const width = Math.ceil(area.width * scale)
  const height = Math.ceil(area.height * scale)
  const random = createRandom(seed + 555)
  const paint = choosePaint(name, (seed % 211) + 0.5, random)
  // Boards and weaves run in any direction on the table.
  const turn = random() * Math.PI
  const cos = Math.cos(turn)
  const sin = Math.sin(turn)
  const data = new Uint8Array(width * height * 3)
  const out = new Float32Array(3)
  for (let j = 0, k = 0; j < height; j++)
    for (let i = 0; i < width; i++, k += 3) {
      const x = area.x + i / scale
      const y = area.y + j / scale
      paint(x * cos - y * sin, x * sin + y * cos, out)
      for (let c = 0; c < 3; c++) data[k + c] = out[c] > 255 ? 255 : out[c]
    }
  const svg = clutterSvg(name, random, area, keepFree, { count, withCards }, width, height)
  const sigma = blurMm * scale
  if (svg === null && sigma < MIN_SIGMA) return { data, width, height, area, scale }
  const composed = await sharp(data, { raw: { width, height, channels: 3 } })
    .composite(svg === null ? [] : [{ input: Buffer.from(svg) }])
    .blur(sigma < MIN_SIGMA ? false : sigma)
    .removeAlpha()
    .raw()
    .toBuffer()
  return { data: composed, width, height, area, scale }
}
