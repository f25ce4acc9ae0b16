/** The conformity statement claims no more than tagged tests show, and its pages are up to date. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProblems, renderPages } from './support/conformity/pages.ts'
import { findResult } from './support/conformity/results.ts'
import { type Clause, FOLDER, loadStandards, ROOT } from './support/conformity/table.ts'
import { findTaggedTests, parseTags } from './support/conformity/tags.ts'

const statement = { standards: loadStandards(), tests: findTaggedTests() }

test('every clause that claims to be met has a tagged test, and every tag names a known clause', () => {
  expect(findProblems(statement)).toEqual([])
})

test('the pages are those that npm run conformity writes', () => {
  for (const [name, text] of renderPages({ ...statement, results: null }))
    expect(readFileSync(join(ROOT, FOLDER, name), 'utf8'), name).toBe(text)
})

/** Apart from its comment sign, so that it is no tag of this file. */
const TAG = '@clause'
const SOURCE = `
describe('a code', () => {
  // ${TAG} STANDARD/1 STANDARD/2
  test.each([4, 6])('has %i digits', () => {})
})
`

test('a clause whose test vanished is a problem, and so is a tag of no clause', () => {
  const clause = { id: '1', state: 'met' } as Clause
  const standards = [{ id: 'STANDARD', clauses: [clause] }] as unknown as typeof statement.standards
  const tests = parseTags('code.test.ts', SOURCE)
  expect(findProblems({ standards, tests })).toEqual([
    'code.test.ts: "a code > has %i digits" names the unknown clause STANDARD/2',
  ])
  expect(findProblems({ standards, tests: [] })).toEqual(['STANDARD/1 claims "met", but no test has its tag'])
})

test('a tag above no test is refused', () => {
  expect(() => parseTags('code.test.ts', `// ${TAG} STANDARD/1\nconst code = 1\n`)).toThrow('above no test')
})

test('one failed row of a table is the result of its tag', () => {
  const [tag] = parseTags('code.test.ts', SOURCE)
  const run = { on: '2026-11-30', commit: 'abc' }
  const results = {
    'code.test.ts': {
      'a code > has 4 digits': { state: 'passed', ...run },
      'a code > has 6 digits': { state: 'failed', ...run },
      'another code > has 6 digits': { state: 'passed', ...run },
    },
  } as const
  expect(findResult(tag, results)).toEqual({ state: 'failed', ...run })
  expect(findResult(tag, {})).toBeNull()
})
