/** The rules of the console by themselves: what each role may do, whose request it is, what is counted and what is shown. */
import type { Request, RequestHandler, Response } from 'express'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AppError } from '../../../server/errors.ts'
import {
  isAllowed,
  needs,
  needsFresh,
  permissionAskedBy,
  listPermissions,
  rememberStaff,
  ROLES,
  requireStaff,
  type Permission,
  type Role,
} from '../../../server/counter/access.ts'
import { getEventActor, staffCaller } from '../../../server/counter/caller.ts'
import { toCsv } from '../../../server/http/csv.ts'
import { Current, readDeviceCookie } from '../../../server/counter/current.ts'
import type { CounterDeps } from '../../../server/counter/deps.ts'
import { EyeFinder } from '../../../server/counter/eyes.ts'
import { continueVisit } from '../../../server/counter/proofing.ts'
import { requirePageHeader, isOfPerson } from '../../../server/counter/guard.ts'
import { idParam } from '../../../server/http/parse.ts'
import { CodeTries, mayGoOn, tidyReference } from '../../../server/counter/search.ts'
import type { CounterSession, CounterSessions } from '../../../server/counter/sessions.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const STAFF_ID = '01890a5d-ac96-774b-bcce-b302099a8058'

const request = (over: object = {}): Request => {
  const headers: Record<string, string> = (over as { headers?: Record<string, string> }).headers ?? {}
  return {
    method: 'GET',
    params: {},
    ...over,
    headers,
    get: (name: string) => headers[name],
  } as unknown as Request
}
const signedIn = (roles: readonly Role[], isFresh = false, over: object = {}) => {
  const req = request(over)
  rememberStaff(req, { staffId: STAFF_ID, name: 'Ada', roles, isFresh })
  return req
}
/** Returns the handler's result: nothing, or a refusal. */
const through = (handler: RequestHandler, req: Request): string | null => {
  let passed: unknown
  const next = (error?: unknown) => void (passed = error)
  void handler(req, {} as Response, next)
  return passed === undefined ? null : (passed as AppError).code
}

describe('what a role may do', () => {
  /** Written by hand: O officer, S supervisor, A auditor, M administrator, D display. */
  const TABLE: Readonly<Record<Permission, string>> = {
    'proofings:list': 'OSA',
    'proofings:open': 'OS',
    'proofings:assist': 'OS',
    'proofings:erase': 'S',
    'waiting:see': 'OSD',
    'help:answer': 'OS',
    'desk:decide': 'OS',
    'desk:overrule': 'S',
    'devices:see': 'OSAM',
    'devices:act': 'OSM',
    'devices:clear-tampering': 'SM',
    'sync:see': 'OSAM',
    'sync:act': 'SM',
    'sync:join': 'M',
    'audit:read': 'A',
    'audit:export': 'A',
    'charts:see': 'SAM',
    'charts:export': 'SA',
    'staff:unlock': 'SM',
    'staff:manage': 'M',
    'checklist:do': 'M',
    'doctor:run': 'M',
    'settings:change': 'M',
    'keys:manage': 'M',
    'keys:confirm': 'S',
  }
  const LETTERS: Readonly<Record<Role, string>> = {
    officer: 'O',
    supervisor: 'S',
    auditor: 'A',
    administrator: 'M',
    display: 'D',
  }

  test.each(Object.entries(TABLE) as [Permission, string][])('%s is for %s', (permission, letters) => {
    for (const role of ROLES) {
      const may = letters.includes(LETTERS[role])
      expect([role, isAllowed({ roles: [role] }, permission)]).toEqual([role, may])
      expect(through(needs(permission), signedIn([role]))).toBe(may ? null : 'forbidden')
    }
  })

  test('is together what each of its roles may, and nothing without a role', () => {
    expect(listPermissions(['auditor', 'administrator'])).toEqual([
      'proofings:list',
      'devices:see',
      'devices:act',
      'devices:clear-tampering',
      'sync:see',
      'sync:act',
      'sync:join',
      'audit:read',
      'audit:export',
      'charts:see',
      'charts:export',
      'staff:unlock',
      'staff:manage',
      'checklist:do',
      'doctor:run',
      'settings:change',
      'keys:manage',
    ])
    expect(listPermissions([])).toEqual([])
  })

  // Requesting and confirming keys are separate, and administrators see no applicant.
  test.each<[Permission, Permission]>([
    ['keys:manage', 'keys:confirm'],
    ['staff:manage', 'proofings:open'],
    ['audit:read', 'proofings:open'],
  ])('keeps %s and %s with different roles', (one, other) => {
    for (const role of ROLES) {
      expect(isAllowed({ roles: [role] }, one) && isAllowed({ roles: [role] }, other)).toBe(false)
    }
  })

  test('needs a sign-in: a request without one is refused before the role is checked', () => {
    expect(() => requireStaff(request())).toThrow('unauthorized')
    expect(() => through(needs('proofings:list'), request())).toThrow('unauthorized')
    expect(() => through(needsFresh(), request())).toThrow('unauthorized')
  })

  test('takes a second factor of the last minutes for a sensitive act', () => {
    expect(through(needsFresh(), signedIn(['officer'], true))).toBeNull()
    expect(through(needsFresh(), signedIn(['officer'], false))).toBe('fresh_factor_needed')
  })

  test('stands at the route, where the list of routes reads it', () => {
    expect(permissionAskedBy(needs('audit:read'))).toBe('audit:read')
    expect(permissionAskedBy(needsFresh())).toBeUndefined()
  })
})

describe('a request', () => {
  const page = (value?: string) =>
    request(value === undefined ? {} : { headers: { 'x-counterproof-page': value } })

  test.each([
    ['POST', 'counter', null],
    ['POST', 'background', null],
    ['POST', 'elsewhere', 'host_refused'],
    ['POST', undefined, 'host_refused'],
    ['PUT', undefined, 'host_refused'],
    ['DELETE', undefined, 'host_refused'],
    ['GET', undefined, null],
    ['HEAD', undefined, null],
  ])('%s with the page %j: %j', (method, value, refusal) => {
    const req = Object.assign(page(), { method, get: () => value })
    expect(through(requirePageHeader(), req)).toBe(refusal)
  })

  test('is a person’s only when a touch or a key has made it', () => {
    const of = (value: string | undefined) => isOfPerson(Object.assign(page(), { get: () => value }))
    expect([of('counter'), of('background'), of(undefined)]).toEqual([true, false, false])
  })

  test.each([
    ['01890a5d-ac96-774b-bcce-b302099a8058', true],
    ['01890a5d-ac96-774b-bcce-b302099a805', false],
    ['x01890a5d-ac96-774b-bcce-b302099a8058', false],
    ['01890a5d-ac96-774b-bcce-b302099a80588', false],
    ['../staff', false],
    [undefined, false],
  ])('with the id %j names something: %s', (value, isOne) => {
    const req = request({ params: { id: value } })
    if (isOne) expect(idParam(req, 'id')).toBe(value)
    else expect(() => idParam(req, 'id')).toThrow('not_found')
  })

  test('of a signed-in officer is attributed to that officer by its route, and not by its content', () => {
    const deps = {
      caller: { tenantId: 'tenant', applicationId: 'counter', role: 'RELYING_SERVICE' },
      newId: () => 'id 1',
      clock: { now: () => NOW },
    } as unknown as CounterDeps
    const of = (method: string, route: unknown = { path: '/desk/:caseId' }) =>
      staffCaller(
        deps,
        signedIn(['officer'], false, { method, route, socket: {}, app: { get: () => undefined } }),
      )
    expect(of('PUT')).toMatchObject({
      tenantId: 'tenant',
      applicationId: 'counter',
      staffId: STAFF_ID,
      officer: STAFF_ID,
      correlationId: 'id 1',
      method: 'PUT',
      uri: '/counter/api/desk/:caseId',
      startedAt: NOW,
    })
    expect(['GET', 'DELETE', 'POST', 'PATCH'].map((method) => of(method).method)).toEqual([
      'GET',
      'DELETE',
      'POST',
      'POST',
    ])
    expect(of('GET', undefined).uri).toBe('/counter/api/desk/:caseId')
    expect(of('GET', { path: /x/ }).uri).toBe('/counter/api')
    expect(getEventActor(signedIn(['officer']))).toEqual({ actor: `STAFF:${STAFF_ID}` })
  })
})

describe('whose request it is', () => {
  interface Account {
    id: string
    name: string
    enabled: boolean
    epoch: number
    roles: readonly Role[]
  }
  let session: CounterSession
  let found: unknown
  let account: Account | null
  let ended: CounterSession[]
  let touched: number
  let events: [string, unknown][]
  let current: Current
  beforeEach(() => {
    session = {
      staffId: STAFF_ID,
      epoch: 3,
      stage: 'SIGNED_IN',
      roles: ['officer', 'auditor'],
    } as unknown as CounterSession
    found = { session }
    account = { id: STAFF_ID, name: 'Ada', enabled: true, epoch: 3, roles: ['officer', 'auditor'] }
    ended = []
    touched = 0
    events = []
    const sessions = {
      find: (token: string | undefined) => (token === 'token' ? found : null),
      end: (each: CounterSession) => void ended.push(each),
      touch: () => void touched++,
      isFresh: () => true,
    } as unknown as CounterSessions
    const store = {
      staff: { find: (id: string) => (id === STAFF_ID ? account : null) },
      events: { append: (type: string, _: null, body: unknown) => void events.push([type, body]) },
    }
    current = new Current({ store, clock: { now: () => NOW } } as unknown as CounterDeps, sessions)
  })
  const cookie = (value = 'counterproof-counter=token') => request({ headers: { cookie: value } })
  const SIGNED_OUT = (why: string) => [['staff.signed_out', { staffId: STAFF_ID, why }]]

  test('is read from its own cookie alone', () => {
    expect(current.find(cookie())).toMatchObject({ account: { id: STAFF_ID } })
    expect(current.find(cookie('a=b; counterproof-counter=token; c=d'))).toMatchObject({ session })
    for (const value of ['', 'other=token', 'xcounterproof-counter=token'])
      expect(current.find(cookie(value))).toEqual({ why: null })
    // The browser names a session that this run of the server does not know.
    expect(current.find(cookie('counterproof-counter=other'))).toEqual({ why: 'LOST' })
  })

  test('has no officer before the sign-in', () => {
    Object.assign(session, { staffId: null, stage: 'NEW' })
    expect(current.find(cookie())).toEqual({ session, account: null })
    expect(() => current.at(cookie(), 'SIGNED_IN', 'NEW' as never)).toThrow('unauthorized')
  })

  test.each<[string, () => void]>([
    ['was disabled', () => Object.assign(account ?? {}, { enabled: false })],
    ['was reset', () => Object.assign(account ?? {}, { epoch: 4 })],
    ['is gone', () => void (account = null)],
    ['has lost all roles of this sign-in', () => Object.assign(account ?? {}, { roles: ['supervisor'] })],
  ])('ends at once when the account %s, and the log says so', (_, change) => {
    change()
    expect(current.find(cookie())).toEqual({ why: 'ACCOUNT_CHANGED' })
    expect(ended).toEqual([session])
    expect(events).toEqual(SIGNED_OUT('ACCOUNT_CHANGED'))
  })

  test('has the roles that the account still has', () => {
    Object.assign(account ?? {}, { roles: ['auditor', 'supervisor'] })
    current.find(cookie())
    expect(session.roles).toEqual(['auditor'])
    expect(ended).toEqual([])
  })

  test('ends with the session, and the log says so for an officer who was at work', () => {
    found = { over: session }
    expect(current.find(cookie())).toEqual({ why: 'EXPIRED' })
    session.stage = 'LOCKED'
    expect(current.find(cookie())).toEqual({ why: 'EXPIRED' })
    expect(events).toEqual([...SIGNED_OUT('EXPIRED'), ...SIGNED_OUT('EXPIRED')])
    // Half a sign-in is no work.
    Object.assign(session, { stage: 'SECOND_FACTOR' })
    expect(current.find(cookie())).toEqual({ why: null })
    expect(events).toHaveLength(2)
    expect(ended).toHaveLength(3)
  })

  test('reaches a handler only signed in, and a touch of the person puts off the lock', () => {
    const req = cookie()
    expect(through(current.signedIn(), req)).toBeNull()
    expect(requireStaff(req)).toEqual({
      staffId: STAFF_ID,
      name: 'Ada',
      roles: ['officer', 'auditor'],
      isFresh: true,
    })
    expect(touched).toBe(0)
    expect(through(current.signedIn(), Object.assign(cookie(), { get: () => 'counter' }))).toBeNull()
    expect(touched).toBe(1)
    session.stage = 'LOCKED'
    expect(() => through(current.signedIn(), cookie())).toThrow('unauthorized')
    expect(current.at(cookie(), 'LOCKED')).toMatchObject({ session })
  })

  test('comes from a browser that is known by a token of 43 letters', () => {
    const device = (token: string) => readDeviceCookie(cookie(`counterproof-device=${token}`))
    expect(device('a'.repeat(43))).toBe('a'.repeat(43))
    expect([device('a'.repeat(42)), device('a'.repeat(44)), device('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(readDeviceCookie(cookie())).toBeUndefined()
  })
})

describe('a search by a code', () => {
  let ms: number
  let refused: unknown[]
  let tries: CodeTries
  beforeEach(() => {
    ms = NOW.getTime()
    refused = []
    tries = new CodeTries({
      clock: { now: () => new Date(ms) },
      store: {
        visits: { findByCode: (code: string) => (code === 'right' ? { id: 'visit' } : null) },
        events: {
          append: (type: string, _: null, body: unknown, __: Date, author: unknown) =>
            void refused.push([type, body, author]),
        },
      },
    } as unknown as CounterDeps)
  })
  const ada = { actor: 'STAFF:ada' }
  const bob = { actor: 'STAFF:bob' }

  // @clause NIST-63A-4/3.9-continuation
  test('may be wrong ten times in a quarter of an hour, and says how often still', () => {
    const left = Array.from({ length: 10 }, () => tries.find('wrong', ada).triesLeft)
    expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    expect(refused).toEqual([['search.refused', { wrongCodes: 10 }, ada]])
    expect(() => tries.find('right', ada)).toThrow('rate_limited')
    // One who guesses does not stop the others.
    expect(tries.find('right', bob)).toEqual({ visit: { id: 'visit' }, triesLeft: 10 })
    ms += 15 * 60_000
    expect(tries.find('wrong', ada).triesLeft).toBe(9)
  })

  test('costs nothing when it is right', () => {
    for (let count = 0; count < 30; count++) expect(tries.find('right', ada).triesLeft).toBe(10)
    tries.find('wrong', ada)
    expect(tries.find('right', ada).triesLeft).toBe(9)
  })

  test('may be wrong a hundred times for all together, so that several accounts share no search', () => {
    for (let count = 0; count < 100; count++) tries.find('wrong', { actor: `STAFF:${count}` })
    expect(() => tries.find('right', ada)).toThrow('rate_limited')
  })

  test.each([
    ['7k3m-90qr', '7K3M-90QR'],
    ['7K3M90QR', '7K3M-90QR'],
    [' 7k3m 90qr ', '7K3M-90QR'],
    ['oOiI-lL00', '0011-1100'],
  ])('finds the reference %j as it is printed: %j', (typed, printed) => {
    expect(tidyReference(typed)).toBe(printed)
  })
})

describe('a visit', () => {
  let t: TestStore
  beforeEach(() => {
    t = openTestStore()
  })
  afterEach(() => t.close())

  test('may continue while its identity is open and within reach, or, without an identity, until it is ended', () => {
    const caller = {
      tenantId: 'tenant',
      applicationId: t.applicationId,
      role: 'RELYING_SERVICE',
      reach: { kind: 'APPLICATION' },
    }
    const deps = (over: object = {}) =>
      ({
        ctx: { store: t.store, config: { tenant: { sharing: [] } } },
        caller: { ...caller, ...over },
      }) as unknown as CounterDeps
    const visit = (identityId: string | null, endedAt: Date | null = null) =>
      ({ identityId, endedAt }) as never
    const identity = t.addIdentity()
    expect(mayGoOn(deps(), visit(identity.id))).toBe(true)
    expect(mayGoOn(deps({ applicationId: 'another' }), visit(identity.id))).toBe(false)
    t.store.transaction(() => t.store.identities.save({ ...identity, status: 'CLOSED' }))
    expect(mayGoOn(deps(), visit(identity.id))).toBe(false)
    expect(mayGoOn(deps(), visit('erased'))).toBe(false)
    expect(mayGoOn(deps(), visit(null))).toBe(true)
    expect(mayGoOn(deps(), visit(null, NOW))).toBe(false)
  })
})

describe('a visit that an officer has opened', () => {
  const visit = { channel: 'KIOSK' as const, endedAt: null, takenOverBy: null }
  test.each([
    ['a kiosk’s, with its code', visit, 'CODE'],
    ['a kiosk’s that has ended, with its code', { ...visit, endedAt: NOW }, 'CODE'],
    [
      'the officer’s own at the counter, here',
      { ...visit, channel: 'COUNTER' as const, takenOverBy: 'me' },
      'HERE',
    ],
    [
      'the officer’s own that has ended, with its code',
      { channel: 'COUNTER' as const, takenOverBy: 'me', endedAt: NOW },
      'CODE',
    ],
    [
      'a colleague’s, not at all',
      { ...visit, channel: 'COUNTER' as const, takenOverBy: 'other' },
      'COLLEAGUE',
    ],
  ] as const)('continues: %s', (_name, opened, expected) => {
    expect(continueVisit(opened, 'me')).toBe(expected)
  })
})

describe('a table that is exported', () => {
  test.each([
    ['plain', '"plain"'],
    ['with "quotes"', '"with ""quotes"""'],
    ['a,b', '"a,b"'],
    ['=1+1', `"'=1+1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@a', `"'@a"`],
    ['\tA', `"'\tA"`],
    ['|a', `"'|a"`],
    ['%a', `"'%a"`],
    ['a=1', '"a=1"'],
    [-7, '-7'],
    [0.5, '0.5'],
    [Number.NaN, ''],
    [Number.POSITIVE_INFINITY, ''],
    [null, ''],
  ])('holds %j as %s, which no spreadsheet carries out', (cell, text) => {
    expect(toCsv(['column', 'next'], [[cell, 'x']])).toBe(`"column","next"\r\n${text},"x"\r\n`)
  })
})

describe('the eyes in a picture', () => {
  const face = { landmarks: { leftEye: { x: 1, y: 2 }, rightEye: { x: 3, y: 4 } } }
  const finder = (measurePortrait: () => Promise<unknown>, warn = vi.fn()) =>
    new EyeFinder({
      vision: { measurePortrait },
      store: { images: { read: () => new Uint8Array() } },
      log: { warn },
    } as never)
  const image = (id: string) => ({ id }) as never

  test('are looked for once, and remembered, also that there are none', async () => {
    const measure = vi.fn(async () => ({ faces: [face] }))
    const eyes = finder(measure)
    for (let count = 0; count < 2; count++) {
      expect(await eyes.of(image('a'))).toEqual({ left: { x: 1, y: 2 }, right: { x: 3, y: 4 } })
    }
    expect(measure).toHaveBeenCalledTimes(1)
    const nobody = vi.fn(async () => ({ faces: [] }))
    const none = finder(nobody)
    expect([await none.of(image('a')), await none.of(image('a'))]).toEqual([null, null])
    expect(nobody).toHaveBeenCalledTimes(1)
  })

  test('are searched again when the worker was down', async () => {
    const warn = vi.fn()
    const failing = vi.fn(async () => Promise.reject(new Error('worker down')))
    const eyes = finder(failing, warn)
    expect([await eyes.of(image('a')), await eyes.of(image('a'))]).toEqual([null, null])
    expect(failing).toHaveBeenCalledTimes(2)
    expect(warn).toHaveBeenCalledTimes(2)
  })

  test('of five hundred pictures are remembered: the oldest goes', async () => {
    const measure = vi.fn(async () => ({ faces: [face] }))
    const eyes = finder(measure)
    for (let count = 0; count < 501; count++) await eyes.of(image(`picture ${count}`))
    await eyes.of(image('picture 1'))
    expect(measure).toHaveBeenCalledTimes(501)
    await eyes.of(image('picture 0'))
    expect(measure).toHaveBeenCalledTimes(502)
  })
})
