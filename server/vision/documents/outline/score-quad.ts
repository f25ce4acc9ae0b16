/**
 * Scores how much a refined quadrilateral looks like a document's outline: features and their weighted sum. Used for all
 * proposers. Reads nothing and makes no further decision.
 */
import type { Quad } from '../../protocol.ts'
import type { EdgeMap, SmallCopy } from './edges.ts'
import { SIDES } from './proposal.ts'
import type { RefinedQuad } from './refine-quad.ts'
import { homography, mapPoint, estimatePose, quadArea, sideLength, type PictureSize } from './warp.ts'
import { mean } from '../percentiles.ts'

/** Sorted in the order of the weights. */
export const FEATURES = [
  'bias',
  /** Edge coverage of the sides that are not picture borders: mean, worst, second worst. */
  'coverageMean',
  'coverageLeast',
  'coverageSecond',
  /** Share of the prolonged sides with an edge: a document's edges end at its corners. */
  'beyond',
  /** Log step height at the sides. */
  'step',
  /** The inside is brighter on all sides, or darker on all sides. */
  'sameSign',
  /** Log deviation from the nearest document proportions. */
  'aspect',
  'tilt',
  'area',
  'borders',
  /** Edge density inside (print) and around (background). */
  'print',
  'surroundings',
  /** Edge coverage of the sides on the small copy. */
  'coarse',
] as const

/**
 * Width over height of ID-1 and page-sized documents (Doc 9303 parts 4, 5 and 6) in both orientations, and of the open
 * booklet.
 */
const ASPECTS = [85.6 / 53.98, 125 / 88, 105 / 74, 120 / 80]

export function computeFeatures(
  { quad, sides }: RefinedQuad,
  edges: EdgeMap,
  { factor }: SmallCopy,
  picture: PictureSize,
): number[] {
  const seen = sides.filter(({ isBorder }) => !isBorder)
  const coverages = seen.map(({ coverage }) => coverage).sort((a, b) => a - b)
  const lengths = SIDES.map((side) => sideLength(quad, side))
  const around = lengths.reduce((sum, length) => sum + length, 0)
  const signs = SIDES.reduce<number>((sum, i) => sum + sides[i].inwards * sides[i].coverage * lengths[i], 0)
  const pose = estimatePose(quad, picture)
  const aspect = pose === null ? 1 : Math.max(pose.aspect, 1 / pose.aspect)
  const onCopy = quad.map(({ x, y }) => ({ x: x / factor - 0.5, y: y / factor - 0.5 })) as unknown as Quad
  const { coarse, beyond } = alongSides(onCopy, edges, sides)
  return [
    1,
    mean(coverages),
    coverages[0] ?? 0,
    coverages[1] ?? 0,
    beyond,
    Math.log2(1 + mean(seen.map(({ step }) => step))),
    Math.abs(signs) / around,
    computeMisfit(aspect),
    (pose?.tiltDeg ?? 90) / 90,
    Math.log2(quadArea(quad) / (picture.width * picture.height)),
    sides.length - seen.length,
    printIn(onCopy, edges, 0.08, 0.92, true),
    printIn(onCopy, edges, -0.12, 1.12, false),
    coarse,
  ]
}

function computeMisfit(aspect: number): number {
  return Math.min(...ASPECTS.map((usual) => Math.abs(Math.log(aspect / usual))))
}

/** Shares of the sides, and of their prolongations by an eighth at both ends, with a matching edge. */
function alongSides(
  quad: Quad,
  edges: EdgeMap,
  sides: RefinedQuad['sides'],
): { coarse: number; beyond: number } {
  const [on, past] = [
    { hits: 0, places: 0 },
    { hits: 0, places: 0 },
  ]
  for (const side of SIDES) {
    if (sides[side].isBorder) continue
    const [a, b] = [quad[side], quad[(side + 1) % 4]]
    const length = Math.hypot(b.x - a.x, b.y - a.y)
    const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length]
    const reach = length / 8
    for (let t = -reach; t <= length + reach; t++) {
      const isOn = t > 0.06 * length && t < 0.94 * length
      if (!isOn && t > -2.5 && t < length + 2.5) continue
      const hit = hasEdge(edges, a.x + dx * t, a.y + dy * t, dy, -dx)
      if (hit === null) continue
      const counted = isOn ? on : past
      counted.places++
      counted.hits += hit
    }
  }
  return { coarse: on.hits / Math.max(1, on.places), beyond: past.hits / Math.max(1, past.places) }
}

/** 1 if an edge across (nx, ny) lies within 1.5 pixels, 0 if none does, null outside the picture. */
function hasEdge(
  { width, height, at, angle }: EdgeMap,
  x: number,
  y: number,
  nx: number,
  ny: number,
): number | null {
  for (let off = -1; off <= 1; off++) {
    const px = Math.round(x + nx * off)
    const py = Math.round(y + ny * off)
    if (px < 0 || py < 0 || px >= width || py >= height) return null
    const edge = at[py * width + px] - 1
    if (edge >= 0 && Math.abs(Math.cos(angle[edge]) * nx + Math.sin(angle[edge]) * ny) > 0.94) return 1
  }
  return 0
}

const GRID = { across: 48, down: 34 }

/**
 * Share of places with an edge nearby: in the quad between shares `from` and `to` of its sides, or in the frame around
 * it.
 */
function printIn(
  quad: Quad,
  { width, height, at }: EdgeMap,
  from: number,
  to: number,
  inside: boolean,
): number {
  const map = homography(quad)
  if (map === null) return 0
  let [hits, places] = [0, 0]
  for (let j = 0; j < GRID.down; j++)
    for (let i = 0; i < GRID.across; i++) {
      const u = from + ((to - from) * (i + 0.5)) / GRID.across
      const v = from + ((to - from) * (j + 0.5)) / GRID.down
      if (!inside && u > -0.04 && u < 1.04 && v > -0.04 && v < 1.04) continue
      const { x, y } = mapPoint(map, { x: u, y: v })
      const [px, py] = [Math.round(x), Math.round(y)]
      if (!(px >= 0 && py >= 0 && px < width - 1 && py < height - 1)) continue
      places++
      const k = py * width + px
      if (at[k] > 0 || at[k + 1] > 0 || at[k + width] > 0) hits++
    }
  return hits / Math.max(1, places)
}
