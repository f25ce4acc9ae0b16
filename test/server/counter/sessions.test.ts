/** The duration, lock and end of a session of the counter, by a clock that the test moves. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../../../server/config/config.ts'
import { CounterSessions, type CounterSession } from '../../../server/counter/sessions.ts'

const MINUTE_MS = 60_000
let now: Date
let sessions: CounterSessions
const tick = (minutes: number): void => {
  now = new Date(now.getTime() + minutes * MINUTE_MS)
}
/** `lockAfterMinutes` below the five minutes for which a second factor is fresh. */
const withLock = (lockAfterMinutes: number): CounterSessions =>
  new CounterSessions({
    clock: { now: () => now },
    config: { counter: { lockAfterMinutes, sessionHours: 10 } } as Config,
  })
beforeEach(() => {
  now = new Date('2026-11-21T09:00:00Z')
  sessions = withLock(2)
})

function signIn(of = sessions, id = 'ada'): { token: string; session: CounterSession } {
  const begun = of.begin('SECOND_FACTOR', { id, epoch: 3 }, '10.0.0.7')
  of.open(begun.session, ['officer'])
  return begun
}
const stageOf = (token: string, of = sessions): string => {
  const found = of.find(token)
  return found === null ? 'UNKNOWN' : 'over' in found ? 'OVER' : found.session.stage
}

describe('the freshness of a second factor', () => {
  test('lasts five minutes from the sign-in, and from each further factor', () => {
    const { session } = signIn(withLock(60))
    expect(sessions.isFresh(session)).toBe(true)
    tick(4.99)
    expect(sessions.isFresh(session)).toBe(true)
    tick(0.01)
    expect(sessions.isFresh(session)).toBe(false)
    sessions.freshen(session)
    expect(sessions.isFresh(session)).toBe(true)
    tick(5)
    expect(sessions.isFresh(session)).toBe(false)
  })

  test('ends with a lock, and the password that opens the lock does not bring it back', () => {
    const { token, session } = signIn()
    sessions.lock(session)
    expect(sessions.isFresh(session)).toBe(false)
    sessions.unlock(session)
    expect([stageOf(token), sessions.isFresh(session)]).toEqual(['SIGNED_IN', false])
  })

  test('ends with a lock that comes by itself while the factor would still be fresh', () => {
    const { token, session } = signIn()
    tick(2)
    expect(stageOf(token)).toBe('LOCKED')
    sessions.unlock(session)
    expect([stageOf(token), sessions.isFresh(session)]).toEqual(['SIGNED_IN', false])
  })

  test('does not exist before the sign-in is complete', () => {
    const { session } = sessions.begin('SECOND_FACTOR', { id: 'ada', epoch: 1 }, null)
    expect(sessions.isFresh(session)).toBe(false)
  })
})

describe('a lock', () => {
  test('comes by itself when nothing was done for so long, and not before', () => {
    const { token, session } = signIn()
    tick(1.9)
    expect(stageOf(token)).toBe('SIGNED_IN')
    sessions.touch(session)
    tick(1.9)
    expect(stageOf(token)).toBe('SIGNED_IN')
    tick(0.1)
    expect(stageOf(token)).toBe('LOCKED')
  })

  test('is told beforehand: a warning at thirteen fifteenths of the time', () => {
    const { session } = signIn(withLock(15))
    const late = withLock(15)
    expect(late.warnAt(session).toISOString()).toBe('2026-11-21T09:13:00.000Z')
    expect(late.locksAt(session).toISOString()).toBe('2026-11-21T09:15:00.000Z')
  })

  test('is opened by nothing that a person does but a factor', () => {
    const { token, session } = signIn()
    sessions.lock(session)
    const before = session.lastActiveAt
    tick(1)
    sessions.touch(session)
    expect([stageOf(token), session.lastActiveAt]).toEqual(['LOCKED', before])
    sessions.unlock(session)
    expect(session.lastActiveAt).toEqual(now)
    tick(1.9)
    expect(stageOf(token)).toBe('SIGNED_IN')
  })

  test('takes what was begun: a challenge for a passkey, and a secret that waits for its first code', () => {
    const { session } = signIn()
    session.challenge = { value: 'c', purpose: 'REGISTER', until: now }
    session.totpOffer = { secret: new Uint8Array(20), until: now }
    sessions.lock(session)
    expect([session.challenge, session.totpOffer]).toEqual([null, null])
  })

  test('leaves the end of the session where it was', () => {
    const { token, session } = signIn()
    const { endsAt } = session
    sessions.lock(session)
    tick(9 * 60)
    sessions.unlock(session)
    expect(session.endsAt).toEqual(endsAt)
    tick(60)
    expect(stageOf(token)).toBe('OVER')
  })
})

describe('a session', () => {
  test.each([
    ['SECOND_FACTOR', 10],
    ['ANONYMOUS', 10],
    ['SET_UP', 30],
  ] as const)('at the stage %s lasts %i minutes', (stage, minutes) => {
    const { token } = sessions.begin(stage, null, null)
    tick(minutes - 0.01)
    expect(stageOf(token)).toBe(stage)
    tick(0.01)
    expect(stageOf(token)).toBe('OVER')
    expect(stageOf(token)).toBe('UNKNOWN')
  })

  test('of an officer lasts a shift from the sign-in, and keeps nothing of the sign-in', () => {
    const { token, session } = sessions.begin('SECOND_FACTOR', { id: 'ada', epoch: 3 }, '10.0.0.7')
    session.challenge = { value: 'c', purpose: 'SIGN_IN', until: now }
    session.totpOffer = { secret: new Uint8Array(20), until: now }
    tick(5)
    sessions.open(session, ['auditor'])
    expect(session).toMatchObject({
      stage: 'SIGNED_IN',
      staffId: 'ada',
      epoch: 3,
      from: '10.0.0.7',
      roles: ['auditor'],
      lastActiveAt: now,
      challenge: null,
      totpOffer: null,
    })
    const ends = new Date(now.getTime() + 10 * 60 * MINUTE_MS)
    expect(session.endsAt).toEqual(ends)
    while (now < new Date(ends.getTime() - MINUTE_MS)) {
      tick(1)
      expect(stageOf(token)).toBe('SIGNED_IN')
      sessions.touch(session)
    }
    tick(1)
    expect(stageOf(token)).toBe('OVER')
  })

  test('is found by its token alone, which is another one each time and another one after each step', () => {
    const { token, session } = signIn()
    const { token: second } = signIn()
    expect(new Set([token, second]).size).toBe(2)
    expect(token).toMatch(/^[\w-]{43}$/)
    for (const wrong of [undefined, '', 'x', token.slice(1), `${token}x`])
      expect(sessions.find(wrong)).toBeNull()
    const renewed = sessions.renew(session)
    expect([stageOf(token), stageOf(renewed)]).toEqual(['UNKNOWN', 'SIGNED_IN'])
  })

  test('ends by itself, with those of its account elsewhere, or with all', () => {
    const [mine, elsewhere, colleague] = [signIn(), signIn(), signIn(sessions, 'grace')]
    sessions.endOthers('ada', mine.session)
    expect([mine, elsewhere, colleague].map(({ token }) => stageOf(token))).toEqual([
      'SIGNED_IN',
      'UNKNOWN',
      'SIGNED_IN',
    ])
    sessions.end(mine.session)
    expect(stageOf(mine.token)).toBe('UNKNOWN')
    expect(stageOf(colleague.token)).toBe('SIGNED_IN')
    sessions.endOthers('grace', null)
    expect(stageOf(colleague.token)).toBe('UNKNOWN')
    const last = signIn()
    sessions.clear()
    expect(stageOf(last.token)).toBe('UNKNOWN')
  })

  test('without a sign-in is dropped when there are too many; the session of a signed-in officer never is', () => {
    const { token } = signIn(withLock(1_000))
    const busy = withLock(1_000)
    const [atWork, locked] = [signIn(busy), signIn(busy, 'grace')]
    busy.lock(locked.session)
    const first = busy.begin('ANONYMOUS', null, null)
    for (let n = 3; n < 500; n++) busy.begin('ANONYMOUS', null, null)
    expect(stageOf(first.token, busy)).toBe('ANONYMOUS')
    const newest = busy.begin('ANONYMOUS', null, null)
    expect(stageOf(first.token, busy)).toBe('UNKNOWN')
    expect([atWork, locked, newest].map((one) => stageOf(one.token, busy))).toEqual([
      'SIGNED_IN',
      'LOCKED',
      'ANONYMOUS',
    ])
    expect(token).toBeTruthy()
  })

  test('that is over makes room before one that is not', () => {
    const old = sessions.begin('ANONYMOUS', null, null)
    tick(9)
    const young = sessions.begin('ANONYMOUS', null, null)
    tick(1)
    for (let n = 1; n < 500; n++) sessions.begin('ANONYMOUS', null, null)
    expect(stageOf(old.token)).toBe('UNKNOWN')
    expect(stageOf(young.token)).toBe('ANONYMOUS')
  })
})

describe('an account that sees calls for help', () => {
  const isSeen = () => sessions.hasOne('waiting:see')

  test('is there from a complete sign-in to the lock, and not behind a lock', () => {
    expect(isSeen()).toBe(false)
    const { session } = sessions.begin('SECOND_FACTOR', { id: 'ada', epoch: 3 }, null)
    expect(isSeen()).toBe(false)
    sessions.open(session, ['officer'])
    expect(isSeen()).toBe(true)
    tick(2)
    expect(isSeen()).toBe(false)
    sessions.unlock(session)
    expect(isSeen()).toBe(true)
    sessions.end(session)
    expect(isSeen()).toBe(false)
  })

  test('is not an administrator, and may be a display for the whole team', () => {
    sessions.open(sessions.begin('SET_UP', { id: 'ada', epoch: 3 }, null).session, ['administrator'])
    expect(isSeen()).toBe(false)
    sessions.open(sessions.begin('SET_UP', { id: 'hall', epoch: 3 }, null).session, ['display'])
    tick(30)
    expect(isSeen()).toBe(true)
  })
})
