/**
 * Proposes the document's outline and orientation with the locator network (models/document). Its corners are accurate to
 * about a hundredth of the document's length; edges refine them, and everything works without the network. Judges
 * nothing, reads nothing.
 */
import type { Raster } from '../../raster.ts'
import type { ModelUse, Quad, QuarterTurn } from '../../protocol.ts'
import type { ModelSession } from '../../sessions.ts'
import { ALONG_X, ALONG_Y, documentsIn, type Planes } from './network-maps.ts'

interface NetworkProposal {
  /** Unit: pixels of the picture, clockwise; a corner may lie outside. */
  readonly quad: Quad
  readonly foundBy: 'network'
  /** Agreement of the corners and the detected area, 0–1. */
  readonly score: number
  /** The first corner is the upper left corner of the upright content. */
  readonly isUpright: boolean
  /** Clockwise turn that makes the content upright; null if unknown. */
  readonly uprightTurn: QuarterTurn | null
  /** 0: back of a card … 1: front or data page. */
  readonly frontShare: number
}

export interface NetworkProposer {
  readonly model: ModelUse
  /** Up to three, best first; empty if the network sees no document. Quads in the raster's pixels. */
  propose(raster: Raster): Promise<readonly NetworkProposal[]>
}

/** Input sizes used in training (models/document/render.py), including empty margins of 16 pixels. */
const INPUT_SHAPES = [
  [208, 208],
  [224, 176],
  [256, 160],
  [176, 224],
  [160, 256],
] as const
const MARGIN = 16
/** Input pixels per map cell. */
const STRIDE = 4
/** Value outside the picture; the picture's values are −0.5 to 0.5. */
const OUTSIDE = -1
/** Maximum samples per direction averaged into one input pixel: more cost time without any benefit. */
const MAX_SAMPLES = 6
/**
 * Minimum share of the best of four turns, as in models/document/decode.py: it decided 83 % of 205 documents in rendered
 * scenes, 99.4 % of them correctly (models/document/README.md).
 */
const SURE_TURN = 0.6

interface Letterbox {
  readonly width: number
  readonly height: number
  readonly scale: number
  readonly left: number
  readonly top: number
}

export function createNetworkProposer(session: ModelSession): NetworkProposer {
  return {
    model: session.model,
    async propose(raster) {
      const box = letterbox(raster.width, raster.height)
      return documentsIn(await averageMaps(session, toInput(raster, box))).map((found) => {
        const quad = found.corners.map(({ x, y }) => ({
          x: ((x + 0.5) * STRIDE - box.left) / box.scale,
          y: ((y + 0.5) * STRIDE - box.top) / box.scale,
        })) as unknown as Quad
        const isUpright = found.turnShare >= SURE_TURN
        return {
          quad,
          foundBy: 'network',
          score: found.score,
          isUpright,
          uprightTurn: isUpright ? deriveUprightTurn(quad) : null,
          frontShare: found.frontShare,
        }
      })
    },
  }
}

/**
 * Averages the maps of the picture in all four turns, each rotated back: costs a millisecond each and improves the
 * orientation (models/document/README.md).
 */
async function averageMaps(session: ModelSession, input: Planes): Promise<Planes> {
  let [turned, sum] = [input, null as Planes | null]
  for (let turn = 0; turn < 4; turn++) {
    const { data, width, height } = turned
    const outputs = await session.run(data, [1, 3, height, width])
    const { data: maps, dims } = outputs[session.outputNames[0]]
    let back: Planes = { data: maps, width: dims[3], height: dims[2] }
    for (let k = turn; k < 4 && k > 0; k++) back = turnMaps(back)
    if (sum === null) sum = { ...back, data: back.data.map((value) => value / 4) }
    else for (let i = 0; i < sum.data.length; i++) sum.data[i] += back.data[i] / 4
    turned = quarterTurn(turned)
  }
  return sum ?? input
}

/** Rotates the maps clockwise. The text direction rotates too: (x, y) becomes (−y, x), y downwards. */
function turnMaps(maps: Planes): Planes {
  const { data, width, height } = quarterTurn(maps)
  const plane = width * height
  const [x, y] = [ALONG_X * plane, ALONG_Y * plane]
  const before = data.slice(x, x + plane)
  for (let i = 0; i < plane; i++) data[x + i] = 1 - data[y + i]
  data.set(before, y)
  return { data, width, height }
}

/** Rotates every plane clockwise. */
function quarterTurn({ data, width, height }: Planes): Planes {
  const turned = new Float32Array(data.length)
  const plane = width * height
  for (let start = 0; start < data.length; start += plane)
    for (let y = 0, from = start; y < height; y++)
      for (let x = 0; x < width; x++, from++) turned[start + x * height + height - 1 - y] = data[from]
  return { data: turned, width: height, height: width }
}

/** Selects the input size nearest to the picture's shape, and the picture's place in it. */
function letterbox(width: number, height: number): Letterbox {
  const misfit = ([w, h]: readonly [number, number]): number =>
    Math.abs(Math.log((((w - 2 * MARGIN) / (h - 2 * MARGIN)) * height) / width))
  const [w, h] = INPUT_SHAPES.reduce((best, shape) => (misfit(shape) < misfit(best) ? shape : best))
  const scale = Math.min((w - 2 * MARGIN) / width, (h - 2 * MARGIN) / height)
  return { width: w, height: h, scale, left: (w - width * scale) / 2, top: (h - height * scale) / 2 }
}

/** Reduces the picture by averaging, planes in the order red, green, blue. */
function toInput({ data, width, height }: Raster, box: Letterbox): Planes {
  const plane = box.width * box.height
  const input = new Float32Array(3 * plane).fill(OUTSIDE)
  const step = 1 / box.scale
  const samples = Math.max(1, Math.min(MAX_SAMPLES, Math.ceil(step)))
  const rows = samplePlaces(box.top, box.height, step, samples, height)
  const columns = samplePlaces(box.left, box.width, step, samples, width)
  const value = 1 / (255 * samples * samples)
  for (let y = 0; y < box.height; y++) {
    if (rows[y * samples] < 0) continue
    for (let x = 0; x < box.width; x++) {
      if (columns[x * samples] < 0) continue
      let [red, green, blue] = [0, 0, 0]
      for (let j = 0; j < samples; j++) {
        const row = rows[y * samples + j] * width
        for (let i = 0; i < samples; i++) {
          const at = (row + columns[x * samples + i]) * 3
          red += data[at]
          green += data[at + 1]
          blue += data[at + 2]
        }
      }
      const to = y * box.width + x
      input[to] = red * value - 0.5
      input[to + plane] = green * value - 0.5
      input[to + 2 * plane] = blue * value - 0.5
    }
  }
  return { data: input, width: box.width, height: box.height }
}

/** For each input pixel along one axis: indices of the picture pixels to average, −1 outside the picture. */
function samplePlaces(
  start: number,
  length: number,
  step: number,
  samples: number,
  size: number,
): Int32Array {
  const places = new Int32Array(length * samples).fill(-1)
  for (let i = 0; i < length; i++) {
    const centre = (i + 0.5 - start) * step
    if (centre < 0 || centre >= size) continue
    for (let k = 0; k < samples; k++) {
      const place = Math.floor((i - start + (k + 0.5) / samples) * step)
      places[i * samples + k] = Math.max(0, Math.min(size - 1, place))
    }
  }
  return places
}

/** Derives the turn from the direction of the content's upper edge in the picture. */
function deriveUprightTurn([topLeft, topRight]: Quad): QuarterTurn {
  const degrees = (Math.atan2(topRight.y - topLeft.y, topRight.x - topLeft.x) * 180) / Math.PI
  return (((4 - Math.round(degrees / 90)) % 4) * 90) as QuarterTurn
}
