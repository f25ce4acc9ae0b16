/**
 * Finds long straight lines among edge pixels, including interrupted ones: a Hough transform that uses each pixel's
 * direction, a fit, and edge counts along every line. Knows no documents.
 */
import type { EdgeMap } from './edges.ts'

/** Points x, y of the copy with x·cos + y·sin = rho. The direction along the line is (−sin, cos). */
export interface Line {
  readonly cos: number
  readonly sin: number
  readonly rho: number
  /** A side of the picture itself, used where the document continues beyond it; it has no edge pixels. */
  readonly isBorder: boolean
  /** Start of the counts below, as a place along the line. */
  readonly from: number
  /** Cumulative counts of edge pixels that brighten or darken along the normal. */
  readonly brighter: Uint16Array
  readonly darker: Uint16Array
  /** Length of the longest run with more edge than gap, minus its gaps. */
  readonly run: number
}

const RHO_PX = 2
/** Weights of votes by angular error of one edge pixel, in degrees. */
const VOTES = [1, 0.85, 0.6, 0.3]
/** Steps of at least this many levels count fully. */
const FULL_STEP = 24
/** Minimum length of a document's side as a share of the picture's longer side. */
const MIN_RUN_SHARE = 0.05
/** Minimum votes above the surrounding texture, in the same share. */
const MIN_VOTES_SHARE = 0.02
/** Bins on either side that estimate the votes caused by texture and noise. */
const TEXTURE_BINS = 12
/** Lines closer than this are one. */
const SAME_LINE = { deg: 1.5, px: 1.5 }
/** Wood grain and stripes yield many lines: maximum in total and per direction. */
const MAX_LINES = 48
const MAX_ALIKE = { lines: 14, deg: 12 }
/** Peaks that are examined before the best are kept. */
const MAX_PEAKS = 160
/** Cost of a place without an edge along a run: texture hits a fifth of the places by chance. */
const GAP_COST = 1
/** Maximum distance and angle at which an edge pixel belongs to a line. */
const REACH_PX = 2
const REACH_COS = Math.cos((16 * Math.PI) / 180)

export function findLines(edges: EdgeMap): Line[] {
  const { width, height } = edges
  const longer = Math.max(width, height)
  const bins = Math.ceil(Math.hypot(width, height) / RHO_PX) + 4
  const votes = castVotes(edges, bins)
  const lines = pickPeaks(votes, bins, MIN_VOTES_SHARE * longer)
    .map(({ degree, bin }) => {
      const angle = (degree * Math.PI) / 180
      const centred = (bin - bins / 2) * RHO_PX
      const rho = centred + (width / 2) * Math.cos(angle) + (height / 2) * Math.sin(angle)
      return fitLine(edges, Math.cos(angle), Math.sin(angle), rho)
    })
    .filter((line): line is Line => line !== null && line.run >= MIN_RUN_SHARE * longer)
  return withoutDoubles(lines)
}

/** Sorts by run, longest first, and keeps the best of many in one direction. */
function withoutDoubles(lines: Line[]): Line[] {
  const kept: Line[] = []
  for (const line of lines.sort((a, b) => b.run - a.run)) {
    if (kept.length === MAX_LINES) break
    let alike = 0
    let isDouble = false
    for (const other of kept) {
      const along = line.cos * other.cos + line.sin * other.sin
      if (Math.abs(along) > ALIKE_COS) alike++
      isDouble ||=
        Math.abs(along) > SAME_COS && Math.abs(line.rho - Math.sign(along) * other.rho) < SAME_LINE.px
    }
    if (!isDouble && alike < MAX_ALIKE.lines) kept.push(line)
  }
  return kept
}
const ALIKE_COS = Math.cos((MAX_ALIKE.deg * Math.PI) / 180)
const SAME_COS = Math.cos((SAME_LINE.deg * Math.PI) / 180)

/** Votes per degree of the normal (0–179) and distance from the picture's middle. */
function castVotes({ count, x, y, angle, step, width, height }: EdgeMap, bins: number): Float32Array {
  const votes = new Float32Array(180 * bins)
  const reach = VOTES.length - 1
  for (let k = 0; k < count; k++) {
    const degree = Math.round((angle[k] * 180) / Math.PI) + 360
    const weight = Math.min(1, 0.25 + (0.75 * step[k]) / FULL_STEP)
    const [dx, dy] = [x[k] - width / 2, y[k] - height / 2]
    for (let d = -reach; d <= reach; d++) {
      const turned = (degree + d) % 180
      const place = (dx * COS[turned] + dy * SIN[turned]) / RHO_PX + bins / 2
      const bin = place | 0
      const share = place - bin
      const w = weight * VOTES[d < 0 ? -d : d]
      votes[turned * bins + bin] += w * (1 - share)
      votes[turned * bins + bin + 1] += w * share
    }
  }
  return votes
}
const COS = Float64Array.from({ length: 180 }, (_, d) => Math.cos((d * Math.PI) / 180))
const SIN = Float64Array.from({ length: 180 }, (_, d) => Math.sin((d * Math.PI) / 180))

interface Peak {
  readonly degree: number
  readonly bin: number
  readonly votes: number
}

/** Local maxima above the surrounding votes, highest first. */
function pickPeaks(votes: Float32Array, bins: number, least: number): Peak[] {
  const peaks: Peak[] = []
  const sums = new Float64Array(bins + 1)
  for (let degree = 0; degree < 180; degree++) {
    const row = degree * bins
    for (let bin = 0; bin < bins; bin++) sums[bin + 1] = sums[bin] + votes[row + bin]
    for (let bin = 1; bin < bins - 1; bin++) {
      const value = votes[row + bin]
      if (value < least || !isCrest(votes, bins, degree, bin, value)) continue
      const from = Math.max(0, bin - TEXTURE_BINS)
      const to = Math.min(bins, bin + TEXTURE_BINS + 1)
      const outstanding = value - (sums[to] - sums[from]) / (to - from)
      if (outstanding >= least) peaks.push({ degree, bin, votes: outstanding })
    }
  }
  return peaks.sort((a, b) => b.votes - a.votes).slice(0, MAX_PEAKS)
}

function isCrest(votes: Float32Array, bins: number, degree: number, bin: number, value: number): boolean {
  for (let d = -1; d <= 1; d++)
    for (let b = -1; b <= 1; b++) {
      if (d === 0 && b === 0) continue
      const turned = degree + d
      const other =
        turned < 0 || turned > 179
          ? votes[((turned + 180) % 180) * bins + (bins - bin - b)]
          : votes[turned * bins + bin + b]
      if (other > value) return false
    }
  return true
}

/** Two rounds of fitting to the nearby pixels, then counting. */
function fitLine(edges: EdgeMap, cos: number, sin: number, rho: number): Line | null {
  let [c, s, r] = [cos, sin, rho]
  for (let round = 0; round < 2; round++) {
    const fitted = fitOnce(edges, c, s, r, REACH_PX + 1 - round)
    if (fitted === null) return null
    ;[c, s, r] = fitted
  }
  return countAlong(edges, c, s, r, false)
}

/** Calls `visit` with the nearest edge pixel at every place along the line, and its distance. */
function walk(
  edges: EdgeMap,
  cos: number,
  sin: number,
  rho: number,
  reach: number,
  visit: (along: number, off: number, edge: number) => void,
): void {
  const { width, height, at, angle } = edges
  const [from, to] = spanInside(cos, sin, rho, width, height)
  for (let along = Math.ceil(from); along <= to; along++)
    for (let k = 0; k <= 2 * reach; k++) {
      const off = k % 2 === 0 ? k / 2 : -(k + 1) / 2
      const x = Math.round(cos * (rho + off) - sin * along)
      const y = Math.round(sin * (rho + off) + cos * along)
      if (x < 0 || y < 0 || x >= width || y >= height) continue
      const edge = at[y * width + x] - 1
      if (edge < 0) continue
      const agreement = Math.cos(angle[edge]) * cos + Math.sin(angle[edge]) * sin
      if (agreement < REACH_COS && agreement > -REACH_COS) continue
      visit(along, off, edge)
      break
    }
}

function fitOnce(
  edges: EdgeMap,
  cos: number,
  sin: number,
  rho: number,
  reach: number,
): [number, number, number] | null {
  let [n, st, sd, stt, std] = [0, 0, 0, 0, 0]
  walk(edges, cos, sin, rho, reach, (along, _off, edge) => {
    const off = edges.x[edge] * cos + edges.y[edge] * sin - rho
    const w = Math.min(1, 0.25 + (0.75 * edges.step[edge]) / FULL_STEP)
    n += w
    st += w * along
    sd += w * off
    stt += w * along * along
    std += w * along * off
  })
  const spread = n * stt - st * st
  if (n < 4 || !(spread > 0)) return null
  const slope = (n * std - st * sd) / spread
  const shift = (sd - slope * st) / n
  // d = shift + slope·t relative to the old normal is a line rotated by the slope.
  const length = Math.hypot(1, slope)
  return [(cos + slope * sin) / length, (sin - slope * cos) / length, (rho + shift) / length]
}

function countAlong(edges: EdgeMap, cos: number, sin: number, rho: number, isBorder: boolean): Line {
  const { width, height } = edges
  const [from, to] = spanInside(cos, sin, rho, width, height)
  const start = Math.ceil(from)
  const length = Math.max(0, Math.floor(to) - start + 1)
  const brighter = new Uint16Array(length + 1)
  const darker = new Uint16Array(length + 1)
  if (!isBorder)
    walk(edges, cos, sin, rho, REACH_PX, (along, _off, edge) => {
      const brightens = Math.cos(edges.angle[edge]) * cos + Math.sin(edges.angle[edge]) * sin > 0
      ;(brightens ? brighter : darker)[along - start + 1] = 1
    })
  let [run, longest] = [0, 0]
  for (let k = 1; k <= length; k++) {
    run = Math.max(0, brighter[k] + darker[k] > 0 ? run + 1 : run - GAP_COST)
    longest = Math.max(longest, run)
    brighter[k] += brighter[k - 1]
    darker[k] += darker[k - 1]
  }
  return { cos, sin, rho, isBorder, from: start, brighter, darker, run: longest }
}

/** First and last place along the line inside the picture; an empty span if the line misses it. */
function spanInside(cos: number, sin: number, rho: number, width: number, height: number): [number, number] {
  let [from, to] = [-Infinity, Infinity]
  // x = cos·rho − sin·t within 0…width − 1, y = sin·rho + cos·t within 0…height − 1.
  for (const [start, pace, last] of [
    [cos * rho, -sin, width - 1],
    [sin * rho, cos, height - 1],
  ]) {
    if (Math.abs(pace) < 1e-9) {
      if (start < -0.5 || start > last + 0.5) return [0, -1]
      continue
    }
    const [a, b] = [-start / pace, (last - start) / pace]
    from = Math.max(from, Math.min(a, b))
    to = Math.min(to, Math.max(a, b))
  }
  return [from, to]
}

/** The picture's own four sides. */
export function borderLines(edges: EdgeMap): Line[] {
  const { width, height } = edges
  return [
    countAlong(edges, 0, 1, 0, true),
    countAlong(edges, 1, 0, width - 1, true),
    countAlong(edges, 0, 1, height - 1, true),
    countAlong(edges, 1, 0, 0, true),
  ]
}
