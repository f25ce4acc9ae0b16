/**
 * Points followed over several views of a face → how much of a face's depth they have. One fit for all views: each view is
 * a rigid motion of one surface, and the surface is `depth` times the face that the mesh sees, plus any plane, any
 * paraboloid and any fold along the nose. What is flat, rolled, bent or folded has the depth 0; a head has about 1.
 * Arithmetic only: what depth is enough is not said here.
 */
import type { Point } from '../protocol.ts'
import { solveSymmetric } from './linear.ts'
import type { Rotation } from './rotation.ts'
import {
  boundOf,
  costOf,
  firstMotion,
  moved,
  normalEquations,
  rmsOf,
  sceneOf,
  seeAll,
  type Form,
  type Scene,
  type Seen,
  type State,
} from './surface-equations.ts'

/** One view of the points. */
export interface PointView {
  /** Where each point lies, in pixels of that picture; null where it was lost. */
  readonly points: readonly (Point | null)[]
  /** From the first view, by the meshes: where the fit begins. */
  readonly rotation: Rotation
  /** Times as large as in the first view. */
  readonly scale: number
}

export interface DepthProblem {
  /** In the first view, pixels. */
  readonly points: readonly Point[]
  /** Of the mesh, in pixels of the first view, away from the camera. */
  readonly depths: readonly number[]
  readonly views: readonly PointView[]
  /** The nose's place in the first view. */
  readonly nose: Point
  readonly camera: Camera
}

export interface Camera {
  /** Pixels. A camera that was not measured has about its picture's width. */
  readonly focalLengthPx: number
  readonly centre: Point
}

export interface DepthFit {
  /** In depths of the mesh: 0 flat, 1 as deep as the mesh says. */
  readonly depth: number
  /** Share of what a flat, bent or folded sheet leaves unexplained that depth explains, 0–1. */
  readonly explainedShare: number
  /** Root mean square of what is left, pixels, without and with depth. */
  readonly residualPx: { readonly without: number; readonly with: number }
}

/** Null where the views do not determine a surface. */
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
/** A round that gains less than this share ends the fit. */
const MIN_GAIN = 1e-4
function fitSurface(
  problem: DepthProblem,
  forms: readonly Form[],
  firstDepth: number,
): { readonly shape: readonly number[]; readonly rms: number } | null {
  const scene = sceneOf(problem, forms)
  let state: State = {
    shape: forms.map((form) => (form === 'face' ? firstDepth : 0)),
    motions: problem.views.map((view) => firstMotion(scene, view)),
  }
  let seen = seeAll(scene, state)
  let damping = DAMPING.first
  let bounds = seen.map((view, k) => boundOf(view, problem.views[k]))
  for (let round = 0; round < MAX_ROUNDS; round++) {
    bounds = seen.map((view, k) => boundOf(view, problem.views[k]))
    const before = costOf(scene, seen, state, bounds)
    const { matrix, gradient } = normalEquations(scene, seen, state, bounds)
    const step = descend(scene, state, { matrix, gradient, bounds, before, damping })
    if (step === null) break
    ;({ state, seen, damping } = step)
    if (before - step.cost < MIN_GAIN * before) break
  }
  const rms = rmsOf(scene, seen, bounds)
  return Number.isFinite(rms) && rms > 0 ? { shape: state.shape, rms } : null
}

interface Attempt {
  readonly matrix: Float64Array
  readonly gradient: Float64Array
  readonly bounds: readonly number[]
  readonly before: number
  readonly damping: number
}

/** One step downhill, damped until it is one (Levenberg and Marquardt); null where none is found. */
function descend(scene: Scene, state: State, { matrix, gradient, bounds, before, damping }: Attempt) {
  const size = gradient.length
  let mu = damping
  for (let attempt = 0; attempt < DAMPING.tries; attempt++, mu *= DAMPING.rise) {
    const damped = matrix.slice()
    for (let i = 0; i < size; i++) damped[i * size + i] *= 1 + mu
    const step = solveSymmetric(damped, gradient, size)
    if (step === null) continue
    const next = moved(state, step)
    const seen: readonly Seen[] = seeAll(scene, next)
    const cost = costOf(scene, seen, next, bounds)
    if (cost < before) return { state: next, seen, cost, damping: Math.max(mu / DAMPING.fall, DAMPING.least) }
  }
  return null
}
