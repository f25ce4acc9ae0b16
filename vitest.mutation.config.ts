/** The tests that mutation testing runs: pure tests of the rules, without a database, a worker or a picture. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/server/proofing/**/*.test.ts', 'test/server/verification/attributes-match.test.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
})
