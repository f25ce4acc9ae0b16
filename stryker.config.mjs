// Mutation testing of the rules in server/proofing: what Stryker changes, which tests must notice, where it writes.
// Never decides what is run in a release check: `npm run mutation` and a person do (see test/mutation.md).
// MUTATION_WORK names the folder for the copy of the sources, the remembered results and the report; two runs at the
// same time need two.
const work = process.env.MUTATION_WORK ?? 'out/mutation'

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['server/proofing/**/*.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  // Tables read once when a file is loaded are rules of ours too (check digits, states, codes), so they are changed as well.
  ignoreStatic: false,
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 1),
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
  // A mutant that loops is counted as killed. Twice the usual grace, because a busy machine must not pass for a loop.
  timeoutMS: 10_000,
  timeoutFactor: 3,
  warnings: { slow: false },
}
