/** Processor time and memory of the processes that a bench measures. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { computeGrowth } from '../../../../server/tools/bench/central/soak.ts'
import {
  readPeakBytes,
  readResidentBytes,
  watchDescendantsCpu,
} from '../../../../server/tools/bench/worker-process.ts'

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

test('the memory of a process is what it uses now, at most its peak, and unknown after its end', () => {
  const now = readResidentBytes(process.pid) ?? NaN
  expect(now).toBeGreaterThan(20 * 1024 * 1024)
  expect(readPeakBytes(process.pid)).toBeGreaterThanOrEqual(now)
  expect(readResidentBytes(2 ** 30)).toBeNull()
})

test('growth is told of a warm process: the last quarter of its samples over the second', () => {
  expect(computeGrowth([50, 90, 100, 100, 100, 100, 100, 100])).toBe(1)
  expect(computeGrowth([100, 100, 100, 100, 110, 120, 130, 130])).toBe(1.3)
  expect(computeGrowth([100, 100, 100])).toBeNull()
})
