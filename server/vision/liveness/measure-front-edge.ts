/**
 * Looks for the edge of a display before the person: a straight level edge below the chin that runs across the whole body, and an upright
 * or upper edge that it meets. Frames, windows and monitors behind a person end at the body. Defines no limit.
 */
import type { Box } from '../protocol.ts'
import { boxAround, shrinkByWhole, toGrey } from '../raster.ts'
import type { FaceView } from './face-depth.ts'

const COMPARED_WIDTH_PX = 320
/** Slopes of an edge that is nearly level or upright. */
const SLOPES = [-0.09, -0.06, -0.03, 0, 0.03, 0.06, 0.09]
/** Least difference across an edge, in levels over three pixels. */
const MIN_STEP = 9
/** Face heights below the chin: a collar and a chin's shadow are nearer. */
const BELOW_CHIN = 0.4
/** How far an edge must reach to each side of the face's middle, in face widths: farther than shoulders. */
const REACH = 1.9
/** Half the width, in face widths, that clothes cover for certain: there an edge behind the person cannot be seen. */
const BODY = 0.9

/** Share (0–1) of the weaker of two edges that is seen: the lower one, and the best of the others. Null if no place is left for them. */
export function measureFrontEdge({ picture, mesh }: FaceView): number | null {
  const factor = Math.max(1, Math.floor(picture.width / COMPARED_WIDTH_PX))
  const grey = toGrey(shrinkByWhole(picture, factor))
  const { width, height } = grey
  const face = scaled(boxAround(mesh.points), 1 / factor)
  const lowest = Math.ceil(face.y + face.height * (1 + BELOW_CHIN))
  if (lowest + 6 >= height) return null
  const middle = face.x + face.width / 2
  const from = Math.max(2, Math.round(middle - REACH * face.width))
  const to = Math.min(width - 3, Math.round(middle + REACH * face.width))
  const body = [
    Math.max(from, Math.round(middle - BODY * face.width)),
    Math.min(to, Math.round(middle + BODY * face.width)),
  ] as const
  const level = { step: width, along: 1 }
  const lower = bestEdge(grey.data, level, [from, to], [lowest, height - 4], body)
  if (lower.share === 0) return 0
  const upper = bestEdge(grey.data, level, [from, to], [3, Math.floor(face.y - 0.25 * face.height)])
  const rows: readonly [number, number] = [
    Math.max(2, Math.round(face.y - 0.2 * face.height)),
    Math.min(height - 3, Math.round(lower.at) - 3),
  ]
  const upright = (left: number, right: number) =>
    bestEdge(grey.data, { step: 1, along: width }, rows, [left, right])
  const sides = [
    upright(3, Math.floor(face.x - 0.5 * face.width)),
    upright(Math.ceil(face.x + 1.5 * face.width), width - 4),
  ]
  return Math.min(lower.share, Math.max(upper.share, ...sides.map(({ share }) => share)))
}

function scaled({ x, y, width, height }: Box, times: number): Box {
  return { x: x * times, y: y * times, width: width * times, height: height * times }
}

/** `step`: to the next pixel across the edge; `along`: to the next pixel along it. */
interface Direction {
  readonly step: number
  readonly along: number
}

interface Edge {
  readonly share: number
  readonly at: number
}

const NO_EDGE: Edge = { share: 0, at: 0 }

/**
 * The straight edge whose brightness changes in one direction over the largest share of its length, and of its part inside.
 * Several parallel edges are stripes.
 */
function bestEdge(
  data: Uint8Array,
  { step, along }: Direction,
  [from, to]: readonly [number, number],
  [least, most]: readonly [number, number],
  [insideFrom, insideTo]: readonly [number, number] = [from, to],
): Edge {
  const length = to - from
  if (length < 20 || most < least) return NO_EDGE
  const inside = insideTo - insideFrom
  const middle = (from + to) / 2
  const rising = new Float32Array(most - least + 1)
  const falling = new Float32Array(most - least + 1)
  for (const slope of SLOPES)
    for (let at = least; at <= most; at++) {
      let [rises, falls, risesInside, fallsInside] = [0, 0, 0, 0]
      for (let k = from; k < to; k++) {
        const across = Math.round(at + slope * (k - middle))
        if (across < 2 || across > most + 2) continue
        const i = across * step + k * along
        const difference = data[i + step] + data[i + 2 * step] - data[i - step] - data[i - 2 * step]
        const isInside = k >= insideFrom && k < insideTo
        if (difference >= 2 * MIN_STEP) {
          rises++
          if (isInside) risesInside++
        } else if (difference <= -2 * MIN_STEP) {
          falls++
          if (isInside) fallsInside++
        }
      }
      const i = at - least
      rising[i] = Math.max(rising[i], Math.min(rises / length, risesInside / inside))
      falling[i] = Math.max(falling[i], Math.min(falls / length, fallsInside / inside))
    }
  const found = [rising, falling].map((shares) => singleEdge(shares, least))
  return found[0].share > found[1].share ? found[0] : found[1]
}

/** A display gets darker, or brighter, at no more than two edges: its picture's and its frame's. More are stripes. */
const MAX_EDGES = 2
const SIMILAR = 0.7
/** Between two edges, less than this share of the best one is seen. */
const BETWEEN = 0.6

function singleEdge(shares: Float32Array, least: number): Edge {
  let best = 0
  for (let i = 0; i < shares.length; i++) if (shares[i] > shares[best]) best = i
  let [edges, isHigh] = [0, false]
  for (const share of shares) {
    if (!isHigh && share >= SIMILAR * shares[best]) edges++
    isHigh = share >= (isHigh ? BETWEEN : SIMILAR) * shares[best]
  }
  return edges > MAX_EDGES ? NO_EDGE : { share: shares[best], at: best + least }
}
