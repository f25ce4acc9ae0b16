/**
 * Photographs of a specimen on a table, each spoilt in one way and by a known amount. A pinhole camera, light that is
 * counted linearly, a lens, a sensor: the same seed gives the same pixels. Measures nothing.
 */
import { createRandom, valueNoise } from '../specimen/head/noise.ts'
import { invert, homography } from '../vision/documents/outline/warp.ts'
import { encodeJpeg, type Raster } from '../vision/image.ts'
import type { Point, Quad } from '../vision/protocol.ts'

export interface FlatDocument {
  readonly raster: Raster
  readonly widthMm: number
  readonly heightMm: number
}

/** What may be wrong with a photograph. */
export interface Spoiling {
  /** Of the light that a good picture has, 0–1. */
  readonly exposure?: number
  /** Share of the document that is blown out by a reflection. */
  readonly glareShare?: number
  /** Lens out of focus: standard deviation in pixels of a document at 300 dpi. */
  readonly blurSigma?: number
  /** A moving hand: length of the way, in pixels of a document at 300 dpi. */
  readonly motionPx?: number
  /** Share of the document's width beyond the picture's edge. */
  readonly cutShare?: number
  readonly tiltDeg?: number
  /** Document's length over the picture's. */
  readonly fill?: number
  /** The same as pixels per inch of the document. */
  readonly dpi?: number
}

export interface Photograph {
  readonly jpeg: Uint8Array
  readonly quad: Quad
}

export const PICTURE = { width: 1600, height: 1200 }
/** A hand that shows a document to a camera fills about so much of the picture. */
const USUAL_FILL = 0.72
/** Less, so that the near end of a tilted document stays in the picture. */
const TILTED_FILL = 0.6
/** Of phones and document cameras, over the picture's longer side. */
const FOCAL_LENGTH = 0.8 * PICTURE.width
const JPEG_QUALITY = 90
/** Standard deviation of a sensor's read-out noise, and of its photon noise at full light, in 8-bit steps. */
const READ_NOISE = 1.2
const PHOTON_NOISE = 2.2
/** Blur of a lens in focus, pixels. */
const LENS_SIGMA = 0.6
const GAMMA = 2.2
const DPI_300_PER_MM = 300 / 25.4

export async function photograph(
  document: FlatDocument,
  spoiling: Spoiling,
  seed: number,
): Promise<Photograph> {
  const random = createRandom(seed + 977)
  const quad = place(document, spoiling, random)
  const light = linearScene(document, quad, seed)
  if (spoiling.glareShare) addGlare(light, quad, document, spoiling.glareShare, random)
  const pxPerMm = scaleOf(quad, document)
  const sigma = ((spoiling.blurSigma ?? 0) * pxPerMm) / DPI_300_PER_MM
  blur(light, Math.hypot(sigma, LENS_SIGMA))
  const way = ((spoiling.motionPx ?? 0) * pxPerMm) / DPI_300_PER_MM
  if (way > 1) smear(light, way, random() * Math.PI)
  const raster = expose(light, spoiling.exposure ?? 1, random)
  return { jpeg: await encodeJpeg(raster, JPEG_QUALITY), quad }
}

/** Where the four corners fall, for a camera straight before the picture's middle. */
function place({ widthMm, heightMm }: FlatDocument, spoiling: Spoiling, random: () => number): Quad {
  const farFill = spoiling.dpi && (spoiling.dpi * widthMm) / 25.4 / PICTURE.width
  const fill = farFill ?? spoiling.fill ?? (spoiling.tiltDeg === undefined ? USUAL_FILL : TILTED_FILL)
  const jitter = spoiling.fill === undefined && !spoiling.cutShare ? 1 : 0.3
  const turn = ((random() - 0.5) * 8 * Math.PI) / 180
  const tilt = ((spoiling.tiltDeg ?? 3 * random()) * Math.PI) / 180
  const axis = random() * 2 * Math.PI
  const room = Math.min(fill * PICTURE.width, ((fill * PICTURE.height * widthMm) / heightMm) * 1.25)
  const pxPerMm = room / widthMm
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([sx, sy]): Point => {
    const [x, y] = [(sx * widthMm * pxPerMm) / 2, (sy * heightMm * pxPerMm) / 2]
    // Turned in its plane, then tilted about an axis through its middle.
    const [u, v] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]
    const across = -u * Math.sin(axis) + v * Math.cos(axis)
    const along = u * Math.cos(axis) + v * Math.sin(axis)
    const depth = FOCAL_LENGTH + across * Math.sin(tilt)
    const [a, c] = [along, across * Math.cos(tilt)]
    const shrink = FOCAL_LENGTH / depth
    return {
      x: (a * Math.cos(axis) - c * Math.sin(axis)) * shrink,
      y: (a * Math.sin(axis) + c * Math.cos(axis)) * shrink,
    }
  })
  const spare = (side: number) => (random() - 0.5) * side * 0.06 * jitter
  const shift = { x: PICTURE.width / 2 + spare(PICTURE.width), y: PICTURE.height / 2 + spare(PICTURE.height) }
  const quad = corners.map(({ x, y }) => ({ x: x + shift.x, y: y + shift.y }))
  if (spoiling.cutShare) {
    const toLeft = random() < 0.5
    const width = (Math.hypot(quad[1].x - quad[0].x, 0) + Math.hypot(quad[2].x - quad[3].x, 0)) / 2
    const edge = toLeft ? (quad[0].x + quad[3].x) / 2 : (quad[1].x + quad[2].x) / 2
    const wanted = toLeft ? -spoiling.cutShare * width : PICTURE.width + spoiling.cutShare * width
    for (const corner of quad) corner.x += wanted - edge
  }
  return quad as unknown as Quad
}

function scaleOf(quad: Quad, { widthMm }: FlatDocument): number {
  const top = Math.hypot(quad[1].x - quad[0].x, quad[1].y - quad[0].y)
  const bottom = Math.hypot(quad[2].x - quad[3].x, quad[2].y - quad[3].y)
  return (top + bottom) / 2 / widthMm
}

/** Linear light, three values a pixel, 1 = white paper in full light. */
type Light = Float32Array

const LINEAR = Float32Array.from({ length: 256 }, (_, value) => (value / 255) ** GAMMA)

/** The document on a table of wood, with the shadow that a flat thing has. */
function linearScene({ raster }: FlatDocument, quad: Quad, seed: number): Light {
  const { width, height } = PICTURE
  const light = new Float32Array(width * height * 3)
  const map = homography(quad)
  const back = map && invert(map)
  if (!back) throw new TypeError('corners lie in a line')
  const [a, b, c, d, e, f, g, h, i] = back
  const random = createRandom(seed + 5)
  const tone = [0.3, 0.55, 0.9][Math.floor(random() * 3)] * (0.9 + 0.2 * random())
  const side = random() * 2 * Math.PI
  const out = new Float32Array(3)
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      const [px, py] = [x + 0.5, y + 0.5]
      const w = g * px + h * py + i
      const u = (a * px + b * py + c) / w
      const v = (d * px + e * py + f) / w
      const gap = Math.max(-u, u - 1, -v, v - 1)
      if (w > 0 && gap <= 0) samplePrint(raster, u, v, out)
      else {
        const grain =
          0.75 + 0.25 * valueNoise(x * 0.008, y * 0.12, seed) + 0.06 * valueNoise(x * 0.05, y * 0.9, 3)
        const shadow = gap < 0.02 && w > 0 ? 1 - 0.35 * (1 - gap / 0.02) : 1
        const wood = (tone * grain * shadow) ** GAMMA
        out[0] = wood
        out[1] = wood * 0.62
        out[2] = wood * 0.4
      }
      const fall = 0.92 + 0.12 * ((x / width - 0.5) * Math.cos(side) + (y / height - 0.5) * Math.sin(side))
      for (let k = 0; k < 3; k++) light[o + k] = out[k] * fall * 0.82
    }
  return light
}

function samplePrint({ data, width, height }: Raster, u: number, v: number, out: Float32Array): void {
  const x = Math.max(0, Math.min(width - 1.001, u * width - 0.5))
  const y = Math.max(0, Math.min(height - 1.001, v * height - 0.5))
  const [x0, y0] = [x | 0, y | 0]
  const [fx, fy] = [x - x0, y - y0]
  const at = (y0 * width + x0) * 3
  const below = at + width * 3
  for (let k = 0; k < 3; k++)
    out[k] =
      (LINEAR[data[at + k]] * (1 - fx) + LINEAR[data[at + 3 + k]] * fx) * (1 - fy) +
      (LINEAR[data[below + k]] * (1 - fx) + LINEAR[data[below + 3 + k]] * fx) * fy
}

/** An oval reflection of a lamp: full in its middle, fading over its outer third; where it is full, all is white. */
function addGlare(
  light: Light,
  quad: Quad,
  { widthMm, heightMm }: FlatDocument,
  share: number,
  random: () => number,
): void {
  const map = homography(quad)
  const back = map && invert(map)
  if (!back) return
  const [a, b, c, d, e, f, g, h, i] = back
  const stretch = 1 + random()
  const radius = Math.sqrt((share * widthMm * heightMm) / Math.PI)
  const [rx, ry] = [radius * Math.sqrt(stretch), radius / Math.sqrt(stretch)]
  const room = (r: number, side: number) => (r < side / 2 ? r + random() * (side - 2 * r) : side / 2)
  const [cx, cy] = [room(rx, widthMm), room(ry, heightMm)]
  const { width, height } = PICTURE
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      const w = g * x + h * y + i
      const u = ((a * x + b * y + c) / w) * widthMm
      const v = ((d * x + e * y + f) / w) * heightMm
      const distance = Math.hypot((u - cx) / rx, (v - cy) / ry)
      if (distance > 2.5) continue
      // At the rim just enough to blow out paper.
      const added = distance <= 1 ? 0.4 + 2 * (1 - distance) : 0.4 * Math.exp(-4 * (distance - 1))
      for (let k = 0; k < 3; k++) light[o + k] += added
    }
}

/** Three boxes in a row are nearly a Gaussian; linear light, as in a lens. */
function blur(light: Light, sigma: number): void {
  const radius = Math.max(0.5, (Math.sqrt(4 * sigma * sigma + 1) - 1) / 2)
  for (let n = 0; n < 3; n++) {
    boxRows(light, PICTURE.width, PICTURE.height, 3, PICTURE.width * 3, radius)
    boxRows(light, PICTURE.height, PICTURE.width, PICTURE.width * 3, 3, radius)
  }
}

/** Mean over ±radius (its broken part weighted) along `count` pixels that are `step` apart. */
function boxRows(
  light: Light,
  count: number,
  rows: number,
  step: number,
  rowStep: number,
  radius: number,
): void {
  const whole = Math.floor(radius)
  const part = radius - whole
  const weight = 1 / (2 * radius + 1)
  const line = new Float32Array(count)
  const at = (n: number) => line[n < 0 ? 0 : n >= count ? count - 1 : n]
  for (let row = 0; row < rows; row++)
    for (let k = 0; k < 3; k++) {
      const start = row * rowStep + k
      for (let n = 0; n < count; n++) line[n] = light[start + n * step]
      let sum = 0
      for (let n = -whole; n <= whole; n++) sum += at(n)
      for (let n = 0; n < count; n++) {
        light[start + n * step] = (sum + part * (at(n - whole - 1) + at(n + whole + 1))) * weight
        sum += at(n + whole + 1) - at(n - whole)
      }
    }
}

/** Along a straight way of some pixels. */
function smear(light: Light, way: number, angle: number): void {
  const { width, height } = PICTURE
  const source = light.slice()
  const taps = Math.ceil(way)
  const offsets = Array.from({ length: taps }, (_, n) => {
    const s = ((n + 0.5) / taps - 0.5) * way
    return [Math.round(s * Math.cos(angle)), Math.round(s * Math.sin(angle))] as const
  })
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      let [r, g, b] = [0, 0, 0]
      for (const [dx, dy] of offsets) {
        const px = Math.min(width - 1, Math.max(0, x + dx))
        const py = Math.min(height - 1, Math.max(0, y + dy))
        const i = (py * width + px) * 3
        r += source[i]
        g += source[i + 1]
        b += source[i + 2]
      }
      light[o] = r / taps
      light[o + 1] = g / taps
      light[o + 2] = b / taps
    }
}

/** To 8 bits, with the noise that little light has. */
function expose(light: Light, exposure: number, random: () => number): Raster {
  const data = new Uint8Array(light.length)
  for (let i = 0; i < light.length; i++) {
    const full = light[i] * exposure
    const steps = 255 * Math.max(0, full) ** (1 / GAMMA)
    // Photon noise is a share of the square root of the light; the curve of a display makes it about even in steps.
    const noise = (READ_NOISE + PHOTON_NOISE * Math.sqrt(Math.min(1, full))) * (1 + 0.6 * (1 - exposure))
    const value = steps + noise * (random() + random() + random() - 1.5) * 2
    data[i] = value < 0 ? 0 : value > 255 ? 255 : value
  }
  return { data, ...PICTURE }
}
