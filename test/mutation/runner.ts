/**
 * A Stryker test runner that keeps the tests loaded in one process and only switches the mutant. It owns loading, reloading
 * and running; never what is mutated or what counts as killed (stryker.config.mjs, Stryker).
 *
 * Vitest starts a worker and loads every file again for each mutant (0.2 s of processor time each, measured 2026-11 on
 * server/proofing/otp.ts), which for the eleven thousand mutants of the rules is most of a working day on a busy machine.
 * The rules are pure and keep nothing between two calls, so a mutant that acts when a function is called needs no new load.
 * One that acts while a file is loaded (a table) gets all files of its tests loaded anew, under new addresses.
 */
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
  toMutantRunResult,
  TestStatus,
  type DryRunOptions,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner'
import { SourcesByRound } from './sources-by-round.ts'
import { takeNotedTests, type NotedTest } from './vitest-in-process.ts'

/** What the tests get in the place of two packages. */
const STANDS = {
  vitest: new URL('./vitest-in-process.ts', import.meta.url).href,
  'fast-check': new URL('./fast-check-in-process.ts', import.meta.url).href,
}

/** Of stryker.config.mjs. */
interface InProcessOptions {
  readonly tests: readonly string[]
  /** Of processor time. What no test has noticed until then counts as noticed by none. */
  readonly secondsPerMutant: number
}

interface LoadedTest extends NotedTest {
  readonly id: string
  readonly file: string
}

class RunnerInProcess implements TestRunner {
  static inject = [commonTokens.options] as [typeof commonTokens.options]
  readonly #patterns: readonly string[]
  readonly #microsecondsPerMutant: number
  readonly #context: InstrumenterContext
  readonly #sources = new SourcesByRound(STANDS)
  /** What each test took last: the quick ones are asked first, because the first that fails ends a run. */
  readonly #took = new Map<string, number>()
  #tests: LoadedTest[] = []
  /** Null in the run without a mutant, which takes as long as it takes. */
  #startedAt: NodeJS.CpuUsage | null = null
  /** Loaded while a mutant was active: nothing of it may serve another one. */
  #spoilt = true

  constructor(options: StrykerOptions) {
    // Not Stryker's own testFiles: with them it no longer says which mutants act while a file is loaded (10.1.1).
    const { tests, secondsPerMutant } = (options as StrykerOptions & { inProcess: InProcessOptions })
      .inProcess
    this.#patterns = tests
    this.#microsecondsPerMutant = secondsPerMutant * 1e6
    const shared = globalThis as unknown as Record<string, InstrumenterContext>
    this.#context = shared[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {}
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init(): Promise<void> {
    this.#sources.install()
  }

  async dryRun(options: DryRunOptions): Promise<DryRunResult> {
    this.#context.activeMutant = undefined
    this.#startedAt = null
    await this.#load(await filesOf(this.#patterns))
    const tests = await this.#run(this.#tests, options.disableBail, (test) => {
      this.#context.currentTestId = test?.id
    })
    return { status: DryRunStatus.Complete, tests, mutantCoverage: this.#context.mutantCoverage }
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, testFilter, hitLimit } = options
    const actsWhileLoading = options.mutantActivation === 'static' || options.reloadEnvironment
    Object.assign(this.#context, { hitCount: 0, hitLimit, activeMutant: undefined })
    const files = await filesOf(this.#patterns)
    // Also in a process that Stryker started after it had to kill one: only a load tells which test uses what.
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

  /** File by file, because most mutants of a table are noticed by the first. */
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

  /** Only the files that use the mutated one, the closest first. */
  #nearestFirst(files: readonly string[], mutated: string): string[] {
    return files
      .flatMap((file) => {
        const distance = this.#sources.distance(file, mutated)
        return distance === null ? [] : [{ file, distance }]
      })
      .toSorted((a, b) => a.distance - b.distance)
      .map(({ file }) => file)
  }

  #quickFirst(tests: readonly LoadedTest[]): LoadedTest[] {
    const took = ({ id }: LoadedTest) => this.#took.get(id) ?? 0
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
    await import(this.#sources.addressOf(file))
    return takeNotedTests().map((test) => ({ ...test, file, id: `${file}#${test.name}` }))
  }

  async #run(
    tests: readonly LoadedTest[],
    goOn: boolean,
    running: (test?: LoadedTest) => void = () => {},
  ): Promise<TestResult[]> {
    const results: TestResult[] = []
    for (const test of tests) {
      running(test)
      const result = await resultOf(test)
      running()
      results.push(result)
      if (result.status === TestStatus.Success) this.#took.set(test.id, result.timeSpentMs)
      if ((result.status === TestStatus.Failed && !goOn) || this.#isOverTime()) break
    }
    return results
  }

  #isOverTime(): boolean {
    return this.#startedAt !== null && process.cpuUsage(this.#startedAt).user > this.#microsecondsPerMutant
  }
}

async function resultOf({ id, name, file, body, skipped }: LoadedTest): Promise<TestResult> {
  const started = performance.now()
  const common = () => ({
    id,
    name,
    fileName: join(process.cwd(), file),
    timeSpentMs: performance.now() - started,
  })
  if (skipped) return { ...common(), status: TestStatus.Skipped }
  try {
    await body()
    return { ...common(), status: TestStatus.Success }
  } catch (error) {
    return { ...common(), status: TestStatus.Failed, failureMessage: String(error) }
  }
}

const failedTest = (name: string, error: unknown): TestResult => ({
  id: name,
  name,
  timeSpentMs: 0,
  status: TestStatus.Failed,
  failureMessage: String(error),
})

async function filesOf(patterns: readonly string[]): Promise<string[]> {
  const files: string[] = []
  for await (const file of glob([...patterns])) files.push(file)
  return files.sort()
}

// By name in strykerPlugins: how Stryker finds what a plugin file brings.
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'in-process', RunnerInProcess)]
