/**
 * Time that the appliance takes to look at a picture: nobody is seen then, and nobody knows yet what is asked next, so it is not
 * held against the person. Pure.
 */
import type { CourseLimits } from './limits.ts'
import type { LiveObservation } from './types.ts'

/** By the server's clock, and how much of it was the appliance's own time. */
export interface Moment {
  readonly atMs: number
  readonly ownMs: number
}

export const BEGINNING: Moment = { atMs: 0, ownMs: 0 }

export function momentOf({ atMs, ownMs = 0 }: Pick<LiveObservation, 'atMs' | 'ownMs'>): Moment {
  return { atMs, ownMs }
}

/** What of the time between two pictures was the person's. */
export function personsMs(from: Moment, to: Moment): number {
  return to.atMs - from.atMs - (to.ownMs - from.ownMs)
}

/** Too long to know what happened between two pictures: through the person, or, longer, through the appliance. */
export function isOutOfSight(from: Moment, to: Moment, course: CourseLimits): boolean {
  return personsMs(from, to) > course.faceLostShortlyMs || to.atMs - from.atMs > course.unseenAtMostMs
}
