// Mutation testing of the rules in server/proofing: what Stryker changes, which tests must notice, where it writes.
// `npm run mutation` calls it (test/mutation/README.md). Two runs at the same time need two folders MUTATION_WORK.
const work = process.env.MUTATION_WORK ?? 'out/mutation'
// Vitest itself instead of our quicker runner: fifty times slower, to hold the one against the other.
const withVitest = process.env.MUTATION_RUNNER === 'vitest'

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['server/proofing/**/*.ts'],
  testRunner: withVitest ? 'vitest' : 'in-process',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  // Pure tests of the rules: no database, no worker, no picture.
  inProcess: {
    tests: (process.env.MUTATION_TESTS ?? 'test/server/proofing/**/*.test.ts').split(','),
    secondsPerMutant: Number(process.env.MUTATION_SECONDS ?? 5),
  },
  plugins: ['./test/mutation/runner.ts', '@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // Tables read once when a file is loaded are rules too (states, codes, check digits), so they are changed as well.
  ignoreStatic: false,
  concurrency: 1,
  // Every table mutant loads files that are never let go again: the process is renewed before they fill the memory.
  maxTestRunnerReuse: 400,
  // Only what the tests of the rules read is copied.
  ignorePatterns: [
    'out',
    'data',
    'coverage',
    'models',
    'main',
    'renderer',
    'conformance',
    'docs',
    'test/vectors/proofs',
  ],
  disableTypeChecks: 'server/proofing/**/*.ts',
  incremental: true,
  incrementalFile: `${work}/remembered.json`,
  tempDirName: `${work}/copy`,
  jsonReporter: { fileName: `${work}/report.json` },
  htmlReporter: { fileName: `${work}/report.html` },
  reporters: ['json', 'html', ...(process.env.MUTATION_REPORTERS?.split(',') ?? ['clear-text'])],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false, allowEmojis: false },
  allowConsoleColors: false,
  // A mutant that loops is counted as killed. Wide, because a busy machine must not pass for a loop.
  timeoutMS: 10_000,
  timeoutFactor: 3,
  warnings: { slow: false, unknownOptions: false },
}
