/**
 * Converts the maps of the locator network (models/document) to quadrilaterals. Mirrors models/document/decode.py step by
 * step, so the figures published there apply only while both agree. Runs no network. Coordinates are map cells with whole
 * numbers at their centres.
 */
/** Starting values, equal to those in decode.py. */
const MASK = 0.5
/** Later steps cannot read a document smaller than about 6 × 4 cells of 4 × 4 input pixels. */
const MIN_CELLS = 24
const MIN_PEAK = 0.12
const PEAKS = 8
const PEAKS_WITH_ONE_GUESSED = 6
const MAX_DOCUMENTS = 3
/** Maximum distance in cells between a corner's peak and its document's mask. */
const REACH = 3

interface Peak {
  readonly x: number
  readonly y: number
  readonly height: number
}
type Corners = readonly [Peak, Peak, Peak, Peak]

/** One document decoded from the maps. */
interface MappedDocument {
  /** Clockwise; in the order of the content if `turnShare` is high enough. */
  readonly corners: Corners
  /** Agreement of corners and mask, 0–1. */
  readonly score: number
  /** Share of the best of the four corner orders in the evidence for all, 0.25 (unknown) to 1. */
  readonly turnShare: number
  /** 0: back of a card, 1: front or data page. */
  readonly frontShare: number
}

/** Channels of the text direction. */
export const ALONG_X = 6
export const ALONG_Y = 7

/** Planes of one picture in sequence, rows top to bottom. */
export interface Planes {
  readonly data: Float32Array
  readonly width: number
  readonly height: number
}

/**
 * Channels: document, front, the corners top left, top right, bottom right, bottom left, and the text direction in the
 * picture as (1 + cosine) / 2 and (1 + sine) / 2, both 0.5 where the network is unsure.
 */
interface Maps {
  readonly width: number
  readonly height: number
  at(channel: number, x: number, y: number): number
}

export function documentsIn({ data, width, height }: Planes): MappedDocument[] {
  const maps: Maps = { width, height, at: (channel, x, y) => data[(channel * height + y) * width + x] }
  const peaks = findPeaks(maps)
  return findMasks(maps)
    .map((mask) => findBest(maps, mask, peaks))
    .filter((document) => document !== null)
    .sort((a, b) => b.score - a.score)
}

/**
 * Local maxima of the sum of the four corner maps, refined to sub-cell precision by a parabola through the logarithms.
 */
function findPeaks(maps: Maps): Peak[] {
  const { width, height } = maps
  const sum = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= width || y >= height
      ? 0
      : maps.at(2, x, y) + maps.at(3, x, y) + maps.at(4, x, y) + maps.at(5, x, y)
  const peaks: Peak[] = []
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const top = sum(x, y)
      if (top <= MIN_PEAK || !isHighest(sum, x, y, top)) continue
      const isInside = (a: number, size: number): boolean => a > 0 && a < size - 1
      const dx = isInside(x, width) ? summit(sum(x - 1, y), top, sum(x + 1, y)) : 0
      const dy = isInside(y, height) ? summit(sum(x, y - 1), top, sum(x, y + 1)) : 0
      peaks.push({ x: x + dx, y: y + dy, height: top })
    }
  return peaks.sort((a, b) => b.height - a.height)
}

function isHighest(sum: (x: number, y: number) => number, x: number, y: number, top: number): boolean {
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++) if (sum(x + dx, y + dy) > top) return false
  return true
}

/** Sub-cell offset (−0.5 to 0.5) of a Gaussian peak. */
function summit(before: number, top: number, after: number): number {
  const [a, b, c] = [before, top, after].map((value) => Math.log(Math.max(value, 1e-4)))
  const bend = a - 2 * b + c
  return bend < -1e-6 ? Math.max(-0.5, Math.min(0.5, (a - c) / (2 * bend))) : 0
}

/** Cells of one document, 4-connected; `near` also contains those within REACH. */
interface Mask {
  readonly own: Uint8Array
  readonly count: number
}

function findMasks(maps: Maps): Mask[] {
  const { width, height } = maps
  const seen = new Uint8Array(width * height)
  const masks: Mask[] = []
  for (let start = 0; start < seen.length; start++) {
    if (seen[start] || !isDocument(maps, start)) continue
    const own = new Uint8Array(width * height)
    const open = [start]
    let count = 0
    seen[start] = 1
    for (let cell = open.pop(); cell !== undefined; cell = open.pop()) {
      own[cell] = 1
      count++
      for (const next of neighbours(cell, width, height))
        if (!seen[next] && isDocument(maps, next)) {
          seen[next] = 1
          open.push(next)
        }
    }
    if (count >= MIN_CELLS) masks.push({ own, count })
  }
  return masks.sort((a, b) => b.count - a.count).slice(0, MAX_DOCUMENTS)
}

const isDocument = (maps: Maps, cell: number): boolean =>
  maps.at(0, cell % maps.width, Math.floor(cell / maps.width)) > MASK

function neighbours(cell: number, width: number, height: number): number[] {
  const x = cell % width
  const found: number[] = []
  if (x > 0) found.push(cell - 1)
  if (x < width - 1) found.push(cell + 1)
  if (cell >= width) found.push(cell - width)
  if (cell < width * (height - 1)) found.push(cell + width)
  return found
}

function isNear({ own }: Mask, { width, height }: Maps, peak: Peak): boolean {
  const [px, py] = [Math.floor(peak.x + 0.5), Math.floor(peak.y + 0.5)]
  for (let y = Math.max(0, py - REACH); y <= Math.min(height - 1, py + REACH); y++)
    for (let x = Math.max(0, px - REACH); x <= Math.min(width - 1, px + REACH); x++)
      if (own[y * width + x]) return true
  return false
}

/** The quadrilateral of peaks that covers the mask best. */
function findBest(maps: Maps, mask: Mask, everyPeak: readonly Peak[]): MappedDocument | null {
  const peaks = everyPeak.filter((peak) => isNear(mask, maps, peak)).slice(0, PEAKS)
  let best: (Cover & { corners: Corners; score: number }) | null = null
  for (const corners of candidates(peaks)) {
    if (!isConvexClockwise(corners)) continue
    const trust = corners.reduce((sum, { height }) => sum + Math.min(1, height), 0) / 4
    const cover = compare(maps, mask, corners)
    const score = cover.overlap * (0.5 + trust / 2)
    if (best === null || score > best.score) best = { ...cover, corners, score }
  }
  if (best === null) return null
  const { first, share } = estimateTurn(maps, best.corners, best)
  const corners = [0, 1, 2, 3].map((i) => best.corners[(first + i) % 4]) as unknown as Corners
  return { corners, score: best.score, turnShare: share, frontShare: best.front }
}

/** Any four peaks, or any three completed to a parallelogram. */
function* candidates(peaks: readonly Peak[]): Generator<Corners> {
  for (let a = 0; a < peaks.length; a++)
    for (let b = a + 1; b < peaks.length; b++)
      for (let c = b + 1; c < peaks.length; c++) {
        const [p, q, r] = [peaks[a], peaks[b], peaks[c]]
        for (let d = c + 1; d < peaks.length; d++) yield clockwise([p, q, r, peaks[d]])
        if (c >= PEAKS_WITH_ONE_GUESSED) continue
        for (const [u, v, w] of [
          [p, q, r],
          [q, r, p],
          [r, p, q],
        ])
          yield clockwise([u, v, w, { x: u.x + w.x - v.x, y: u.y + w.y - v.y, height: 0 }])
      }
}

function clockwise(corners: Corners): Corners {
  const cx = corners.reduce((sum, { x }) => sum + x, 0) / 4
  const cy = corners.reduce((sum, { y }) => sum + y, 0) / 4
  const angle = ({ x, y }: Peak): number => Math.atan2(y - cy, x - cx)
  return [...corners].sort((a, b) => angle(a) - angle(b)) as unknown as Corners
}

/** Twice the area of the triangle; positive if the corner turns clockwise in the picture. */
const corner = (a: Peak, b: Peak, x: number, y: number): number =>
  (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)

const isConvexClockwise = (q: Corners): boolean =>
  [0, 1, 2, 3].every((i) => {
    const third = q[(i + 2) % 4]
    return corner(q[i], q[(i + 1) % 4], third.x, third.y) > 1
  })

interface Cover {
  /** Intersection over union of quadrilateral and mask. */
  readonly overlap: number
  /** Mean front probability inside. */
  readonly front: number
  /** Mean text direction inside; short where the network is unsure. */
  readonly along: readonly [x: number, y: number]
}

function compare(maps: Maps, mask: Mask, [a, b, c, d]: Corners): Cover {
  let [inside, shared, front, x2, y2] = [0, 0, 0, 0, 0]
  for (let y = 0; y < maps.height; y++)
    for (let x = 0; x < maps.width; x++) {
      if (
        corner(a, b, x, y) < 0 ||
        corner(b, c, x, y) < 0 ||
        corner(c, d, x, y) < 0 ||
        corner(d, a, x, y) < 0
      )
        continue
      inside++
      front += maps.at(1, x, y)
      x2 += 2 * maps.at(ALONG_X, x, y) - 1
      y2 += 2 * maps.at(ALONG_Y, x, y) - 1
      shared += mask.own[y * maps.width + x]
    }
  const cells = Math.max(1, inside)
  return {
    overlap: shared / (mask.count + inside - shared),
    front: front / cells,
    along: [x2 / cells, y2 / cells],
  }
}

/**
 * Determines the content's upper left corner from the corners' peaks and from how well the text runs along the following
 * upper edge.
 */
function estimateTurn(maps: Maps, corners: Corners, { along }: Cover): { first: number; share: number } {
  const within = (value: number, size: number): number => Math.max(0, Math.min(size - 1, Math.round(value)))
  const height = (channel: number, { x, y }: Peak): number =>
    maps.at(2 + channel, within(x, maps.width), within(y, maps.height))
  const orders = [0, 1, 2, 3].map((first) => [0, 1, 2, 3].map((k) => corners[(first + k) % 4]))
  const hills = orders.map((order) => order.reduce((sum, peak, k) => sum + height(k, peak), 0))
  const everyHill = hills.reduce((sum, hill) => sum + hill, 1e-9)
  const evidence = orders.map(([a, b, c, d], i) => {
    const edge = [b.x - a.x + c.x - d.x, b.y - a.y + c.y - d.y]
    const running = (along[0] * edge[0] + along[1] * edge[1]) / (Math.hypot(edge[0], edge[1]) + 1e-9)
    return hills[i] / everyHill + Math.max(0, running)
  })
  const first = evidence.indexOf(Math.max(...evidence))
  return { first, share: evidence[first] / (evidence.reduce((sum, value) => sum + value, 0) + 1e-9) }
}
