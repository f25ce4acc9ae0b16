/** Officers sign in at an OpenID provider: a real one, over sockets; local accounts stay. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkConfig } from '../../../server/config/config.ts'
import type { AuditPage } from '../../../server/counter/contract/audit.ts'
import type { AtWork, OwnAccount, StaffList, StaffView } from '../../../server/counter/contract/staff.ts'
import {
  startIdentityProvider,
  walkLogin,
  type IdentityProvider,
} from '../../../server/tools/simulator/oidc.ts'
import { CounterBrowser, startCounterApp, type CounterApp } from '../../support/counter.ts'

const ADDRESS = 'http://localhost:9'
const SECRET = 'the secret of the client'
const MINUTE_MS = 60_000

const ACCOUNTS: Record<string, Record<string, unknown>> = {
  olga: { name: 'Olga Example', groups: ['branch-officers', 'canteen'] },
  adam: { name: 'Adam Example', groups: ['branch-admins', 'branch-auditors'] },
  sam: { name: 'Sam Example', groups: ['canteen'] },
}

let idp: IdentityProvider
let counter: CounterApp
let accounts = structuredClone(ACCOUNTS)
beforeAll(async () => {
  idp = await startIdentityProvider({ clients: { counter: SECRET }, account: (id) => accounts[id] ?? {} })
  idp.serve(`${ADDRESS}/counter/api/openid/callback`)
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  mkdirSync(join(dataDir, 'keys'), { mode: 0o700 })
  writeFileSync(join(dataDir, 'keys/oidc'), SECRET, { mode: 0o600 })
  const oidc = {
    address: ADDRESS,
    issuer: idp.issuer,
    allowHttp: true,
    clientId: 'counter',
    clientSecretFile: 'keys/oidc',
    roles: [
      { value: 'branch-officers', role: 'officer' },
      { value: 'branch-admins', role: 'administrator' },
      { value: 'branch-auditors', role: 'auditor' },
    ],
  }
  counter = await startCounterApp({ dataDir, config: { counter: { oidc } } })
})
beforeEach(() => {
  accounts = structuredClone(ACCOUNTS)
})
afterAll(async () => {
  await counter.close()
  await idp.goDown()
})

/** A browser that also has the cookie of a sign-in that has begun. */
class ProviderBrowser extends CounterBrowser {
  login: string | null = null

  async open(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const cookies = [this.cookie, this.deviceCookie, this.login].filter((cookie) => cookie !== null)
    const answer = await fetch(`${this.origin}/counter/api/openid/${path}`, {
      redirect: 'manual',
      headers: { cookie: cookies.join('; '), ...headers },
    })
    for (const line of answer.headers.getSetCookie()) {
      const pair = line.split(';', 1)[0] ?? ''
      if (pair.startsWith('counterproof-openid=')) this.login = pair.endsWith('=') ? null : pair
      else if (pair.startsWith('counterproof-device=')) this.deviceCookie = pair
      else this.cookie = pair
    }
    return answer
  }

  async walk(account: string, purpose = 'SIGN_IN', decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
    const location = (await this.open(`sign-in?purpose=${purpose}`)).headers.get('location') ?? ''
    return walkLogin(location, { account, decision })
  }

  /** The provider's page sends the browser back, so the request comes from another site. */
  async finish(callback: URL): Promise<string> {
    const answer = await this.open(`callback${callback.search}`, { 'sec-fetch-site': 'cross-site' })
    return answer.headers.get('location') ?? `status ${answer.status}`
  }

  async provide(account: string, purpose = 'SIGN_IN'): Promise<string> {
    return this.finish(await this.walk(account, purpose))
  }
}

const browser = () => new ProviderBrowser(counter.origin)
const list = async (administrator: CounterBrowser): Promise<readonly StaffView[]> =>
  (await administrator.call<StaffList>('GET', 'staff')).body.staff

describe('an officer whom the provider knows', () => {
  test('signs in with the roles of the claims, and is named in the audit log like an officer with a local account', async () => {
    const olga = browser()
    expect(await olga.session()).toMatchObject({ state: 'SIGNED_OUT', hasProvider: true })
    expect(await olga.provide('olga')).toBe('../../')
    const view = (await olga.session()) as AtWork
    expect(view).toMatchObject({
      state: 'SIGNED_IN',
      name: 'Olga Example',
      roles: ['officer'],
      methods: ['OPENID'],
      lastSignInAt: null,
    })
    const adam = browser()
    await adam.provide('adam')
    expect(await adam.session()).toMatchObject({ state: 'ROLES', roles: ['auditor', 'administrator'] })
    await adam.session('roles', { roles: ['auditor'] })
    const { body } = await adam.call<AuditPage>('GET', 'audit')
    expect(JSON.stringify(body)).toContain('Olga Example')
    expect(JSON.stringify(body)).toContain(view.staffId)
    expect(JSON.stringify(body)).toContain('OPENID')
    await olga.call('DELETE', 'session')
    await olga.provide('olga')
    expect(await olga.session()).toMatchObject({
      staffId: view.staffId,
      lastSignInAt: expect.any(String) as string,
    })
  })

  test('loses the session when the provider takes the roles away, and at its limit in any case', async () => {
    const olga = browser()
    await olga.provide('olga')
    accounts.olga = { name: 'Olga Example', groups: ['canteen'] }
    expect((await olga.session()).state).toBe('SIGNED_IN')
    const elsewhere = browser()
    expect(await elsewhere.provide('olga')).toBe('../../#/signed-out/no-role')
    expect(await olga.session()).toMatchObject({ state: 'SIGNED_OUT', why: 'ACCOUNT_CHANGED' })
    accounts.olga = structuredClone(ACCOUNTS.olga)
    await olga.provide('olga')
    counter.tick(11 * 60 * MINUTE_MS)
    expect(await olga.session()).toMatchObject({ state: 'SIGNED_OUT', why: 'EXPIRED' })
  })

  test('unlocks the screen and confirms at the provider, as the same person only', async () => {
    const olga = browser()
    await olga.provide('olga')
    counter.tick(6 * MINUTE_MS)
    expect(await olga.session()).toMatchObject({ state: 'SIGNED_IN', freshUntil: null })
    expect(await olga.provide('adam', 'FRESH')).toBe('../../#/provider/stale')
    expect(await olga.session()).toMatchObject({ freshUntil: null })
    expect(await olga.provide('olga', 'FRESH')).toBe('../../#/provider/done')
    expect(await olga.session()).toMatchObject({ freshUntil: expect.any(String) as string })
    await olga.session('lock')
    expect(await olga.session()).toMatchObject({ state: 'LOCKED', methods: ['OPENID'] })
    const before = olga.cookie
    expect(await olga.provide('adam', 'UNLOCK')).toBe('../../#/provider/stale')
    expect((await olga.session()).state).toBe('LOCKED')
    expect(await olga.provide('olga', 'UNLOCK')).toBe('../../#/provider/done')
    expect((await olga.session()).state).toBe('SIGNED_IN')
    expect(olga.cookie).not.toBe(before)
  })

  test('has no credential of this machine, which would outlive the account at the provider', async () => {
    const olga = browser()
    await olga.provide('olga')
    expect((await olga.call<OwnAccount>('GET', 'me')).body).toMatchObject({
      isProvided: true,
      hasPassword: false,
    })
    for (const path of ['me/password', 'me/totp', 'me/passkeys/options', 'me/recovery-codes']) {
      expect([path, (await olga.call('POST', path, { password: 'four quiet lanterns' })).status]).toEqual([
        path,
        403,
      ])
    }
  })

  test('whose account was disabled here does not come in, and local administrators leave the roles to the provider', async () => {
    const administrator = await counter.signedIn('administrator')
    const olga = browser()
    await olga.provide('olga')
    const account = (await list(administrator)).find(({ name }) => name === 'Olga Example')
    expect(account).toMatchObject({ factors: ['OPENID'], state: 'ACTIVE' })
    const path = `staff/${account?.staffId ?? ''}`
    for (const [method, act, body] of [
      ['PUT', 'roles', { roles: ['administrator'] }],
      ['POST', 'reset', {}],
    ] as const) {
      const refused = await administrator.call<{ errors: { code: string }[] }>(method, `${path}/${act}`, body)
      expect([refused.status, refused.body.errors[0]?.code]).toEqual([403, 'PROVIDED'])
    }
    await administrator.call('POST', `${path}/disable`, {})
    expect((await olga.session()).state).toBe('SIGNED_OUT')
    expect(await olga.provide('olga')).toBe('../../#/signed-out/no-role')
    await administrator.call('POST', `${path}/enable`, {})
    expect(await olga.provide('olga')).toBe('../../')
  })

  test('does not count as the last administrator: without a network only local accounts sign in', async () => {
    const administrators = (await list(await counter.signedIn('administrator'))).filter(
      ({ roles, factors }) => roles.includes('administrator') && !factors.includes('OPENID'),
    )
    const adam = browser()
    await adam.provide('adam')
    await adam.session('roles', { roles: ['administrator'] })
    const answers = []
    for (const { staffId } of administrators) {
      answers.push((await adam.call('POST', `staff/${staffId}/disable`, {})).status)
    }
    expect(answers.pop()).toBe(403)
    expect(answers.every((status) => status === 200)).toBe(true)
    for (const { staffId } of administrators) await adam.call('POST', `staff/${staffId}/enable`, {})
  })
})

describe('a sign-in at the provider', () => {
  test('of a person without a role makes no account, and the log records the refusal', async () => {
    const sam = browser()
    expect(await sam.provide('sam')).toBe('../../#/signed-out/no-role')
    expect((await sam.session()).state).toBe('SIGNED_OUT')
    expect((await list(await counter.signedIn('administrator'))).map(({ name }) => name)).not.toContain(
      'Sam Example',
    )
    const event = counter.app.appliance.store.events
      .after(0, 10_000)
      .findLast(({ type }) => type === 'staff.sign_in_refused')
    expect(event?.body).toMatchObject({ staffId: null, factor: 'OPENID' })
  })

  test.each<[string, (url: URL) => void, string]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'x'), 'not-authenticated'],
    ['a made-up code', ({ searchParams }) => searchParams.set('code', 'x'), 'not-authenticated'],
  ])('with %s is refused', async (_, change, end) => {
    const olga = browser()
    const callback = await olga.walk('olga')
    change(callback)
    expect(await olga.finish(callback)).toBe(`../../#/signed-out/${end}`)
  })

  test('that began in another browser, was answered before, or was cancelled is refused', async () => {
    const attacker = browser()
    const callback = await attacker.walk('adam')
    expect(await browser().finish(callback)).toBe('../../#/signed-out/stale')
    const login = attacker.login
    await attacker.finish(callback)
    attacker.login = login
    expect(await attacker.finish(callback)).toBe('../../#/signed-out/not-authenticated')
    const olga = browser()
    expect(await olga.finish(await olga.walk('olga', 'SIGN_IN', 'deny'))).toBe('../../#/signed-out/denied')
  })

  test('demands a new log-in at the provider, because colleagues share the browser', async () => {
    const asked = new URL((await browser().open('sign-in')).headers.get('location') ?? '').searchParams
    expect(asked.get('prompt')).toBe('login')
    const olga = browser()
    await olga.provide('olga')
    const again = new URL((await olga.open('sign-in?purpose=FRESH')).headers.get('location') ?? '')
      .searchParams
    expect(again.get('max_age')).toBe('60')
  })

  test('cannot be begun by another site, nor for a session that is not there', async () => {
    const other = await browser().open('sign-in', { 'sec-fetch-site': 'cross-site' })
    expect(other.status).toBe(403)
    expect((await browser().open('sign-in?purpose=UNLOCK')).status).toBe(401)
    const local = await counter.signedIn('officer')
    const person = browser()
    person.cookie = local.cookie
    expect((await person.open('sign-in?purpose=FRESH')).status).toBe(403)
  })

  test('is not needed: while the provider does not answer, local accounts sign in', async () => {
    await idp.goDown()
    const olga = browser()
    // The metadata are known for an hour.
    counter.tick(61 * MINUTE_MS)
    expect((await olga.open('sign-in')).headers.get('location')).toBe('../../#/signed-out/unavailable')
    expect((await (await counter.signedIn('officer')).session()).state).toBe('SIGNED_IN')
    await idp.comeBack()
    expect(await olga.provide('olga')).toBe('../../')
  })
})

test('no token, code, state or claim is in the log of the appliance', async () => {
  const olga = browser()
  const callback = await olga.walk('olga')
  await olga.finish(callback)
  await olga.finish(callback)
  const secrets = ['code', 'state'].map((name) => callback.searchParams.get(name) ?? '')
  const text = counter.app.log()
  expect(text).toContain('a sign-in of staff failed')
  for (const secret of [...secrets, 'Olga Example', 'canteen', SECRET, olga.cookie?.split('=')[1] ?? '-']) {
    expect(text).not.toContain(secret)
  }
})

test('the provider is configured as the README shows', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../../server/counter/README.md'), 'utf8')
  const [, example = ''] = /```json\n(\{\n {2}"counter"[^`]+)```/.exec(readme) ?? []
  const { counter: parsed } = checkConfig(JSON.parse(example), tmpdir(), 'config.json')
  expect(parsed.oidc).toMatchObject({ nameClaim: 'name', scope: 'openid profile', timeoutMs: 10_000 })
  expect(parsed.oidc?.roles.map(({ role }) => role)).toEqual([
    'officer',
    'supervisor',
    'auditor',
    'administrator',
  ])
})
