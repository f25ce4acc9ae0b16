// Mutation testing: what Stryker changes, which tests must notice, where it writes.
// `npm run mutation` calls it with an area of server/tools/mutation/areas.ts (server/tools/mutation/README.md). Two runs at the same time need two folders MUTATION_WORK.
const work = process.env.MUTATION_WORK ?? 'out/mutation'
// Vitest itself instead of our quicker runner: fifty times slower, to hold the one against the other.
const withVitest = process.env.MUTATION_RUNNER === 'vitest'

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: withVitest ? 'vitest' : 'in-process',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  // Written by server/tools/mutation/main.ts.
  inProcess: {
    tests: (process.env.MUTATION_TESTS ?? '').split(','),
    secondsPerMutant: Number(process.env.MUTATION_SECONDS ?? 5),
    draw: JSON.parse(process.env.MUTATION_DRAW ?? '{"percent":100,"seed":1}'),
  },
  plugins: ['./server/tools/mutation/runner.ts', '@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // Tables read once when a file is loaded are rules too (states, codes, check digits), so they are changed as well.
  ignoreStatic: false,
  concurrency: 1,
  // The in-process runner strips types by itself, which Node warns about: tests that read standard error would read it.
  testRunnerNodeArgs: ['--disable-warning=ExperimentalWarning'],
  // Every table mutant loads files that are never let go again: the process is renewed before they fill the memory.
  maxTestRunnerReuse: 400,
  // Only what tests read is copied.
  ignorePatterns: ['out', 'data', 'coverage'],
  disableTypeChecks: 'server/**/*.ts',
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
  // All tests of an area, twice.
  dryRunTimeoutMinutes: 20,
  warnings: { slow: false, unknownOptions: false },
}
