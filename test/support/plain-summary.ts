/**
 * Prints `N passed, N failed, N skipped` as the last line, for CI. Before it, the ten slowest files, and each
 * test that passed only at a retry, which is a fault of the test or of the product.
 */
import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Only for a run of more files than this. */
const SLOWEST = 10

export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    const unsteady: string[] = []
    for (const module of modules) {
      // A file that does not load has no tests to fail.
      if (module.errors().length > 0) count.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state]++
        if (test.diagnostic()?.flaky === true) unsteady.push(`${module.relativeModuleId}: ${test.fullName}`)
      }
    }
    // At exit, because the default reporter still has lines in its buffer here.
    process.once('exit', () => {
      for (const line of slowestOf(modules)) writeSync(1, `${line}\n`)
      for (const name of unsteady) writeSync(1, `passed at the second try: ${name}\n`)
      writeSync(1, `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
    })
  }
}

/** Loading, hooks and tests, by the wall clock: other load makes each of them longer. */
function slowestOf(modules: readonly TestModule[]): string[] {
  if (modules.length <= SLOWEST) return []
  const seconds = (module: TestModule) => {
    const { collectDuration, duration } = module.diagnostic()
    return (collectDuration + duration) / 1000
  }
  const slowest = modules.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST)
  const lines = slowest.map(
    (module) => `${seconds(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}`,
  )
  return ['The slowest files:', ...lines]
}
