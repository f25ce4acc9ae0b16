/** Does something again and again, never twice at once: after a while, or when woken. */
export interface Loop {
  wake(): void
  /** Resolves when the round that is under way has ended. */
  close(): Promise<void>
}

/** @param round must not throw; when it does, the next one comes all the same and `failed` is told */
export function startLoop(
  everyMs: number,
  round: () => Promise<void>,
  failed: (error: unknown) => void,
): Loop {
  let closed = false
  let again = false
  let wakeUp: () => void = () => undefined
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const run = async (): Promise<void> => {
    while (!closed) {
      again = false
      await round().catch(failed)
      // Woken while it ran: whatever came then is looked at now.
      if (!again && !closed) await pause()
    }
  }
  const ended = run()
  return {
    wake: () => {
      again = true
      wakeUp()
    },
    close: () => {
      closed = true
      wakeUp()
      return ended
    },
  }
}
