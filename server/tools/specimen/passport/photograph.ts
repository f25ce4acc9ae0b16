/**
 * Photographs the page as a camera sees it: an open booklet on a table, in perspective, unevenly lit, slightly soft and
 * noisy. The same seed gives the same pixels. Also photographs the table without a document.
 */
import sharp from 'sharp'
import { createRandom, valueNoise } from '../head/noise.ts'
import { applyHomography, homographyBetween } from './homography.ts'
import type { Homography, PlanePoint } from './homography.ts'
import { PAGE } from './layout.ts'

export const PHOTO = { width: 2400, height: 1800 } as const

/** JPEG quality of the kiosk's document camera. */
const JPEG_QUALITY = 88
/** Standard deviation of the sensor's noise, 8-bit steps. */
const NOISE = 2.4
/** Blur of the lens, pixels. */
const LENS_SIGMA = 0.75

interface RasterRgb {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

export interface Photograph {
  readonly jpeg: Buffer
  /** Corners of the data page: top left, top right, bottom right, bottom left, pixels. */
  readonly corners: readonly PlanePoint[]
  /** Distance between neighbouring characters of the MRZ, pixels. */
  readonly characterPitchPx: number
}

type Sampler = (x: number, y: number, out: Float64Array) => void

/** Place of the page in the picture: nearly filling it, slightly turned and tilted. */
function pagePlacement(random: () => number): PlanePoint[] {
  const turn = (random() - 0.5) * 0.09
  const tilt = 0.02 + random() * 0.045
  const lean = (random() - 0.5) * 0.03
  const width = 1720 + random() * 160
  const height = (width * PAGE.height) / PAGE.width
  const cx = PHOTO.width / 2 + (random() - 0.5) * 120
  // The booklet's other page is above.
  const cy = PHOTO.height * 0.61 + (random() - 0.5) * 50
  const place = (sx: number, sy: number): PlanePoint => {
    const x = (sx * width * (1 + sy * tilt)) / 2
    const y = (sy * height * (1 + sx * lean)) / 2
    return [cx + x * Math.cos(turn) - y * Math.sin(turn), cy + x * Math.sin(turn) + y * Math.cos(turn)]
  }
  return [place(-1, -1), place(1, -1), place(1, 1), place(-1, 1)]
}

/** Wood in two browns, millimetres. */
function createTable(seed: number): Sampler {
  return (x, y, out) => {
    const grain = valueNoise(x * 0.035 + seed, y * 0.5, 1.5)
    const ring = valueNoise(x * 0.008 + 3, y * 0.055 + 2 * valueNoise(x * 0.01, y * 0.02, 4), seed)
    const fine = valueNoise(x * 0.12, y * 2.6, 7.7)
    const k = 0.72 + 0.2 * ring + 0.1 * grain + 0.06 * fine
    out[0] = 152 * k
    out[1] = 116 * k
    out[2] = 86 * k
  }
}

/** Looks up a colour bilinearly. The input is in page millimetres. */
function createPage(page: RasterRgb): Sampler {
  const sx = page.width / PAGE.width
  const sy = page.height / PAGE.height
  return (x, y, out) => {
    const u = Math.max(0, Math.min(page.width - 1.001, x * sx - 0.5))
    const v = Math.max(0, Math.min(page.height - 1.001, y * sy - 0.5))
    const i = Math.floor(u)
    const j = Math.floor(v)
    const fx = u - i
    const fy = v - j
    const at = (j * page.width + i) * 3
    const below = at + page.width * 3
    for (let c = 0; c < 3; c++) {
      const upper = page.data[at + c] * (1 - fx) + page.data[at + 3 + c] * fx
      const lower = page.data[below + c] * (1 - fx) + page.data[below + 3 + c] * fx
      out[c] = upper * (1 - fy) + lower * fy
    }
  }
}

/** The facing page: pale paper with thin rules. */
function paintFacingPage(x: number, y: number, out: Float64Array): void {
  const rule = Math.abs(((y + 200) % 9) - 4.5) < 0.12 && x > 10 && x < PAGE.width - 10 ? 0.9 : 1
  const tone = 0.97 + 0.04 * valueNoise(x * 0.2, y * 0.2, 3)
  out[0] = 226 * tone * rule
  out[1] = 222 * tone * rule
  out[2] = 206 * tone
}

/** Distance in mm from a point to the open booklet (two pages, the data page below the fold at y = 0). */
function outsideBooklet(x: number, y: number): number {
  const dx = Math.max(-1.2 - x, 0, x - PAGE.width - 1.2)
  const dy = Math.max(-PAGE.height - y, 0, y - PAGE.height - 1.2)
  return Math.hypot(dx, dy)
}

/** The booklet on the table: cover edge, fold and contact shadow. */
function createBookletScene(page: RasterRgb, table: Sampler): Sampler {
  const dataPage = createPage(page)
  return (x, y, out) => {
    const outside = outsideBooklet(x, y)
    if (outside > 0) {
      table(x, y, out)
      const shadow = 1 - 0.5 * Math.exp(-outside / 2.2)
      for (let c = 0; c < 3; c++) out[c] *= shadow
      return
    }
    const onPaper = x >= 0 && x <= PAGE.width && y <= PAGE.height
    if (!onPaper) {
      out[0] = 44
      out[1] = 52
      out[2] = 84
      return
    }
    if (y < 0) paintFacingPage(x, y, out)
    else dataPage(x, y, out)
    const fold = 1 - 0.3 * Math.exp(-Math.abs(y) / 1.6)
    for (let c = 0; c < 3; c++) out[c] *= fold
  }
}

/** Light that falls off to one side, and the darker corners of a lens. */
function illumination(random: () => number): (u: number, v: number) => number {
  const angle = random() * 2 * Math.PI
  const slope = 0.1 + random() * 0.1
  return (u, v) => {
    const side = 1 + slope * ((u - 0.5) * Math.cos(angle) + (v - 0.5) * Math.sin(angle))
    return side * (0.95 - 0.22 * ((u - 0.5) ** 2 + (v - 0.5) ** 2))
  }
}

/** Runs the scene through the camera. `toScene` maps picture pixels to the scene's millimetres. */
async function expose(scene: Sampler, toScene: Homography, seed: number): Promise<Buffer> {
  const random = createRandom(seed + 31337)
  const light = illumination(random)
  const { width, height } = PHOTO
  const image = new Uint8Array(width * height * 3)
  const colour = new Float64Array(3)
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const [x, y] = applyHomography(toScene, i + 0.5, j + 0.5)
      scene(x, y, colour)
      const k = light(i / width, j / height)
      for (let c = 0; c < 3; c++) image[(j * width + i) * 3 + c] = Math.min(255, colour[c] * k)
    }
  const soft = await sharp(image, { raw: { width, height, channels: 3 } })
    .blur(LENS_SIGMA)
    .raw()
    .toBuffer()
  for (let k = 0; k < soft.length; k++) {
    const noise = (random() + random() + random() - 1.5) * 2 * NOISE
    soft[k] = Math.max(0, Math.min(255, Math.round(soft[k] + noise)))
  }
  return sharp(soft, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer()
}

const PAGE_CORNERS: readonly PlanePoint[] = [
  [0, 0],
  [PAGE.width, 0],
  [PAGE.width, PAGE.height],
  [0, PAGE.height],
]

/** `page` is an encoded picture of the data page. `pitchMm` is the distance between two characters of its MRZ. */
export async function photographPage(page: Uint8Array, seed: number, pitchMm: number): Promise<Photograph> {
  const { data, info } = await sharp(page).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const corners = pagePlacement(createRandom(seed + 271828))
  const toScene = homographyBetween(corners, PAGE_CORNERS)
  const raster = { data: new Uint8Array(data), width: info.width, height: info.height }
  const jpeg = await expose(createBookletScene(raster, createTable(seed % 89)), toScene, seed)
  const bottomWidth = Math.hypot(corners[2][0] - corners[3][0], corners[2][1] - corners[3][1])
  return { jpeg, corners, characterPitchPx: (bottomWidth / PAGE.width) * pitchMm }
}

/** A ball pen. */
const PEN_RADIUS_MM = 2.6

/** The table with only a blank sheet and a pen, which a reader must not mistake for a document. */
export async function photographNothing(seed: number): Promise<Buffer> {
  const table = createTable(seed % 89)
  const corners = pagePlacement(createRandom(seed + 271828))
  return expose(
    (x, y, out) => {
      table(x, y, out)
      const sheet = x > 30 && x < 112 && y > -34 && y < 66
      const across = (y - 80 + 0.12 * x) / PEN_RADIUS_MM
      const pen = x > 20 && x < 124 && Math.abs(across) < Math.min(1, (x - 20) / 14 + 0.15)
      if (pen) {
        const shine =
          0.45 +
          0.55 * Math.max(0, 1 - (across + 0.35) ** 2) +
          0.8 * Math.exp(-(((across + 0.4) / 0.12) ** 2))
        out.set([34 * shine, 44 * shine, 78 * shine])
        return
      }
      if (sheet) out.set([228, 228, 222])
      const shade = x > 20 && x < 125 && across > 0 && across < 2.2 ? 0.62 + 0.17 * across : 1
      for (let c = 0; c < 3; c++) out[c] *= shade
    },
    homographyBetween(corners, PAGE_CORNERS),
    seed,
  )
}
