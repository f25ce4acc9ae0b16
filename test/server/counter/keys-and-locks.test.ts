/** API keys over the routes of the console, and how wrong answers are counted: by hand, from the limits that are configured. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditPage } from '../../../server/counter/contract/audit.ts'
import type { KeyList, KeyRequestList, KeysShownOnce } from '../../../server/counter/contract/keys.ts'
import { openAccounts } from '../../../server/counter/staff/accounts.ts'
import { LockOut, type Begun, type Trier } from '../../../server/counter/staff/lock-out.ts'
import { isSetUp } from '../../../server/counter/staff/session-view.ts'
import type { StaffAccount } from '../../../server/store/staff.ts'
import { openConsole, type ConsoleBench } from './console-bench.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

let its: ConsoleBench
let administrator: StaffAccount
let supervisor: StaffAccount
beforeEach(async () => {
  its = await openConsole({ config: { counter: { attempts: 3, lockedMinutes: 10 } } })
  const accounts = openAccounts({ store: store(), clock: its.ctx.clock, newId: its.deps.newId })
  const operator = { author: { actor: 'operator' }, staffId: null } as const
  const make = (login: string, role: 'administrator' | 'supervisor') =>
    accounts.create({ login, name: login, roles: [role], language: 'en' }, operator).account
  administrator = make('ada', 'administrator')
  supervisor = make('bob', 'supervisor')
})
afterEach(() => its.close())

const store = () => its.ctx.store
const manager = (isFresh = true) => its.as(['administrator'], administrator.id, isFresh)
const confirmer = (isFresh = true) => its.as(['supervisor'], supervisor.id, isFresh)
const list = async () => (await manager().call<KeyList>('GET', 'keys')).body

describe('the keys of applications', () => {
  const ask = (application: string, days: number | null = 30) =>
    manager().call<KeyList>('POST', 'keys', { application, days })
  const requestId = async () => (await list()).requests[0]?.requestId ?? ''
  const confirm = async () =>
    confirmer().call<KeyRequestList>('POST', `keys/requests/${await requestId()}/confirm`, {})
  const make = async () =>
    manager().call<KeysShownOnce>('POST', `keys/requests/${await requestId()}/make`, {})

  test('are made by two: asked for, confirmed, and shown once to who asked', async () => {
    const asked = await ask('bank')
    expect(asked.status).toBe(202)
    expect(asked.body.requests).toMatchObject([
      {
        kind: 'NEW',
        application: 'bank',
        days: 30,
        overlapHours: null,
        state: 'WAITING',
        askedBy: 'ada',
        confirmedBy: null,
        askedAt: '2026-03-01T10:00:00.000Z',
        reads: [],
        acts: [],
        own: true,
      },
    ])
    expect((await make()).status).not.toBe(201)
    const seen = (await confirmer().call<KeyRequestList>('GET', 'keys/requests')).body.requests
    expect(seen).toMatchObject([{ application: 'bank', own: false }])
    expect((await confirm()).body.requests[0]).toMatchObject({ state: 'CONFIRMED', confirmedBy: 'bob' })
    const { status, body } = await make()
    expect(status).toBe(201)
    expect(body).toMatchObject({ application: 'bank', expiresAt: '2026-03-31T10:00:00.000Z' })
    const key = store().apiKeys.authenticate(body.relyingServiceKey, its.now())
    expect(key?.role).toBe('RELYING_SERVICE')
    expect(store().apiKeys.authenticate(body.userAgentKey, its.now())?.role).toBe('USER_AGENT')
    expect((await make()).status).not.toBe(201)
    expect(its.events('apikey.').map(({ type, actor }) => [type, actor])).toEqual([
      ['apikey.asked', `STAFF:${administrator.id}`],
      ['apikey.created', `STAFF:${administrator.id}`],
    ])
    expect(JSON.stringify(await list())).not.toContain(body.relyingServiceKey)
  })

  test('say what an application would be shown and might act on', async () => {
    Object.assign(its.ctx.config.tenant, {
      sharing: [
        { application: 'bank', of: ['shop', 'desk'], may: 'read' },
        { application: 'bank', of: ['desk'], may: 'act' },
      ],
    })
    const { body } = await ask('bank')
    expect(body.requests[0]).toMatchObject({ reads: ['shop'], acts: ['desk'] })
  })

  test('are listed by application, each with its state', async () => {
    const { apiKeys } = store()
    apiKeys.createPair('tenant', 'shop', its.now(), new Date(its.now().getTime() + HOUR_MS))
    const { keyIds } = apiKeys.createPair('tenant', 'bank', its.now())
    apiKeys.revoke(keyIds[0] ?? '', its.now())
    const states = async () =>
      (await list()).applications.map(({ application, keys, reserved }) => [
        application,
        reserved,
        keys.map(({ state }) => state).sort(),
      ])
    expect(await states()).toEqual([
      ['bank', false, ['REVOKED', 'VALID']],
      ['shop', false, ['VALID', 'VALID']],
    ])
    its.tick(HOUR_MS - 1)
    expect((await states())[1]).toEqual(['shop', false, ['VALID', 'VALID']])
    its.tick(1)
    expect((await states())[1]).toEqual(['shop', false, ['EXPIRED', 'EXPIRED']])
    const bank = (await list()).applications[0]?.keys.find(({ state }) => state === 'REVOKED')
    expect(bank).toMatchObject({
      createdAt: '2026-03-01T10:00:00.000Z',
      expiresAt: null,
      revokedAt: '2026-03-01T10:00:00.000Z',
    })
  })

  test('are rotated where there are some, with an overlap in which the earlier ones still count', async () => {
    const { keyIds } = store().apiKeys.createPair('tenant', 'bank', its.now())
    const rotate = (application: string) =>
      manager().call<KeyList>('POST', 'keys/rotate', { application, days: null, overlapHours: 2 })
    expect((await rotate('nobody')).status).toBe(404)
    expect((await rotate('bank')).body.requests[0]).toMatchObject({
      kind: 'ROTATION',
      overlapHours: 2,
      days: null,
    })
    await confirm()
    expect((await make()).body.expiresAt).toBeNull()
    const keys = (await list()).applications[0]?.keys ?? []
    const earlier = keys.filter(({ keyId }) => keyIds.includes(keyId))
    expect(earlier.map(({ expiresAt }) => expiresAt)).toEqual(Array(2).fill('2026-03-01T12:00:00.000Z'))
    expect(keys).toHaveLength(4)
  })

  test('are revoked one by one, of this tenant alone, and once', async () => {
    store().tenants.ensure({ id: 'other', name: 'Other', mode: 'test', policyId: 'default' }, its.now())
    const [own = ''] = store().apiKeys.createPair('tenant', 'bank', its.now()).keyIds
    const [others = ''] = store().apiKeys.createPair('other', 'bank', its.now()).keyIds
    const revoke = (keyId: string, person = manager()) => person.call<KeyList>('DELETE', `keys/${keyId}`)
    expect((await revoke(others)).status).toBe(404)
    expect((await revoke(own, manager(false))).status).toBe(403)
    expect((await revoke(own, confirmer())).status).toBe(403)
    expect((await revoke(own)).status).toBe(200)
    expect((await revoke(own)).status).toBe(404)
    expect(
      store()
        .apiKeys.list('other')
        .every(({ revokedAt }) => revokedAt === null),
    ).toBe(true)
    expect(its.events('apikey.revoked')).toEqual([
      { type: 'apikey.revoked', body: { keyId: own }, actor: `STAFF:${administrator.id}` },
    ])
  })

  test('that were asked for are declined by the one, or taken back by the other', async () => {
    await ask('bank')
    const id = await requestId()
    expect((await confirmer(false).call('POST', `keys/requests/${id}/decline`, {})).status).toBe(403)
    const declined = await confirmer().call<KeyRequestList>('POST', `keys/requests/${id}/decline`, {})
    expect(declined.body.requests).toEqual([])
    expect(its.events('apikey.declined')).toEqual([
      {
        type: 'apikey.declined',
        body: { requestId: id, askedBy: administrator.id },
        actor: `STAFF:${supervisor.id}`,
      },
    ])
    await ask('bank')
    expect(
      (await manager().call<KeyList>('DELETE', `keys/requests/${await requestId()}`)).body.requests,
    ).toEqual([])
    for (const name of ['kiosk', 'counter', '']) expect((await ask(name)).status).toBe(400)
  })
})

describe('the names on one page of the audit log', () => {
  test('are each their own: two visits, two references', async () => {
    const [first, second] = [its.t.addIdentity().id, its.t.addIdentity().id]
    its.aVisit({ identityId: first, reference: '7K4P-2M9X' })
    its.aVisit({ identityId: second, reference: '8K4P-2M9X' })
    for (const id of [first, second, first])
      store().events.append('identity.created', id, { status: 'EXPECTING_INPUT' }, its.now())
    const { body } = await its.as(['auditor']).call<AuditPage>('GET', 'audit?limit=3')
    expect(body.rows.map(({ reference }) => reference)).toEqual(['7K4P-2M9X', '8K4P-2M9X', '7K4P-2M9X'])
  })
})

describe('an account', () => {
  test.each<[string, Partial<StaffAccount>, number, number, boolean]>([
    ['with nothing', {}, 0, 0, false],
    ['with a passkey', {}, 0, 1, true],
    ['with password, app and a way back', { hasPassword: true, hasTotp: true }, 1, 0, true],
    ['with password and app alone', { hasPassword: true, hasTotp: true }, 0, 0, false],
    ['with a password and codes', { hasPassword: true, hasTotp: false }, 1, 0, false],
    ['with an app and codes', { hasPassword: false, hasTotp: true }, 1, 0, false],
  ])('%s is set up: %s', (_, over, codes, passkeys, isReady) => {
    const staff = {
      recoveryCodesLeft: () => codes,
      listPasskeys: () => Array.from({ length: passkeys }, () => ({})),
    }
    const account = { id: 'x', hasPassword: false, hasTotp: false, ...over } as StaffAccount
    expect(isSetUp({ staff } as never, account)).toBe(isReady)
  })
})

describe('wrong answers', () => {
  const STRANGER: Trier = { login: 'ada', network: '203.0.113', device: null }
  const lockOut = () => new LockOut({ store: store(), clock: its.ctx.clock, config: its.ctx.config })
  const wrong = (who = STRANGER): Begun => lockOut().begin(who)
  const blockedMs = (begun: Begun) => begun.blockedUntil && begun.blockedUntil.getTime() - its.now().getTime()
  const lockedMs = (begun: Begun) => {
    if (begun.blockedUntil) throw new Error('blocked')
    return begun.attempt.lockedUntil && begun.attempt.lockedUntil.getTime() - its.now().getTime()
  }

  test('cost a pause from the second on, and a lock from the third, which is told', () => {
    expect(lockedMs(wrong())).toBeNull()
    expect(lockedMs(wrong())).toBeNull()
    expect(blockedMs(wrong())).toBe(1000)
    its.tick(999)
    expect(blockedMs(wrong())).toBe(1)
    its.tick(1)
    expect(lockedMs(wrong())).toBe(10 * MINUTE_MS)
    expect(blockedMs(wrong())).toBe(10 * MINUTE_MS)
    expect(lockOut().lockedUntil('ada')).toEqual(new Date(its.now().getTime() + 10 * MINUTE_MS))
    expect(lockOut().lockedUntil('bob')).toBeNull()
    expect(lockOut().failedSince('ada')).toBe(3)
    its.tick(10 * MINUTE_MS)
    expect(lockOut().lockedUntil('ada')).toBeNull()
  })

  test('lock twice as long each time, up to an hour', () => {
    const locks: (number | null)[] = []
    for (let round = 0; round < 5; round++) {
      let lock: number | null = null
      for (let tries = 0; tries < 3; tries++) {
        lock = lockedMs(wrong())
        its.tick(2000)
      }
      locks.push(lock)
      its.tick(HOUR_MS)
    }
    expect(locks).toEqual([10, 20, 40, 60, 60].map((minutes) => minutes * MINUTE_MS))
  })

  test('on a device that is known count there alone', () => {
    const device = { ...STRANGER, device: 'd'.repeat(43) }
    for (let tries = 0; tries < 3; tries++) {
      wrong()
      its.tick(2000)
    }
    expect(wrong().blockedUntil).not.toBeNull()
    expect(wrong(device).blockedUntil).toBeNull()
    expect(lockOut().failedSince('ada')).toBe(4)
    expect(wrong({ ...device, login: 'bob' }).blockedUntil).toBeNull()
  })

  test('of one network block it for a minute after four times as many, for any login', () => {
    for (let tries = 0; tries < 11; tries++)
      expect(wrong({ ...STRANGER, login: `name ${tries}` }).blockedUntil).toBeNull()
    expect(wrong({ ...STRANGER, login: null }).blockedUntil).toBeNull()
    expect(blockedMs(wrong({ ...STRANGER, login: 'another' }))).toBe(MINUTE_MS)
    // It locks no login name.
    expect(lockOut().lockedUntil('another')).toBeNull()
    its.tick(MINUTE_MS)
    expect(wrong({ ...STRANGER, login: 'another' }).blockedUntil).toBeNull()
    expect(wrong({ ...STRANGER, network: '198.51.100', login: 'x' }).blockedUntil).toBeNull()
  })

  test('of all strangers together lock a name after twenty times as many', () => {
    let locked: number | null = null
    for (let tries = 0; tries < 60; tries++) {
      const begun = wrong({ ...STRANGER, network: `net ${tries}` })
      locked = lockedMs(begun)
      if (tries < 59) expect(locked).toBeNull()
    }
    expect(locked).toBe(10 * MINUTE_MS)
  })

  test('before a right one count no more once the sign-in is complete', () => {
    wrong()
    const begun = wrong()
    if (begun.blockedUntil) throw new Error('blocked')
    begun.attempt.right()
    expect(lockOut().failedSince('ada')).toBe(1)
    // As before the try: no pause, and two more until the lock.
    expect(lockedMs(wrong())).toBeNull()
    its.tick(1000)
    lockOut().forget(STRANGER)
    expect(lockOut().failedSince('ada')).toBe(0)
    expect(lockedMs(wrong())).toBeNull()
    expect(lockedMs(wrong())).toBeNull()
    its.tick(1000)
    expect(lockedMs(wrong())).toBe(10 * MINUTE_MS)
  })

  test('that came while a right one was looked at stay counted', () => {
    const begun = wrong()
    if (begun.blockedUntil) throw new Error('blocked')
    its.tick(10)
    wrong()
    begun.attempt.right()
    expect(lockOut().failedSince('ada')).toBe(1)
    its.tick(2000)
    expect(lockedMs(wrong())).toBeNull()
    its.tick(2000)
    expect(lockedMs(wrong())).toBe(10 * MINUTE_MS)
  })

  test('are forgotten after thirty days without another', () => {
    wrong()
    wrong()
    its.tick(30 * DAY_MS)
    expect(lockedMs(wrong())).toBeNull()
    expect(lockOut().failedSince('ada')).toBeLessThanOrEqual(3)
    its.tick(31 * DAY_MS)
    wrong({ ...STRANGER, login: 'bob' })
    expect(lockOut().failedSince('ada')).toBe(0)
  })
})
