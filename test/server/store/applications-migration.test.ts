/** A database of before applications were kept apart: what it holds is given to the application that the log names. */
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import type { Db } from '../../../server/store/db.ts'
import { migrate } from '../../../server/store/open.ts'

/** The last schema without the boundary. */
const BEFORE = 8
const [ID_A, ID_B, ID_C, ID_D] = ['a', 'b', 'c', 'd'].map(
  (letter) => `00000000-0000-7000-8000-00000000000${letter}`,
)

let db: Db
beforeEach(() => {
  db = new Database(':memory:')
  migrate(db, MIGRATIONS.slice(0, BEFORE))
  db.exec(`INSERT INTO tenants VALUES ('tenant', 'Tenant', 'test', 'default', 0)`)
})
afterEach(() => {
  db.close()
})

const addApplications = (...names: readonly string[]): void => {
  const add = db.prepare(
    `INSERT INTO applications (id, tenant_id, name, created_at) VALUES (?, 'tenant', ?, 0)`,
  )
  for (const name of names) add.run(`app-${name}`, name)
}
const addEvent = (type: string, identityId: string | null, actor: string, body: object): void => {
  db.prepare(
    `INSERT INTO events (id, type, identity_id, actor, body, at, hash, mac) VALUES (?, ?, ?, ?, ?, 0, x'', x'')`,
  ).run(crypto.randomUUID(), type, identityId, actor, JSON.stringify(body))
}
const addErasure = (identityId: string | undefined): void => {
  db.prepare(
    `INSERT INTO erasures (identity_id, tenant_id, reason, actor, begun_at) VALUES (?, 'tenant', 'RETENTION', 'appliance', 0)`,
  ).run(identityId)
}
const addWebhook = (id: string, actor: string | null): void => {
  db.prepare(
    `INSERT INTO webhook_endpoints (id, tenant_id, url, events, secret_ct, cursor, created_at)
     VALUES (?, 'tenant', 'https://hooks.example/', '[]', x'00', 0, 0)`,
  ).run(id)
  if (actor !== null) addEvent('webhook.registered', null, actor, { webhookId: id })
}
const ownersOf = (table: 'erasures' | 'webhook_endpoints', id: string): Record<string, string | null> => {
  const rows = db.prepare<[], { id: string; owner: string | null }>(
    `SELECT ${id} AS id, application_id AS owner FROM ${table} ORDER BY ${id}`,
  )
  return Object.fromEntries(rows.all().map((row) => [row.id, row.owner]))
}

test('an erasure is of the application that opened the identity, and of none where the log does not say', () => {
  addApplications('kiosk', 'counter', 'bank', 'shop')
  for (const id of [ID_A, ID_B, ID_C, ID_D]) addErasure(id)
  addEvent('identity.created', ID_A ?? '', 'RELYING_SERVICE:app-bank', { status: 'EXPECTING_INPUT' })
  addEvent('identity.created', ID_B ?? '', 'RELYING_SERVICE:app-kiosk', { status: 'EXPECTING_INPUT' })
  addEvent('identity.created', ID_C ?? '', `STAFF:${crypto.randomUUID()}`, { status: 'EXPECTING_INPUT' })
  // Made before the log named who did it.
  addEvent('identity.created', ID_D ?? '', 'appliance', { status: 'EXPECTING_INPUT' })
  migrate(db)
  expect(ownersOf('erasures', 'identity_id')).toEqual({
    [ID_A ?? '']: 'app-bank',
    [ID_B ?? '']: 'app-kiosk',
    [ID_C ?? '']: 'app-counter',
    [ID_D ?? '']: null,
  })
})

test('a webhook is of the application that registered it; one of the operator is of none where there are several', () => {
  addApplications('kiosk', 'counter', 'bank', 'shop')
  addWebhook('of-bank', 'RELYING_SERVICE:app-bank')
  addWebhook('of-operator', 'operator')
  addWebhook('of-nothing', null)
  migrate(db)
  expect(ownersOf('webhook_endpoints', 'id')).toEqual({
    'of-bank': 'app-bank',
    'of-operator': null,
    'of-nothing': null,
  })
})

test('rows that the log attributes to no application go to the only application with keys', () => {
  addApplications('kiosk', 'counter', 'bank')
  addErasure(ID_A)
  addWebhook('of-operator', 'operator')
  migrate(db)
  expect(ownersOf('erasures', 'identity_id')).toEqual({ [ID_A ?? '']: 'app-bank' })
  expect(ownersOf('webhook_endpoints', 'id')).toEqual({ 'of-operator': 'app-bank' })
})

test('two applications may use one correlation id from then on, and one application still may not twice', () => {
  addApplications('bank', 'shop')
  migrate(db)
  const add = (id: string, application: string) =>
    db
      .prepare(
        `INSERT INTO identities (id, tenant_id, application_id, status, level_of_assurance, upgrade_paths,
           correlation_hash, created_at, evaluated_at) VALUES (?, 'tenant', ?, 'EXPECTING_INPUT', 'LOA0', '{}', x'01', 0, 0)`,
      )
      .run(id, application)
  add('one', 'app-bank')
  add('two', 'app-shop')
  expect(() => add('three', 'app-bank')).toThrow('UNIQUE')
})

test('a look-up by correlation id reads its index', () => {
  migrate(db)
  const plan = db
    .prepare<[], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT id FROM identities WHERE correlation_hash = x'01' AND application_id = 'app'`,
    )
    .all()
  expect(plan.map(({ detail }) => detail).join()).toContain('identities_by_correlation')
})
