import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import LongestFirst from './test/support/longest-first.ts'

const ALL = 'test/**/*.test.ts'
/** Files that put another module in the place of a real one: later files in the same process would get it too. */
const apart = globSync(ALL, { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(join(import.meta.dirname, file), 'utf8').includes('vi.mock('),
)

export default defineConfig({
  test: {
    // For two cores: half of the files wait most of their time for a page or a process (test/support/longest-first.ts).
    maxWorkers: 4,
    // Long enough for a machine that does five other things: what hangs is found as well, only later.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // On a machine of CI that is busy with something else a test may wait too long once; the summary names each such test.
    retry: process.env.CI === 'true' ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
    globalSetup: [
      './test/support/equal-priority.ts',
      './test/support/folder-in-memory.ts',
      './test/support/compile-cache.ts',
    ],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/plain-summary.ts', './test/support/conformity/results.ts'],
    coverage: { include: ['server/**', 'main/**', 'renderer/**', 'models/**'] },
    projects: [
      // Loading the server again for each file takes longer than most files do: a process takes one after another.
      { extends: true, test: { name: 'together', include: [ALL], exclude: apart, isolate: false } },
      { extends: true, test: { name: 'apart', include: apart, isolate: true } },
    ],
  },
})
