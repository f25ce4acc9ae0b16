/**
 * Ranks a session's stills for comparison with other pictures: straight, sharp, evenly lit, eyes open, mouth closed,
 * large. Only a ranking within a session, not a limit.
 */
import { measureAppearance } from '../faces/appearance.ts'
import type { FaceMesh } from '../faces/mesh.ts'
import { alignmentPoints, stateOfMesh, type FaceState } from '../faces/pose.ts'
import { median } from '../documents/percentiles.ts'
import type { FaceAppearance } from '../protocol.ts'
import { boxAround, type Raster } from '../raster.ts'

export interface Still {
  readonly picture: Raster
  readonly mesh: FaceMesh
}

/**
 * Deviations that cost as much as one fully dark side (starting values): degrees from the session's neutral pose, loss of
 * the usual eye opening, additional mouth opening relative to its width.
 */
const WHOLE_COST = { turnDeg: 20, rollDeg: 40, eyesShut: 0.5, mouthOpen: 0.5, clipped: 0.2, occluded: 0.5 }
/**
 * Pixels between the eyes beyond which comparison does not improve: the networks' inputs have 35 and 55. Starting value.
 */
const ENOUGH_INTER_EYE_PX = 60

/** Neutral value for what could not be measured. */
const UNKNOWN_SHARE = 0.5

interface Described {
  readonly state: FaceState
  readonly interEyePx: number
  readonly appearance: FaceAppearance
}

/**
 * Indices of `stills`, best first, without those that show no face. `straight` and `moved`: further faces of the session.
 */
export function rankPortraits(
  stills: readonly (Still | null)[],
  straight: readonly FaceMesh[],
  moved: readonly FaceMesh[],
): number[] {
  const described = stills.map((still) => still && describe(still))
  const known = described.filter((one) => one !== null)
  if (known.length === 0) return []
  const neutral = computeNeutral(
    [...straight.map(({ points }) => stateOfMesh(points)), ...known.map(({ state }) => state)],
    moved.map(({ points }) => stateOfMesh(points)),
  )
  const sharpest = Math.max(...known.map(({ appearance }) => appearance.sharpness))
  return described
    .flatMap((one, index) => (one ? [{ index, cost: computeCost(one, neutral, sharpest) }] : []))
    .sort((a, b) => a.cost - b.cost)
    .map(({ index }) => index)
}

function describe({ picture, mesh }: Still): Described {
  const [rightEye, leftEye] = alignmentPoints(mesh.points)
  return {
    state: stateOfMesh(mesh.points),
    interEyePx: Math.hypot(leftEye.x - rightEye.x, leftEye.y - rightEye.y),
    appearance: measureAppearance(picture, mesh.points, boxAround(mesh.points)),
  }
}

/** Faces differ between people, so the session's median defines the neutral state. */
function computeNeutral(straight: readonly FaceState[], moved: readonly FaceState[]): FaceState {
  const of = (states: readonly FaceState[], name: keyof FaceState) =>
    median(states.map((state) => state[name]))
  const all = [...straight, ...moved]
  return {
    yawDeg: of(straight, 'yawDeg'),
    pitchDeg: of(straight, 'pitchDeg'),
    rollDeg: 0,
    eyeOpenness: of(all, 'eyeOpenness'),
    mouthOpenness: of(all, 'mouthOpenness'),
  }
}

function computeCost(
  { state, interEyePx, appearance }: Described,
  neutral: FaceState,
  sharpest: number,
): number {
  const turn = Math.hypot(state.yawDeg - neutral.yawDeg, state.pitchDeg - neutral.pitchDeg)
  const costs = [
    turn / WHOLE_COST.turnDeg,
    Math.abs(state.rollDeg) / WHOLE_COST.rollDeg,
    Math.max(0, 1 - state.eyeOpenness / Math.max(neutral.eyeOpenness, Number.EPSILON)) / WHOLE_COST.eyesShut,
    Math.max(0, state.mouthOpenness - neutral.mouthOpenness) / WHOLE_COST.mouthOpen,
    1 - appearance.sharpness / Math.max(sharpest, Number.EPSILON),
    1 - (appearance.illuminationUniformity ?? UNKNOWN_SHARE),
    appearance.clippedShare / WHOLE_COST.clipped,
    (appearance.occludedShare ?? UNKNOWN_SHARE) / WHOLE_COST.occluded,
    Math.max(0, 1 - interEyePx / ENOUGH_INTER_EYE_PX),
  ]
  return costs.reduce((sum, cost) => sum + cost, 0)
}
