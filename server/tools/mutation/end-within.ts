/** A limit of time for what may wait for ever. */

export class NeverEnded extends Error {}

// Tests may put a clock of their own in the place of the global one.
const startTimer = setTimeout

/** Throws NeverEnded after so many milliseconds; what was begun continues unseen. */
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
