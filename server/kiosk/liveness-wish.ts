/**
 * Chooses the liveness type of a session: the journey's, or the easier one that the applicant asked for.
 * Pure.
 */
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

/** Only still pictures, without movements or colours. */
export const isStill = (type: LivenessType): boolean => type === 'LIVENESS_PASSIVE'

/**
 * The wish to avoid turning precedes the wish to avoid colours; the level depends on the type that was used.
 * Throws `validation_failed` for a wish that the journey does not offer.
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
