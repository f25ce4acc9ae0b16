import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JudgedStep } from '../../../server/proofing/judged-step.ts'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import { migrate } from '../../../server/store/open.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => t.close())

const JUDGED: JudgedStep = {
  progress: 'DONE',
  evaluation: { levelOfAssurance: 'LOA1' },
  policy: { id: 'default' },
  evidences: [{ id: 'e', isDecided: true, judged: { errors: ['Zaphodovaquix'] }, ours: {} }],
  verifications: [],
}

function anOperation(identityId: string, id = 'o'): string {
  t.store.operations.add({
    id,
    identityId,
    subjectId: 'e',
    name: 'PORTRAIT_CAPTURE',
    kind: 'ADD',
    startedAt: AT,
    call: {
      method: 'POST',
      uri: '/v1/identities',
      role: 'RELYING_SERVICE',
      remoteAddress: null,
      startedAt: '',
      endedAt: '',
      httpCode: 200,
    },
  })
  return id
}

test('what was judged at a step is kept, sealed, and replaced by what is judged later', () => {
  const { id } = t.addIdentity()
  const operation = anOperation(id)
  expect(t.store.steps.find(id, operation)).toBeNull()
  t.store.steps.put(id, operation, '1', { ...JUDGED, progress: 'PROCESSING' })
  t.store.steps.put(id, operation, '2', JUDGED)
  expect(t.reopen().steps.find(id, operation)).toEqual(JUDGED)
  expect(t.store.steps.bases(id)).toEqual(new Map([[operation, '2']]))
  t.store.scrub()
  const file = readFileSync(join(t.dataDir, 'appliance.sqlite'))
  expect(file.includes('Zaphodovaquix')).toBe(false)
})

test('it goes with its identity', () => {
  const { id } = t.addIdentity()
  t.store.steps.put(id, anOperation(id), '1', JUDGED)
  expect(t.store.erasures.countRows(id)).toMatchObject({ steps: 1, operations: 1 })
  t.store.transaction(() => t.store.erasures.deleteRows(id))
  expect(t.store.steps.bases(id).size).toBe(0)
})

test('of the steps of the version before nothing is known, and nothing is made up', () => {
  const { id } = t.addIdentity()
  const operation = anOperation(id)
  const db = new Database(join(t.dataDir, 'appliance.sqlite'))
  db.exec('DROP TABLE steps')
  db.pragma('user_version = 14')
  migrate(db, MIGRATIONS.slice(0, 15))
  db.pragma(`user_version = ${MIGRATIONS.length}`)
  db.close()
  const store = t.reopen()
  expect(store.steps.bases(id)).toEqual(new Map([[operation, 'not known']]))
  expect(store.steps.find(id, operation)).toBeNull()
})
