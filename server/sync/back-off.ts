/** How long to wait after a failure: longer each time, and never all kiosks at the same moment. No limit in time. */

const FIRST_PAUSE_MS = 1_000
export const MAX_PAUSE_MS = 15 * 60_000

/**
 * Full jitter between the first pause and a ceiling that doubles.
 * @param failures in a row, from 1
 * @param random 0 (inclusive) to 1
 * @returns milliseconds
 */
export function pauseAfter(failures: number, random: number): number {
  const ceiling = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(1, failures))
  return Math.round(FIRST_PAUSE_MS + random * (ceiling - FIRST_PAUSE_MS))
}
