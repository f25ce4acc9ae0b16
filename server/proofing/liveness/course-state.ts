/** The state of a session's course: what every file of the course reads and only session.ts and its steps make again. */
import type { LivenessSettings } from '../capture-session.ts'
import type { Still } from './calm.ts'
import type { KeptFrames } from './kept-frames.ts'
import type { LivenessLimits } from './limits.ts'
import type { Change, Pose } from './movement.ts'
import type { Moment } from './own-time.ts'
import type { Movement, PlannedStep } from './plan.ts'
import type { ColourSet, ColourTrace, CourseEnd, Light, LiveFace, StepTrace } from './types.ts'

/** Opaque to all but this folder. */
export interface Course {
  readonly settings: LivenessSettings
  readonly limits: LivenessLimits
  readonly plan: readonly PlannedStep[]
  /**
   * Another order, for after a wrong movement: all is asked again. Were only the one step asked again, a recording that
   * shows the movements in turn would meet it at the second try.
   */
  readonly second: readonly PlannedStep[]
  /** 2 from a wrong movement on. */
  readonly round: number
  /** The step that is due: an index into the plan. */
  readonly at: number
  readonly asked: Asked
  /** Where the head rests: known from the first straight view on. */
  readonly rest: Pose | null
  /** Where it rested in the first straight view: it may settle again, but not ever farther away. */
  readonly home: Pose | null
  readonly retriesLeft: number
  readonly steps: readonly StepTrace[]
  readonly colours: readonly ColourTrace[]
  /** Of those that are asked for, as the client paints them. */
  readonly colourSet: ColourSet
  readonly kept: KeptFrames
  readonly seen: SeenSoFar
  readonly end: CourseEnd | null
}

export interface SeenSoFar {
  readonly frames: number
  readonly lastAtMs: number
  /** Of the appliance, up to the last picture. */
  readonly ownMs: number
  readonly longestGapMs: number
  readonly framesWithoutFace: number
  readonly jumps: number
  readonly lastFace: (Moment & { readonly face: LiveFace }) | null
  /** How often the face was out of sight for longer than a moment while something was asked. */
  readonly losses: number
  readonly pad: readonly number[]
}

/** How the step that is due goes so far. */
export interface Asked {
  /** Of the picture that it is asked after, until it is told in the answer to that picture; then of that answer. */
  readonly promptedAtMs: number
  readonly isTold: boolean
  readonly attempt: number
  /** Between two tries the person first looks straight again. */
  readonly isReturning: boolean
  /** How the head was held when this was asked; null where nobody knew. */
  readonly from: Pose | null
  /** Pictures of the calm stretch, while one is asked for. */
  readonly calm: readonly Still[]
  readonly movingSinceMs: number | null
  readonly onsetAtMs: number | null
  readonly heldSinceMs: number | null
  readonly heldFrames: number
  /** Another movement than the one asked, and in how many pictures running. */
  readonly other: { readonly movement: Movement; readonly frames: number } | null
  readonly peak: { readonly strength: number; readonly change: Change } | null
  readonly light: CollectedLight
}

export interface CollectedLight {
  readonly frames: number
  readonly skin: readonly Light[]
  readonly surround: readonly Light[]
}
