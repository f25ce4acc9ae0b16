/**
 * A Stryker test runner that keeps the tests loaded in one process and only switches the mutant. It owns loading, reloading
 * and running; never what is mutated or what counts as killed (stryker.config.mjs, Stryker).
 *
 * Vitest starts a worker and loads every file again for each mutant (0.2 s of processor time each, measured 2026-11 on
 * server/proofing/otp.ts), which for the eleven thousand mutants of the rules is most of a working day on a busy machine.
 * The code keeps nothing between two tests but what a suite's hooks open, which are run again for each mutant, so a mutant that
 * acts when a function is called needs no new load.
 * One that acts while a file is loaded (a table) gets all files of its tests loaded again, under new addresses.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import {
  INSTRUMENTER_CONSTANTS,
  type InstrumenterContext,
  type StrykerOptions,
} from '@stryker-mutator/api/core'
import { commonTokens, declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import {
  determineHitLimitReached,
  DryRunStatus,
  MutantRunStatus,
  toMutantRunResult,
  TestStatus,
  type DryRunOptions,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner'
import { isDrawn, type Draw } from './draw.ts'
import { endWithin, NeverEnded } from './end-within.ts'
import { reachedByTests } from './hook-coverage.ts'
import { listSuiteChain, SuiteRun } from './run-suites.ts'
import { SourcesByRound } from './sources-by-round.ts'
import { takeNotedTests, type NotedTest, type Suite } from './vitest-in-process.ts'

/** Replacements for two packages. */
const STANDS = {
  vitest: new URL('./vitest-in-process.ts', import.meta.url).href,
  'fast-check': new URL('./fast-check-in-process.ts', import.meta.url).href,
}

/** Options from stryker.config.mjs. */
interface InProcessOptions {
  readonly tests: readonly string[]
  /** Processor time. A mutant that no test has detected by then counts as undetected. */
  readonly secondsPerMutant: number
  readonly draw: Draw
}

/** Time limit of a test with its hooks: three times its file's usual time, plus the pause that a busy machine may add. */
const LIMIT_FACTOR = 3
const LIMIT_MS = 8000
/** Stored in the copy of the repository for the next process, because Stryker restarts it (`maxTestRunnerReuse`). */
const TOOK_FILE = '.what-tests-took.json'
/** Limit for a file that has never run without a mutant; the same as in vitest.mutation.config.ts. */
const UNKNOWN_LIMIT_MS = 30_000

interface LoadedTest extends NotedTest {
  readonly id: string
  readonly file: string
}

class RunnerInProcess implements TestRunner {
  static inject = [commonTokens.options] as [typeof commonTokens.options]
  readonly #patterns: readonly string[]
  readonly #microsecondsPerMutant: number
  readonly #draw: Draw
  readonly #context: InstrumenterContext
  readonly #sources = new SourcesByRound(STANDS)
  /** Last duration of each file in milliseconds. Quick files run first, because the first failing test ends a run. */
  #took = new Map<string, number>()
  #tests: LoadedTest[] = []
  /** Null in the run without a mutant, which has no limit. */
  #startedAt: NodeJS.CpuUsage | null = null
  /** True if files were loaded while a mutant was active; they cannot serve another mutant. */
  #spoilt = true

  constructor(options: StrykerOptions) {
    // Does not use Stryker's own testFiles, because with them it no longer reports which mutants act while a file is
    // loaded (10.1.1).
    const { tests, secondsPerMutant, draw } = (options as StrykerOptions & { inProcess: InProcessOptions })
      .inProcess
    this.#patterns = tests
    this.#microsecondsPerMutant = secondsPerMutant * 1e6
    this.#draw = draw
    const shared = globalThis as unknown as Record<string, InstrumenterContext>
    this.#context = shared[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {}
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init(): Promise<void> {
    this.#sources.install()
    if (existsSync(TOOK_FILE))
      this.#took = new Map(JSON.parse(readFileSync(TOOK_FILE, 'utf8')) as [string, number][])
  }

  async dryRun(options: DryRunOptions): Promise<DryRunResult> {
    this.#context.activeMutant = undefined
    this.#startedAt = null
    await this.#load(await findFiles(this.#patterns))
    const tests = await this.#run(this.#tests, options.disableBail, (id) => {
      this.#context.currentTestId = id
    })
    // Saved before the tests run again: coverage outside a named test counts as acting while a file is loaded, and every
    // such mutant makes all files load again.
    const mutantCoverage = structuredClone(this.#context.mutantCoverage)
    if (mutantCoverage)
      mutantCoverage.perTest = reachedByTests(mutantCoverage.perTest, this.#tests.map(withHooks))
    // A test that fails when it runs again in the same process would pass for a killed mutant.
    const again = await this.#run(this.#tests, options.disableBail)
    writeFileSync(TOOK_FILE, JSON.stringify([...this.#took]))
    const failed = again.find(({ status }) => status === TestStatus.Failed)
    if (failed) tests.push(failed)
    return { status: DryRunStatus.Complete, tests, mutantCoverage }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, hitLimit } = options
    if (!isDrawn(activeMutant.id, this.#draw))
      return { status: MutantRunStatus.Error, errorMessage: 'not drawn' }
    const actsWhileLoading = options.mutantActivation === 'static' || options.reloadEnvironment
    Object.assign(this.#context, { hitCount: 0, hitLimit, activeMutant: undefined })
    const files = await findFiles(this.#patterns)
    // Also needed in a process that Stryker started after killing one: only loading shows which test uses which file.
    if (this.#spoilt && (!actsWhileLoading || !this.#sources.known)) await this.#load(files)
    this.#startedAt = process.cpuUsage()
    this.#context.activeMutant = activeMutant.id
    const tests = actsWhileLoading
      ? await this.#runLoadingAnew(this.#nearestFirst(files, options.sandboxFileName), options.disableBail)
      : await this.#run(this.#quickFirst(this.#named(testFilter)), options.disableBail)
    this.#context.activeMutant = undefined
    const looped = determineHitLimitReached(this.#context.hitCount, hitLimit)
    return toMutantRunResult(looped ?? { status: DryRunStatus.Complete, tests })
  }

  /** Runs file by file, because the first detects most mutants of a table. */
  async #runLoadingAnew(files: readonly string[], goOn: boolean): Promise<TestResult[]> {
    this.#spoilt = true
    this.#sources.nextRound()
    const results: TestResult[] = []
    for (const file of files) {
      try {
        results.push(...(await this.#run(this.#quickFirst(await this.#loadFile(file)), goOn)))
      } catch (error) {
        results.push(failedTest(`loading ${file}`, error))
      }
      if ((!goOn && results.at(-1)?.status === TestStatus.Failed) || this.#isOverTime()) break
    }
    return results
  }

  #named(ids: readonly string[] | undefined): LoadedTest[] {
    const wanted = ids && new Set(ids)
    return wanted ? this.#tests.filter(({ id }) => wanted.has(id)) : this.#tests
  }

  /** Only the files that use the mutated one, nearest first. */
  #nearestFirst(files: readonly string[], mutated: string): string[] {
    return files
      .flatMap((file) => {
        const distance = this.#sources.distance(file, mutated)
        return distance === null ? [] : [{ file, distance }]
      })
      .toSorted((a, b) => a.distance - b.distance)
      .map(({ file }) => file)
  }

  /** Keeps the tests of a file together, because they share the state that its hooks open. */
  #quickFirst(tests: readonly LoadedTest[]): LoadedTest[] {
    const took = ({ file }: LoadedTest) => this.#took.get(file) ?? 0
    return tests.toSorted((a, b) => took(a) - took(b))
  }

  async #load(files: readonly string[]): Promise<void> {
    this.#sources.nextRound()
    this.#tests = []
    for (const file of files) this.#tests.push(...(await this.#loadFile(file)))
    this.#spoilt = false
  }

  async #loadFile(file: string): Promise<LoadedTest[]> {
    takeNotedTests()
    await import(this.#sources.buildAddress(file))
    return takeNotedTests().map((test) => ({ ...test, file, id: `${file}#${test.name}` }))
  }

  async #run(
    tests: readonly LoadedTest[],
    goOn: boolean,
    running: (id?: string) => void = () => {},
  ): Promise<TestResult[]> {
    const results: TestResult[] = []
    let current = ''
    const suites = new SuiteRun((suite) => running(suite ? nameHooks(suite) : current))
    const took = new Map<string, number>()
    for (const test of tests) {
      current = test.id
      running(current)
      const result = await runTest(test, suites, this.#limitOf(test))
      results.push(result)
      took.set(test.file, (took.get(test.file) ?? 0) + result.timeSpentMs)
      // It still waits for an answer that never comes, so its loaded files and open resources are abandoned.
      if (result.neverEnded) {
        this.#spoilt = true
        return results
      }
      if ((result.status === TestStatus.Failed && !goOn) || this.#isOverTime()) break
    }
    // Uses only the run without a mutant, because another run may have ended early.
    if (this.#startedAt === null) for (const [file, ms] of took) this.#took.set(file, ms)
    try {
      // Keeps the last test's name, because work that a test leaves running still belongs to it.
      await endWithin(suites.leaveAll(), this.#startedAt === null ? Infinity : UNKNOWN_LIMIT_MS)
    } catch (error) {
      results.push(failedTest('leaving the suites', error))
    }
    running()
    return results
  }

  /** Infinite in the run without a mutant. */
  #limitOf({ file }: LoadedTest): number {
    if (this.#startedAt === null) return Infinity
    const took = this.#took.get(file)
    return took === undefined ? UNKNOWN_LIMIT_MS : LIMIT_MS + LIMIT_FACTOR * took
  }

  #isOverTime(): boolean {
    return this.#startedAt !== null && process.cpuUsage(this.#startedAt).user > this.#microsecondsPerMutant
  }
}

const ids = new WeakMap<Suite, string>()
let suitesSeen = 0

/** The id under which the coverage of a suite's hooks is counted. */
function nameHooks(suite: Suite): string {
  const id = ids.get(suite) ?? `hooks of suite ${suitesSeen++}`
  ids.set(suite, id)
  return id
}

const withHooks = ({ id, suite }: LoadedTest) => ({ id, hooks: listSuiteChain(suite).map(nameHooks) })

/** A test that exceeds its time limit has failed, as with Vitest. */
async function runTest(
  test: LoadedTest,
  suites: SuiteRun,
  limitMs: number,
): Promise<TestResult & { readonly neverEnded?: true }> {
  const { id, name, file, skipped } = test
  const started = performance.now()
  const common = () => ({
    id,
    name,
    fileName: join(process.cwd(), file),
    timeSpentMs: performance.now() - started,
  })
  if (skipped) return { ...common(), status: TestStatus.Skipped }
  try {
    await endWithin(suites.run(test), limitMs)
    return { ...common(), status: TestStatus.Success }
  } catch (error) {
    const failed = { ...common(), status: TestStatus.Failed, failureMessage: String(error) } as const
    return error instanceof NeverEnded ? { ...failed, neverEnded: true } : failed
  }
}

const failedTest = (name: string, error: unknown): TestResult => ({
  id: name,
  name,
  timeSpentMs: 0,
  status: TestStatus.Failed,
  failureMessage: String(error),
})

async function findFiles(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob([...patterns])) files.push(file)
  return files.sort()
}

// The name `strykerPlugins` lets Stryker find the plugin.
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', RunnerInProcess)]
