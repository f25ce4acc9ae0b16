/**
 * Determines which mutants the hooks before a suite reach. The hooks run once, inside the first test, but all tests of
 * the suite use their result, so each test counts as reaching the same mutants. Pure; runs nothing.
 */

/** Id of the mutant → number of times it was reached. */
type Reached = Record<string, number>

interface TestInSuites {
  readonly id: string
  /** Ids under which the hooks of its suites were counted. */
  readonly hooks: readonly string[]
}

/** Coverage by tests alone: the counts of hooks are added to each test of their suite. */
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
