/** Limits, retention and access of one identity: holds, lifetimes, quotas, keys, tokens. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../server/context.ts'
import type { Caller } from '../../../server/proofing/types.ts'
import type { Operation } from '../../../server/store/operations.ts'
import { createApiKeys, revokeApiKey, rotateApiKeys } from '../../../server/workflows/access/api-keys.ts'
import {
  applicationsHealth,
  warnOfApplications,
} from '../../../server/workflows/health/applications-health.ts'
import { nameActor, toActor } from '../../../server/workflows/access/author.ts'
import {
  isOnHold,
  getLegalHold,
  liftLegalHold,
  placeLegalHold,
} from '../../../server/workflows/retention/legal-hold.ts'
import {
  requireInTime,
  requireTakingMore,
  startLifetime,
} from '../../../server/workflows/identity/lifetime.ts'
import { linkOperations } from '../../../server/workflows/proof/operation-links.ts'
import { requireRoom } from '../../../server/workflows/access/quotas.ts'
import { issueUserAgentToken } from '../../../server/workflows/access/user-agent-token.ts'
import type { Identity } from '../../../server/proofing/identity.ts'
import { anEvidence, AT, openTestStore, type TestStore } from '../../support/store.ts'

const HOUR_MS = 3_600_000
const STAFF_ID = '01890a5d-ac96-774b-bcce-b302099a8058'

let t: TestStore
let now: Date
let earliest: Date | null
let wakes: number
let identity: Identity
let config: Record<string, unknown>
beforeEach(() => {
  t = openTestStore()
  now = AT
  earliest = null
  wakes = 0
  identity = t.addIdentity()
  config = {
    lifetimes: { transactionHours: 2 },
    quotas: {
      perIdentity: { openJobs: 2, pieces: 3, megabytes: 1 },
      perApplication: { openJobs: 2, pieces: 4, megabytes: 2, identities: 10 },
    },
    tenant: {
      id: 'tenant',
      sharing: [],
      userAgentTokens: { seconds: 900, mostSeconds: 3_600, perIdentity: 2 },
    },
  }
})
afterEach(() => t.close())

const ctx = () =>
  ({
    store: t.store,
    config,
    clock: { now: () => now },
    time: { statement: () => ({ earliest: earliest ?? now, latest: now }) },
    wakeJobs: () => void wakes++,
  }) as unknown as Context
const caller = (over: Partial<Caller> = {}): Caller =>
  ({
    tenantId: 'tenant',
    applicationId: t.applicationId,
    role: 'RELYING_SERVICE',
    reach: { kind: 'APPLICATION' },
    keyId: 'key 1',
    ...over,
  }) as Caller
const pass = (ms: number) => {
  now = new Date(now.getTime() + ms)
}
const entries = (...types: string[]) =>
  t.store.events
    .after(0, 1000)
    .filter(({ type }) => types.includes(type))
    .map(({ type, body, actor, identityId }) => ({ type, body, actor, identityId }))

describe('a legal hold', () => {
  const inAnHour = () => new Date(now.getTime() + HOUR_MS).toISOString()
  const look = () => t.store.deadlines.find('retention', identity.id)

  test('keeps an identity until it is lifted, and no retention check is due meanwhile', async () => {
    await placeLegalHold(ctx(), caller(), identity.id, { reference: 'case 7' })
    expect(isOnHold(ctx(), identity.id)).toBe(true)
    expect(look()).toBeNull()
    expect(await getLegalHold(ctx(), caller(), identity.id)).toEqual({
      reference: 'case 7',
      placedDateTime: '2026-03-01T10:00:00.000',
    })
    pass(HOUR_MS)
    await liftLegalHold(ctx(), caller(), identity.id)
    expect(isOnHold(ctx(), identity.id)).toBe(false)
    // Looked at now: it may be time to erase it.
    expect(look()).toEqual(now)
    expect(wakes).toBe(1)
    const actor = `RELYING_SERVICE:${t.applicationId}`
    expect(entries('hold.placed', 'hold.lifted')).toEqual([
      { type: 'hold.placed', body: { untilMs: null }, actor, identityId: identity.id },
      { type: 'hold.lifted', body: {}, actor, identityId: identity.id },
    ])
  })

  test('with an end holds until that has surely passed, and is looked at then', async () => {
    const until = inAnHour()
    await placeLegalHold(ctx(), caller(), identity.id, { reference: 'case 7', until })
    expect(look()).toEqual(new Date(until))
    expect(await getLegalHold(ctx(), caller(), identity.id)).toMatchObject({
      until: '2026-03-01T11:00:00.000',
    })
    pass(HOUR_MS)
    // The clock says so, and the clock may be ahead.
    earliest = new Date(now.getTime() - 1)
    expect(isOnHold(ctx(), identity.id)).toBe(true)
    earliest = null
    expect(isOnHold(ctx(), identity.id)).toBe(false)
    await expect(getLegalHold(ctx(), caller(), identity.id)).rejects.toMatchObject({
      code: 'not_found',
      details: { resource: 'legal hold' },
    })
  })

  test('that would be over at once is refused', async () => {
    for (const until of [now.toISOString(), new Date(now.getTime() - 1).toISOString()]) {
      await expect(
        placeLegalHold(ctx(), caller(), identity.id, { reference: 'case 7', until }),
      ).rejects.toMatchObject({
        code: 'validation_failed',
        problems: [{ code: 'too_early', field: 'until' }],
      })
    }
    expect(entries('hold.placed')).toEqual([])
  })

  test('can be lifted only if it is in force, by a caller who may act on the identity', async () => {
    await expect(liftLegalHold(ctx(), caller(), identity.id)).rejects.toThrow('not_found')
    expect(wakes).toBe(0)
    const stranger = caller({ applicationId: 'another' })
    await expect(placeLegalHold(ctx(), stranger, identity.id, { reference: 'x' })).rejects.toThrow(
      'not_found',
    )
    await placeLegalHold(ctx(), caller(), identity.id, { reference: 'case 7' })
    await expect(liftLegalHold(ctx(), stranger, identity.id)).rejects.toThrow('not_found')
    await expect(getLegalHold(ctx(), stranger, identity.id)).rejects.toThrow('not_found')
    expect(isOnHold(ctx(), identity.id)).toBe(true)
  })
})

describe('the lifetime of an identity', () => {
  test('begins with the hours that are configured', () => {
    startLifetime(ctx(), identity.id)
    expect(t.store.deadlines.find('transaction', identity.id)).toEqual(new Date(AT.getTime() + 2 * HOUR_MS))
  })

  test('that has ended lets nothing be added, until a new one has begun', () => {
    expect(() => requireTakingMore(ctx(), identity)).not.toThrow()
    t.store.transaction(() => t.store.events.append('identity.expired', identity.id, {}, now))
    expect(() => requireInTime(ctx(), identity)).toThrow('identity_expired')
    expect(() => requireTakingMore(ctx(), identity)).toThrow('identity_expired')
    startLifetime(ctx(), identity.id)
    expect(() => requireTakingMore(ctx(), identity)).not.toThrow()
  })

  test('is no matter for one that is closed: nothing is added to it anyway', () => {
    expect(() => requireTakingMore(ctx(), { ...identity, status: 'CLOSED' })).toThrow('identity_closed')
  })
})

describe('the room of an identity', () => {
  const room = (addition: Parameters<typeof requireRoom>[2]) => () => requireRoom(ctx(), identity, addition)

  test('is as many pieces as its own limit says, and as the limit of its application where that has keys', () => {
    const second = t.addIdentity()
    for (let count = 0; count < 2; count++) t.store.evidences.add(anEvidence(identity.id))
    for (let count = 0; count < 3; count++) t.store.evidences.add(anEvidence(second.id))
    // The kiosk and the counter have no keys, and no such limit.
    expect(room({ pieces: 1 })).not.toThrow()
    expect(room({ pieces: 2 })).toThrow(
      expect.objectContaining({
        code: 'quota_reached',
        details: { owner: 'identity', count: 'pieces', limit: 3 },
      }),
    )
    t.store.apiKeys.createPair('tenant', 'test', AT)
    expect(room({ pieces: 1 })).toThrow(
      expect.objectContaining({ details: { owner: 'application', count: 'pieces', limit: 4 } }),
    )
    expect(room({})).not.toThrow()
  })

  test('is as many open jobs, its own and those of its application', () => {
    t.store.apiKeys.createPair('tenant', 'test', AT)
    const add = (id: string) => t.store.transaction(() => t.store.jobs.add('run-fraud-checks', id, {}, AT))
    add(identity.id)
    expect(room({ jobs: 1 })).not.toThrow()
    expect(room({ jobs: 2 })).toThrow(
      expect.objectContaining({ code: 'too_many_open_jobs', details: { owner: 'identity', limit: 2 } }),
    )
    add(t.addIdentity().id)
    expect(room({ jobs: 1 })).toThrow(
      expect.objectContaining({ code: 'too_many_open_jobs', details: { owner: 'application', limit: 2 } }),
    )
  })
})

describe('the keys of an application', () => {
  const OPERATOR = { actor: 'operator' }
  const asked = { tenantId: 'tenant', application: 'shop', expiresAt: null }

  test('are created with an event that names the confirming officer, if any', () => {
    const made = createApiKeys(t.store, asked, now, OPERATOR)
    const until = new Date(now.getTime() + HOUR_MS)
    const second = createApiKeys(
      t.store,
      { ...asked, expiresAt: until, confirmedBy: STAFF_ID },
      now,
      OPERATOR,
    )
    expect(entries('apikey.created').map(({ body, actor }) => ({ body, actor }))).toEqual([
      { body: { keyIds: [...made.keyIds], expiresAt: null }, actor: 'operator' },
      {
        body: { keyIds: [...second.keyIds], expiresAt: until.getTime(), confirmedBy: STAFF_ID },
        actor: 'operator',
      },
    ])
  })

  test('that are rotated end with the overlap, and new ones are made in the same moment', () => {
    const first = createApiKeys(t.store, asked, now, OPERATOR)
    rotateApiKeys(t.store, { ...asked, overlapMs: HOUR_MS }, now, OPERATOR)
    const ends = t.store.apiKeys
      .list('tenant')
      .filter(({ keyId }) => first.keyIds.includes(keyId))
      .map(({ expiresAt }) => expiresAt)
    const until = new Date(now.getTime() + HOUR_MS)
    expect(ends).toEqual(first.keyIds.map(() => until))
    const [limited] = entries('apikey.limited')
    expect(limited.body).toMatchObject({ expiresAt: until.getTime() })
    expect([...(limited.body as { keyIds: string[] }).keyIds].sort()).toEqual([...first.keyIds].sort())
    expect(entries('apikey.created')).toHaveLength(2)
  })

  test('are created by a rotation if there are none, without an event about earlier keys', () => {
    rotateApiKeys(t.store, { ...asked, overlapMs: HOUR_MS }, now, OPERATOR)
    expect(entries('apikey.limited', 'apikey.created').map(({ type }) => type)).toEqual(['apikey.created'])
  })

  test('are revoked once', () => {
    const [keyId = ''] = createApiKeys(t.store, asked, now, OPERATOR).keyIds
    expect(revokeApiKey(t.store, keyId, now, OPERATOR)).toBe(true)
    expect(revokeApiKey(t.store, keyId, now, OPERATOR)).toBe(false)
    expect(revokeApiKey(t.store, 'unknown', now, OPERATOR)).toBe(false)
    expect(entries('apikey.revoked').map(({ body }) => body)).toEqual([{ keyId }])
  })
})

describe('the applications of a tenant', () => {
  test('are well where the rules of sharing name those that there are', () => {
    expect(applicationsHealth(ctx())).toEqual({
      status: 'UP',
      detail: 'keys and sharing agree with the configuration',
    })
  })

  test('have the health DEGRADED if tenant.sharing names unknown applications, which the log lists', () => {
    const sharing = [{ application: 'test', of: ['shop', 'desk', 'counter'], may: 'read' }]
    config.tenant = { ...(config.tenant as object), sharing }
    expect(applicationsHealth(ctx())).toEqual({
      status: 'DEGRADED',
      detail: '2 names of tenant.sharing that no application has',
    })
    const warned: unknown[] = []
    const log = {
      info: () => undefined,
      warn: (fields: object) => void warned.push(fields),
      error: () => undefined,
    }
    warnOfApplications({ ...ctx(), log })
    expect(warned).toEqual([{ applications: ['shop', 'desk'] }])
  })
})

describe('a token for one identity', () => {
  let keyId: string
  beforeEach(() => {
    keyId = t.store.apiKeys.createPair('tenant', 'test', AT).keyIds[0] ?? ''
  })
  const issue = (lifetimeSeconds?: number, over: Partial<Caller> = {}) =>
    issueUserAgentToken(ctx(), caller({ keyId, ...over }), identity.id, {
      lifetimeSeconds,
    })
  const holderOf = (token: string, at = now) =>
    t.store.userAgentTokens.authenticate(token, at)?.identityId ?? null

  test('lives as long as it is configured, or as long as was asked for, up to the longest', async () => {
    expect((await issue()).expiresAt).toBe('2026-03-01T10:15:00.000')
    expect((await issue(3_600)).expiresAt).toBe('2026-03-01T11:00:00.000')
    await expect(issue(3_601)).rejects.toMatchObject({
      problems: [{ code: 'too_large', field: 'lifetimeSeconds', message: 'must be at most 3600' }],
    })
  })

  test('ends no later than its identity', async () => {
    const dueAt = new Date(now.getTime() + 60_000)
    const id = identity.id
    t.store.deadlines.set({ kind: 'transaction', subjectId: id, identityId: id, dueAt })
    expect((await issue()).expiresAt).toBe('2026-03-01T10:01:00.000')
    t.store.deadlines.set({
      kind: 'transaction',
      subjectId: id,
      identityId: id,
      dueAt: new Date(now.getTime() + HOUR_MS),
    })
    expect((await issue()).expiresAt).toBe('2026-03-01T10:15:00.000')
  })

  test('is one of two that are good: the oldest ends', async () => {
    const tokens: string[] = []
    for (let count = 0; count < 3; count++) {
      tokens.push((await issue()).token)
      pass(1)
    }
    expect(tokens.map((token) => holderOf(token))).toEqual([null, identity.id, identity.id])
    expect(entries('token.issued')).toHaveLength(3)
  })

  test('is issued only to a caller with a key who may act on the open identity', async () => {
    await expect(issue(60, { keyId: undefined })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(issue(60, { applicationId: 'another' })).rejects.toMatchObject({ code: 'not_found' })
    t.store.transaction(() => t.store.events.append('identity.expired', identity.id, {}, now))
    await expect(issue(60)).rejects.toMatchObject({ code: 'identity_expired' })
  })
})

describe('who an act is put down to', () => {
  test("is the officer who is signed in at the counter, or the key's role and application", () => {
    const acting = { role: 'RELYING_SERVICE', applicationId: 'app 1' } as const
    expect(nameActor(acting)).toBe('RELYING_SERVICE:app 1')
    expect(toActor({ ...acting, staffId: 'staff 7' })).toEqual({ actor: 'STAFF:staff 7' })
  })
})

describe('the order of the calls that made a proof', () => {
  const call = (id: string, subjectId: string, over: Partial<Operation> & { uri?: string } = {}): Operation =>
    ({
      id,
      subjectId,
      name: 'ID_DOCUMENT',
      startedAt: AT,
      call: { uri: over.uri ?? '/x' },
      ...over,
    }) as Operation
  const linked = (operations: readonly Operation[]) =>
    Object.fromEntries(
      [...linkOperations(operations)].map(([id, { parent, child }]) => [id, [parent?.id, child?.id]]),
    )

  test('links those about one piece of evidence, and no others', () => {
    const operations = [call('a1', 'a'), call('b1', 'b'), call('a2', 'a'), call('a3', 'a')]
    expect(linked(operations)).toEqual({
      a1: [undefined, 'a2'],
      b1: [undefined, undefined],
      a2: ['a1', 'a3'],
      a3: ['a2', undefined],
    })
  })

  test('links a phone number to the claim that it came in, and to no other', () => {
    const uri = '/v1/identities/7/claim'
    const claim = call('claim', 'c', { name: 'ID_CLAIM', uri })
    const phone = (over: object = {}) => call('phone', 'p', { name: 'MOBILE_OTP', uri, ...over })
    expect(linked([claim, phone()])).toEqual({ claim: [undefined, 'phone'], phone: ['claim', undefined] })
    for (const other of [
      phone({ startedAt: new Date(AT.getTime() + 1) }),
      phone({ uri: '/v1/identities/8/claim' }),
      phone({ name: 'ID_DOCUMENT' }),
    ]) {
      expect(linked([claim, other]).phone).toEqual([undefined, undefined])
    }
    const elsewhere = '/v1/identities/7/mobile'
    const pair = [call('claim', 'c', { name: 'ID_CLAIM', uri: elsewhere }), phone({ uri: elsewhere })]
    expect(linked(pair).phone).toEqual([undefined, undefined])
    expect(linked([phone()])).toEqual({ phone: [undefined, undefined] })
  })
})
