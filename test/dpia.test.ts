/** The facts of docs/dpia.md are those of the database and of the configuration. */
import Database from 'better-sqlite3'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from '../server/config/config.ts'
import { openTestStore } from './support/store.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/dpia.md'), 'utf8')
const store = openTestStore()
afterAll(() => store.close())

test('every table of the databases is in the DPIA aid', () => {
  const tables = globSync('**/*.sqlite', { cwd: store.dataDir }).flatMap((file) => {
    const db = new Database(join(store.dataDir, file), { readonly: true })
    const rows = db.prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
    )
    const names = rows.pluck().all() as string[]
    db.close()
    return names
  })
  expect(tables.length).toBeGreaterThan(50)
  expect(tables.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

/** Options by which data of a person is deleted. */
const DELETES =
  /^retention\.\w+Hours$|\.retentionDays$|\.\w+KeptDays$|^antifraud\.velocity\.\w+\.hours$|^lifetimes\.transactionHours$/

// @clause NIST-63A-4/3.11-information
test('the retention times of the DPIA aid are the defaults of the configuration, and none is missing', () => {
  const told = [...page.matchAll(/^\| `([\w.]+)` \| (\d+) \|/gm)].map(([, option, value]) => [
    option,
    Number(value),
  ])
  const defaults = listOptions(loadConfig({ dataDir: store.dataDir })).filter(([option]) =>
    DELETES.test(option),
  )
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(defaults))
})

function listOptions(options: object, before = ''): [string, unknown][] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? listOptions(value, `${before}${name}.`)
      : ([[`${before}${name}`, value]] as [string, unknown][]),
  )
}
