/** Processor time of the processes that a measured process has started. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { watchDescendantsCpu } from '../../../../server/tools/bench/worker-process.ts'

const BUSY = 'const until = Date.now() + 60_000; while (Date.now() < until);'

test('the processor time of descendants counts after they were killed with their parent', async () => {
  const watched = watchDescendantsCpu(process.pid)
  try {
    const before = watched.readMs()
    // Like the sandbox of a verification: a shell whose child does the work; both are killed at once.
    const parent = spawn('/bin/sh', ['-c', `"$0" -e '${BUSY}' & wait`, process.execPath], { detached: true })
    while (watched.readMs() - before < 100) await new Promise((resolve) => setTimeout(resolve, 20))
    const ended = once(parent, 'exit')
    process.kill(-(parent.pid ?? 0), 'SIGKILL')
    await ended
    expect(watched.readMs() - before).toBeGreaterThanOrEqual(100)
  } finally {
    watched.stop()
  }
})
