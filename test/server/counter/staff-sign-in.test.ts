/** Signing in with a password and an app, wrong answers and what they lock, sessions and their ends. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OwnAccount, SessionView } from '../../../server/counter/contract/staff.ts'
import { hashPassword } from '../../../server/counter/staff/passwords.ts'
import type { StoredEvent } from '../../../server/store/events.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'
import { rememberHashes } from '../../support/remembering-scrypt.ts'

const PASSWORD = 'nine quiet herons at dusk'
const MINUTE_MS = 60_000

rememberHashes()

let counter: CounterApp
/** Hashed once: each takes a while, on purpose. */
let encoded: string
beforeAll(async () => {
  encoded = await hashPassword(PASSWORD)
  counter = await startCounterApp({ config: { counter: { attempts: 3, lockedMinutes: 10 } } })
})
afterAll(() => counter.close())

let made = 0
let login: string
let staffId: string
let person: CounterBrowser
/** A new colleague with password and app, signed in. */
const aColleague = async (roles: Parameters<CounterApp['invite']>[1] = ['officer']): Promise<void> => {
  made += 1
  login = `colleague-${made}`
  const invited = counter.invite(login, roles)
  staffId = invited.staffId
  person = counter.browser()
  counter.app.appliance.store.staff.setPassword(staffId, encoded)
  await person.setUpPassword(login, invited.code, null, counter.now())
}
/** The codes of a step are good once. */
const nextCode = (): string => {
  counter.tick(30_000)
  return person.code(counter.now())
}
const wrongPassword = (of = login): Promise<SessionView> =>
  counter.browser().session('password', { login: of, password: 'not the password at all' })
const eventsOf = (type: string): StoredEvent[] =>
  counter.app.appliance.store.events.after(0, 10_000).filter((event) => event.type === type)

describe('signing in with a password', () => {
  beforeEach(() => aColleague())
  // The pauses after wrong answers end.
  afterEach(() => counter.tick(24 * 60 * MINUTE_MS))

  test('takes the password and then a code of the app', async () => {
    await person.call('DELETE', 'session')
    expect(
      await person.session('password', { login: ` ${login.toUpperCase()} `, password: PASSWORD }),
    ).toMatchObject({
      state: 'SECOND_FACTOR',
      methods: expect.arrayContaining(['TOTP', 'RECOVERY_CODE']) as unknown,
    })
    expect(await person.session('second-factor', { code: nextCode() })).toMatchObject({
      state: 'SIGNED_IN',
      login,
      roles: ['officer'],
      failedSince: 0,
    })
    expect(eventsOf('staff.signed_in').at(-1)).toMatchObject({
      actor: `STAFF:${staffId}`,
      body: { staffId, factor: 'TOTP', roles: ['officer'] },
    })
  })

  test('tells of wrong tries since the last time', async () => {
    await wrongPassword()
    counter.tick(5000)
    await wrongPassword()
    counter.tick(5000)
    await person.session('password', { login, password: PASSWORD })
    expect(await person.session('second-factor', { code: nextCode() })).toMatchObject({ failedSince: 2 })
    expect((await person.session()) as object).toMatchObject({ failedSince: 2 })
  })

  test('takes a code of the app once', async () => {
    const code = nextCode()
    for (const expected of ['SIGNED_IN', 'SECOND_FACTOR']) {
      await person.session('password', { login, password: PASSWORD })
      expect((await person.session('second-factor', { code })).state).toBe(expected)
    }
  })

  test('takes a code of the step before, for a phone whose clock is off, and no older one', async () => {
    const codes = [nextCode(), nextCode()]
    counter.tick(30_000)
    await person.session('password', { login, password: PASSWORD })
    expect((await person.session('second-factor', { code: codes[0] })).state).toBe('SECOND_FACTOR')
    counter.tick(1000)
    expect((await person.session('second-factor', { code: codes[1] })).state).toBe('SIGNED_IN')
  })

  test('takes digits of another script, and blanks between them', async () => {
    await person.session('password', { login, password: PASSWORD })
    const arabic = [...nextCode()].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
    const code = `${arabic.slice(0, 3)} ${arabic.slice(3)}`
    expect((await person.session('second-factor', { code })).state).toBe('SIGNED_IN')
  })

  test('takes a recovery code once, however it is typed', async () => {
    const code = (person.recoveryCodes[0] ?? '').toLowerCase().replaceAll('-', ' ')
    for (const expected of [{ state: 'SIGNED_IN', recoveryCodesLeft: 9 }, { state: 'SECOND_FACTOR' }]) {
      await person.session('password', { login, password: PASSWORD })
      expect(await person.session('second-factor', { code })).toMatchObject(expected)
      counter.tick(5000)
    }
  })

  test('opens nothing with the password alone', async () => {
    await person.session('password', { login, password: PASSWORD })
    for (const path of ['staff', 'me', 'audit', 'today']) {
      expect([path, (await person.call('GET', path)).status]).toEqual([path, 401])
    }
  })

  test('gives another token with each step that lets more in', async () => {
    const tokens = [person.cookie]
    await person.session('password', { login, password: PASSWORD })
    tokens.push(person.cookie)
    await person.session('second-factor', { code: nextCode() })
    tokens.push(person.cookie)
    expect(new Set(tokens).size).toBe(3)
    const planted = counter.browser()
    planted.cookie = tokens[1] ?? null
    expect((await planted.session()).state).toBe('SIGNED_OUT')
  })
})

describe('wrong answers', () => {
  beforeEach(() => aColleague())
  afterEach(() => counter.tick(24 * 60 * MINUTE_MS))

  /** Like a patient attacker: after the pauses between tries. */
  const lock = async (of = login): Promise<SessionView[]> => {
    const answers: SessionView[] = []
    for (let tries = 0; tries < 3; tries += 1) {
      answers.push(await wrongPassword(of))
      counter.tick(8000)
    }
    return answers
  }

  test('lock the account for some minutes on devices that it does not know, for the right password, too', async () => {
    await lock()
    const elsewhere = counter.browser()
    const locked = await elsewhere.session('password', { login, password: PASSWORD })
    expect(locked).toMatchObject({ state: 'SIGNED_OUT', refusal: { code: 'LOCKED' } })
    counter.tick(10 * MINUTE_MS)
    expect((await elsewhere.session('password', { login, password: PASSWORD })).state).toBe('SECOND_FACTOR')
    expect(eventsOf('staff.locked_out').at(-1)).toMatchObject({ body: { staffId } })
  })

  test('are answered in the same words for an unknown login, up to the lock and its end', async () => {
    /** Returns the refusals, and the length of a lock from the first try on. */
    const told = async (of: string): Promise<unknown[]> => {
      const begun = counter.now().getTime()
      return [...(await lock(of)), await wrongPassword(of)].map((answer) => {
        const { refusal, ...rest } = answer as { refusal: { until: string | null } }
        const lastsMs = refusal.until === null ? null : Date.parse(refusal.until) - begun
        return { ...rest, refusal: { ...refusal, until: lastsMs } }
      })
    }
    const known = await told(login)
    expect(await told('nobody-of-this-name')).toEqual(known)
    expect(known.at(-1)).toMatchObject({ refusal: { code: 'LOCKED', until: 2 * 8000 + 10 * MINUTE_MS } })
  })

  test('lock for twice as long each time', async () => {
    const until = async (): Promise<number> => {
      await lock()
      const { refusal } = (await wrongPassword()) as { refusal: { until: string } }
      return Date.parse(refusal.until)
    }
    const first = await until()
    counter.tick(first - counter.now().getTime())
    const beganAt = counter.now().getTime()
    const second = await until()
    // The third try of the round came after two pauses of 8 s.
    expect(second - beganAt - 2 * 8000).toBe(20 * MINUTE_MS)
  })

  test('many at the same moment are counted each', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => wrongPassword()))
    const looked = answers.filter((answer) => 'refusal' in answer && answer.refusal?.code === 'WRONG')
    expect(looked.length).toBeLessThanOrEqual(3)
  })

  test('of the app are counted with those of the password', async () => {
    await person.session('password', { login, password: PASSWORD })
    for (let tries = 0; tries < 3; tries += 1) {
      await person.session('second-factor', { code: '000000' })
      counter.tick(8000)
    }
    expect(await person.session('second-factor', { code: person.code(counter.now()) })).toMatchObject({
      state: 'SECOND_FACTOR',
      refusal: { code: 'LOCKED' },
    })
  })

  test('are forgiven by a supervisor', async () => {
    await lock()
    const supervisor = await counter.signedIn('supervisor')
    const { body } = await supervisor.call<{ staff: { login: string; state: string }[] }>('GET', 'staff')
    expect(body.staff.find((account) => account.login === login)).toMatchObject({ state: 'LOCKED' })
    expect((await supervisor.call('POST', `staff/${staffId}/unlock`, {})).status).toBe(200)
    const elsewhere = counter.browser()
    expect((await elsewhere.session('password', { login, password: PASSWORD })).state).toBe('SECOND_FACTOR')
  })

  test('leave no login name, password or code in the log of the server or in events', async () => {
    const canary = 'Kanarienvogel-Passwort-77'
    await counter.browser().session('password', { login: canary.slice(0, 20), password: canary })
    await person.session('password', { login, password: PASSWORD })
    await person.session('second-factor', { code: '918273' })
    const kept = counter.app.log() + JSON.stringify(counter.app.appliance.store.events.after(0, 10_000))
    for (const secret of [canary.slice(0, 20), canary, PASSWORD, '918273', ...person.recoveryCodes]) {
      expect(kept).not.toContain(secret)
    }
  })
})

describe('an account', () => {
  afterEach(() => counter.tick(24 * 60 * MINUTE_MS))

  test('is set up once: the code is good for nothing afterwards', async () => {
    const { code } = counter.invite('once', ['officer'])
    const first = counter.browser()
    await first.setUpPasskey('once', code)
    expect(await counter.browser().session('set-up', { login: 'once', code })).toMatchObject({
      state: 'SIGNED_OUT',
      refusal: { code: 'WRONG' },
    })
  })

  test('has to be set up within a day', async () => {
    const { code } = counter.invite('late', ['officer'])
    counter.tick(24 * 60 * MINUTE_MS)
    expect(await counter.browser().session('set-up', { login: 'late', code })).toMatchObject({
      refusal: { code: 'WRONG' },
    })
  })

  test('is not finished with a password alone', async () => {
    const { code } = counter.invite('half', ['officer'])
    const half = counter.browser()
    await half.session('set-up', { login: 'half', code })
    await half.call('POST', 'me/password', { password: PASSWORD })
    expect(await half.session()).toMatchObject({ state: 'SET_UP', canFinish: false })
    expect((await half.call('POST', 'session/set-up/done', {})).status).toBe(403)
    expect(await counter.browser().session('password', { login: 'half', password: PASSWORD })).toMatchObject({
      state: 'SIGNED_OUT',
      refusal: { code: 'WRONG' },
    })
  })

  test.each([
    ['short', 'TOO_SHORT'],
    ['password1234', 'COMMON'],
    ['P@ssw0rd2026!', 'COMMON'],
    ['qwertyuiopas', 'COMMON'],
    ['ababababababab', 'COMMON'],
    ['the-weak-one-knows', 'HOLDS_LOGIN'],
  ])('does not take %s for a password', async (password, reason) => {
    const { code } = counter.invite(`weak-one`, ['officer'])
    const weak = counter.browser()
    await weak.session('set-up', { login: 'weak-one', code })
    const { body } = await weak.call<OwnAccount>('POST', 'me/password', { password })
    expect(body).toMatchObject({ hasPassword: false, refusal: { code: 'WEAK_PASSWORD', reason } })
    counter.app.appliance.store.staff.remove(
      counter.app.appliance.store.staff.findByLogin('weak-one')?.id ?? '',
    )
  })
})

describe('a session', () => {
  beforeEach(() => aColleague())
  afterEach(() => counter.tick(24 * 60 * MINUTE_MS))

  test('says when it will lock, locks on the server, and is unlocked by the same person', async () => {
    const begun = counter.now().getTime()
    expect(await person.session()).toMatchObject({
      warnAt: new Date(begun + 13 * MINUTE_MS).toISOString(),
      locksAt: new Date(begun + 15 * MINUTE_MS).toISOString(),
    })
    counter.tick(15 * MINUTE_MS)
    expect((await person.call('GET', 'me')).status).toBe(401)
    expect(await person.session()).toMatchObject({ state: 'LOCKED', methods: ['PASSWORD'] })
    expect(await person.session('unlock', { password: 'not the password at all' })).toMatchObject({
      state: 'LOCKED',
      refusal: { code: 'WRONG' },
    })
    expect(await person.session('unlock', { password: PASSWORD })).toMatchObject({ state: 'SIGNED_IN' })
  })

  const codesAnswer = async () => (await person.call('POST', 'me/recovery-codes', {})).status
  test.each([
    ['by hand', () => person.session('lock')],
    // Shorter than a second factor is fresh where the counter is set up so; here by the clock alone.
    ['by itself', async () => counter.tick(15 * MINUTE_MS)],
  ])(
    'that was locked %s and unlocked with the password is not fresh: that takes a second factor',
    async (_, lock) => {
      expect(await codesAnswer()).toBe(200)
      await lock()
      expect(await codesAnswer()).toBe(401)
      const unlocked = await person.session('unlock', { password: PASSWORD })
      expect(unlocked).toMatchObject({ state: 'SIGNED_IN', freshUntil: null })
      expect(await codesAnswer()).toBe(403)
      // The code of the sign-in is used up.
      counter.tick(MINUTE_MS)
      expect((await person.session('fresh', { code: nextCode() })).state).toBe('SIGNED_IN')
      expect(await codesAnswer()).toBe(200)
    },
  )

  test('is kept open by what a person does, not by what the page asks by itself', async () => {
    counter.tick(14 * MINUTE_MS)
    await person.session('touch')
    counter.tick(14 * MINUTE_MS)
    await person.call('GET', 'me', undefined, { 'x-counterproof': 'background' })
    await person.session()
    counter.tick(MINUTE_MS)
    expect((await person.session()).state).toBe('LOCKED')
  })

  test('ends after the hours of a shift, however busy', async () => {
    for (let passed = 0; passed < 10 * 60; passed += 10) {
      expect((await person.session('touch')).state).toBe('SIGNED_IN')
      counter.tick(10 * MINUTE_MS)
    }
    expect(await person.session()).toMatchObject({ state: 'SIGNED_OUT', why: 'EXPIRED' })
    // As after a restart: the browser names a session that the server no longer knows.
    expect(await person.session()).toMatchObject({ state: 'SIGNED_OUT', why: 'LOST' })
    expect(await counter.browser().session()).toMatchObject({ state: 'SIGNED_OUT', why: null })
  })

  test('ends at once when its account is disabled, also by a command beside the server', async () => {
    const { store } = counter.app.appliance
    store.staff.setEnabled(staffId, false)
    expect((await person.call('GET', 'me')).status).toBe(401)
    expect(await person.session('password', { login, password: PASSWORD })).toMatchObject({
      refusal: { code: 'WRONG' },
    })
  })

  test('loses a role with its account, and ends with the last', async () => {
    const { store } = counter.app.appliance
    store.staff.setRoles(staffId, ['auditor'])
    expect(await person.session()).toMatchObject({ state: 'SIGNED_OUT', why: 'ACCOUNT_CHANGED' })
  })

  test('ends elsewhere when the password is changed', async () => {
    const elsewhere = counter.browser()
    await elsewhere.session('password', { login, password: PASSWORD })
    await elsewhere.session('second-factor', { code: nextCode() })
    expect(await person.call('POST', 'me/password', { password: `${PASSWORD} again` })).toMatchObject({
      status: 200,
      body: { refusal: null },
    })
    expect((await person.session()).state).toBe('SIGNED_IN')
    expect((await elsewhere.session()).state).toBe('SIGNED_OUT')
  })

  test('asks for a fresh factor before a change of credentials', async () => {
    counter.tick(5 * MINUTE_MS)
    expect(await person.call('POST', 'me/recovery-codes', {})).toMatchObject({
      status: 403,
      body: { type: 'urn:counterproof:problem:fresh_factor_needed' },
    })
    expect(await person.session('fresh', { code: nextCode() })).toMatchObject({
      state: 'SIGNED_IN',
      freshUntil: new Date(counter.now().getTime() + 5 * MINUTE_MS).toISOString(),
    })
    expect((await person.call('POST', 'me/recovery-codes', {})).status).toBe(200)
  })

  test('has the roles that were chosen, and no other', async () => {
    await aColleague(['officer', 'auditor'])
    expect(await person.session()).toMatchObject({ state: 'ROLES', roles: ['officer', 'auditor'] })
    expect((await person.call('POST', 'session/roles', { roles: ['administrator'] })).status).toBe(403)
    expect(await person.session('roles', { roles: ['auditor'] })).toMatchObject({ roles: ['auditor'] })
    expect((await person.call('GET', 'audit')).status).toBe(200)
  })

  test('lives in a cookie that no script reads and no other site brings along', async () => {
    const answer = await counter.browser().fetch('POST', 'session/password', { login, password: PASSWORD })
    expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

test('without any account, the page says how the first one is made', async () => {
  const fresh = await startCounterApp()
  try {
    expect(await fresh.browser().session()).toMatchObject({
      state: 'SIGNED_OUT',
      hasStaff: false,
      mode: 'test',
    })
  } finally {
    await fresh.close()
  }
})
