/** The generation of the identity keys: a machine that stops at any step is distinguished from an older file of keys. */
import { cpSync, existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { compareKeysWithDatabase, requireCurrentKeys } from '../../../server/store/identity-keys.ts'
import { migrate, openStore } from '../../../server/store/open.ts'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import { identityKeys } from '../../../server/store/migrations/0013-identity-keys.ts'
import { KEYS_FILE } from '../../../server/store/vault.ts'
import { anIdentity, AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
let folder: string
beforeEach(() => {
  t = openTestStore()
  folder = mkdtempSync(join(tmpdir(), 'counterproof-generations-'))
})
afterEach(() => {
  t.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The files as they are at this step, write-ahead logs included: what a machine that stops now finds when it starts. */
function stopNow(name: string): string {
  const copy = join(folder, name)
  cpSync(t.dataDir, copy, { recursive: true })
  return copy
}

/** The keys of one step beside the database of another. */
function mix(name: string, keysOf: string, databaseOf: string): string {
  const mixed = join(folder, name)
  cpSync(databaseOf, mixed, { recursive: true })
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(join(mixed, KEYS_FILE + suffix), { force: true })
    const file = join(keysOf, KEYS_FILE + suffix)
    if (existsSync(file)) cpSync(file, join(mixed, KEYS_FILE + suffix))
  }
  return mixed
}

/** Opens as a start does. Returns what the look before it said. */
function startOn(dataDir: string) {
  const look = compareKeysWithDatabase(dataDir)
  const store = openStore(dataDir, t.kek)
  store.close()
  return look
}

describe('making a key', () => {
  test('each step at which a machine may stop is no problem, and the keys are never behind', () => {
    const before = stopNow('before')
    const application = t.store.apiKeys.ensureApplication('tenant', 'test', AT)
    const identity = anIdentity(application)
    const within: string[] = []
    t.store.transaction(() => {
      t.store.identities.add(identity, [])
      within.push(stopNow('key made, no commit'))
    })
    const after = stopNow('after')
    expect(startOn(before)).toMatchObject({ problem: null, keysGeneration: 0 })
    expect(startOn(within[0] ?? '')).toMatchObject({
      problem: null,
      lost: [],
      keysGeneration: 1,
      databaseGeneration: 0,
    })
    expect(startOn(after)).toMatchObject({ problem: null, keysGeneration: 1, databaseGeneration: 1 })
    expect(compareKeysWithDatabase(mix('rolled back', before, after))).toMatchObject({
      problem: 'missing',
      lost: [identity.id],
    })
  })

  test('a transaction that is undone leaves the keys ahead, and the next one brings both together', () => {
    expect(() =>
      t.store.transaction(() => {
        t.store.identities.add(anIdentity(t.applicationId), [])
        throw new Error('undone')
      }),
    ).toThrow('undone')
    expect(compareKeysWithDatabase(t.dataDir)).toMatchObject({
      keysGeneration: 1,
      databaseGeneration: 0,
      problem: null,
    })
    t.addIdentity()
    expect(compareKeysWithDatabase(t.dataDir)).toMatchObject({
      keysGeneration: 2,
      databaseGeneration: 2,
      problem: null,
    })
  })
})

test('destroying a key: each step is no problem, and the keys of before are older than the database of after', () => {
  const identity = t.addIdentity()
  const stays = t.addIdentity()
  const { store } = t
  const facts = { tenantId: 'tenant', applicationId: t.applicationId, proofId: null, begunAt: AT }
  const before = stopNow('before')
  store.transaction(() => {
    store.erasures.begin({ identityId: identity.id, ...facts, reason: 'DELETE', actor: 'operator' })
  })
  const begun = stopNow('begun')
  store.vault.destroy(identity.id)
  const destroyed = stopNow('destroyed')
  store.transaction(() => {
    store.erasures.deleteRows(identity.id)
    store.erasures.end(identity.id, AT, 'receipt')
  })
  const ended = stopNow('ended')
  expect([before, begun, destroyed, ended].map((copy) => startOn(copy))).toMatchObject([
    { problem: null, keysGeneration: 2, databaseGeneration: 2 },
    { problem: null, keysGeneration: 2, databaseGeneration: 2 },
    { problem: null, keysGeneration: 3, databaseGeneration: 2 },
    { problem: null, keysGeneration: 3, databaseGeneration: 3 },
  ])
  // One that was destroyed comes back with the older file; no key is lost, and the start is refused all the same.
  expect(compareKeysWithDatabase(mix('older keys', before, ended))).toMatchObject({
    problem: 'older',
    lost: [],
  })
  expect(() => openStore(mix('older keys again', before, ended), t.kek)).toThrow('key_unavailable')
  // The database of before beside today's keys: a restored backup. Its key was destroyed, which is no loss.
  expect(compareKeysWithDatabase(mix('older database', ended, before))).toMatchObject({
    problem: null,
    lost: [],
  })
  expect(store.vault.has(stays.id)).toBe(true)
})

test('keys without a number, of a version before it, are judged by each identity', () => {
  const kept = t.addIdentity()
  const lost = t.addIdentity()
  const keys = new Database(join(t.dataDir, KEYS_FILE))
  keys.exec('DROP TABLE generation; DROP TABLE destroyed_keys')
  keys.prepare('DELETE FROM identity_keys WHERE identity_id = ?').run(lost.id)
  keys.close()
  const db = new Database(join(t.dataDir, 'appliance.sqlite'))
  db.exec('UPDATE keys_generation SET number = 0')
  db.close()
  expect(compareKeysWithDatabase(t.dataDir)).toMatchObject({ problem: 'incomplete', lost: [lost.id] })
  expect(() => requireCurrentKeys(t.dataDir)).toThrow('key_unavailable')
  expect(kept.id).not.toBe(lost.id)
})

test('a damaged file of keys refuses the start with a sentence', () => {
  t.addIdentity()
  const copy = stopNow('damaged')
  for (const suffix of ['-wal', '-shm']) rmSync(join(copy, KEYS_FILE + suffix), { force: true })
  cpSync(import.meta.filename, join(copy, KEYS_FILE))
  expect(compareKeysWithDatabase(copy)).toMatchObject({ problem: 'unreadable' })
})

test('migration 13 keeps the rows of the outbox and the number that comes next, a skipped one included', () => {
  const db = new Database(':memory:')
  const before = MIGRATIONS.indexOf(identityKeys)
  migrate(db, MIGRATIONS.slice(0, before))
  const insert = db.prepare(
    `INSERT INTO outbox (sequence, proof_id, identity_id, tenant_id, sha256, sealed_at, hash, mac, state, next_try_at, receipt)
     VALUES (?, ?, 'i', 't', 'h', 1, x'01', x'02', ?, 1, ?)`,
  )
  insert.run(1, 'a', 'ACKNOWLEDGED', 'r')
  insert.run(2, 'b', 'QUEUED', null)
  db.exec(`UPDATE sqlite_sequence SET seq = 9 WHERE name = 'outbox'`)
  const rows = db.prepare('SELECT * FROM outbox ORDER BY sequence').all()
  migrate(db, MIGRATIONS.slice(0, before + 1))
  expect(db.prepare('SELECT * FROM outbox ORDER BY sequence').all()).toEqual(rows)
  expect(db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`).all()).toEqual([{ seq: 9 }])
  db.exec(`UPDATE outbox SET state = 'LOST' WHERE sequence = 2`)
  db.close()
})

describe('a lost database', () => {
  test.each(['missing', 'empty'])(
    'that is %s beside its keys refuses the start and every command that writes',
    (how) => {
      t.store.vault.setOwner(t.store.applianceId)
      const copy = stopNow(how)
      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(copy, `appliance.sqlite${suffix}`), { force: true })
      if (how === 'empty') writeFileSync(join(copy, 'appliance.sqlite'), '')
      expect(catchError(() => openStore(copy, t.kek))).toMatchObject({
        code: 'storage_damaged',
        sentence: expect.stringMatching(
          /beside the keys .* npm run backup -- restore .* fresh start on purpose/,
        ) as string,
      })
      expect(existsSync(join(copy, 'appliance.sqlite'))).toBe(how === 'empty')
    },
  )

  test('whose keys have no owner yet is the first start of an interrupted or old data folder', () => {
    const copy = stopNow('no owner')
    for (const suffix of ['', '-wal', '-shm'])
      rmSync(join(copy, `appliance.sqlite${suffix}`), { force: true })
    expect(startOn(copy)).toBeNull()
  })

  test.each(['cut', 'random bytes'])('that is damaged (%s) refuses the start with a sentence', (how) => {
    const copy = stopNow(how)
    const path = join(copy, 'appliance.sqlite')
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
    if (how === 'cut') cpSync(join(t.dataDir, 'appliance.sqlite'), path)
    if (how === 'cut') truncateSync(path, 6_000)
    else writeFileSync(path, Buffer.alloc(9_000, 'no database'))
    expect(catchError(() => requireCurrentKeys(copy))).toMatchObject({
      sentence: expect.stringContaining(
        `Restore a backup; docs/RUNBOOK.md, "The database is damaged"`,
      ) as string,
    })
  })
})

function catchError(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
