/** The tables of errors in docs/integrate.md are those that the server answers by. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROBLEMS } from '../../../server/http/problems.ts'
import { RESULT_CODES } from '../../../server/proofing/error-codes.ts'
import { INTEGRATE_DOCUMENT, writeTables } from '../../support/integrate-tables.ts'

const written = readFileSync(INTEGRATE_DOCUMENT, 'utf8')

test('the tables are current: node test/support/integrate-tables.ts writes them', () => {
  expect(written).toBe(writeTables(written))
})

test('every error code and every problem type has a row that says what to do', () => {
  const rows = written.split('\n').filter((line) => line.startsWith('| '))
  const toDo = (name: string): string | undefined => {
    const cells = rows.map((row) => row.split(' | ')).find(([first]) => first?.includes(name))
    return cells?.[name.startsWith('`') ? 3 : 4]
  }
  const names = [...RESULT_CODES, ...Object.keys(PROBLEMS).map((code) => `\`${code}\``)]
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name) => !/^\w.{10,}/.test(toDo(name) ?? ''))).toEqual([])
  expect(rows.filter((row) => row.includes('undefined'))).toEqual([])
})
