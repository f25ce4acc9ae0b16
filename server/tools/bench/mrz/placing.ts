/** Augmentations that change the document's position and its background. */
import sharp from 'sharp'
import { cropRaster, type Raster } from '../../../vision/raster.ts'
import type { Point, Quad } from '../../../vision/protocol.ts'
import type { Random } from '../crash/random.ts'
import { listCorners, lay, mapQuad, plain, type Picture } from './picture.ts'

const between = (random: Random, from: number, to: number) => from + (to - from) * random.next()

/** Turns by a multiple of a quarter turn plus up to 25 degrees. */
export function rotatePicture(picture: Picture, random: Random): Picture {
  const angle = (random.below(4) * 90 + between(random, -25, 25)) * (Math.PI / 180)
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const { width, height } = picture.raster
  const outWidth = Math.ceil(Math.abs(width * c) + Math.abs(height * s)) + 20
  const outHeight = Math.ceil(Math.abs(width * s) + Math.abs(height * c)) + 20
  const corners = mapQuad(listCorners(picture.raster), ({ x, y }) => ({
    x: outWidth / 2 + (x - width / 2) * c - (y - height / 2) * s,
    y: outHeight / 2 + (x - width / 2) * s + (y - height / 2) * c,
  }))
  return lay(picture, corners, clutter(outWidth, outHeight, random))
}

/** Moves each corner by up to 8 % of the sides, as in views from up to about 30 degrees. */
export function tilted(picture: Picture, random: Random): Picture {
  const { width, height } = picture.raster
  const margin = 0.03
  const corners = mapQuad(listCorners(picture.raster), ({ x, y }): Point => {
    const inwards = (value: number, size: number) =>
      value < size / 2 ? between(random, margin, 0.08) * size : (1 - between(random, margin, 0.08)) * size
    return { x: inwards(x, width), y: inwards(y, height) }
  })
  return lay(picture, corners, clutter(width, height, random))
}

export async function rescaled(picture: Picture, random: Random): Promise<Picture> {
  return resized(picture, between(random, 0.6, 1.3))
}

async function resized({ raster, band }: Picture, scale: number): Promise<Picture> {
  const { data, info } = await sharp(raster.data, {
    raw: { width: raster.width, height: raster.height, channels: 3 },
  })
    .resize({ width: Math.max(64, Math.round(raster.width * scale)) })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const factor = info.width / raster.width
  return {
    raster: { data, width: info.width, height: info.height },
    band: band && mapQuad(band, ({ x, y }) => ({ x: x * factor, y: y * factor })),
  }
}

/** The document takes 45 to 75 % of a scene with other things, turned by up to 12 degrees. */
export function inScene(picture: Picture, random: Random): Picture {
  const { width, height } = picture.raster
  const share = between(random, 0.45, 0.75)
  const side = Math.max(width, height) / share
  const isWide = random.next() < 0.7
  const [sceneWidth, sceneHeight] = [
    Math.max(width * 1.1, isWide ? side : side * 0.75),
    Math.max(height * 1.1, isWide ? side * 0.75 : side),
  ].map(Math.round)
  const angle = between(random, -12, 12) * (Math.PI / 180)
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const reachX = (Math.abs(width * c) + Math.abs(height * s)) / 2
  const reachY = (Math.abs(width * s) + Math.abs(height * c)) / 2
  const place = (reach: number, size: number) =>
    reach * 2 >= size ? size / 2 : between(random, reach, size - reach)
  const [cx, cy] = [place(reachX, sceneWidth), place(reachY, sceneHeight)]
  const corners = mapQuad(listCorners(picture.raster), ({ x, y }) => ({
    x: cx + (x - width / 2) * c - (y - height / 2) * s,
    y: cy + (x - width / 2) * s + (y - height / 2) * c,
  }))
  return lay(picture, corners, clutter(sceneWidth, sceneHeight, random))
}

/** Cuts off everything but the MRZ and a margin. */
export function cropped({ raster, band }: Picture, random: Random): Picture {
  if (band === null) return { raster, band }
  const xs = band.map(({ x }) => x)
  const ys = band.map(({ y }) => y)
  const bandHeight = Math.min(Math.max(...ys) - Math.min(...ys), Math.max(...xs) - Math.min(...xs))
  const margin = () => between(random, 0.1, 0.6) * bandHeight
  const x = Math.max(0, Math.floor(Math.min(...xs) - margin()))
  const y = Math.max(0, Math.floor(Math.min(...ys) - margin()))
  const right = Math.min(raster.width, Math.ceil(Math.max(...xs) + margin()))
  const bottom = Math.min(raster.height, Math.ceil(Math.max(...ys) + margin()))
  const part = cropRaster(raster, { x, y, width: right - x, height: bottom - y })
  const moved = (corner: Point): Point => ({ x: corner.x - x, y: corner.y - y })
  return { raster: part, band: mapQuad(band, moved) }
}

/** Paints the MRZ over with its surroundings, to make a document without one. */
export function removeMrz({ raster, band }: Picture): Picture {
  if (band === null) return { raster, band }
  const data = Uint8Array.from(raster.data)
  const [first, second, third, fourth] = band
  const middle = { x: (first.x + third.x) / 2, y: (first.y + third.y) / 2 }
  const wider = mapQuad([first, second, third, fourth], ({ x, y }) => ({
    x: middle.x + (x - middle.x) * 1.08,
    y: middle.y + (y - middle.y) * 1.3,
  }))
  const tone = [0, 1, 2].map((c) => measureBrightness(raster, wider, c))
  for (let y = 0; y < raster.height; y++)
    for (let x = 0; x < raster.width; x++)
      if (isInside(wider, x, y)) for (let c = 0; c < 3; c++) data[(y * raster.width + x) * 3 + c] = tone[c]
  return { raster: { ...raster, data }, band: null }
}

function measureBrightness({ data, width, height }: Raster, quad: Quad, channel: number): number {
  const values: number[] = []
  for (let y = 0; y < height; y += 3)
    for (let x = 0; x < width; x += 3)
      if (isInside(quad, x, y)) values.push(data[(y * width + x) * 3 + channel])
  return values.sort((a, b) => a - b)[Math.floor(values.length * 0.7)] ?? 200
}

export function isInside(quad: Quad, x: number, y: number): boolean {
  const sides = quad.map((a, i) => {
    const b = quad[(i + 1) % 4]
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
  })
  return sides.every((side) => side >= 0) || sides.every((side) => side <= 0)
}

/** A table with cards, papers with lines of writing, and cables. */
function clutter(width: number, height: number, random: Random): Raster {
  const ground = plain(width, height, [
    random.below(200) + 20,
    random.below(200) + 20,
    random.below(200) + 20,
  ])
  for (let n = 0; n < 14; n++) paintCard(ground, random)
  for (let i = 0; i < ground.data.length; i++)
    ground.data[i] = Math.min(255, Math.max(0, ground.data[i] + between(random, -7, 7)))
  return ground
}

function paintCard(ground: Raster, random: Random): void {
  const { width, height } = ground
  const angle = between(random, -0.5, 0.5)
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const [cx, cy] = [random.next() * width, random.next() * height]
  const [w, h] = [between(random, 0.05, 0.35) * width, between(random, 0.02, 0.3) * height]
  const paper = [random.below(230) + 20, random.below(230) + 20, random.below(230) + 20]
  const ink = paper.map((value) => (value > 128 ? value - 110 : value + 110))
  const line = between(random, 12, 40)
  const letter = between(random, 4, 14)
  const isWritten = random.next() < 0.6
  for (let v = -h / 2; v < h / 2; v += 0.7)
    for (let u = -w / 2; u < w / 2; u += 0.7) {
      const x = Math.round(cx + u * c - v * s)
      const y = Math.round(cy + u * s + v * c)
      if (x < 0 || y < 0 || x >= width || y >= height) continue
      const row = Math.floor((v + h) / line)
      const cell = Math.floor((u + w) / letter)
      const isInk =
        isWritten &&
        (v + h) % line < line * 0.45 &&
        ((cell * 2654435761 + row * 40503) >>> 7) % 3 > 0 &&
        (u + w) % letter < letter * 0.6
      for (let k = 0; k < 3; k++) ground.data[(y * width + x) * 3 + k] = isInk ? ink[k] : paper[k]
    }
}
