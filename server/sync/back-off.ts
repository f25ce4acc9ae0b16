/** Exponential back-off with full jitter, so that kiosks do not retry in step. Retries never stop. */

const FIRST_PAUSE_MS = 1_000
export const MAX_PAUSE_MS = 15 * 60_000

/**
 * Returns a random pause between the first pause and a ceiling that doubles, in milliseconds. @param failures
 * consecutive failures, from 1 @param random 0 (inclusive) to 1
 */
export function pauseAfter(failures: number, random: number): number {
  const ceiling = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(1, failures))
  return Math.round(FIRST_PAUSE_MS + random * (ceiling - FIRST_PAUSE_MS))
}
