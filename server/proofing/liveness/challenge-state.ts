/**
 * State of a session's challenge sequence. All files of this folder read it; session.ts creates the first state, steps.ts and
 * challenge-moves.ts each next one.
 */
import type { LivenessSettings } from '../capture-session.ts'
import type { Still } from './calm.ts'
import type { KeptFrames } from './kept-frames.ts'
import type { LivenessLimits } from './limits.ts'
import type { Change, Pose } from './movement.ts'
import type { Moment } from './own-time.ts'
import type { Movement, PlannedStep } from './plan.ts'
import type { ColourSet, ColourTrace, ChallengeEnd, Light, LiveFace, StepTrace } from './types.ts'

/** Opaque outside this folder. */
export interface ChallengeSequence {
  readonly settings: LivenessSettings
  readonly limits: LivenessLimits
  readonly plan: readonly PlannedStep[]
  /**
   * Another order, used after a wrong movement: all steps are repeated. If only the failed step were repeated, a
   * recording that shows the movements in turn would pass on the second attempt.
   */
  readonly second: readonly PlannedStep[]
  /** Colours that follow the first ones if those gave no answer. Empty once they are in the plan. */
  readonly moreColours: readonly PlannedStep[]
  /** 2 after a wrong movement. */
  readonly round: number
  /** Index of the current step in the plan. */
  readonly at: number
  readonly asked: Asked
  /** Resting pose; known after the first straight view. */
  readonly restingPose: Pose | null
  /** Resting pose in the first straight view: it may settle again, but not drift away without limit. */
  readonly firstRestingPose: Pose | null
  readonly retriesLeft: number
  readonly steps: readonly StepTrace[]
  readonly colours: readonly ColourTrace[]
  /** Set of the prompted colours as the client paints them. */
  readonly colourSet: ColourSet
  readonly kept: KeptFrames
  readonly seen: SeenSoFar
  readonly end: ChallengeEnd | null
}

interface SeenSoFar {
  readonly frames: number
  readonly lastAtMs: number
  /** The appliance's own processing time up to the last frame. */
  readonly ownMs: number
  readonly longestGapMs: number
  readonly framesWithoutFace: number
  readonly jumps: number
  readonly lastFace: (Moment & { readonly face: LiveFace }) | null
  /** Number of times the face was lost for longer than tolerated during a step. */
  readonly losses: number
  readonly pad: readonly number[]
}

/** Progress of the current step. */
export interface Asked {
  /** Time of the frame after which the step is prompted; after the answer was sent, the time of that answer. */
  readonly promptedAtMs: number
  readonly isTimerStarted: boolean
  readonly attempt: number
  /** Between two attempts the applicant first looks straight again. */
  readonly isReturning: boolean
  /** Pose when the step was prompted; null if unknown. */
  readonly from: Pose | null
  /** Frames of the current calm stretch, if one is required. */
  readonly calm: readonly Still[]
  readonly movingSinceMs: number | null
  readonly onsetAtMs: number | null
  readonly heldSinceMs: number | null
  readonly heldFrames: number
  /** A movement other than the prompted one, and in how many consecutive frames. */
  readonly other: { readonly movement: Movement; readonly frames: number } | null
  readonly peak: { readonly strength: number; readonly change: Change } | null
  readonly light: CollectedLight
}

export interface CollectedLight {
  readonly frames: number
  readonly skin: readonly Light[]
  readonly forehead: readonly Light[]
  readonly surround: readonly Light[]
  readonly edges: readonly Light[]
}
