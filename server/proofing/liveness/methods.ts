/** Methods of a liveness decision and their findings. No method decides alone: see decide.ts. */
import type { CheckOutcome, Finding } from '../judge.ts'

export const LIVENESS_METHODS = [
  /** Every step was completed in order and in time. */
  'COURSE',
  /** Points on the skin moved according to a head's depth. */
  'DEPTH',
  /** The face approached. */
  'APPROACH',
  /** The same person throughout, without a cut. */
  'CONTINUITY',
  /** Presentation attack detection networks. */
  'PAD',
  /** The skin reflected the screen's colours. */
  'REFLECTION',
  /** The background is the camera's usual scene. */
  'SCENE',
  /** No sign of a display: the scene stands still, no edge is in front. */
  'SCREEN',
] as const
export type LivenessMethod = (typeof LIVENESS_METHODS)[number]

export interface MethodFinding {
  readonly method: LivenessMethod
  readonly outcome: CheckOutcome
  /** Short stable code with the method's name: `DEPTH_TOO_FLAT`. Null if passed. */
  readonly reason: string | null
  /** Score and threshold, under names that are unique among methods. */
  readonly measured: NonNullable<Finding['measured']>
}
