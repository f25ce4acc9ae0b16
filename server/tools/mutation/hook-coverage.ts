/**
 * Which mutants the hooks before a suite reach. They run once, inside the first test, and open what all tests of the suite
 * use: what they reach is reached by each of them. Pure; never runs anything.
 */

/** By id of the mutant: how often it was reached. */
type Reached = Record<string, number>

export interface TestInSuites {
  readonly id: string
  /** Ids under which the hooks of its suites were counted. */
  readonly hooks: readonly string[]
}

/** The same by tests alone: what was counted for hooks is added to each test of their suite. */
export function reachedByTests(
  counted: Readonly<Record<string, Reached>>,
  tests: readonly TestInSuites[],
): Record<string, Reached> {
  const byTest = tests.map(({ id, hooks }) => {
    const reached: Reached = {}
    for (const source of [id, ...hooks])
      for (const [mutant, times] of Object.entries(counted[source] ?? {}))
        reached[mutant] = (reached[mutant] ?? 0) + times
    return [id, reached] as const
  })
  return Object.fromEntries(byTest)
}
