/**
 * A quick camera: a flat page on a table, a little turned, unevenly lit, soft and noisy, at the sizes and qualities that
 * cameras leave. Cheaper than server/tools/specimen/passport/photograph, so that benches can take many pictures.
 */
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'
import { PAGE } from '../passport/layout.ts'

export interface Picture {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/** The page's place in the picture, turned about its middle. */
export interface Placement {
  readonly centre: { readonly x: number; readonly y: number }
  readonly pxPerMm: number
  readonly turnDeg: number
}

export interface Shot {
  readonly picture: Picture
  readonly placement: Placement
  readonly quality: number
}

/** Converts millimetres of the page to pixels of the picture. */
export function onPicture(
  { centre, pxPerMm, turnDeg }: Placement,
  x: number,
  y: number,
): { x: number; y: number } {
  const r = (turnDeg * Math.PI) / 180
  const [dx, dy] = [(x - PAGE.width / 2) * pxPerMm, (y - PAGE.height / 2) * pxPerMm]
  return {
    x: centre.x + dx * Math.cos(r) - dy * Math.sin(r),
    y: centre.y + dx * Math.sin(r) + dy * Math.cos(r),
  }
}

/** Width of the page in the picture: 15 to 34 pixels between the characters of the MRZ. */
const PAGE_WIDTH_PX = { least: 750, most: 1650 }
const MAX_TURN_DEG = 4
const QUALITIES = [78, 85, 90, 95] as const
/** Sensor noise, standard deviation in 8-bit steps. */
const NOISE = { least: 1.2, most: 3.2 }

/** The same seed gives the same picture. */
export async function shoot(page: Uint8Array, seed: number): Promise<Shot> {
  const random = createRandom(seed + 991)
  const between = (from: number, to: number) => from + random() * (to - from)
  const pageWidth = Math.round(between(PAGE_WIDTH_PX.least, PAGE_WIDTH_PX.most))
  const turnDeg = between(-MAX_TURN_DEG, MAX_TURN_DEG)
  const pageHeight = Math.round((pageWidth * PAGE.height) / PAGE.width)
  const table = { r: between(60, 190), g: between(60, 180), b: between(50, 170) }
  const turned = await sharp(page)
    .resize(pageWidth, pageHeight, { kernel: 'lanczos3' })
    .ensureAlpha()
    .rotate(turnDeg, { background: { ...table, alpha: 0 } })
    .png()
    .toBuffer({ resolveWithObject: true })
  const width = Math.round(turned.info.width * between(1.08, 1.3))
  const height = Math.round(turned.info.height * between(1.1, 1.35))
  const left = Math.round((width - turned.info.width) * between(0.3, 0.7))
  const top = Math.round((height - turned.info.height) * between(0.3, 0.7))
  const data = await sharp({ create: { width, height, channels: 3, background: table } })
    .composite([{ input: turned.data, left, top }])
    .removeAlpha()
    .blur(between(0.5, 0.9))
    .raw()
    .toBuffer()
  expose(data, width, random, between(NOISE.least, NOISE.most))
  return {
    picture: { data, width, height },
    placement: {
      centre: { x: left + turned.info.width / 2, y: top + turned.info.height / 2 },
      pxPerMm: pageWidth / PAGE.width,
      turnDeg,
    },
    quality: QUALITIES[Math.floor(random() * QUALITIES.length)],
  }
}

/** Adds light that falls off to one side, and sensor noise; in place. */
export function expose(data: Buffer, width: number, random: () => number, noise: number): void {
  const angle = random() * 2 * Math.PI
  const [sx, sy] = [0.12 * Math.cos(angle), 0.12 * Math.sin(angle)]
  const height = data.length / 3 / width
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const light = 0.94 + sx * (x / width - 0.5) + sy * (y / height - 0.5)
      for (let c = 0; c < 3; c++, i++) {
        const grain = (random() + random() + random() - 1.5) * 2 * noise
        data[i] = Math.max(0, Math.min(255, Math.round(data[i] * light + grain)))
      }
    }
}

export function toJpeg({ data, width, height }: Picture, quality: number): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
}
