/** The product compiles each statement of the store at its first use; here all are compiled when the store is opened. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openStore } from '../../../server/store/open.ts'
import type { Db } from '../../../server/store/db.ts'

const compiled = vi.hoisted(() => new Set<string>())
vi.mock('../../../server/store/db.ts', () => ({
  compileLate: (db: Db): Db => {
    const prepare = db.prepare.bind(db)
    const noting = (sql: string) => {
      compiled.add(sql)
      return prepare(sql)
    }
    return Object.assign(db, { prepare: noting })
  },
}))

test('every statement of the store compiles on its newest schema', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-statements-'))
  openStore(dataDir, randomBytes(32)).close()
  rmSync(dataDir, { recursive: true })
  expect(compiled.size).toBeGreaterThan(300)
})
