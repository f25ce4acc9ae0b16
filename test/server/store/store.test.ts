import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Identity } from '../../../server/proofing/identity.ts'
import { createKey } from '../../../server/store/crypto.ts'
import { migrate, openStore } from '../../../server/store/open.ts'
import { APPLIANCE, makeScope, type Scope } from '../../../server/store/scope.ts'
import { scopeOfTenant } from '../../../server/workflows/access/reach.ts'
import { anEvidence, anIdentity, AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => {
  t.close()
})

const later = (ms: number): Date => new Date(AT.getTime() + ms)

describe('the database', () => {
  test('of a newer product is refused, and left as it is', () => {
    const db = new Database(':memory:')
    db.pragma('user_version = 99')
    expect(() => migrate(db)).toThrow('database_newer')
    expect(db.pragma('user_version', { simple: true })).toBe(99)
    db.close()
  })

  test('a migration that fails leaves the version before it', () => {
    const db = new Database(':memory:')
    expect(() => migrate(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x); nonsense'])).toThrow()
    expect(db.pragma('user_version', { simple: true })).toBe(1)
    expect(db.prepare("SELECT name FROM sqlite_master WHERE name = 'b'").get()).toBeUndefined()
    db.close()
  })

  test('does not open with another master key', () => {
    t.store.close()
    expect(() => openStore(t.dataDir, createKey())).toThrow('key_unavailable')
    t.store = openStore(t.dataDir, t.kek)
  })
})

describe('identities', () => {
  test('of another tenant are not found', () => {
    const identity = t.addIdentity()
    expect(t.store.identities.get(scopeOfTenant('tenant'), identity.id)).toEqual(identity)
    expect(() => t.store.identities.get(scopeOfTenant('other'), identity.id)).toThrow('not_found')
  })

  test('are found within their scope alone: tenant, application, and the one identity of a token', () => {
    const [mine, beside] = [t.addIdentity(), t.addIdentity()]
    const elsewhere = t.store.apiKeys.ensureApplication('tenant', 'elsewhere', AT)
    const scope = (applicationIds: readonly string[], identityId: string | null = null) =>
      makeScope({ tenantId: 'tenant', applicationIds, identityId })
    const isFound = (by: Scope, { id }: Identity) => t.store.identities.find(by, id) !== null
    const own = t.applicationId
    expect(isFound(scope([own]), mine)).toBe(true)
    expect(isFound(scope([elsewhere, own]), mine)).toBe(true)
    expect(isFound(scope([elsewhere]), mine)).toBe(false)
    expect(isFound(scope([]), mine)).toBe(false)
    expect(isFound(scope([own], mine.id), mine)).toBe(true)
    expect(isFound(scope([own], mine.id), beside)).toBe(false)
    expect(isFound(scope([elsewhere], mine.id), mine)).toBe(false)
  })

  test('have correlation ids that are unique within their application', () => {
    const [one, two] = ['one', 'two'].map((name) => t.store.apiKeys.ensureApplication('tenant', name, AT))
    const add = (applicationId = '') => {
      const identity = anIdentity(applicationId)
      t.store.transaction(() => t.store.identities.add(identity, [], 'case 7'))
      return identity
    }
    const [first, second] = [add(one), add(two)]
    expect(() => add(one)).toThrow('validation_failed')
    const found = (applicationIds: readonly string[]) =>
      t.store.identities
        .findByCorrelation(makeScope({ tenantId: 'tenant', applicationIds, identityId: null }), 'case 7')
        .map(({ id }) => id)
    expect(found([one ?? ''])).toEqual([first.id])
    expect(found([two ?? ''])).toEqual([second.id])
    expect(new Set(found([one ?? '', two ?? '']))).toEqual(new Set([first.id, second.id]))
  })

  test('a writer that comes second is told so', () => {
    const identity = t.addIdentity()
    t.store.identities.save({ ...identity, levelOfAssurance: 'LOA1' })
    expect(() => t.store.identities.save({ ...identity, levelOfAssurance: 'LOA2' })).toThrow(
      'revision_conflict',
    )
    expect(t.store.identities.get(APPLIANCE, identity.id).levelOfAssurance).toBe('LOA1')
  })

  test('erasing destroys the data key, the evidence, the images and the jobs’ subject', () => {
    const identity = t.addIdentity()
    const evidence = anEvidence(identity.id, { content: { captureDetails: { jurisdiction: 'UTO' } } })
    t.store.evidences.add(evidence)
    t.store.vault.destroy(identity.id)
    t.store.transaction(() => t.store.identities.erase(identity.id))
    expect(t.store.identities.find(APPLIANCE, identity.id)).toBeNull()
    expect(t.store.evidences.find(evidence.id)).toBeNull()
    expect(() => t.store.vault.seal(identity.id, 'x', Buffer.from('y'))).toThrow('not_found')
  })
})

describe('evidence', () => {
  test('comes back whole after a restart', () => {
    const identity = t.addIdentity()
    const evidence = anEvidence(identity.id, { content: { captureDetails: { source: 'SCAN' } } })
    t.store.evidences.add(evidence)
    expect(t.reopen().evidences.get(identity.id, evidence.id)).toEqual(evidence)
  })

  test('is found under its own identity only', () => {
    const [one, other] = [t.addIdentity(), t.addIdentity()]
    const evidence = anEvidence(one.id)
    t.store.evidences.add(evidence)
    expect(() => t.store.evidences.get(other.id, evidence.id)).toThrow('not_found')
  })
})

describe('images', () => {
  test('are sealed on disk and come back byte for byte', () => {
    const identity = t.addIdentity()
    const evidence = anEvidence(identity.id)
    t.store.evidences.add(evidence)
    const image = {
      id: 'image-1',
      identityId: identity.id,
      evidenceId: evidence.id,
      kind: 'FRONT' as const,
      mediaType: 'image/jpeg',
      createdAt: AT,
    }
    const bytes = Buffer.from('a photograph')
    t.store.images.put(image, bytes)
    t.store.images.addRow(image)
    const [kept] = t.reopen().images.listByEvidence(evidence.id)
    expect(t.store.images.read(kept).equals(bytes)).toBe(true)
  })

  test('that no row refers to, and halves of a write, are swept at boot', () => {
    const identity = t.addIdentity()
    const image = {
      id: 'orphan',
      identityId: identity.id,
      evidenceId: null,
      kind: 'ADDITIONAL_FILE' as const,
      mediaType: 'image/png',
      createdAt: AT,
    }
    t.store.images.put(image, Buffer.from('x'))
    writeFileSync(join(t.dataDir, 'images', 'half.part'), 'x')
    expect(t.reopen().images.sweepOrphans()).toBe(2)
    expect(readdirSync(join(t.dataDir, 'images'))).toEqual([])
  })
})

describe('jobs', () => {
  test('of one identity run one after the other', () => {
    const [one, other] = [t.addIdentity(), t.addIdentity()]
    t.store.jobs.add('verify-evidence', one.id, { evidenceId: 'a' }, AT)
    t.store.jobs.add('verify-evidence', one.id, { evidenceId: 'b' }, AT)
    t.store.jobs.add('verify-evidence', other.id, { evidenceId: 'c' }, AT)
    const first = t.store.jobs.claim(later(1))
    const second = t.store.jobs.claim(later(1))
    expect([first?.payload, second?.payload]).toEqual([{ evidenceId: 'a' }, { evidenceId: 'c' }])
    expect(t.store.jobs.claim(later(1))).toBeNull()
    if (first) t.store.jobs.finish(first, 'done', later(2))
    expect(t.store.jobs.claim(later(3))?.payload).toEqual({ evidenceId: 'b' })
  })

  test('that were running when the machine died run again', () => {
    const identity = t.addIdentity()
    t.store.jobs.add('verify-evidence', identity.id, { evidenceId: 'a' }, AT)
    t.store.jobs.claim(later(1))
    const store = t.reopen()
    expect(store.jobs.claim(later(2))).toBeNull()
    expect(store.jobs.recover()).toBe(1)
    expect(store.jobs.claim(later(2))).toMatchObject({ attempts: 2 })
  })

  test('that failed wait for their time, and deferring counts no attempt', () => {
    const identity = t.addIdentity()
    t.store.jobs.add('verify-evidence', identity.id, { evidenceId: 'a' }, AT)
    const first = t.store.jobs.claim(later(1))
    if (first) t.store.jobs.retry(first, later(1000), 'internal')
    expect(t.store.jobs.claim(later(999))).toBeNull()
    const second = t.store.jobs.claim(later(1000))
    expect(second?.attempts).toBe(2)
    if (second) t.store.jobs.defer(second, later(1500))
    expect(t.store.jobs.claim(later(1500))?.attempts).toBe(2)
  })
})

describe('keys', () => {
  test('say whose they are until they are revoked, and a second pair overlaps the first', () => {
    const first = t.store.apiKeys.createPair('tenant', 'bank', AT)
    const second = t.store.apiKeys.createPair('tenant', 'bank', AT)
    expect(t.store.apiKeys.authenticate(first.userAgentKey, AT)).toMatchObject({ role: 'USER_AGENT' })
    const holder = t.store.apiKeys.authenticate(first.relyingServiceKey, AT)
    expect(holder).toMatchObject({ role: 'RELYING_SERVICE', applicationId: second.applicationId })
    expect(t.store.apiKeys.revoke(holder?.keyId ?? '', AT)).toBe(true)
    expect(t.store.apiKeys.authenticate(first.relyingServiceKey, AT)).toBeNull()
    expect(t.store.apiKeys.authenticate(second.relyingServiceKey, AT)).not.toBeNull()
    expect(t.store.apiKeys.authenticate('cp_unknown', AT)).toBeNull()
  })
})

test('events keep their order and are read from a cursor', () => {
  const identity = t.addIdentity()
  t.store.events.append('identity.created', identity.id, { status: 'EXPECTING_INPUT' }, AT)
  const evaluated = { status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' } as const
  t.store.events.append('identity.evaluated', identity.id, evaluated, later(5))
  const [first, second] = t.store.events.after(0, 10)
  expect([first.type, second.type]).toEqual(['identity.created', 'identity.evaluated'])
  expect(t.store.events.after(first.seq, 10)).toEqual([second])
})
