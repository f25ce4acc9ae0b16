/** The conditions of the retention policy on a real database: the check of an identity whose time is over. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { v7 as uuidv7 } from 'uuid'
import type { Context } from '../../../../server/context.ts'
import { createLiveSessions } from '../../../../server/live/live-sessions.ts'
import type { Evidence } from '../../../../server/proofing/evidence.ts'
import { applyRetention } from '../../../../server/workflows/retention/apply-retention.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../../support/store.ts'
import { APPLIANCE } from '../../../../server/store/scope.ts'

const HOUR_MS = 3_600_000
const WEEK_MS = 168 * HOUR_MS

let t: TestStore
let now: Date
beforeEach(() => {
  t = openTestStore()
  now = AT
})
afterEach(() => t.close())

function context(earliest = now): Context {
  return {
    store: t.store,
    clock: { now: () => now },
    time: { statement: () => ({ earliest, latest: now }) },
    config: { retention: { abandonedHours: 168, proofRepeatHours: 24, afterProof: 'erase' } },
    live: createLiveSessions(),
    wakeSync: () => undefined,
  } as unknown as Context
}

/** An identity with this evidence, to which nothing has happened since. */
function anIdentityWith(over: Partial<Evidence>): string {
  const { id } = t.addIdentity()
  t.store.evidences.add(anEvidence(id, over))
  return id
}
function look(identityId: string): 'erased' | 'waits' {
  t.store.transaction(() => applyRetention(context(), { identityId }))
  if (t.store.identities.find(APPLIANCE, identityId) === null) return 'erased'
  expect(t.store.deadlines.find('retention', identityId)?.getTime()).toBeGreaterThan(now.getTime())
  return 'waits'
}

describe('an identity that was left alone for a week', () => {
  test.each([
    ['is being verified', { status: 'PROCESSING' }, 'waits'],
    ['waits for a person', { status: 'ADJUDICATION' }, 'waits'],
    ['is decided', { status: 'VERIFIED' }, 'erased'],
    ['could not be decided', { status: 'NOT_VERIFIED' }, 'erased'],
    ['was rejected', { status: 'INVALID' }, 'erased'],
    ['was withdrawn before it was verified', { status: 'PROCESSING', deletedAt: AT }, 'erased'],
  ] as const)('and whose evidence %s: %s', (_, evidence, outcome) => {
    const id = anIdentityWith(evidence)
    now = new Date(AT.getTime() + WEEK_MS - 1)
    expect(look(id)).toBe('waits')
    expect(t.store.deadlines.find('retention', id)).toEqual(new Date(AT.getTime() + WEEK_MS))
    now = new Date(AT.getTime() + WEEK_MS)
    expect(look(id)).toBe(outcome)
  })

  test('waits for one piece of evidence though all others are decided', () => {
    const id = anIdentityWith({ status: 'VERIFIED' })
    t.store.evidences.add(anEvidence(id, { status: 'PROCESSING', type: 'PORTRAIT', family: 'PORTRAIT' }))
    now = new Date(AT.getTime() + WEEK_MS)
    expect(look(id)).toBe('waits')
  })

  test('and that must be kept is kept until the hold ends', () => {
    const id = anIdentityWith({ status: 'VERIFIED' })
    const until = new Date(AT.getTime() + 2 * WEEK_MS)
    t.store.legalHolds.place({ identityId: id, actor: 'operator', reference: 'case', placedAt: AT, until })
    now = new Date(AT.getTime() + WEEK_MS)
    t.store.transaction(() => applyRetention(context(), { identityId: id }))
    expect(t.store.identities.find(APPLIANCE, id)).not.toBeNull()
    // The end of the hold is something that happened: from there the week is counted.
    now = until
    expect(look(id)).toBe('waits')
    now = new Date(until.getTime() + WEEK_MS)
    expect(look(id)).toBe('erased')
    const types = t.store.events.after(0, 100).map(({ type }) => type)
    expect(types).toEqual(['hold.lifted', 'identity.expired', 'erasure.begun'])
  })

  test('is kept, if the clock is uncertain, until the week has certainly passed', () => {
    const id = anIdentityWith({ status: 'VERIFIED' })
    now = new Date(AT.getTime() + 2 * WEEK_MS)
    const surely = new Date(AT.getTime() + WEEK_MS - 1)
    t.store.transaction(() => applyRetention(context(surely), { identityId: id }))
    expect(t.store.identities.find(APPLIANCE, id)).not.toBeNull()
    // Looked at again within the hour: a word of the central service may settle the time at any moment.
    const next = t.store.deadlines.find('retention', id)?.getTime() ?? 0
    expect(next - now.getTime()).toBe(60_000)
  })
})

describe('a sealed identity', () => {
  const seal = (id: string) => {
    const proof = {
      id: uuidv7(),
      identityId: id,
      fileName: 'x.zip',
      sha256: 'a'.repeat(64),
      bytes: 1,
      levelOfAssurance: 'LOA1',
      sealedAt: AT,
      expiresAt: new Date(AT.getTime() + 24 * HOUR_MS),
    }
    const identity = t.store.identities.find(APPLIANCE, id)
    if (!identity) throw new Error('no identity')
    t.store.identities.save({ ...identity, status: 'CLOSED' })
    t.store.proofs.addRow(proof)
    return proof
  }

  test('goes when its proof was fetched and its window is over', () => {
    const id = anIdentityWith({ status: 'VERIFIED' })
    const { id: proofId } = seal(id)
    t.store.proofs.markRetrieved(proofId, AT)
    now = new Date(AT.getTime() + 24 * HOUR_MS - 1)
    expect(look(id)).toBe('waits')
    now = new Date(AT.getTime() + 24 * HOUR_MS)
    expect(look(id)).toBe('erased')
  })
})
