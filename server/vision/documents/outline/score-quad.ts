/**
 * How much a refined quadrilateral looks like a document's outline: its features, and their weighing into one number.
 * Common to all proposers. Reads nothing and decides nothing beyond that number.
 */
import type { Quad } from '../../protocol.ts'
import type { EdgeMap, SmallCopy } from './edges.ts'
import { SIDES } from './proposal.ts'
import type { RefinedQuad } from './refine-quad.ts'
import { homography, mapPoint, poseOf, quadArea, sideLength, type PictureSize } from './warp.ts'
import { mean } from '../percentiles.ts'

/** In the order of the weights. */
export const FEATURES = [
  'bias',
  /** Sides with an edge: mean, worst and second worst, of those that are not the picture's borders. */
  'coverageMean',
  'coverageLeast',
  'coverageSecond',
  /** Share of the prolonged sides with an edge too: a document's edges end at its corners. */
  'beyond',
  /** Steps at the sides, on a logarithmic scale. */
  'step',
  /** The inside is brighter all around, or darker all around. */
  'sameSign',
  /** Deviation from the nearest proportions of a document, on a logarithmic scale. */
  'aspect',
  'tilt',
  'area',
  'borders',
  /** Edges inside: print. And around: what it lies on. */
  'print',
  'surroundings',
  /** Sides as seen on the small copy. */
  'coarse',
] as const

/** Width over height: ID-1 and page-sized documents (Doc 9303 parts 4, 5 and 6), upright or lying, and the open booklet. */
const ASPECTS = [85.6 / 53.98, 125 / 88, 105 / 74, 120 / 80]

export function featuresOf(
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
  const pose = poseOf(quad, picture)
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
    misfitOf(aspect),
    (pose?.tiltDeg ?? 90) / 90,
    Math.log2(quadArea(quad) / (picture.width * picture.height)),
    sides.length - seen.length,
    printIn(onCopy, edges, 0.08, 0.92, true),
    printIn(onCopy, edges, -0.12, 1.12, false),
    coarse,
  ]
}

function misfitOf(aspect: number): number {
  return Math.min(...ASPECTS.map((usual) => Math.abs(Math.log(aspect / usual))))
}

/** Share of the sides, and of their prolongations by an eighth at both ends, along which there is a fitting edge. */
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

/** 1 where an edge across (nx, ny) lies within a pixel and a half, 0 where none does, null outside the picture. */
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

/** Share of places with an edge nearby: in the quad from `from` to `to` of its sides, or in the frame between there and the quad. */
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
