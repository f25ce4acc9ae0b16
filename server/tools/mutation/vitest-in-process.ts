/**
 * Provides the exports of `vitest` to a test that runs inside the mutation runner's own process: Vitest's own expect, and
 * describe, test and hooks that only note down what there is. Never runs a test: the runner does, as often as it needs.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { format } from 'node:util'

type Hook = () => unknown

/** A `describe`, or a whole file. */
export interface Suite {
  readonly parent: Suite | null
  readonly title: string
  readonly beforeAll: Hook[]
  readonly afterAll: Hook[]
  readonly beforeEach: Hook[]
  readonly afterEach: Hook[]
}

export interface NotedTest {
  readonly name: string
  readonly suite: Suite
  readonly skipped: boolean
  readonly body: () => unknown
}

type Body = (...values: never[]) => unknown

let suite = newSuite(null, '')
let noted: NotedTest[] = []

function newSuite(parent: Suite | null, title: string): Suite {
  return { parent, title, beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] }
}

/** Returns the tests noted by the files that were loaded since the last call. */
export function takeNotedTests(): NotedTest[] {
  const taken = noted
  noted = []
  suite = newSuite(null, '')
  return taken
}

/** A table row is a list of values, a single value, or an object. */
const toValues = (row: unknown): unknown[] => (Array.isArray(row) ? (row as unknown[]) : [row])

function titled(title: string, values: readonly unknown[], index: number): string {
  const [first] = values
  const named = title.replace(/\$(\w+)/g, (whole, key: string) =>
    typeof first === 'object' && first !== null && key in first ? String(first[key as never]) : whole,
  )
  return `${named.includes('%') ? format(named, ...values) : named} (${index + 1})`
}

const createEach =
  (add: (title: string, body: () => unknown) => void) =>
  (rows: readonly unknown[]) =>
  (title: string, body: Body): void =>
    rows.forEach((row, index) => {
      const values = toValues(row)
      add(titled(title, values, index), () => body(...(values as never[])))
    })

function listTitles({ parent, title }: Suite): string[] {
  return [...(parent ? listTitles(parent) : []), ...(title === '' ? [] : [title])]
}

function noteTest(title: string, body: () => unknown, skipped = false): void {
  noted.push({ name: [...listTitles(suite), title].join(' > '), suite, skipped, body })
}

/** Vitest accepts options before or after the body; they have no effect here. */
const findBody = (...given: readonly unknown[]): (() => unknown) =>
  (given.find((one) => typeof one === 'function') ?? (() => undefined)) as () => unknown

const note = (title: string, ...given: readonly unknown[]): void => noteTest(title, findBody(...given))

function runSuite(title: string, ...given: readonly unknown[]): void {
  const outer = suite
  suite = newSuite(outer, title)
  findBody(...given)()
  suite = outer
}

const skip = (title: string, ...given: readonly unknown[]) => noteTest(title, findBody(...given), true)
const skipSuite = (): void => undefined

export const test = Object.assign(note, {
  each: createEach(noteTest),
  skip,
  skipIf: (condition: unknown) => (condition ? skip : note),
  runIf: (condition: unknown) => (condition ? note : skip),
})
export const it = test
export const describe = Object.assign(runSuite, {
  each: createEach(runSuite),
  skip: skipSuite,
  skipIf: (condition: unknown) => (condition ? skipSuite : runSuite),
  runIf: (condition: unknown) => (condition ? runSuite : skipSuite),
})

export const beforeAll = (hook: Hook): void => void suite.beforeAll.push(hook)
export const afterAll = (hook: Hook): void => void suite.afterAll.push(hook)
export const beforeEach = (hook: Hook): void => void suite.beforeEach.push(hook)
export const afterEach = (hook: Hook): void => void suite.afterEach.push(hook)

let finishing: Hook[] = []
export const onTestFinished = (hook: Hook): void => void finishing.push(hook)

/** Returns the callbacks that tests registered since the last call for their end. */
export function takeFinishing(): Hook[] {
  const taken = finishing
  finishing = []
  return taken
}

// Vitest's expect needs a worker's state. This provides the members that it reads when there are no snapshots.
Object.assign(globalThis, {
  __vitest_worker__: {
    config: { expect: {}, snapshotOptions: { expand: false } },
    filepath: '',
    // The object that vi.stubEnv changes.
    metaEnv: process.env,
  },
})
const { expect, vi, assert } = await import('vitest')
export { expect, vi, assert }

interface Polling {
  readonly timeout?: number
  readonly interval?: number
  readonly message?: string
}
type Matchers = Readonly<Record<string, (...wanted: unknown[]) => unknown>>

/** Repeats a matcher until it passes; Vitest's own poll needs its worker's test. */
function poll(read: () => unknown, { timeout = 60_000, interval = 50, message }: Polling = {}): unknown {
  const tryingAgain = (isNot: boolean): unknown =>
    new Proxy(
      {},
      {
        get: (_, matcher: string) =>
          matcher === 'not'
            ? tryingAgain(true)
            : async (...wanted: unknown[]) => {
                const until = Date.now() + timeout
                for (;;) {
                  try {
                    const found = expect(await read(), message)
                    const matchers = (isNot ? found.not : found) as unknown as Matchers
                    return void matchers[matcher]?.(...wanted)
                  } catch (error) {
                    if (Date.now() > until) throw error
                    await wait(interval)
                  }
                }
              },
      },
    )
  return tryingAgain(false)
}
Object.assign(expect, { poll })
