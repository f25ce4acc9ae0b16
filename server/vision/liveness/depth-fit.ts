/**
 * Fits the depth of a face to points tracked over several views. Each view is a rigid motion of one surface: `depth`
 * times the mesh's face plus any plane, paraboloid and fold along the nose. Flat, rolled, bent or folded pictures have
 * depth 0, a head about 1. Arithmetic only; defines no limit.
 */
import type { Point } from '../protocol.ts'
import { solveSymmetric } from './linear.ts'
import type { Rotation } from './rotation.ts'
import {
  computeBound,
  computeCost,
  firstMotion,
  addStep,
  normalEquations,
  computeRms,
  buildScene,
  seeAll,
  type Form,
  type Scene,
  type Seen,
  type State,
} from './surface-equations.ts'

/** One view of the points. */
export interface PointView {
  /** Position of each point in pixels of that picture; null if it was lost. */
  readonly points: readonly (Point | null)[]
  /** Rotation from the first view according to the meshes: start of the fit. */
  readonly rotation: Rotation
  /** Size relative to the first view. */
  readonly scale: number
}

export interface DepthProblem {
  /** Positions in the first view, pixels. */
  readonly points: readonly Point[]
  /** Depths of the mesh in pixels of the first view, away from the camera. */
  readonly depths: readonly number[]
  readonly views: readonly PointView[]
  /** Position of the nose in the first view. */
  readonly nose: Point
  readonly camera: Camera
}

export interface Camera {
  /** Pixels. Without calibration about the picture's width. */
  readonly focalLengthPx: number
  readonly centre: Point
}

export interface DepthFit {
  /** Unit: depths of the mesh: 0 is flat, 1 as deep as the mesh. */
  readonly depth: number
  /** Share of the error left by a flat, bent or folded sheet that depth explains, 0–1. */
  readonly explainedShare: number
  /** Root mean square residual in pixels, without and with depth. */
  readonly residualPx: { readonly without: number; readonly with: number }
}

/** Returns null if the views do not determine a surface. */
export function fitDepth(problem: DepthProblem): DepthFit | null {
  const sheet = fitSurface(problem, SHEET, 0)
  const face = fitSurface(problem, ['face', ...SHEET], FIRST_DEPTH)
  if (sheet === null || face === null) return null
  return {
    depth: face.shape[0],
    explainedShare: Math.max(0, 1 - (face.rms / sheet.rms) ** 2),
    residualPx: { without: sheet.rms, with: face.rms },
  }
}

const SHEET: readonly Form[] = ['slopeX', 'slopeY', 'xx', 'yy', 'xy', 'fold']
const FIRST_DEPTH = 0.2
const MAX_ROUNDS = 12
const DAMPING = { first: 1e-3, least: 1e-6, rise: 8, fall: 5, tries: 5 }
/** The fit ends when a round improves by less than this share. */
const MIN_GAIN = 1e-4
function fitSurface(
  problem: DepthProblem,
  forms: readonly Form[],
  firstDepth: number,
): { readonly shape: readonly number[]; readonly rms: number } | null {
  const scene = buildScene(problem, forms)
  let state: State = {
    shape: forms.map((form) => (form === 'face' ? firstDepth : 0)),
    motions: problem.views.map((view) => firstMotion(scene, view)),
  }
  let seen = seeAll(scene, state)
  let damping = DAMPING.first
  let bounds = seen.map((view, k) => computeBound(view, problem.views[k]))
  for (let round = 0; round < MAX_ROUNDS; round++) {
    bounds = seen.map((view, k) => computeBound(view, problem.views[k]))
    const before = computeCost(scene, seen, state, bounds)
    const { matrix, gradient } = normalEquations(scene, seen, state, bounds)
    const step = descend(scene, state, { matrix, gradient, bounds, before, damping })
    if (step === null) break
    ;({ state, seen, damping } = step)
    if (before - step.cost < MIN_GAIN * before) break
  }
  const rms = computeRms(scene, seen, bounds)
  return Number.isFinite(rms) && rms > 0 ? { shape: state.shape, rms } : null
}

interface Attempt {
  readonly matrix: Float64Array
  readonly gradient: Float64Array
  readonly bounds: readonly number[]
  readonly before: number
  readonly damping: number
}

/** One damped descent step (Levenberg–Marquardt); null if no step improves. */
function descend(scene: Scene, state: State, { matrix, gradient, bounds, before, damping }: Attempt) {
  const size = gradient.length
  let mu = damping
  for (let attempt = 0; attempt < DAMPING.tries; attempt++, mu *= DAMPING.rise) {
    const damped = matrix.slice()
    for (let i = 0; i < size; i++) damped[i * size + i] *= 1 + mu
    const step = solveSymmetric(damped, gradient, size)
    if (step === null) continue
    const next = addStep(state, step)
    const seen: readonly Seen[] = seeAll(scene, next)
    const cost = computeCost(scene, seen, next, bounds)
    if (cost < before) return { state: next, seen, cost, damping: Math.max(mu / DAMPING.fall, DAMPING.least) }
  }
  return null
}
