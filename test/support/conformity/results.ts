/** The last result of each test of a tagged file on this machine, in out/test-results.json. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { ROOT } from './table.ts'
import type { TaggedTest } from './tags.ts'

const FILE = join(ROOT, 'out', 'test-results.json')

export interface Result {
  readonly state: 'passed' | 'failed'
  /** Day of the run. */
  readonly on: string
  /** Abbreviated; `-dirty` if the sources differed from it, null without git. */
  readonly commit: string | null
}

/** File → full name of the test → result. */
export type Results = Readonly<Record<string, Readonly<Record<string, Result>>>>

export const readResults = (): Results =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Results) : {}

/** The worst result of the tests that a tag covers; null if none of them has run here. */
export function findResult({ file, names }: TaggedTest, results: Results): Result | null {
  const covered = new RegExp(`^${names.map(toPattern).join(' > ')}( > .*)?$`, 's')
  const ran = Object.entries(results[file] ?? {}).flatMap(([name, result]) =>
    covered.test(name) ? [result] : [],
  )
  return ran.find(({ state }) => state === 'failed') ?? ran[0] ?? null
}

/** A name as the source has it; the runner puts values for `%s` and `$name`. */
const toPattern = (name: string): string =>
  name
    .split(/%[sdifjoOc#$%]|\$[\w.]+/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')

/** Records what ran; a test that was skipped keeps the result it had. */
export default class RecordResults implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tagged = modules.filter(({ moduleId }) => readFileSync(moduleId, 'utf8').includes('// @clause '))
    if (tagged.length === 0) return
    const before = readResults()
    const run = { on: new Date().toISOString().slice(0, 10), commit: describeCommit() }
    const now = Object.fromEntries(
      tagged.map((module) => [
        module.relativeModuleId,
        collect(module, run, before[module.relativeModuleId]),
      ]),
    )
    mkdirSync(dirname(FILE), { recursive: true })
    writeFileSync(`${FILE}.new`, `${JSON.stringify({ ...before, ...now }, null, 2)}\n`)
    renameSync(`${FILE}.new`, FILE)
  }
}

function collect(
  module: TestModule,
  run: Pick<Result, 'on' | 'commit'>,
  before: Readonly<Record<string, Result>> = {},
): Record<string, Result> {
  const results: Record<string, Result> = {}
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    const had = before[test.fullName]
    if (state === 'passed' || state === 'failed') results[test.fullName] = { state, ...run }
    else if (had !== undefined) results[test.fullName] = had
  }
  return results
}

function describeCommit(): string | null {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}
