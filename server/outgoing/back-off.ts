/** Computes the pause before the next try of a failed delivery. Pure: random numbers and time are arguments. */

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/**
 * Due times of the tries, counted from the first one: the example of Standard Webhooks 1.0.0 ("Deliverability and
 * reliability"). The delivery is given up after the last entry, a day later.
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

/** Share of each pause, up or down, so that deliveries which failed together are not repeated together. */
const JITTER = 0.2

/**
 * Returns the pause between this try and the next one; null after the last try.
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
/** Upper limit between two tries. */
const MAX_PAUSE_MS = 3 * HOUR_MS

/**
 * Exponential back-off with jitter: doubles with each try, times a random factor from 0.5 to 1.5.
 * @param attempts tries so far, 1 or more
 * @param random 0 to 1
 */
export function pauseMs(attempts: number, { firstPauseMs }: BackOff, random: number): number {
  const full = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 40), MAX_PAUSE_MS)
  return Math.round(full * (0.5 + random))
}
