/** Measures the longest uninterrupted block of this thread's event loop during `work`. */

/**
 * Maximum milliseconds of processor time between two turns of the event loop. Counts only this thread's work, so that
 * other processes do not matter.
 */
export async function measureMaxBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = process.threadCpuUsage()
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
  }
  const timer = setInterval(turn, 1)
  try {
    await work()
  } finally {
    turn()
    clearInterval(timer)
  }
  return longest
}
