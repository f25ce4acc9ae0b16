/**
 * Chooses the liveness type of a session: the journey's, or the other one that the applicant asked for.
 * Pure.
 */
import type { LivenessType } from '../proofing/types.ts'
import type { JourneyStep } from './contract/journey.ts'

export interface LivenessWish {
  readonly withoutColours: boolean
  readonly withoutTurning: boolean
}

export const NO_WISH: LivenessWish = { withoutColours: false, withoutTurning: false }

type PortraitKinds = Pick<
  Extract<JourneyStep, { kind: 'portrait' }>,
  'livenessType' | 'withoutColours' | 'withoutTurning'
>

/** Only still pictures, without movements or colours. */
export const isStill = (type: LivenessType | null): boolean => type === 'LIVENESS_PASSIVE'

/**
 * The wish to avoid turning precedes the wish to avoid colours; the level depends on the type that was used.
 * Null: the journey offers no session for this wish, or leaves it to an officer.
 */
export function livenessTypeFor(step: PortraitKinds, wish: LivenessWish): LivenessType | null {
  const way = wish.withoutTurning
    ? step.withoutTurning
    : wish.withoutColours
      ? step.withoutColours
      : step.livenessType
  return way === undefined || way === 'OFFICER' ? null : way
}
