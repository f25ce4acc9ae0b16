/** A stranger who knows a login name, or shares an address, cannot slow down officers on known devices. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SessionView } from '../../../server/counter/contract/staff.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { LockOut } from '../../../server/counter/staff/lock-out.ts'
import { hashPassword } from '../../../server/counter/staff/passwords.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'
import { rememberHashes } from '../../support/remembering-scrypt.ts'

const PASSWORD = 'nine quiet herons at dusk'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const ATTEMPTS = 3

rememberHashes()

let counter: CounterApp
/** Hashed once: each takes a while, on purpose. */
let encoded: string
beforeAll(async () => {
  encoded = await hashPassword(PASSWORD)
  counter = await startCounterApp({
    config: { counter: { attempts: ATTEMPTS, lockedMinutes: 10 }, trustedProxies: ['127.0.0.1'] },
  })
})
afterAll(() => counter.close())

afterEach(() => counter.tick(24 * HOUR_MS))

let made = 0
let login: string
let staffId: string
/** The browser of a colleague at the usual counter computer, signed out again. */
let usual: CounterBrowser
beforeEach(async () => {
  made += 1
  login = `colleague-${made}`
  const invited = counter.invite(login, ['officer'])
  staffId = invited.staffId
  usual = counter.browser()
  counter.app.appliance.store.staff.setPassword(staffId, encoded)
  await usual.setUpPassword(login, invited.code, null, counter.now())
  await usual.call('DELETE', 'session')
})

const from = (address: string) => ({ 'x-forwarded-for': address })
const tryPassword = async (
  browser: CounterBrowser,
  password: string,
  address: string,
): Promise<SessionView> =>
  (await browser.call<SessionView>('POST', 'session/password', { login, password }, from(address))).body
const wrong = (address = '203.0.113.66') => tryPassword(counter.browser(), 'not it at all', address)
const right = (browser: CounterBrowser, address = '203.0.113.7') => tryPassword(browser, PASSWORD, address)
/** Wrong answers until the login name is locked at this address, with the pauses that a patient attacker makes. */
const lockAt = async (address?: string): Promise<void> => {
  for (let tries = 0; tries < ATTEMPTS; tries += 1) {
    await wrong(address)
    counter.tick(8000)
  }
}

describe('a stranger who knows a login name', () => {
  test('keeps no officer out of a device on which they have signed in, however long it continues', async () => {
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await lockAt()
      expect((await right(usual)).state).toBe('SECOND_FACTOR')
      counter.tick(HOUR_MS)
    }
  })

  test('slows a device that was never used only at its own address', async () => {
    await lockAt('203.0.113.66')
    expect((await right(counter.browser(), '203.0.113.66')).state).toBe('SIGNED_OUT')
    expect((await right(counter.browser(), '203.0.113.7')).state).toBe('SECOND_FACTOR')
  })
})

describe('the rule, with an answer after each pause', () => {
  const MAX_OF_ALL = 100
  let lockOut: LockOut
  beforeEach(() => {
    const { store } = counter.app.appliance
    lockOut = new LockOut({ store, clock: counter, config: loadConfig({ dataDir: counter.app.dataDir }) })
  })
  const answerWrong = (network: string, device: string | null = null) =>
    lockOut.begin({ login, network, device })
  const blockedMs = (begun: ReturnType<typeof answerWrong>): number =>
    begun.blockedUntil === null ? 0 : begun.blockedUntil.getTime() - counter.now().getTime()

  test('locks for longer each time, and for an hour at most', () => {
    const locks: number[] = []
    for (let tries = 0; tries < 50; tries += 1) {
      const waitMs = blockedMs(answerWrong('203.0.113.66'))
      if (waitMs >= 10 * MINUTE_MS) locks.push(waitMs)
      counter.tick(waitMs)
    }
    expect(locks.slice(0, 4)).toEqual([10, 20, 40, 60].map((minutes) => minutes * MINUTE_MS))
    expect(Math.max(...locks)).toBe(HOUR_MS)
  })

  test('gives an attacker with many addresses no more than a hundred tries in a row', () => {
    let looked = 0
    for (let attacker = 0; attacker < 200; attacker += 1) {
      if (answerWrong(`198.51.100.${attacker}`).blockedUntil === null) looked += 1
    }
    expect(looked).toBeLessThanOrEqual(MAX_OF_ALL)
    expect(answerWrong('203.0.113.8').blockedUntil).not.toBeNull()
    expect(answerWrong('203.0.113.8', 'a known one').blockedUntil).toBeNull()
  })
})

describe('a stranger at the same address', () => {
  test('uses up no known device’s calls, and locks none by wrong names', async () => {
    const address = '203.0.113.7'
    const flood = Array.from({ length: 64 }, (_, at) =>
      counter
        .browser()
        .call('POST', 'session/password', { login: `nobody-${at}`, password: 'no' }, from(address)),
    )
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(statuses).toContain(429)
    expect((await right(usual, address)).state).toBe('SECOND_FACTOR')
  })
})

describe('a known device', () => {
  test('has a budget of its own: wrong answers there lock it, and no other', async () => {
    for (let tries = 0; tries < ATTEMPTS; tries += 1) {
      await tryPassword(usual, 'not it at all', '203.0.113.7')
      counter.tick(8000)
    }
    expect(await right(usual)).toMatchObject({ refusal: { code: 'LOCKED' } })
    expect((await right(counter.browser())).state).toBe('SECOND_FACTOR')
  })

  test('is known only for the logins that have signed in there', async () => {
    const colleague = login
    const shared = usual.deviceCookie
    made += 1
    login = `colleague-${made}`
    const { code } = counter.invite(login, ['officer'])
    const other = counter.browser()
    await other.setUpPasskey(login, code)
    // The shared computer does not know this login.
    await lockAt('203.0.113.7')
    const sharing = counter.browser()
    sharing.deviceCookie = shared
    expect(await tryPassword(sharing, 'x', '203.0.113.7')).toMatchObject({ refusal: { code: 'LOCKED' } })
    login = colleague
    expect((await right(sharing)).state).toBe('SECOND_FACTOR')
  })

  test('keeps its cookie when a colleague signs in there, so that both are known', async () => {
    const before = usual.deviceCookie
    made += 1
    const { code } = counter.invite(`colleague-${made}`, ['officer'])
    await usual.setUpPasskey(`colleague-${made}`, code)
    expect(usual.deviceCookie).toBe(before)
  })

  test('is an invention when the cookie was not given out here', async () => {
    await lockAt('203.0.113.7')
    const inventive = counter.browser()
    inventive.deviceCookie = `counterproof-device=${'A'.repeat(43)}`
    expect(await right(inventive, '203.0.113.7')).toMatchObject({ refusal: { code: 'LOCKED' } })
  })

  test('is forgotten when the account is reset', async () => {
    const administrator = await counter.signedIn('administrator')
    expect((await administrator.call('POST', `staff/${staffId}/reset`, {})).status).toBe(200)
    const token = usual.deviceCookie?.split('=')[1] ?? ''
    expect(counter.app.appliance.store.staffDevices.knows(token, staffId)).toBe(false)
  })

  test('opens nothing, and its cookie is out of reach of scripts and other sites', async () => {
    const { code } = counter.invite('somebody-new', ['officer'])
    const fresh = counter.browser()
    await fresh.session('set-up', { login: 'somebody-new', code })
    const { body } = await fresh.call<{ options: unknown }>('POST', 'me/passkeys/options', {})
    await fresh.call('POST', 'me/passkeys', {
      credential: fresh.authenticator.create(body.options),
      name: 'K',
    })
    const done = await fresh.fetch('POST', 'session/set-up/done', {})
    const [device] = done.headers.getSetCookie().filter((set) => set.startsWith('counterproof-device='))
    expect(device).toMatch(/Path=\/counter\/api; .*HttpOnly; SameSite=Strict/)
    const thief = counter.browser()
    thief.deviceCookie = fresh.deviceCookie
    expect((await thief.session()).state).toBe('SIGNED_OUT')
    expect((await thief.call('GET', 'today')).status).toBe(401)
  })
})

test('a lock elsewhere is told to those who may end it, and ends by them', async () => {
  await lockAt()
  const supervisor = await counter.signedIn('supervisor')
  const stateOf = async () => {
    const { body } = await supervisor.call<{ staff: { login: string; state: string }[] }>('GET', 'staff')
    return body.staff.find((account) => account.login === login)?.state
  }
  expect(await stateOf()).toBe('LOCKED')
  await supervisor.call('POST', `staff/${staffId}/unlock`, {})
  expect(await stateOf()).toBe('ACTIVE')
  expect((await right(counter.browser(), '203.0.113.66')).state).toBe('SECOND_FACTOR')
})
