/** When a delivery that failed is tried again. Pure: chance and time are arguments. */

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/**
 * When each try is due, counted from the first one: the example of Standard Webhooks 1.0.0 ("Deliverability and
 * reliability"), a day in all. Who has tried as often as there are entries gives up.
 */
export const STANDARD_SCHEDULE_MS: readonly number[] = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** Of each pause, to both sides, so that what failed together does not come back together (starting value). */
const JITTER = 0.2

/**
 * Between this try and the next one; null when there is none left.
 * @param tries made so far, 1 or more
 * @param random 0 to 1
 */
export function scheduledPauseMs(schedule: readonly number[], tries: number, random: number): number | null {
  const next = schedule[tries]
  if (next === undefined) return null
  const full = next - (schedule[tries - 1] ?? 0)
  return Math.round(full * (1 - JITTER + 2 * JITTER * random))
}

interface BackOff {
  readonly firstPauseMs: number
}
/** Between two tries at the most. */
const MAX_PAUSE_MS = 3 * HOUR_MS

/**
 * Doubles with each try, by half to one and a half of it.
 * @param attempts tries so far, 1 or more
 * @param random 0 to 1
 */
export function pauseMs(attempts: number, { firstPauseMs }: BackOff, random: number): number {
  const full = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 40), MAX_PAUSE_MS)
  return Math.round(full * (0.5 + random))
}
