/** What the methods of a liveness decision are called and what each says. No method decides alone: see decide.ts. */
import type { CheckOutcome, Finding } from '../judge.ts'
import type { OwnLivenessRecord } from './types.ts'

export const LIVENESS_METHODS = [
  /** Every step was met, in its order and its time. */
  'COURSE',
  /** What was followed on the skin moved as a head's depth moves. */
  'DEPTH',
  /** The face came nearer. */
  'APPROACH',
  /** One person all along, without a cut. */
  'CONTINUITY',
  /** The networks against presentation attacks. */
  'PAD',
  /** The screen's colours came back from the skin. */
  'REFLECTION',
  /** Around the person stands what always stands there. */
  'SCENE',
] as const
export type LivenessMethod = (typeof LIVENESS_METHODS)[number]

export type ComparisonScale = NonNullable<OwnLivenessRecord['continuity']>['measure']

export interface MethodFinding {
  readonly method: LivenessMethod
  readonly outcome: CheckOutcome
  /** Short and stable, in the method's name: `DEPTH_TOO_FLAT`. Null where it passed. */
  readonly reason: string | null
  /** Score beside threshold, under names that no other method uses. */
  readonly measured: NonNullable<Finding['measured']>
}
