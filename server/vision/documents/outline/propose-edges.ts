/**
 * Proposes quadrilaterals whose sides are detected lines, or the picture's borders where the document is cut off. Ranks
 * them by a cheap score; the scoring after refinement decides which one is a document.
 */
import type { Quad } from '../../protocol.ts'
import type { EdgeMap, SmallCopy } from './edges.ts'
import { borderLines, findLines, type Line } from './lines.ts'
import { isConvex, type Proposal } from './proposal.ts'

/** Starting values, on copies of at most 512 pixels. */
const MIN_AREA_SHARE = 0.035
const MIN_SIDE_SHARE = 0.09
/** Aspect ratios of cards, pages and open booklets (0.7 to 1.6) with perspective foreshortening. */
const MAX_RATIO = 2.4
/** Perspective makes opposite sides converge; adjacent sides must cross at a minimum angle. */
const MAX_CONVERGENCE = Math.cos((38 * Math.PI) / 180)
const MIN_CROSSING = Math.sin((48 * Math.PI) / 180)
/** Corners may lie outside the picture by this share of its size. */
const OUTSIDE_SHARE = 0.12
const MAX_PAIRS = 220
const MIN_COVERAGE = 0.3
/** The rounded corners of a card (3.18 mm of 54 to 86 mm, ISO/IEC 7810) have no straight edge. */
const CORNER_SHARE = 0.05
/** A line must have ended at this distance beyond a corner. */
const BEYOND_SHARE = 0.14
const BORDER_COVERAGE = 0.5

interface Candidate {
  readonly corners: readonly number[]
  readonly score: number
}

export function proposeByEdges(edges: EdgeMap, { factor }: SmallCopy, most: number): Proposal[] {
  const lines = [...findLines(edges), ...borderLines(edges)]
  const candidates = buildQuads(lines, edges).sort((a, b) => b.score - a.score)
  const kept: Candidate[] = []
  for (const candidate of candidates) {
    if (kept.length === most) break
    if (!kept.some((other) => isSame(candidate, other, edges))) kept.push(candidate)
  }
  return kept.map(({ corners, score }) => ({
    quad: [0, 2, 4, 6].map((i) => ({
      x: (corners[i] + 0.5) * factor,
      y: (corners[i + 1] + 0.5) * factor,
    })) as unknown as Quad,
    foundBy: 'edges',
    score,
    isUpright: false,
  }))
}

/** True if all corners agree within two hundredths of the picture's diagonal. */
function isSame(a: Candidate, b: Candidate, { width, height }: EdgeMap): boolean {
  const least = 0.02 * Math.hypot(width, height)
  return [0, 2, 4, 6].some((turn) =>
    a.corners.every((value, i) => Math.abs(value - b.corners[(i + turn) % 8]) < least),
  )
}

/** Lines i and j as opposite sides. */
interface Pair {
  readonly i: number
  readonly j: number
  readonly strength: number
  readonly cos: number
  readonly sin: number
}

function pairLines(lines: readonly Line[]): Pair[] {
  const pairs: Pair[] = []
  const typical = lines.map((line) => (line.isBorder ? 0 : line.run))
  const weak = Math.max(...typical, 1) * 0.25
  for (let i = 0; i < lines.length; i++)
    for (let j = i + 1; j < lines.length; j++) {
      const [a, b] = [lines[i], lines[j]]
      const along = a.cos * b.cos + a.sin * b.sin
      if (Math.abs(along) < MAX_CONVERGENCE) continue
      const sign = along < 0 ? -1 : 1
      const [cos, sin] = [a.cos + sign * b.cos, a.sin + sign * b.sin]
      const length = Math.hypot(cos, sin)
      const strength = (typical[i] || weak) + (typical[j] || weak)
      pairs.push({ i, j, strength, cos: cos / length, sin: sin / length })
    }
  return pairs.sort((a, b) => b.strength - a.strength).slice(0, MAX_PAIRS)
}

function buildQuads(lines: readonly Line[], edges: EdgeMap): Candidate[] {
  const pairs = pairLines(lines)
  const crossings = computeCrossings(lines)
  const candidates: Candidate[] = []
  const corners = new Float64Array(8)
  const sides = new Int32Array(4)
  for (let p = 0; p < pairs.length; p++)
    for (let q = p + 1; q < pairs.length; q++) {
      const [a, b] = [pairs[p], pairs[q]]
      if (Math.abs(a.cos * b.sin - a.sin * b.cos) < MIN_CROSSING) continue
      if (a.i === b.i || a.i === b.j || a.j === b.i || a.j === b.j) continue
      sides.set([a.i, b.i, a.j, b.j])
      if (!fillCorners(sides, lines.length, crossings, corners) || !fits(corners, edges)) continue
      const score = glance(corners, sides, lines, edges)
      if (score > 0) candidates.push({ corners: [...corners], score })
    }
  return candidates
}

/** Intersection of each pair of lines: x, y; NaN for parallel ones. */
function computeCrossings(lines: readonly Line[]): Float64Array {
  const n = lines.length
  const out = new Float64Array(n * n * 2).fill(Number.NaN)
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const [a, b] = [lines[i], lines[j]]
      const det = a.cos * b.sin - a.sin * b.cos
      if (Math.abs(det) < 0.3) continue
      out[(i * n + j) * 2] = (a.rho * b.sin - b.rho * a.sin) / det
      out[(i * n + j) * 2 + 1] = (a.cos * b.rho - b.cos * a.rho) / det
    }
  return out
}

/** Corner k is between side k − 1 and side k. Reverses corners and sides together if they run anticlockwise. */
function fillCorners(sides: Int32Array, n: number, crossings: Float64Array, corners: Float64Array): boolean {
  for (let k = 0; k < 4; k++) {
    const at = (sides[(k + 3) % 4] * n + sides[k]) * 2
    corners[2 * k] = crossings[at]
    corners[2 * k + 1] = crossings[at + 1]
  }
  const area = signedArea(corners)
  if (!(area !== 0)) return false
  if (area < 0) {
    const [x, y] = [corners[2], corners[3]]
    corners[2] = corners[6]
    corners[3] = corners[7]
    corners[6] = x
    corners[7] = y
    // Reversed corners are 0 3 2 1, so the sides between them are 3 2 1 0.
    sides.reverse()
  }
  return true
}

function signedArea(c: Float64Array): number {
  let sum = 0
  for (let k = 0; k < 8; k += 2) sum += c[k] * c[(k + 3) % 8] - c[(k + 2) % 8] * c[k + 1]
  return sum / 2
}

function measureSide(c: Float64Array, k: number): number {
  const [a, b] = [2 * k, (2 * k + 2) % 8]
  return Math.hypot(c[b] - c[a], c[b + 1] - c[a + 1])
}

function fits(c: Float64Array, { width, height }: EdgeMap): boolean {
  const [mx, my] = [OUTSIDE_SHARE * width, OUTSIDE_SHARE * height]
  for (let k = 0; k < 8; k += 2)
    if (!(c[k] >= -mx && c[k] <= width + mx && c[k + 1] >= -my && c[k + 1] <= height + my)) return false
  if (signedArea(c) < MIN_AREA_SHARE * width * height) return false
  const lengths = [measureSide(c, 0), measureSide(c, 1), measureSide(c, 2), measureSide(c, 3)]
  if (Math.min(...lengths) < MIN_SIDE_SHARE * Math.max(width, height)) return false
  const ratio = (lengths[0] + lengths[2]) / (lengths[1] + lengths[3])
  if (ratio > MAX_RATIO || ratio < 1 / MAX_RATIO) return false
  return isConvex([0, 2, 4, 6].map((k) => ({ x: c[k], y: c[k + 1] })) as unknown as Quad)
}

/**
 * Cheap score: edge coverage of the sides, its evenness, whether the edges end at the corners, and the size. 0 rejects.
 */
function glance(c: Float64Array, sides: Int32Array, lines: readonly Line[], edges: EdgeMap): number {
  let [covered, lengths, least, beyond, inward, borders] = [0, 0, 1, 0, 0, 0]
  const middleX = (c[0] + c[2] + c[4] + c[6]) / 4
  const middleY = (c[1] + c[3] + c[5] + c[7]) / 4
  for (let k = 0; k < 4; k++) {
    const line = lines[sides[k]]
    const length = measureSide(c, k)
    lengths += length
    if (line.isBorder) {
      borders++
      covered += BORDER_COVERAGE * length
      continue
    }
    const side = sideSupport(line, c, k, length)
    if (side.coverage < MIN_COVERAGE) return 0
    least = Math.min(least, side.coverage)
    covered += side.coverage * length
    beyond += side.beyond * length
    const isInside = middleX * line.cos + middleY * line.sin > line.rho
    inward += (isInside ? side.balance : -side.balance) * length
  }
  if (borders > 2) return 0
  const size = Math.log2(signedArea(c) / (MIN_AREA_SHARE * edges.width * edges.height))
  return (
    (0.7 * covered) / lengths +
    0.3 * least -
    (0.4 * beyond) / lengths +
    (0.1 * Math.abs(inward)) / lengths +
    0.08 * size -
    0.25 * borders
  )
}

/**
 * Edge pixels per pixel of the side inside the picture, the same beyond its ends, and the direction in which they
 * brighten.
 */
function sideSupport(
  line: Line,
  c: Float64Array,
  k: number,
  length: number,
): { coverage: number; beyond: number; balance: number } {
  const [a, b] = [2 * k, (2 * k + 2) % 8]
  const t0 = -line.sin * c[a] + line.cos * c[a + 1]
  const t1 = -line.sin * c[b] + line.cos * c[b + 1]
  const [from, to] = t0 < t1 ? [t0, t1] : [t1, t0]
  const last = line.brighter.length - 1
  const place = (t: number) => Math.max(0, Math.min(last, Math.round(t) - line.from))
  const trim = CORNER_SHARE * length
  const reach = BEYOND_SHARE * length
  const [p0, p1] = [place(from + trim), place(to - trim)]
  const [q0, q1] = [place(from - reach), place(from - 3)]
  const [r0, r1] = [place(to + 3), place(to + reach)]
  const count = (x: number, y: number) =>
    line.brighter[y] - line.brighter[x] + line.darker[y] - line.darker[x]
  const inside = count(p0, p1)
  const room = q1 - q0 + r1 - r0
  return {
    coverage: inside / Math.max(4, p1 - p0),
    beyond: room > 0 ? (count(q0, q1) + count(r0, r1)) / room : 0,
    balance:
      inside > 0 ? (line.brighter[p1] - line.brighter[p0] - (line.darker[p1] - line.darker[p0])) / inside : 0,
  }
}
