/**
 * Accounts for the appliance's own processing time, during which the applicant is neither seen nor prompted: it does not
 * count against time limits. Pure.
 */
import type { ChallengeLimits } from './limits.ts'
import type { LiveObservation } from './types.ts'

/** Time on the server's clock, and the appliance's own share of it. */
export interface Moment {
  readonly atMs: number
  readonly ownMs: number
}

export const BEGINNING: Moment = { atMs: 0, ownMs: 0 }

export function toMoment({ atMs, ownMs = 0 }: Pick<LiveObservation, 'atMs' | 'ownMs'>): Moment {
  return { atMs, ownMs }
}

/** The applicant's share of the time between two frames. */
export function computePersonsMs(from: Moment, to: Moment): number {
  return to.atMs - from.atMs - (to.ownMs - from.ownMs)
}

/** True if the gap is too long to know what happened: caused by the applicant, or a longer one by the appliance. */
export function isOutOfSight(from: Moment, to: Moment, challenge: ChallengeLimits): boolean {
  return (
    computePersonsMs(from, to) > challenge.faceLostShortlyMs || to.atMs - from.atMs > challenge.unseenAtMostMs
  )
}
