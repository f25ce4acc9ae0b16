/**
 * The order in which test files start without earlier measurements: longest first, so that both cores have
 * work until the end. Files are ordered by their group's number; a file without a group comes last.
 */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * A whole browser, killed processes, real models: minutes to seconds, in this order (`The slowest files` of a
 * run).
 */
const LONG: readonly RegExp[] = [
  /^test\/browser\/(kiosk|screens|faults|counter-administration)\.test|^test\/conformance\/|^test\/crash\/kill\.test/,
  /^test\/server\/(vision\/fuzz|app\/(document-reasons|specimens|live-specimen))\.test/,
  /^test\/browser\/(capture|capture-troubles|assist|counter|integrate-document|window)\.test|^test\/server\/tools\/demo\//,
  /^test\/server\/(kiosk\/session|proof\/verify-long-term|commands\/start|vision\/documents\/(measure|zones|zone-geometry))\.test/,
  /^test\/(browser|crash|accuracy)\/|\/outline\.test/,
  /^test\/server\/(sync|vision|audit|keys|files|sandbox)\//,
  /^test\/(central|server\/app)\//,
  /^test\/server\/(commands|tools|api|counter|workflows)\//,
]

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted
      .map((file, index) => ({ file, index, group: groupOf(relative(this.ctx.config.root, file.moduleId)) }))
      .sort((a, b) => a.group - b.group || a.index - b.index)
      .map(({ file }) => file)
  }
}

function groupOf(path: string): number {
  const group = LONG.findIndex((pattern) => pattern.test(path))
  return group < 0 ? LONG.length : group
}
