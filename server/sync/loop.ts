/** Runs a task repeatedly, never twice at once: after an interval, or when woken. */
interface Loop {
  wake(): void
  /** Resolves when the present round has ended. */
  close(): Promise<void>
}

/** @param round must not throw; if it does, `failed` is called and the next round follows anyway */
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
      // It was woken during the round: run again immediately for new work.
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
