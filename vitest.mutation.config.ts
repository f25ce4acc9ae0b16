/** The tests that mutation testing runs with Vitest's own workers: those of the area. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(','),
    testTimeout: 30_000,
    isolate: false,
  },
})
