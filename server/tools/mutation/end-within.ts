/** A time limit for work that may never end. */

export class NeverEnded extends Error {}

// Kept because tests may replace the global timer.
const startTimer = setTimeout

/** Throws NeverEnded after `ms` milliseconds; the work itself is not stopped. */
export async function endWithin(work: Promise<void>, ms: number): Promise<void> {
  if (ms === Infinity) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = startTimer(() => reject(new NeverEnded(`no end within ${ms} ms`)), ms)
  try {
    await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
