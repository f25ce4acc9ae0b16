/**
 * Equations of depth-fit.ts: projects a parametric surface to several views, and computes residuals and their
 * derivatives. Lengths are in units of the surface's distance in the first view.
 */
import { median } from '../documents/percentiles.ts'
import type { DepthProblem, PointView } from './depth-fit.ts'
import { product } from './linear.ts'
import { rotationAbout, type Rotation } from './rotation.ts'

export type Form = 'face' | 'slopeX' | 'slopeY' | 'xx' | 'yy' | 'xy' | 'fold'
/** Standard deviation of the zero-mean prior of each form (laboratory values, 21 Nov 2026). */
const DEVIATION: Readonly<Record<Form, number>> = {
  face: 1,
  slopeX: 0.6,
  slopeY: 0.6,
  xx: 6,
  yy: 6,
  xy: 6,
  fold: 1,
}
/** Huber loss: errors beyond this many medians and beyond a pixel count linearly. */
const HUBER = { medians: 3, leastPx: 1 }

interface Motion {
  readonly rotation: Rotation
  readonly shift: readonly [x: number, y: number, z: number]
}

export interface State {
  readonly shape: readonly number[]
  readonly motions: readonly Motion[]
}

/** Each point of a view under a state: rotated about its middle, shifted, projected, and its error. */
export interface Seen {
  readonly turned: Float64Array
  readonly placed: Float64Array
  readonly errorX: Float64Array
  readonly errorY: Float64Array
  readonly error: Float64Array
}

/** Rays of the first view and the forms along them. */
export interface Scene {
  readonly problem: DepthProblem
  readonly count: number
  readonly rayX: Float64Array
  readonly rayY: Float64Array
  readonly middleX: number
  readonly middleY: number
  readonly forms: readonly Float64Array[]
  readonly priors: readonly number[]
}

export function buildScene(problem: DepthProblem, forms: readonly Form[]): Scene {
  const { points, depths, nose, camera } = problem
  const { focalLengthPx, centre } = camera
  const rayX = Float64Array.from(points, ({ x }) => (x - centre.x) / focalLengthPx)
  const rayY = Float64Array.from(points, ({ y }) => (y - centre.y) / focalLengthPx)
  const [middleX, middleY] = [computeMean(rayX), computeMean(rayY)]
  const noseX = (nose.x - centre.x) / focalLengthPx
  const formAt: Readonly<Record<Form, (i: number) => number>> = {
    face: (i) => depths[i] / focalLengthPx,
    slopeX: (i) => rayX[i] - middleX,
    slopeY: (i) => rayY[i] - middleY,
    xx: (i) => (rayX[i] - middleX) ** 2,
    yy: (i) => (rayY[i] - middleY) ** 2,
    xy: (i) => (rayX[i] - middleX) * (rayY[i] - middleY),
    fold: (i) => Math.abs(rayX[i] - noseX),
  }
  return {
    problem,
    count: points.length,
    rayX,
    rayY,
    middleX,
    middleY,
    forms: forms.map((form) => aroundMean(Float64Array.from(points, (_, i) => formAt[form](i)))),
    priors: forms.map((form) => 1 / DEVIATION[form] ** 2),
  }
}

function computeMean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function aroundMean(values: Float64Array): Float64Array {
  const middle = computeMean(values)
  return values.map((value) => value - middle)
}

/** Rotation from the meshes, distance from the scale, centre from the points' centre. */
export function firstMotion({ problem, middleX, middleY }: Scene, view: PointView): Motion {
  const { focalLengthPx, centre } = problem.camera
  const kept = view.points.filter((point) => point !== null)
  const x = kept.reduce((sum, point) => sum + point.x, 0) / kept.length
  const y = kept.reduce((sum, point) => sum + point.y, 0) / kept.length
  const away = 1 / view.scale
  return {
    rotation: view.rotation,
    shift: [
      ((x - centre.x) / focalLengthPx) * away - middleX,
      ((y - centre.y) / focalLengthPx) * away - middleY,
      away - 1,
    ],
  }
}

export function seeAll(scene: Scene, { shape, motions }: State): readonly Seen[] {
  const depth = new Float64Array(scene.count).fill(1)
  for (const [j, form] of scene.forms.entries())
    for (let i = 0; i < depth.length; i++) depth[i] += form[i] * shape[j]
  return motions.map((motion, k) => seeOne(scene, scene.problem.views[k], depth, motion))
}

/** Minimum distance to the camera; keeps a bad step finite. */
const NEAREST = 0.05

function seeOne(
  { count, rayX, rayY, middleX, middleY, problem }: Scene,
  { points }: PointView,
  depth: Float64Array,
  { rotation: r, shift }: Motion,
): Seen {
  const { focalLengthPx, centre } = problem.camera
  const turned = new Float64Array(count * 3)
  const placed = new Float64Array(count * 3)
  const [errorX, errorY, error] = [0, 1, 2].map(() => new Float64Array(count))
  for (let i = 0; i < count; i++) {
    const x = rayX[i] * depth[i] - middleX
    const y = rayY[i] * depth[i] - middleY
    const z = depth[i] - 1
    const tx = r[0] * x + r[1] * y + r[2] * z
    const ty = r[3] * x + r[4] * y + r[5] * z
    const tz = r[6] * x + r[7] * y + r[8] * z
    const px = tx + middleX + shift[0]
    const py = ty + middleY + shift[1]
    const pz = Math.max(tz + 1 + shift[2], NEAREST)
    turned[3 * i] = tx
    turned[3 * i + 1] = ty
    turned[3 * i + 2] = tz
    placed[3 * i] = px
    placed[3 * i + 1] = py
    placed[3 * i + 2] = pz
    const point = points[i]
    if (point === null) continue
    errorX[i] = point.x - ((focalLengthPx * px) / pz + centre.x)
    errorY[i] = point.y - ((focalLengthPx * py) / pz + centre.y)
    error[i] = Math.sqrt(errorX[i] * errorX[i] + errorY[i] * errorY[i])
  }
  return { turned, placed, errorX, errorY, error }
}

/** Error beyond which a point counts as an outlier. */
export function computeBound({ error }: Seen, { points }: PointView): number {
  return Math.max(HUBER.medians * median([...error].filter((_, i) => points[i] !== null)), HUBER.leastPx)
}

export function computeCost(
  { count, priors, problem }: Scene,
  seen: readonly Seen[],
  { shape }: State,
  bounds: readonly number[],
): number {
  let cost = shape.reduce((sum, value, j) => sum + priors[j] * value * value, 0)
  for (const [k, { error }] of seen.entries())
    for (let i = 0; i < count; i++)
      if (problem.views[k].points[i] !== null) cost += Math.min(error[i], bounds[k]) ** 2
  return cost
}

export function computeRms(
  { count, problem }: Scene,
  seen: readonly Seen[],
  bounds: readonly number[],
): number {
  let [sum, kept] = [0, 0]
  for (const [k, { error }] of seen.entries())
    for (let i = 0; i < count; i++) {
      if (problem.views[k].points[i] === null) continue
      sum += Math.min(error[i], bounds[k]) ** 2
      kept++
    }
  return Math.sqrt(sum / kept)
}

/** Unknowns per view: three of rotation, three of translation. */
const PER_VIEW = 6

/** Linearised problem at a state: matrix · step = gradient, first the views' unknowns, then the forms'. */
export function normalEquations(
  scene: Scene,
  seen: readonly Seen[],
  { shape, motions }: State,
  bounds: readonly number[],
): { readonly matrix: Float64Array; readonly gradient: Float64Array } {
  const { count, priors, problem } = scene
  const forms = shape.length
  const size = PER_VIEW * motions.length + forms
  const matrix = new Float64Array(size * size)
  const gradient = new Float64Array(size)
  const [rowX, rowY] = [new Float64Array(PER_VIEW + forms), new Float64Array(PER_VIEW + forms)]
  for (const [k, view] of seen.entries()) {
    const place = Int32Array.from(rowX, (_, i) => i + PER_VIEW * (i < PER_VIEW ? k : motions.length - 1))
    for (let i = 0; i < count; i++) {
      if (problem.views[k].points[i] === null) continue
      derivatives(scene, view, motions[k].rotation, i, rowX, rowY)
      const weight = view.error[i] < bounds[k] ? 1 : bounds[k] / view.error[i]
      for (let r = 0; r < rowX.length; r++) {
        const x = weight * rowX[r]
        const y = weight * rowY[r]
        gradient[place[r]] += x * view.errorX[i] + y * view.errorY[i]
        const row = place[r] * size
        for (let c = 0; c <= r; c++) matrix[row + place[c]] += x * rowX[c] + y * rowY[c]
      }
    }
  }
  for (let j = 0; j < forms; j++) {
    const at = PER_VIEW * motions.length + j
    matrix[at * size + at] += priors[j]
    gradient[at] -= priors[j] * shape[j]
  }
  return { matrix, gradient }
}

/** Derivatives of the point's projection by rotation, translation and forms. */
function derivatives(
  { rayX, rayY, forms, problem }: Scene,
  { turned, placed }: Seen,
  r: Rotation,
  i: number,
  rowX: Float64Array,
  rowY: Float64Array,
): void {
  const tx = turned[3 * i]
  const ty = turned[3 * i + 1]
  const tz = turned[3 * i + 2]
  const pz = placed[3 * i + 2]
  const across = problem.camera.focalLengthPx / pz
  const awayX = (-across * placed[3 * i]) / pz
  const awayY = (-across * placed[3 * i + 1]) / pz
  rowX[0] = awayX * ty
  rowX[1] = across * tz - awayX * tx
  rowX[2] = -across * ty
  rowX[3] = across
  rowX[4] = 0
  rowX[5] = awayX
  rowY[0] = -across * tz + awayY * ty
  rowY[1] = -awayY * tx
  rowY[2] = across * tx
  rowY[3] = 0
  rowY[4] = across
  rowY[5] = awayY
  const alongX = r[0] * rayX[i] + r[1] * rayY[i] + r[2]
  const alongY = r[3] * rayX[i] + r[4] * rayY[i] + r[5]
  const alongZ = r[6] * rayX[i] + r[7] * rayY[i] + r[8]
  for (let j = 0; j < forms.length; j++) {
    rowX[PER_VIEW + j] = (across * alongX + awayX * alongZ) * forms[j][i]
    rowY[PER_VIEW + j] = (across * alongY + awayY * alongZ) * forms[j][i]
  }
}

/** The state after a step. */
export function addStep({ shape, motions }: State, step: Float64Array): State {
  return {
    shape: shape.map((value, j) => value + step[PER_VIEW * motions.length + j]),
    motions: motions.map(({ rotation, shift }, k) => {
      const [a, b, c, x, y, z] = step.subarray(PER_VIEW * k, PER_VIEW * (k + 1))
      return {
        rotation: product(rotationAbout(a, b, c), rotation),
        shift: [shift[0] + x, shift[1] + y, shift[2] + z],
      }
    }),
  }
}
