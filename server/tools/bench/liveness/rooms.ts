/** Draws the background behind the people: a wall with uneven light and some objects, all out of focus. */
import sharp from 'sharp'
import { cloudNoise } from '../../specimen/head/noise.ts'
import { FRAME } from '../../specimen/liveness/camera.ts'
import { within, type Random } from '../../specimen/liveness/head-model.ts'
import type { Raster } from '../../../vision/raster.ts'

const BLUR_PX = 5
/** Things in a tempting room stand near the person and are in focus. */
const NEAR_BLUR_PX = [0.8, 3] as const
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

/** Paints one rectangle: a picture, a shelf or a window. */
function hang(data: Uint8Array, random: Random): void {
  const { width, height } = FRAME
  const [left, top] = [Math.floor(random() * width * 0.9), Math.floor(random() * height * 0.9)]
  const right = Math.min(width, left + Math.floor(within([30, 190], random)))
  const bottom = Math.min(height, top + Math.floor(within([30, 190], random)))
  const paint = colour([40, 240], 50, random)
  for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) data.set(paint, (y * width + x) * 3)
}

/** Things that a search could take for a display: blinds, window frames, pictures, a monitor, a counter's edge, bluish light. */
export async function furnishTemptingRoom(random: Random): Promise<Raster> {
  const { width, height, data: furnished } = await furnishRoom(random)
  const data = new Uint8Array(furnished)
  for (const draw of TEMPTATIONS) if (random() < 0.45) draw(data, random)
  const balance = [within([0.78, 1.05], random), 1, within([0.95, 1.3], random)]
  for (let i = 0; i < data.length; i++) data[i] = Math.min(255, data[i] * balance[i % 3])
  const raw = { width, height, channels: 3 } as const
  return {
    width,
    height,
    data: await sharp(data, { raw }).blur(within(NEAR_BLUR_PX, random)).raw().toBuffer(),
  }
}

type Furnish = (data: Uint8Array, random: Random) => void

const TEMPTATIONS: readonly Furnish[] = [
  hangBlinds,
  hangWindow,
  hangMonitor,
  hangMonitor,
  fillWithTiles,
  drawRail,
]

function hangBlinds(data: Uint8Array, random: Random): void {
  const { width, height } = FRAME
  const period = within([6, 22], random)
  const isUpright = random() < 0.3
  const [left, right] = random() < 0.5 ? [0, width * within([0.2, 0.6], random)] : [width * 0.4, width]
  const [bright, dark] = [within([170, 250], random), within([60, 150], random)]
  for (let y = 0; y < height * 0.9; y++)
    for (let x = Math.floor(left); x < right; x++) {
      const grey = ((isUpright ? x : y) / period) % 1 < 0.6 ? bright : dark
      data.fill(grey, (y * width + x) * 3, (y * width + x) * 3 + 3)
    }
}

/** Dark bars of a frame around and across a bright pane. */
function hangWindow(data: Uint8Array, random: Random): void {
  const box = drawBox(random, [0.3, 0.95], [0.4, 0.95])
  fillBox(data, box, colour([20, 60], 8, random))
  const bar = within([5, 14], random)
  const pane = colour([200, 255], 20, random)
  const half = (box.right - box.left) / 2
  for (const left of [box.left, box.left + half])
    fillBox(
      data,
      { ...box, left: left + bar, right: left + half - bar, top: box.top + bar, bottom: box.bottom - bar },
      pane,
    )
}

/** A monitor behind the person: a bluish page with lines of text in a dark frame. */
function hangMonitor(data: Uint8Array, random: Random): void {
  const box = drawBox(random, [0.2, 0.6], [0.2, 0.5])
  fillBox(data, box, colour([8, 30], 4, random))
  const bezel = within([4, 12], random)
  const page = {
    left: box.left + bezel,
    right: box.right - bezel,
    top: box.top + bezel,
    bottom: box.bottom - bezel,
  }
  fillBox(data, page, [within([150, 200], random), within([170, 220], random), within([220, 255], random)])
  for (let y = page.top + 6; y + 3 < page.bottom; y += 9)
    fillBox(
      data,
      {
        left: page.left + 8,
        right: page.left + 8 + (page.right - page.left) * random() * 0.8,
        top: y,
        bottom: y + 3,
      },
      [60, 60, 90],
    )
}

/** Tiles or panelling over the whole wall. */
function fillWithTiles(data: Uint8Array, random: Random): void {
  const { width, height } = FRAME
  const size = within([14, 70], random)
  const shade = within([0.6, 0.9], random)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (x % size < 2 || y % size < 2) for (let k = 0; k < 3; k++) data[(y * width + x) * 3 + k] *= shade
}

/** A level rail or the edge of a desk over the full width, behind the person. */
function drawRail(data: Uint8Array, random: Random): void {
  const top = FRAME.height * within([0.55, 0.95], random)
  fillBox(
    data,
    { left: 0, right: FRAME.width, top, bottom: top + within([6, 60], random) },
    colour([20, 200], 20, random),
  )
}

interface Edges {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

function drawBox(random: Random, wide: readonly [number, number], high: readonly [number, number]): Edges {
  const [width, height] = [FRAME.width * within(wide, random), FRAME.height * within(high, random)]
  const [left, top] = [random() * (FRAME.width - width), random() * (FRAME.height - height)]
  return { left, right: left + width, top, bottom: top + height }
}

function fillBox(data: Uint8Array, { left, right, top, bottom }: Edges, paint: readonly number[]): void {
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(FRAME.height, bottom); y++)
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(FRAME.width, right); x++)
      data.set(paint, (y * FRAME.width + x) * 3)
}

function colour(range: readonly [number, number], spread: number, random: Random): number[] {
  const grey = within(range, random)
  return Array.from({ length: 3 }, () => Math.min(255, Math.max(0, grey + (random() - 0.5) * 2 * spread)))
}
