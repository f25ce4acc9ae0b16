import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate, openStore } from '../../../server/store/open.ts'
import { MIGRATIONS } from '../../../server/store/migrations/index.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => {
  t.close()
})

const later = (ms: number): Date => new Date(AT.getTime() + ms)
const TEMPLATE = Buffer.from('the numbers of a face')

function aPortrait(): { identityId: string; evidenceId: string; tenantId: string } {
  const identity = t.addIdentity()
  const evidence = anEvidence(identity.id, { family: 'PORTRAIT', type: 'PORTRAIT' })
  t.store.evidences.add(evidence)
  return { identityId: identity.id, evidenceId: evidence.id, tenantId: identity.tenantId }
}

const othersOf = (owner: { identityId: string; tenantId: string }, at = AT) =>
  t.store.faceIndex.others({ ...owner, at, after: '', limit: 10 }).entries.map(({ evidenceId }) => evidenceId)

describe('a face template', () => {
  test('is sealed on the disk, and comes back after a restart', () => {
    const owner = aPortrait()
    t.store.faceTemplates.put(owner, TEMPLATE, AT)
    const db = new Database(join(t.dataDir, 'appliance.sqlite'), { readonly: true })
    const { template_ct: sealed } = db.prepare('SELECT template_ct FROM face_templates').get() as {
      template_ct: Buffer
    }
    db.close()
    expect(sealed.includes(TEMPLATE)).toBe(false)
    expect(t.reopen().faceTemplates.find(owner.evidenceId)).toEqual(TEMPLATE)
  })

  test('that was moved to another row is refused', () => {
    const [one, other] = [aPortrait(), aPortrait()]
    t.store.faceTemplates.put(one, TEMPLATE, AT)
    t.store.faceTemplates.put({ ...one, evidenceId: other.evidenceId }, TEMPLATE, AT)
    const db = new Database(join(t.dataDir, 'appliance.sqlite'))
    db.exec(`UPDATE face_templates SET template_ct =
      (SELECT template_ct FROM face_templates WHERE evidence_id = '${other.evidenceId}')`)
    db.close()
    expect(() => t.store.faceTemplates.find(one.evidenceId)).toThrow('storage_damaged')
  })
})

describe('the index of duplicate faces', () => {
  test('shows the entries of other identities of the tenant, in batches', () => {
    const portraits = [aPortrait(), aPortrait(), aPortrait(), aPortrait()]
    for (const owner of portraits) t.store.faceIndex.put(owner, TEMPLATE, later(1000))
    const [own, ...rest] = portraits
    expect(othersOf(own).sort()).toEqual(rest.map(({ evidenceId }) => evidenceId).sort())
    const first = t.store.faceIndex.others({ ...own, at: AT, after: '', limit: 2 })
    const second = t.store.faceIndex.others({ ...own, at: AT, after: first.next ?? '', limit: 2 })
    expect([...first.entries, ...second.entries].map(({ evidenceId }) => evidenceId)).toEqual(othersOf(own))
    expect(second.entries[0]).toEqual({ ...restOf(rest, second.entries[0].evidenceId), template: TEMPLATE })
    expect(second.next).toBeNull()
  })

  test('knows nothing of another tenant, and nothing whose time is over', () => {
    const [one, other] = [aPortrait(), aPortrait()]
    t.store.faceIndex.put(other, TEMPLATE, later(1000))
    expect(othersOf({ ...one, tenantId: 'another' })).toEqual([])
    expect(othersOf(one, later(999))).toEqual([other.evidenceId])
    expect(othersOf(one, later(1000))).toEqual([])
  })

  test('passes over who was erased, from the moment on at which it was asked for', () => {
    const [one, asked, keyless] = [aPortrait(), aPortrait(), aPortrait()]
    for (const owner of [asked, keyless]) t.store.faceIndex.put(owner, TEMPLATE, later(1000))
    const { identityId, tenantId } = asked
    t.store.erasures.begin({
      identityId,
      tenantId,
      applicationId: t.applicationId,
      reason: 'DELETE',
      actor: 'operator',
      proofId: null,
      begunAt: AT,
    })
    t.store.vault.destroy(keyless.identityId)
    expect(othersOf(one)).toEqual([])
  })

  test('tells of an entry that was altered, instead of passing over it', () => {
    const [one, other] = [aPortrait(), aPortrait()]
    t.store.faceIndex.put(other, TEMPLATE, later(1000))
    const db = new Database(join(t.dataDir, 'appliance.sqlite'))
    db.exec(`UPDATE face_index SET entry_ct = randomblob(60)`)
    db.close()
    expect(() => othersOf(one)).toThrow('storage_damaged')
  })

  test('has a secret for each tenant, the same after a restart, and another one once it was cleared', () => {
    const secret = t.store.faceIndex.tenantKey('tenant')
    expect(t.store.faceIndex.tenantKey('another').equals(secret)).toBe(false)
    expect(t.reopen().faceIndex.tenantKey('tenant').equals(secret)).toBe(true)
    t.store.faceIndex.put(aPortrait(), TEMPLATE, later(1000))
    expect(t.store.faceIndex.clear()).toBe(1)
    expect(t.store.faceIndex.tenantKey('tenant').equals(secret)).toBe(false)
  })

  test('goes with its identity', () => {
    const owner = aPortrait()
    t.store.faceTemplates.put(owner, TEMPLATE, AT)
    t.store.faceIndex.put(owner, TEMPLATE, later(1000))
    expect(t.store.erasures.countRows(owner.identityId)).toMatchObject({ face_templates: 1, face_index: 1 })
    t.store.transaction(() => {
      t.store.erasures.deleteRows(owner.identityId)
    })
    expect(t.store.erasures.countRows(owner.identityId)).toEqual({})
  })
})

test('a database of the version before, with rows in it, is brought to the tables of faces', () => {
  const owner = aPortrait()
  t.store.close()
  const db = new Database(join(t.dataDir, 'appliance.sqlite'))
  for (const table of [
    'face_templates',
    'face_index_keys',
    'face_index',
    'delegated_sessions',
    'callbacks',
  ]) {
    db.exec(`DROP TABLE ${table}`)
  }
  db.pragma('user_version = 4')
  migrate(db, MIGRATIONS.slice(0, 5))
  // The later ones had been carried out before.
  db.pragma(`user_version = ${MIGRATIONS.length}`)
  db.close()
  t.store = openStore(t.dataDir, t.kek)
  t.store.faceTemplates.put(owner, TEMPLATE, AT)
  expect(t.store.faceTemplates.listUnindexed()).toEqual([
    { identityId: owner.identityId, evidenceId: owner.evidenceId, createdAt: AT },
  ])
})

function restOf(owners: readonly { identityId: string; evidenceId: string }[], evidenceId: string) {
  return { evidenceId, identityId: owners.find((owner) => owner.evidenceId === evidenceId)?.identityId }
}
