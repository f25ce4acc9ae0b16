/** Prints `N passed, N failed, N skipped` as the last line: what CI reads. */
import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 }
    for (const module of modules) {
      // A file that does not load has no tests to fail.
      if (module.errors().length > 0) count.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') count[state]++
      }
    }
    // At exit, because the default reporter still has lines in its buffer here.
    process.once('exit', () => {
      writeSync(1, `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped\n`)
    })
  }
}
