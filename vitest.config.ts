import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores, and several suites start the real vision worker: more files at once only slow each other down.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/plain-summary.ts'],
    coverage: { include: ['server/**', 'main/**', 'renderer/**', 'models/**'] },
  },
})
