/**
 * Limits slow work. Each caller has one place at a time, and callers take turns: a caller who queues a
 * hundred tasks delays another caller by one task.
 */
export type Limiter = <T>(caller: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * The work waits for a place; an abort of `signal` removes it from the queue and rejects with the signal's
 * reason.
 */
export function createLimiter(places: number): Limiter {
  let running = 0
  /** Callers in the order of their turns. A caller without waiting work is removed. */
  const waiting = new Map<string, Set<() => void>>()
  const busy = new Set<string>()

  const startNext = (): void => {
    for (const [caller, queue] of waiting) {
      if (running >= places) return
      if (busy.has(caller)) continue
      const [start] = queue
      if (!start) continue
      leave(caller, start)
      running++
      busy.add(caller)
      start()
    }
  }
  const leave = (caller: string, start: () => void): void => {
    const queue = waiting.get(caller)
    queue?.delete(start)
    if (queue?.size === 0) waiting.delete(caller)
  }

  return async (caller, work, signal) => {
    signal?.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        leave(caller, start)
        reject(signal?.reason as Error)
      }
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      const queue = waiting.get(caller) ?? new Set()
      waiting.set(caller, queue.add(start))
      startNext()
    })
    try {
      return await work()
    } finally {
      running--
      busy.delete(caller)
      // The caller's next turn comes after those of all others.
      const rest = waiting.get(caller)
      if (rest && waiting.delete(caller)) waiting.set(caller, rest)
      startNext()
    }
  }
}
