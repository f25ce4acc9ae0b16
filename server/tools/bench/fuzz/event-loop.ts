/** How long the event loop of this thread was held up at a stretch while `work` ran. */

/**
 * Milliseconds of processor time between two turns of the event loop, at most. Counts what this thread computed, so
 * that other processes on the machine make no difference.
 */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
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
