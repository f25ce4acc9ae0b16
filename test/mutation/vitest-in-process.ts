/**
 * What `import … from 'vitest'` gives a test that runs inside the mutation runner's own process: Vitest's own expect, and
 * describe and test that only note down what there is. Never runs a test: the runner does, as often as it needs.
 */
import { format } from 'node:util'

export interface NotedTest {
  readonly name: string
  readonly skipped: boolean
  readonly body: () => unknown
}

type Body = (...values: never[]) => unknown

let suites: string[] = []
let noted: NotedTest[] = []

/** The tests that the files loaded since the last call have noted down. */
export function takeNotedTests(): NotedTest[] {
  const taken = noted
  noted = []
  suites = []
  return taken
}

/** A table's rows come as lists of values, as one value each, or as objects. */
const valuesOf = (row: unknown): unknown[] => (Array.isArray(row) ? (row as unknown[]) : [row])

function titled(title: string, values: readonly unknown[], index: number): string {
  const [first] = values
  const named = title.replace(/\$(\w+)/g, (whole, key: string) =>
    typeof first === 'object' && first !== null && key in first ? String(first[key as never]) : whole,
  )
  return `${named.includes('%') ? format(named, ...values) : named} (${index + 1})`
}

const eachOf =
  (add: (title: string, body: () => unknown) => void) =>
  (rows: readonly unknown[]) =>
  (title: string, body: Body): void =>
    rows.forEach((row, index) => {
      const values = valuesOf(row)
      add(titled(title, values, index), () => body(...(values as never[])))
    })

function noteTest(title: string, body: () => unknown, skipped = false): void {
  noted.push({ name: [...suites, title].join(' > '), skipped, body })
}

function runSuite(title: string, body: () => unknown): void {
  suites.push(title)
  body()
  suites.pop()
}

const skip = (title: string, body: () => unknown) => noteTest(title, body, true)

export const test = Object.assign((title: string, body: () => unknown) => noteTest(title, body), {
  each: eachOf(noteTest),
  skip,
  skipIf: (condition: unknown) => (condition ? skip : noteTest),
})
export const it = test
export const describe = Object.assign(runSuite, { each: eachOf(runSuite) })

// Vitest's expect asks for the state of a worker. It is given what it looks at when nothing is a snapshot.
Object.assign(globalThis, {
  __vitest_worker__: { config: { expect: {}, snapshotOptions: { expand: false } }, filepath: '' },
})
export const { expect } = await import('vitest')
