/**
 * Prints `N passed, N failed, N skipped` as the last line: what CI reads. Before it, each test that passed only when it was
 * tried again: a fault of the test or of the product that has to be looked at.
 */
import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

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
      for (const name of unsteady) writeSync(1, `passed at the second try: ${name}\n`)
      writeSync(1, `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
    })
  }
}
