/** Draws the background behind the people: a wall with uneven light and some objects, all out of focus. */
import sharp from 'sharp'
import { cloudNoise } from '../../specimen/head/noise.ts'
import { FRAME } from '../../specimen/liveness/camera.ts'
import { within, type Random } from '../../specimen/liveness/head-model.ts'
import type { Raster } from '../../../vision/raster.ts'

const BLUR_PX = 5
const THINGS = 7

export async function furnishRoom(random: Random): Promise<Raster> {
  const { width, height } = FRAME
  const data = new Uint8Array(width * height * 3)
  const wall = colour([90, 200], 18, random)
  const [tilt, grain, place] = [within([-0.4, 0.4], random), within([60, 160], random), random() * 1000]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const cloud = cloudNoise(x / grain + place, y / grain, place) - 0.5
      const light = 1 + tilt * (x / width - 0.5) + 0.25 * cloud
      for (let k = 0; k < 3; k++) data[(y * width + x) * 3 + k] = Math.min(255, wall[k] * light)
    }
  for (let i = 0; i < THINGS; i++) hang(data, random)
  const raw = { width, height, channels: 3 } as const
  return { width, height, data: await sharp(data, { raw }).blur(BLUR_PX).raw().toBuffer() }
}

/** A picture, a shelf, a window. */
function hang(data: Uint8Array, random: Random): void {
  const { width, height } = FRAME
  const [left, top] = [Math.floor(random() * width * 0.9), Math.floor(random() * height * 0.9)]
  const right = Math.min(width, left + Math.floor(within([30, 190], random)))
  const bottom = Math.min(height, top + Math.floor(within([30, 190], random)))
  const paint = colour([40, 240], 50, random)
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) data.set(paint, (y * width + x) * 3)
}

function colour(range: readonly [number, number], spread: number, random: Random): number[] {
  const grey = within(range, random)
  return Array.from({ length: 3 }, () => Math.min(255, Math.max(0, grey + (random() - 0.5) * 2 * spread)))
}
