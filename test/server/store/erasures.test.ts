import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { ERASED_TABLES } from '../../../server/store/erasures.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let opened: TestStore
beforeEach(() => {
  opened = openTestStore()
})
afterEach(() => {
  opened.close()
})

/** A visit loses its identity (ON DELETE SET NULL) but still counts. */
const KEPT_TABLES = ['events', 'outbox', 'erasures', 'webhook_deliveries', 'visits']

const later = (ms: number): Date => new Date(AT.getTime() + ms)

describe('the tables', () => {
  test('that know an identity are each listed as erased with it or as kept for good', () => {
    const db = new Database(join(opened.dataDir, 'appliance.sqlite'), { readonly: true })
    const tables = db
      .prepare<[], { name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
      .all()
      .map(({ name }) => name)
    const knowing = tables.filter((table) =>
      db
        .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
        .all()
        .some(({ name }) => name === 'identity_id'),
    )
    db.close()
    expect(['identities', ...knowing].sort()).toEqual([...ERASED_TABLES, ...KEPT_TABLES].sort())
  })

  test('are emptied of the identity, and of no other', () => {
    const { store } = opened
    const [one, other] = [opened.addIdentity(), opened.addIdentity()]
    for (const { id } of [one, other]) {
      store.transaction(() => {
        store.jobs.add('verify-evidence', id, { evidenceId: id }, AT)
        store.deadlines.set({ kind: 'retention', subjectId: id, identityId: id, dueAt: AT })
        store.legalHolds.place({
          identityId: id,
          actor: 'operator',
          reference: 'x',
          placedAt: AT,
          until: null,
        })
      })
      // Its answer was taken by a crash: it knows the identity by its path alone.
      const key = {
        apiKeyId: 'k',
        route: `submitPortrait /v1/identities/${id}/portrait`,
        key: 'k',
        request: 'r',
      }
      const reserved = store.idempotency.reserve(key, AT, later(1))
      if (reserved.outcome === 'reserved') store.idempotency.commit(reserved.id)
    }
    const all = {
      identities: 1,
      identity_contexts: 1,
      jobs: 1,
      deadlines: 1,
      legal_holds: 1,
      idempotency_keys: 1,
    }
    expect(store.erasures.countRows(one.id)).toEqual(all)
    store.transaction(() => {
      store.erasures.deleteRows(one.id)
    })
    expect(store.erasures.countRows(one.id)).toEqual({})
    expect(store.erasures.countRows(other.id)).toEqual(all)
  })
})

describe('erasing one identity', () => {
  test('reads no table from end to end: its cost does not grow with the others', () => {
    const db = new Database(join(opened.dataDir, 'appliance.sqlite'))
    // The checks of foreign keys are no part of the plan: each child table needs an index that begins with the parent.
    const children = db
      .prepare<[], { child: string; column: string; parent: string }>(
        `SELECT m.name AS child, f."from" AS "column", f."table" AS parent
         FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
         WHERE m.type = 'table' AND f."table" IN ('identities', 'evidences', 'images')`,
      )
      .all()
    const without = children.filter(({ child, column }) => {
      const plan = db.prepare<[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT 1 FROM ${child} WHERE ${column} = 'x'`,
      )
      return plan.all().some(({ detail }) => detail.startsWith('SCAN'))
    })
    db.close()
    expect(children.length).toBeGreaterThan(15)
    expect(without).toEqual([])
  })
})

describe('an identity whose erasure has begun', () => {
  const begin = (id: string) =>
    opened.store.erasures.begin({
      identityId: id,
      tenantId: 'tenant',
      applicationId: opened.applicationId,
      reason: 'DELETE',
      actor: 'operator',
      proofId: null,
      begunAt: AT,
    })

  test('cannot be found and cannot be saved', () => {
    const { store } = opened
    const identity = opened.addIdentity()
    begin(identity.id)
    expect(store.identities.find(APPLIANCE, identity.id)).toBeNull()
    expect(() => store.identities.get(APPLIANCE, identity.id)).toThrow('not_found')
    expect(() => store.identities.save(identity)).toThrow('revision_conflict')
    expect(store.identities.listOpen(identity.applicationId)).toEqual([])
    expect(store.identities.listIds()).toEqual([identity.id])
  })

  test('is begun once: a second reason changes nothing', () => {
    const { store } = opened
    const { id } = opened.addIdentity()
    begin(id)
    store.erasures.begin({
      identityId: id,
      tenantId: 't',
      applicationId: null,
      reason: 'RESTORED',
      actor: 'x',
      proofId: null,
      begunAt: AT,
    })
    expect(store.erasures.find(APPLIANCE, id)).toMatchObject({ reason: 'DELETE', erasedAt: null })
    expect(store.erasures.listOpen()).toHaveLength(1)
    store.erasures.end(id, later(5), 'a.b.c')
    store.erasures.end(id, later(9), 'd.e.f')
    expect(store.erasures.find(APPLIANCE, id)).toMatchObject({ erasedAt: later(5), receipt: 'a.b.c' })
    expect(store.erasures.listOpen()).toEqual([])
  })
})

describe('when something last happened to an identity', () => {
  test('is its last event', () => {
    const { store } = opened
    const { id } = opened.addIdentity()
    expect(store.lastChanges.ofIdentity(id)).toBeNull()
    store.events.append('identity.created', id, { status: 'EXPECTING_INPUT' }, AT)
    store.events.append('identity.paused', id, { status: 'PAUSED' }, later(10))
    expect(store.lastChanges.ofIdentity(id)).toEqual(later(10))
    expect(store.lastChanges.ofType(id, 'identity.created')).toEqual(AT)
    expect(store.lastChanges.ofType(id, 'proof.sealed')).toBeNull()
  })

  test('is not before the last step of the clock, because times of the old clock cannot be compared', () => {
    const { store } = opened
    const { id } = opened.addIdentity()
    store.events.append('clock.stepped', null, { bySeconds: 5, steps: 1 }, later(-500))
    store.events.append('identity.created', id, { status: 'EXPECTING_INPUT' }, AT)
    expect(store.lastChanges.ofIdentity(id)).toEqual(AT)
    const years = later(3 * 365 * 86_400_000)
    store.events.append('clock.stepped', null, { bySeconds: 94_608_000, steps: 2 }, years)
    expect(store.lastChanges.ofIdentity(id)).toEqual(years)
  })

  test('is later by no more than the clock was set: a second a day puts nothing off', () => {
    const { store } = opened
    const { id } = opened.addIdentity()
    store.events.append('identity.created', id, { status: 'EXPECTING_INPUT' }, AT)
    const day = 86_400_000
    store.events.append('clock.confirmed', null, { bySeconds: -1, uncertaintyMs: 20 }, later(day))
    store.events.append('clock.stepped', null, { bySeconds: 3, steps: 1 }, later(2 * day))
    expect(store.lastChanges.ofIdentity(id)).toEqual(later(4000))
  })
})

describe('the keys', () => {
  test('know whose they are from the first time on', () => {
    const { store } = opened
    expect(store.vault.owner()).toBeNull()
    store.vault.setOwner(store.applianceId)
    expect(opened.reopen().vault.owner()).toBe(store.applianceId)
  })
})
