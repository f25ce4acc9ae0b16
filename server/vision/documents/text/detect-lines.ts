/**
 * Locates text lines with the PP-OCRv4 detector, in any direction and on any background. Does not read them or determine
 * their orientation.
 */
import { findRegions } from '../components.ts'
import type { Oblong } from '../grey.ts'
import type { Quad } from '../../protocol.ts'
import type { Raster } from '../../raster.ts'
import { warpQuad, wholePicture } from '../outline/warp.ts'
import type { TextNetwork } from './networks.ts'

/** One line, in pixels of the picture. Its quad runs with the text or against it. */
export interface TextLine {
  readonly quad: Quad
  /** Mean probability in the line's core, 0–1. */
  readonly score: number
}

/** Maximum longer side of the document in the network's input: letters of 2 mm on a passport page then have 15 pixels. */
const DETECTOR_SIDE_PX = 960
/** Maximum longer side of the whole picture, which may show a second side beside the document. */
const MAX_SIDE_PX = 1440
/** The network halves its input five times. */
const MULTIPLE = 32
/** PaddleOCR, DBPostProcess: mean and deviation of ImageNet, applied to BGR in this order. */
const MEAN = [0.485, 0.456, 0.406]
const DEVIATION = [0.229, 0.224, 0.225]
/** PaddleOCR, DBPostProcess: minimum probability of a core pixel, and minimum score of a line. */
const CORE = 0.3
const MIN_SCORE = 0.5
/**
 * The network marks a core smaller than the line. Its area times this factor, divided by its perimeter, is the margin to
 * add.
 */
const UNCLIP = 1.7
/** Unit: pixels of the detector's map. */
const MIN_CORE_PX = 12
const MIN_HEIGHT_PX = 3
/**
 * Two sides of a document have at most 60 lines. A background with print, or a hostile picture, has hundreds, at 20 ms
 * each.
 */
const MAX_LINES = 100

/** `documentPx`: longer side of the document in the picture; by default the document fills it. */
export async function detectLines(
  picture: Raster,
  detector: TextNetwork,
  documentPx = Math.max(picture.width, picture.height),
): Promise<readonly TextLine[]> {
  const { width, height } = detectorSize(picture, documentPx)
  const small = warpQuad(picture, wholePicture(picture), width, height)
  const { data } = await detector.run(toInput(small), [1, 3, height, width])
  const mask = { data: markCore(data), width, height }
  const [sx, sy] = [picture.width / width, picture.height / height]
  return findRegions(mask, MIN_CORE_PX)
    .filter(({ height: high }) => high >= MIN_HEIGHT_PX)
    .map((region) => ({ region, score: meanWithin(data, width, height, region) }))
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_LINES)
    .map(({ region, score }) => ({ quad: toQuad(grown(region), sx, sy), score }))
}

function detectorSize({ width, height }: Raster, documentPx: number): { width: number; height: number } {
  const scale = Math.min(1, DETECTOR_SIDE_PX / documentPx, MAX_SIDE_PX / Math.max(width, height))
  const side = (px: number): number => Math.max(MULTIPLE, Math.round((px * scale) / MULTIPLE) * MULTIPLE)
  return { width: side(width), height: side(height) }
}

function markCore(probabilities: Float32Array): Uint8Array {
  const core = new Uint8Array(probabilities.length)
  for (let i = 0; i < core.length; i++) if (probabilities[i] > CORE) core[i] = 255
  return core
}

/** Normalised input value per channel and pixel value. */
const INPUTS = MEAN.map((mean, c) =>
  Float32Array.from({ length: 256 }, (_, value) => (value / 255 - mean) / DEVIATION[c]),
)

function toInput({ data, width, height }: Raster): Float32Array {
  const plane = width * height
  const input = new Float32Array(3 * plane)
  const [blue, green, red] = INPUTS
  for (let i = 0, j = 0; i < plane; i++, j += 3) {
    input[i] = blue[data[j + 2]]
    input[plane + i] = green[data[j + 1]]
    input[2 * plane + i] = red[data[j]]
  }
  return input
}

/** Mean of the pixels along the region's centre line and beside it. */
function meanWithin(data: Float32Array, width: number, height: number, region: Oblong): number {
  const { centre, angleDeg } = region
  const [c, s] = [Math.cos((angleDeg * Math.PI) / 180), Math.sin((angleDeg * Math.PI) / 180)]
  let [sum, count] = [0, 0]
  for (let v = -region.height / 4; v <= region.height / 4; v += Math.max(1, region.height / 4))
    for (let u = -region.width / 2; u <= region.width / 2; u++) {
      const x = Math.round(centre.x + u * c - v * s)
      const y = Math.round(centre.y + u * s + v * c)
      if (x < 0 || y < 0 || x >= width || y >= height) continue
      sum += data[y * width + x]
      count++
    }
  return count === 0 ? 0 : sum / count
}

function grown(region: Oblong): Oblong {
  const { width, height } = region
  const by = (width * height * UNCLIP) / (2 * (width + height))
  return { ...region, width: width + 2 * by, height: height + 2 * by }
}

/** Corners clockwise from the upper left one along the line's longer direction. */
function toQuad({ centre, width, height, angleDeg }: Oblong, sx: number, sy: number): Quad {
  const [c, s] = [Math.cos((angleDeg * Math.PI) / 180), Math.sin((angleDeg * Math.PI) / 180)]
  const corner = (u: number, v: number) => ({
    // Region coordinates refer to pixel centres, quad coordinates to pixel corners.
    x: (centre.x + 0.5 + (u * c * width - v * s * height) / 2) * sx,
    y: (centre.y + 0.5 + (u * s * width + v * c * height) / 2) * sy,
  })
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]
}
