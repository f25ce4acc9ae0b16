/** The outbox against an attacker who can write to the database file, but has no master key. */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { v7 as uuidv7 } from 'uuid'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
  for (let count = 0; count < 4; count++) queue()
})
afterEach(() => t.close())

function queue(): string {
  const { store } = t
  const identityId = t.addIdentity().id
  const proofId = uuidv7()
  store.transaction(() => {
    const facts = { proofId, identityId, tenantId: 'tenant', sha256: 'a'.repeat(64), sealedAt: AT }
    const sequence = store.outbox.add(facts)
    store.events.append('outbox.queued', identityId, { proofId, sequence }, AT)
  })
  return proofId
}

/** Changes rows like any tool that opens SQLite files. */
function tamper(sql: string): void {
  const db = new Database(join(t.dataDir, 'appliance.sqlite'))
  db.exec(sql)
  db.close()
}

const SWAP = `UPDATE outbox SET sequence = 99 WHERE sequence = 2;
  UPDATE outbox SET sequence = 2 WHERE sequence = 3; UPDATE outbox SET sequence = 3 WHERE sequence = 99`
const COPY = `INSERT INTO outbox (sequence, proof_id, identity_id, tenant_id, sha256, sealed_at, hash, mac, state, next_try_at)
  SELECT 5, 'another', identity_id, tenant_id, sha256, sealed_at, hash, mac, state, next_try_at FROM outbox WHERE sequence = 2`

describe('the verifier of the outbox', () => {
  test('finds nothing in a log as it was written', () => {
    expect(t.store.outbox.audit()).toEqual([])
  })

  test.each([
    [
      'a row that was deleted',
      'DELETE FROM outbox WHERE sequence = 2',
      [{ sequence: 2, problem: 'missing' }],
    ],
    [
      'the newest rows, deleted with the counter set back',
      `DELETE FROM outbox WHERE sequence > 2; UPDATE sqlite_sequence SET seq = 2 WHERE name = 'outbox'`,
      [
        { sequence: 3, problem: 'missing' },
        { sequence: 4, problem: 'missing' },
      ],
    ],
    [
      'another archive put in place of one',
      `UPDATE outbox SET sha256 = '${'b'.repeat(64)}' WHERE sequence = 3`,
      [{ sequence: 3, problem: 'changed' }],
    ],
    [
      'a proof that is said to be acknowledged, so that it is never sent',
      `UPDATE outbox SET state = 'ACKNOWLEDGED', receipt = 'made up' WHERE sequence = 3`,
      [{ sequence: 3, problem: 'changed' }],
    ],
    [
      'a proof that is said to be withdrawn, so that it is never sent',
      `UPDATE outbox SET state = 'WITHDRAWN', receipt = 'made up' WHERE sequence = 1`,
      [{ sequence: 1, problem: 'changed' }],
    ],
    [
      'a row with a hash of its own making',
      `UPDATE outbox SET hash = x'${'00'.repeat(32)}' WHERE sequence = 4`,
      [
        { sequence: 4, problem: 'changed' },
        { sequence: 4, problem: 'not_ours' },
      ],
    ],
  ])('names %s', (_, sql, findings) => {
    tamper(sql)
    expect(t.store.outbox.audit()).toEqual(findings)
  })

  test('names rows that were swapped, and one that was put in again', () => {
    tamper(SWAP)
    const swapped = t.store.outbox.audit().map(({ sequence }) => sequence)
    expect(swapped).toEqual(expect.arrayContaining([2, 3]))
    tamper(SWAP)
    expect(t.store.outbox.audit()).toEqual([])
    tamper(COPY)
    expect(t.store.outbox.audit()).toEqual([{ sequence: 5, problem: 'changed' }])
  })

  test('knows the numbers that were skipped on purpose, and rejects a forged entry about others', () => {
    t.store.outbox.skipTo(9)
    queue()
    expect(t.store.outbox.lastSequence()).toBe(10)
    expect(t.store.outbox.audit()).toEqual([])
    tamper('DELETE FROM outbox WHERE sequence = 2')
    const made = JSON.stringify([{ after: 1, to: 2, mac: '0'.repeat(64) }])
    tamper(`UPDATE meta SET value = CAST('${made}' AS BLOB) WHERE name = 'outbox-skips'`)
    expect(t.store.outbox.audit().map(({ sequence }) => sequence)).toEqual([2, 5, 6, 7, 8, 9])
  })
})

describe('what waits', () => {
  test('is counted with its oldest, and parked rows are in it', () => {
    t.store.outbox.refuse(2, 'refused_by_centre')
    expect(t.store.outbox.summary()).toEqual({ backlog: 4, oldestSealedAt: AT, parked: 1 })
    expect(t.store.outbox.due(AT, 10).map(({ sequence }) => sequence)).toEqual([1, 3, 4])
  })

  test('and was put off is due again when the clock was set back by a year', () => {
    for (const sequence of [1, 2, 3, 4]) t.store.outbox.retry(sequence, new Date(AT.getTime() + 60_000), 'x')
    expect(t.store.outbox.due(AT, 10)).toEqual([])
    expect(t.store.outbox.due(new Date(AT.getTime() - 365 * 86_400_000), 10)).toHaveLength(4)
  })

  test('stays settled or withdrawn after any later call', () => {
    t.store.outbox.withdraw(1)
    t.store.outbox.setPacket(1, { sha256: 'a'.repeat(64), bytes: 1 })
    t.store.outbox.refuse(1, 'late')
    t.store.outbox.acknowledge(2, 'receipt', AT)
    t.store.outbox.requeue(2, AT)
    expect(t.store.outbox.find(1)).toMatchObject({ state: 'WITHDRAWN', packet: null })
    expect(t.store.outbox.find(2)).toMatchObject({ state: 'ACKNOWLEDGED', receipt: 'receipt' })
  })
})
