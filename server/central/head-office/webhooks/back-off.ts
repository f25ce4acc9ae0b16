/** When a delivery that failed is tried again. Pure: chance and time are arguments. */

export interface BackOff {
  readonly firstPauseMs: number
}
/** Between two tries at the most. */
const LONGEST_PAUSE_MS = 3 * 3_600_000

/**
 * Doubles with each try, by half to one and a half of it, so that what failed together does not come back together.
 * @param attempts tries so far, 1 or more
 * @param random 0 to 1
 */
export function pauseMs(attempts: number, { firstPauseMs }: BackOff, random: number): number {
  const full = Math.min(firstPauseMs * 2 ** Math.min(attempts - 1, 40), LONGEST_PAUSE_MS)
  return Math.round(full * (0.5 + random))
}
