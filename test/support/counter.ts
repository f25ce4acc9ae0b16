/** The counter of a complete appliance, and its staff, each with an own browser (a cookie jar). */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TOTP } from 'otpauth'
import { v7 as uuidv7 } from 'uuid'
import type { Clock } from '../../server/clock.ts'
import type { Role } from '../../server/counter/access.ts'
import type {
  PasskeyOptions,
  RecoveryCodes,
  SessionView,
  TotpOffer,
} from '../../server/counter/contract/staff.ts'
import { openAccounts } from '../../server/counter/staff/accounts.ts'
import type { Vision } from '../../server/vision/protocol.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { SHARING_TENANT, startTestApp, type TestApp } from './app.ts'
import { SoftwareAuthenticator } from './software-authenticator.ts'

export interface Answered<T = unknown> {
  readonly status: number
  readonly body: T
  readonly headers: Headers
}

export interface CounterApp {
  readonly app: TestApp
  /** `http://localhost:port`, because passkeys are bound to a name. */
  readonly origin: string
  now(): Date
  tick(ms: number): void
  /** A browser that is not signed in. */
  browser(): CounterBrowser
  /** Creates an account as an operator does, with its set-up code. */
  invite(
    login: string,
    roles: readonly Role[],
    name?: string,
  ): { readonly staffId: string; readonly code: string }
  /** Sets up an account with a passkey and signs it in, in all of these roles. */
  signedIn(...roles: readonly Role[]): Promise<CounterBrowser>
  close(): Promise<void>
}

export interface CounterAppOptions {
  readonly config?: object
  readonly vision?: Vision
  readonly dataDir?: string
  /** Built screens; default: an empty page each. */
  readonly screensDir?: string
  /** Default: stands still until `tick`. */
  readonly clock?: Clock
  /** The first time of this clock. Default: now. */
  readonly startsAt?: Date
}

export async function startCounterApp(options: CounterAppOptions = {}): Promise<CounterApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  const emptyDir = mkdtempSync(join(tmpdir(), 'counterproof-screens-'))
  const config = { tenant: SHARING_TENANT, ...options.config }
  if (options.config || !options.dataDir) {
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  }
  for (const folder of ['kiosk', 'counter', 'assets']) {
    mkdirSync(join(emptyDir, folder))
    writeFileSync(join(emptyDir, folder, 'index.html'), `<!doctype html><title>${folder}</title>`)
  }
  const screensDir = options.screensDir ?? emptyDir
  let now = options.startsAt ?? new Date()
  const clock = options.clock ?? { now: () => now }
  const app = await startTestApp({ dataDir, screensDir, clock, vision: options.vision ?? scriptedVision() })
  const origin = `http://localhost:${new URL(app.url).port}`
  const browser = (): CounterBrowser => new CounterBrowser(origin)
  const invite: CounterApp['invite'] = (login, roles, name = 'Ada Example') => {
    const { store } = app.appliance
    const accounts = openAccounts({ store, clock, newId: () => uuidv7() })
    const given = { login, name, roles, language: 'en' }
    const { account, setUpCode } = accounts.create(given, { author: { actor: 'operator' }, staffId: null })
    return { staffId: account.id, code: setUpCode }
  }
  let made = 0
  return {
    app,
    origin,
    now: () => clock.now(),
    tick: (ms) => {
      now = new Date(now.getTime() + ms)
    },
    browser,
    invite,
    signedIn: async (...roles) => {
      made += 1
      const login = `${roles[0] ?? 'nobody'}-${made}`
      const { code } = invite(login, roles)
      const person = browser()
      await person.setUpPasskey(login, code)
      if (roles.length > 1) await person.session('roles', { roles })
      return person
    },
    close: async () => {
      await app.close()
      rmSync(emptyDir, { recursive: true, force: true })
    },
  }
}

/** One browser: its cookie, the headers of the page, and the officer's keys. */
export class CounterBrowser {
  readonly origin: string
  /** The session's cookie as the browser sends it, without the device cookie. */
  cookie: string | null = null
  /** The cookie of a browser on which an officer has signed in. */
  deviceCookie: string | null = null
  readonly authenticator: SoftwareAuthenticator
  /** The app's generator, once it is set up. */
  totp: TOTP | null = null
  recoveryCodes: readonly string[] = []

  constructor(origin: string) {
    this.origin = origin
    this.authenticator = new SoftwareAuthenticator(origin)
  }

  /** `path` is relative to /counter/api. */
  async call<T = unknown>(
    method: string,
    path: string,
    payload?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered<T>> {
    const response = await this.fetch(method, path, payload, headers)
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json;')
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as T,
    }
  }

  async fetch(
    method: string,
    path: string,
    payload?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const cookies = [this.cookie, this.deviceCookie].filter((cookie) => cookie !== null)
    const response = await fetch(`${this.origin}/counter/api/${path}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { origin: this.origin }),
        'x-counterproof': 'counter',
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const pair = set.split(';', 1)[0] ?? ''
      if (pair.startsWith('counterproof-device=')) this.deviceCookie = pair
      else this.cookie = pair
    }
    return response
  }

  /** Calls the session route with this last part; without one GET session. */
  async session(part?: string, payload: unknown = {}): Promise<SessionView> {
    const { status, body } =
      part === undefined
        ? await this.call<SessionView>('GET', 'session')
        : await this.call<SessionView>('POST', `session/${part}`, payload)
    if (status !== 200) throw new Error(`session/${part ?? ''} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Runs the set-up from the code to the sign-in. */
  async setUpPasskey(login: string, code: string): Promise<SessionView> {
    await this.session('set-up', { login, code })
    const { body } = await this.call<PasskeyOptions>('POST', 'me/passkeys/options', {})
    const credential = this.authenticator.create(body.options)
    await this.call('POST', 'me/passkeys', { credential, name: 'Key' })
    return this.session('set-up/done')
  }

  /** The same with a password and an app; null: the account has a password. `at` is the server's time. */
  async setUpPassword(login: string, code: string, password: string | null, at: Date): Promise<SessionView> {
    await this.session('set-up', { login, code })
    if (password !== null) await this.call('POST', 'me/password', { password })
    const { body: offer } = await this.call<TotpOffer>('POST', 'me/totp', {})
    this.totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: offer.secret })
    await this.call('POST', 'me/totp/confirm', { code: this.code(at) })
    const { body } = await this.call<RecoveryCodes>('POST', 'me/recovery-codes', {})
    this.recoveryCodes = body.codes
    return this.session('set-up/done')
  }

  /** Returns the app's code at this time. */
  code(at: Date): string {
    if (!this.totp) throw new TypeError('no app is set up')
    return this.totp.generate({ timestamp: at.getTime() })
  }

  /** Signs in, unlocks or freshens, depending on the session. */
  async usePasskey(): Promise<SessionView> {
    const { body } = await this.call<PasskeyOptions>('POST', 'session/passkey/options', {})
    return this.session('passkey', { credential: this.authenticator.get(body.options) })
  }
}
