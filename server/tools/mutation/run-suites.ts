/** Enters and leaves suites with their hooks around the tests that run. Makes no judgement. */
import type { NotedTest, Suite } from './vitest-in-process.ts'
import { takeFinishing } from './vitest-in-process.ts'

export class SuiteRun {
  /** The entered suites, from the file down. */
  #entered: Suite[] = []
  readonly #teardowns = new Map<Suite, (() => unknown)[]>()
  readonly #opening: (suite: Suite | null) => void

  /** `opening` receives the suite whose `beforeAll` runs, and null after it. */
  constructor(opening: (suite: Suite | null) => void = () => {}) {
    this.#opening = opening
  }

  /** Runs a test with the hooks around it. Throws the error of a hook or of the test. */
  async run({ suite, body }: NotedTest): Promise<void> {
    const chain = listSuiteChain(suite)
    await this.#leaveTo(chain)
    for (const one of chain.slice(this.#entered.length)) await this.#enter(one)
    try {
      for (const { beforeEach } of chain) for (const hook of beforeEach) await hook()
      await body()
    } finally {
      for (const hook of takeFinishing().reverse()) await hook()
      for (const { afterEach } of chain.toReversed()) for (const hook of afterEach) await hook()
    }
  }

  /** Runs the suites' closing hooks. Throws the first error after all suites have been left. */
  leaveAll(): Promise<void> {
    return this.#leaveTo([])
  }

  async #enter(suite: Suite): Promise<void> {
    this.#entered.push(suite)
    const teardowns: (() => unknown)[] = []
    this.#teardowns.set(suite, teardowns)
    this.#opening(suite)
    for (const hook of suite.beforeAll) {
      const undo = await hook()
      if (typeof undo === 'function') teardowns.push(undo as () => unknown)
    }
    this.#opening(null)
  }

  async #leaveTo(chain: readonly Suite[]): Promise<void> {
    let failure: { readonly error: unknown } | null = null
    while (this.#entered.length > 0 && this.#entered.some((suite, depth) => chain[depth] !== suite)) {
      const suite = this.#entered.pop()
      if (!suite) break
      for (const hook of [...suite.afterAll, ...(this.#teardowns.get(suite) ?? [])]) {
        try {
          await hook()
        } catch (error) {
          failure ??= { error }
        }
      }
    }
    if (failure) throw failure.error
  }
}

/** The suites from the file down to this one. */
export function listSuiteChain(suite: Suite): Suite[] {
  return [...(suite.parent ? listSuiteChain(suite.parent) : []), suite]
}
