/**
 * Photographs of a specimen on a table, each degraded in one way by a known amount. Simulates a pinhole camera with
 * linear light, a lens and a sensor; the same seed gives the same pixels. Measures nothing.
 */
import { createRandom, valueNoise } from '../specimen/head/noise.ts'
import { invert, homography } from '../../vision/documents/outline/warp.ts'
import { encodeJpeg } from '../../vision/image.ts'
import type { Raster } from '../../vision/raster.ts'
import type { Point, Quad } from '../../vision/protocol.ts'
import { addGlare, blur, expose, GAMMA, smear, type Light } from './quality-camera.ts'

export interface FlatDocument {
  readonly raster: Raster
  readonly widthMm: number
  readonly heightMm: number
}

/** Possible defects of a photograph. */
export interface Spoiling {
  /** Light relative to a good picture, 0–1. */
  readonly exposure?: number
  /** Share of the document that a reflection blows out. */
  readonly glareShare?: number
  /** Blur of a lens out of focus: standard deviation in pixels of a document at 300 dpi. */
  readonly blurSigma?: number
  /** Moving hand: length of the path in pixels of a document at 300 dpi. */
  readonly motionPx?: number
  /** Share of the document's width beyond the picture's edge. */
  readonly cutShare?: number
  readonly tiltDeg?: number
  /** Document's length relative to the picture's. */
  readonly fill?: number
  /** The same as pixels per inch of the document. */
  readonly dpi?: number
}

export interface Photograph {
  readonly jpeg: Uint8Array
  readonly quad: Quad
}

interface PictureSize {
  readonly width: number
  readonly height: number
}
/** Reduced pictures of phones and document cameras, and frames of a live stream. */
const PICTURE: PictureSize = { width: 1600, height: 1200 }
export const FRAME: PictureSize = { width: 1920, height: 1080 }
/** Usual share of the picture that a document held before a camera fills. */
const USUAL_FILL = 0.72
/** Smaller, so that the near end of a tilted document stays in the picture. */
const TILTED_FILL = 0.6
/** Focal length of phones and document cameras relative to the picture's longer side. */
const FOCAL_SHARE = 0.8
const JPEG_QUALITY = 90
/** Blur of a lens in focus, in pixels. */
const LENS_SIGMA = 0.6
const DPI_300_PER_MM = 300 / 25.4

export async function photograph(
  document: FlatDocument,
  spoiling: Spoiling,
  seed: number,
  size = PICTURE,
): Promise<Photograph> {
  const random = createRandom(seed + 977)
  const quad = place(document, spoiling, random, size)
  const light = linearScene(document, quad, seed, size)
  if (spoiling.glareShare) addGlare(light, quad, document, spoiling.glareShare, random)
  const pxPerMm = computeScale(quad, document)
  const sigma = ((spoiling.blurSigma ?? 0) * pxPerMm) / DPI_300_PER_MM
  blur(light, Math.hypot(sigma, LENS_SIGMA))
  const way = ((spoiling.motionPx ?? 0) * pxPerMm) / DPI_300_PER_MM
  if (way > 1) smear(light, way, random() * Math.PI)
  const raster = expose(light, spoiling.exposure ?? 1, random)
  return { jpeg: await encodeJpeg(raster, JPEG_QUALITY), quad }
}

/** The four corners in the picture of a camera directly in front. */
function place(
  { widthMm, heightMm }: FlatDocument,
  spoiling: Spoiling,
  random: () => number,
  { width, height }: PictureSize,
): Quad {
  const focalLength = FOCAL_SHARE * width
  const farFill = spoiling.dpi && (spoiling.dpi * widthMm) / 25.4 / width
  const fill = farFill ?? spoiling.fill ?? (spoiling.tiltDeg === undefined ? USUAL_FILL : TILTED_FILL)
  const jitter = spoiling.fill === undefined && !spoiling.cutShare ? 1 : 0.3
  const turn = ((random() - 0.5) * 8 * Math.PI) / 180
  const tilt = ((spoiling.tiltDeg ?? 3 * random()) * Math.PI) / 180
  const axis = random() * 2 * Math.PI
  const room = Math.min(fill * width, ((fill * height * widthMm) / heightMm) * 1.25)
  const pxPerMm = room / widthMm
  const corners = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([sx, sy]): Point => {
    const [x, y] = [(sx * widthMm * pxPerMm) / 2, (sy * heightMm * pxPerMm) / 2]
    // The document is turned in its plane, then tilted about an axis through its middle.
    const [u, v] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]
    const across = -u * Math.sin(axis) + v * Math.cos(axis)
    const along = u * Math.cos(axis) + v * Math.sin(axis)
    const depth = focalLength + across * Math.sin(tilt)
    const [a, c] = [along, across * Math.cos(tilt)]
    const shrink = focalLength / depth
    return {
      x: (a * Math.cos(axis) - c * Math.sin(axis)) * shrink,
      y: (a * Math.sin(axis) + c * Math.cos(axis)) * shrink,
    }
  })
  const spare = (side: number) => (random() - 0.5) * side * 0.06 * jitter
  const shift = { x: width / 2 + spare(width), y: height / 2 + spare(height) }
  const quad = corners.map(({ x, y }) => ({ x: x + shift.x, y: y + shift.y }))
  if (spoiling.cutShare) {
    const toLeft = random() < 0.5
    const length = (Math.hypot(quad[1].x - quad[0].x, 0) + Math.hypot(quad[2].x - quad[3].x, 0)) / 2
    const edge = toLeft ? (quad[0].x + quad[3].x) / 2 : (quad[1].x + quad[2].x) / 2
    const wanted = toLeft ? -spoiling.cutShare * length : width + spoiling.cutShare * length
    for (const corner of quad) corner.x += wanted - edge
  }
  return quad as unknown as Quad
}

function computeScale(quad: Quad, { widthMm }: FlatDocument): number {
  const top = Math.hypot(quad[1].x - quad[0].x, quad[1].y - quad[0].y)
  const bottom = Math.hypot(quad[2].x - quad[3].x, quad[2].y - quad[3].y)
  return (top + bottom) / 2 / widthMm
}

const LINEAR = Float32Array.from({ length: 256 }, (_, value) => (value / 255) ** GAMMA)

/** The document on a wooden table, with the shadow of a flat object. */
function linearScene(
  { raster }: FlatDocument,
  quad: Quad,
  seed: number,
  { width, height }: PictureSize,
): Light {
  const data = new Float32Array(width * height * 3)
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
      for (let k = 0; k < 3; k++) data[o + k] = out[k] * fall * 0.82
    }
  return { data, width, height }
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
