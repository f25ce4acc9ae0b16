/** At most so many at the same time; the others wait in their order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

export function createLimiter(most: number): Limiter {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    // Whoever ends hands his place on, so `running` stays as it is for the one who waited.
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
