/** Which kind of liveness a session has: the journey's, or the gentler one that the person asked for. Pure. */
import { fieldProblem, type AppError } from '../errors.ts'
import type { LivenessType } from '../proofing/types.ts'
import type { JourneyStep } from './contract/journey.ts'

export interface LivenessWish {
  readonly withoutColours: boolean
  readonly withoutTurning: boolean
}

type PortraitKinds = Pick<
  Extract<JourneyStep, { kind: 'portrait' }>,
  'livenessType' | 'withoutColours' | 'withoutTurning'
>

/** Nothing is moved and nothing shown: still pictures alone. */
export const isStill = (type: LivenessType): boolean => type === 'LIVENESS_PASSIVE'

/**
 * Who cannot turn the head is not asked to, whatever else he wishes; the level follows what was done. Throws
 * `validation_failed` for a wish that the journey has no answer to.
 */
export function livenessTypeFor(step: PortraitKinds, wish: LivenessWish): LivenessType {
  const { livenessType, withoutColours, withoutTurning } = step
  if (wish.withoutTurning && !withoutTurning) throw notOffered('withoutTurning')
  if (!wish.withoutTurning && wish.withoutColours && !withoutColours) throw notOffered('withoutColours')
  const gentler = wish.withoutTurning ? withoutTurning : wish.withoutColours ? withoutColours : undefined
  return gentler ?? livenessType
}

export const notOffered = (field: keyof LivenessWish): AppError =>
  fieldProblem('not_allowed', field, 'is not offered here')
