/**
 * A photograph and its face mesh → a subject who can turn the head before a pretended camera, and the same photograph as a
 * print. The head is not the one that the mesh network imagines: its depth, its nose and its cheeks are changed at random,
 * so that a method which only finds the network's own face again gains nothing.
 */
import type { Raster } from '../../../vision/raster.ts'
import type { FaceMesh } from '../../../vision/faces/mesh.ts'
import { LEFT_EYE, RIGHT_EYE, type MeshPoint } from '../../../vision/faces/pose.ts'
import { headWidth, OVAL_POINTS } from '../../../vision/liveness/mesh-points.ts'
import type { Point } from '../../../vision/protocol.ts'
import {
  facingForward,
  gridOver,
  isInside,
  joinSurfaces,
  movePoints,
  computeNormals,
  rotatePoint,
  type Surface,
} from './surface.ts'

export interface HeadModel {
  readonly photograph: Raster
  /** Relative to the head's turning point. */
  readonly head: Surface
  /** Outward normals of the head. */
  readonly normals: readonly MeshPoint[]
  /** For each point of the head, from 0 above the mouth to 1 at the chin: how far it moves with the jaw. */
  readonly withJaw: readonly number[]
  /** The part below the face, which does not turn with the head. */
  readonly shoulders: Surface
  /** The whole photograph at life size, flat, with the face's middle at the origin. */
  readonly print: Surface
  /** The face cut out of the print, with holes for the eyes. */
  readonly cutOut: Surface
  /** Place of the nose's tip on the print. */
  readonly nose: Point
}

const [CHIN, NOSE, UPPER_LIP] = [152, 1, 13]
/** Head breadth from ear to ear in the mesh, centimetres (about 5th to 95th percentile of adults). */
const HEAD_CM = [13.5, 15.5] as const
/** Range of depth scaling relative to the mesh's face. */
const DEPTH_TIMES = [0.85, 1.2] as const
const NOSE_BUMP = { deviationCm: 0.45, widthCm: 1.6 }
const BUMPS = { count: 6, deviationCm: 0.35, widthCm: 3, spreadCm: [6, 8] as const }
/** Place of the turning point relative to the nose's tip. */
const PIVOT_CM = { behind: 9.5, below: 2 }
/** Rings of hair and ears around the face: relative width, height above, and depth behind its outline (centimetres). */
const RINGS = [
  { times: 1.05, raised: 0.1, behind: 1.2 },
  { times: 1.1, raised: 0.22, behind: 3.2 },
  { times: 1.13, raised: 0.3, behind: 6 },
  { times: 1.12, raised: 0.32, behind: 9 },
  { times: 1.05, raised: 0.28, behind: 12 },
]
const GRID = { columns: 48, rows: 60 }
const PRINT_GRID = 64
/** A finer grid, because scissors follow a line more closely than a sheet bends. */
const CUT_GRID = { columns: 110, rows: 140 }
/** The face extends slightly under the hair, so that no gap opens between them. */
const UNDER_HAIR = 1.05
/** Eye holes are cut larger than the eyes. */
const HOLE = { width: 1.25, height: 1.9 }

export type Random = () => number

export function seat(photograph: Raster, mesh: FaceMesh, random: Random): HeadModel {
  const oval = OVAL_POINTS.map((i) => mesh.points[i])
  const middle = computeMean(oval)
  const cmPerPx = within(HEAD_CM, random) / headWidth(mesh.points)
  const shape = shapeHead(mesh, middle, cmPerPx, random)
  const wider = widened(oval, middle, UNDER_HAIR)
  const face = gridOver(computeBounds(wider), GRID.columns, GRID.rows, shape, (place) =>
    isInside(place, wider),
  )
  const tip = shape(mesh.points[NOSE])
  const pivot = { x: 0, y: tip.y + PIVOT_CM.below, z: tip.z + PIVOT_CM.behind }
  const whole = joinSurfaces(face, ringsAround(oval, middle, shape))
  const head = movePoints(whole, ({ x, y, z }) => ({ x: x - pivot.x, y: y - pivot.y, z: z - pivot.z }))
  const mouth = shape(mesh.points[UPPER_LIP]).y - pivot.y
  const chin = shape(mesh.points[CHIN]).y - pivot.y
  const flatten = ({ x, y }: Point): MeshPoint => ({
    x: (x - middle.x) * cmPerPx,
    y: (y - middle.y) * cmPerPx,
    z: 0,
  })
  const all = { x: 0, y: 0, width: photograph.width - 1, height: photograph.height - 1 }
  const holes = [RIGHT_EYE, LEFT_EYE].map((eye) => holeAround(eye.map((i) => mesh.points[i])))
  const isMask = (place: Point) => isInside(place, oval) && !holes.some((hole) => isInside(place, hole))
  return {
    photograph,
    head,
    normals: computeNormals(head),
    withJaw: head.points.map(({ y }, i) =>
      i < face.points.length ? Math.min(1, Math.max(0, (y - mouth) / (chin - mouth))) : 0,
    ),
    shoulders: shouldersBelow(photograph, oval, middle, cmPerPx, chin),
    print: gridOver(all, PRINT_GRID, PRINT_GRID, flatten),
    cutOut: gridOver(computeBounds(oval), CUT_GRID.columns, CUT_GRID.rows, flatten, isMask),
    nose: flatten(mesh.points[NOSE]),
  }
}

/** Place of a photograph's point on the head: facing forward, in centimetres, with its own nose and cheeks. */
function shapeHead(
  mesh: FaceMesh,
  middle: MeshPoint,
  cmPerPx: number,
  random: Random,
): (place: Point) => MeshPoint {
  const forward = facingForward(mesh)
  const depthTimes = within(DEPTH_TIMES, random)
  const smoothPx = SMOOTH_SHARE * headWidth(mesh.points)
  const onHead = ({ x, y }: Point, z: number): MeshPoint => {
    const point = rotatePoint({ x: x - middle.x, y: y - middle.y, z: z - middle.z }, forward)
    return { x: point.x * cmPerPx, y: point.y * cmPerPx, z: point.z * cmPerPx * depthTimes }
  }
  const nose = onHead(mesh.points[NOSE], mesh.points[NOSE].z)
  const [sideways, upright] = BUMPS.spreadCm
  const bumps = [
    { x: nose.x, y: nose.y, height: -normal(random) * NOSE_BUMP.deviationCm, width: NOSE_BUMP.widthCm },
    ...Array.from({ length: BUMPS.count }, () => ({
      x: nose.x + (random() * 2 - 1) * sideways,
      y: nose.y + (random() * 2 - 1) * upright,
      height: normal(random) * BUMPS.deviationCm,
      width: BUMPS.widthCm,
    })),
  ]
  return (place) => {
    const point = onHead(place, depthAt(mesh.points, place, smoothPx))
    const raised = bumps.reduce(
      (sum, { x, y, height, width }) =>
        sum + height * Math.exp(-((point.x - x) ** 2 + (point.y - y) ** 2) / (2 * width * width)),
      0,
    )
    return { ...point, z: point.z + raised }
  }
}

/** Share of the head's breadth, about the distance between the mesh's points. */
const SMOOTH_SHARE = 0.05

/** Depth between the mesh's points, weighted by nearness. */
function depthAt(points: readonly MeshPoint[], { x, y }: Point, smoothPx: number): number {
  let [sum, weights] = [0, 0]
  for (const point of points) {
    const weight = 1 / ((point.x - x) ** 2 + (point.y - y) ** 2 + smoothPx * smoothPx) ** 3
    sum += weight * point.z
    weights += weight
  }
  return sum / weights
}

/** Hair and ears: rings that go back from the face's outline, textured from the photograph. */
function ringsAround(
  oval: readonly MeshPoint[],
  middle: MeshPoint,
  shape: (place: Point) => MeshPoint,
): Surface {
  const outline = oval.map(shape)
  const centre = computeMean(outline)
  const height = Math.max(...outline.map(({ y }) => Math.abs(y - centre.y)))
  const rings = [
    { points: outline, places: oval as readonly Point[] },
    ...RINGS.map(({ times, raised, behind }) => {
      const wider = outline.map(({ y }) => {
        const up = Math.min(1, Math.max(0, (centre.y - y) / height))
        const down = Math.min(1, Math.max(0, (y - centre.y) / height))
        return times + raised * up - (times - 0.97) * down
      })
      return {
        points: outline.map(({ x, y, z }, i) => ({
          x: centre.x + (x - centre.x) * wider[i],
          y: centre.y + (y - centre.y) * wider[i],
          z: z + behind,
        })),
        places: oval.map(({ x, y }, i) => ({
          x: middle.x + (x - middle.x) * wider[i],
          y: middle.y + (y - middle.y) * wider[i],
        })),
      }
    }),
  ]
  const triangles = RINGS.flatMap((_, ring) =>
    outline.flatMap((__, i) => {
      const next = (i + 1) % outline.length
      const [a, b] = [ring * outline.length + i, ring * outline.length + next]
      return [a, b, a + outline.length, b, b + outline.length, a + outline.length]
    }),
  )
  return {
    points: rings.flatMap(({ points }) => points),
    places: rings.flatMap(({ places }) => places),
    triangles: Int32Array.from(triangles),
  }
}

/** Shoulders extend beyond a photograph of a face, and clothes beyond the lower edge of every view. */
const SHOULDERS = { points: 9, wider: 1.25, highCm: 34 }

function shouldersBelow(
  { width, height }: Raster,
  oval: readonly Point[],
  middle: Point,
  cmPerPx: number,
  chinCm: number,
): Surface {
  const top = Math.max(...oval.map(({ y }) => y)) - 10
  const box = { x: 0, y: top, width: width - 1, height: Math.max(1, height - 1 - top) }
  return gridOver(box, SHOULDERS.points, SHOULDERS.points, ({ x, y }) => ({
    x: (x - middle.x) * cmPerPx * SHOULDERS.wider,
    y: chinCm - 1 + ((y - top) / box.height) * SHOULDERS.highCm,
    z: 2,
  }))
}

function holeAround(eye: readonly Point[]): Point[] {
  const x = eye.reduce((sum, point) => sum + point.x, 0) / eye.length
  const y = eye.reduce((sum, point) => sum + point.y, 0) / eye.length
  return eye.map((point) => ({ x: x + (point.x - x) * HOLE.width, y: y + (point.y - y) * HOLE.height }))
}

function widened(line: readonly Point[], { x, y }: Point, times: number): Point[] {
  return line.map((point) => ({ x: x + (point.x - x) * times, y: y + (point.y - y) * times }))
}

function computeBounds(points: readonly Point[]): { x: number; y: number; width: number; height: number } {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

function computeMean(points: readonly MeshPoint[]): MeshPoint {
  const of = (f: (point: MeshPoint) => number) =>
    points.reduce((sum, point) => sum + f(point), 0) / points.length
  return { x: of(({ x }) => x), y: of(({ y }) => y), z: of(({ z }) => z) }
}

export function within([least, most]: readonly [number, number], random: Random): number {
  return least + (most - least) * random()
}

/** Standard normal distribution (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
