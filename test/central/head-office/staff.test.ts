/** Staff of the fleet page sign in at an OpenID provider: a real one, over sockets. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runAction } from '../../../server/central/admin/actions.ts'
import { SYSTEM } from '../../../server/central/db/db.ts'
import type { Access } from '../../../server/central/head-office/contract.ts'
import { ROUTE_LIST } from '../../../server/central/head-office/routes.ts'
import type { AccessRow } from '../../../server/central/head-office/access-log.ts'
import { pgbouncerReason, startPgbouncer } from '../../support/pgbouncer.ts'
import { startIdentityProvider, walkLogin } from '../../../server/tools/simulator/oidc.ts'
import { onPostgres } from './databases.ts'
import { addAlarm, addKey, addKiosk, addTenant, collectLog, startOffice } from './support.ts'
import { SECRET, StaffBrowser, startStaffBench, type Accounts, type StaffBench } from './staff-bench.ts'

const MINUTE_MS = 60_000

const ACCOUNTS: Accounts = {
  viewer: { name: 'Vera Example', groups: ['fleet-readers', 'canteen'] },
  operator: { name: 'Otto Example', groups: ['fleet-operators'] },
  admin: { name: 'Ada Example', groups: ['it-admins'] },
  auditor: { name: 'Audrey Example', groups: ['auditors'] },
  stranger: { name: 'Sam Example', groups: ['canteen'] },
}
const ROLES: StaffBench['oidc']['roles'] = [
  { value: 'fleet-readers', role: 'viewer', tenants: ['a'] },
  { value: 'fleet-operators', role: 'operator', tenants: ['a', 'b'] },
  { value: 'it-admins', role: 'administrator', tenants: 'all' },
  { value: 'auditors', role: 'auditor', tenants: 'all' },
]

let bench: StaffBench
let logged: ReturnType<typeof collectLog>
let now: number
let kioskOfA: string
let alarmOfA: string
const browser = () => new StaffBrowser(bench.oidc.address)
const signedIn = async (account: string) => {
  const person = browser()
  expect(await person.signIn(account)).toBe('../fleet/')
  return person
}
const listLog = async () => {
  now += 2 * MINUTE_MS
  return ((await runAction(bench.office.context, 'listAccess', {})) as { rows: readonly AccessRow[] }).rows
}

beforeAll(async () => {
  logged = collectLog()
  now = Date.now()
  bench = await startStaffBench(structuredClone(ACCOUNTS), ROLES, {
    log: logged.log,
    clock: { now: () => new Date(now) },
    options: { openCallsPerMinute: 10_000 },
  })
  expect(logged.text()).toMatch(/"tenants":\["a","b"\].*roles of staff name tenants that do not exist/)
  for (const tenant of ['a', 'b', 'c']) await addTenant(bench.office, tenant)
  kioskOfA = await addKiosk(bench.office, 'a', { name: 'Kiosk of a' })
  alarmOfA = await addAlarm(bench.office, 'a', kioskOfA)
})
beforeEach(() => {
  Object.assign(bench.accounts, structuredClone(ACCOUNTS))
})
afterAll(() => bench.stop())

describe('a sign-in', () => {
  test('leads to a session that names the person, and the tenants and scopes of the roles', async () => {
    const vera = await signedIn('viewer')
    expect(await vera.session()).toEqual({
      hasProvider: true,
      person: {
        name: 'Vera Example',
        endsAt: new Date(now + 480 * MINUTE_MS).toISOString(),
        tenants: [{ tenantId: 'a', scopes: ['fleet:read'] }],
      },
    })
    const ada = await signedIn('admin')
    expect((await ada.session()).person?.tenants.map(({ tenantId }) => tenantId)).toEqual(['a', 'b', 'c'])
    expect((await vera.call('GET', '/kiosks', 'a')).body.kiosks[0]?.name).toBe('Kiosk of a')
  })

  test('is open while wrong keys are refused for its address, and a browser beyond its own limit gets a page in words', async () => {
    const busy = await startStaffBench(ACCOUNTS, ROLES, { options: { openCallsPerMinute: 4 } })
    const keys: number[] = []
    for (let count = 0; count < 6; count++)
      keys.push((await busy.office.call('old', 'GET', '/kiosks')).status)
    expect(keys).toEqual([401, 401, 401, 401, 429, 429])
    const page = new StaffBrowser(busy.oidc.address)
    const headers = { accept: 'text/html,*/*;q=0.8' }
    const answers: Response[] = []
    for (let count = 0; count < 5; count++) answers.push(await page.fetch('/staff/sign-in', { headers }))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 429])
    const refused = answers[4]
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(await refused.text()).toContain('Too many calls or sign-ins came from your network address.')
    expect((await page.fetch('/staff/sign-in')).headers.get('content-type')).toContain('problem+json')
    await busy.stop()
  })

  test('sets cookies that no script reads and no other site sends, and takes back the one of the login', async () => {
    const vera = await signedIn('viewer')
    expect(
      vera.set.map((line) => line.replaceAll(/=[\w-]{20,}/g, '=…').replaceAll(/Expires=[^;]+/g, 'Expires=…')),
    ).toEqual([
      'counterproof-login=…; Max-Age=600; Path=/; Expires=…; HttpOnly; SameSite=Lax',
      'counterproof-login=; Path=/; Expires=…; HttpOnly',
      'counterproof-staff=…; Path=/; Expires=…; HttpOnly; SameSite=Strict',
    ])
  })

  test('over TLS uses cookies that a browser accepts from this host alone', async () => {
    const address = 'https://central.example/service'
    const oidc = { ...bench.oidc, address }
    const office = await startOffice({ config: { staff: { oidc } } })
    const answer = await fetch(`${office.url}/staff/sign-in`, { redirect: 'manual' })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-counterproof-login=[\w-]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    )
    const asked = new URL(answer.headers.get('location') ?? '').searchParams
    expect(asked.get('redirect_uri')).toBe('https://central.example/service/staff/callback')
    await office.stop()
  })

  test('asks with everything that binds its answer to this browser, and with no secret', async () => {
    const person = browser()
    const asked = new URL(await person.begin())
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'central',
      scope: 'openid profile',
      redirect_uri: `${bench.oidc.address}/staff/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    })
    const cookie = person.cookies.get('counterproof-login') ?? ''
    const sealed = Buffer.from(cookie, 'base64url').toString('latin1')
    for (const name of ['state', 'nonce']) expect(sealed).not.toContain(asked.searchParams.get(name))
  })

  test('leads back to the page if the provider stopped since the sign-in before', async () => {
    const clock = { now: () => new Date(now) }
    const stopped = await startStaffBench({}, ROLES, { clock })
    const begin = async () =>
      (await new StaffBrowser(stopped.oidc.address).fetch('/staff/sign-in')).headers.get('location')
    expect(await begin()).toContain(stopped.idp.issuer)
    await stopped.idp.goDown()
    now += MINUTE_MS
    expect(await begin()).toBe('../fleet/#unavailable')
    await stopped.office.stop()
  })

  test('with another account is asked for when the account in the browser has no role', async () => {
    const answer = await browser().fetch('/staff/sign-in?account=other')
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('prompt')).toBe('login')
  })

  test('of a person without a role is refused, and the access log names the person', async () => {
    const sam = browser()
    expect(await sam.signIn('stranger')).toBe('../fleet/#no-role')
    expect((await sam.session()).person).toBeNull()
    const last = (await listLog()).at(-1)
    expect(last).toMatchObject({
      person: 'stranger',
      personName: 'Sam Example',
      operation: 'signIn',
      result: 'no_role',
      tenantId: null,
    })
  })

  test('that the person refuses at the provider says so', async () => {
    const person = browser()
    expect(await person.finish(await person.walk('viewer', 'deny'))).toBe('../fleet/#denied')
  })

  test.each<[string, (callback: URL) => void, string]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'another'), 'not-authenticated'],
    ['a made-up code', ({ searchParams }) => searchParams.set('code', 'made-up'), 'not-authenticated'],
    [
      'another issuer',
      ({ searchParams }) => searchParams.set('iss', 'https://else.example'),
      'not-authenticated',
    ],
    ['no code', ({ searchParams }) => searchParams.delete('code'), 'not-authenticated'],
    ['a repeated name', ({ searchParams }) => searchParams.append('code', 'second'), 'stale'],
  ])('with %s is refused', async (_, change, end) => {
    const person = browser()
    const callback = await person.walk('viewer')
    change(callback)
    expect(await person.finish(callback)).toBe(`../fleet/#${end}`)
    expect((await person.session()).person).toBeNull()
  })

  test('whose answer comes in another browser, or after ten minutes, is refused (login CSRF)', async () => {
    const attacker = browser()
    const callback = await attacker.walk('operator')
    expect(await browser().finish(callback)).toBe('../fleet/#stale')
    const victim = browser()
    await victim.begin()
    expect(await victim.finish(callback)).toBe('../fleet/#not-authenticated')
    const late = await attacker.walk('operator')
    now += 11 * MINUTE_MS
    expect(await attacker.finish(late)).toBe('../fleet/#stale')
  })

  test('cannot be repeated: the code is valid once', async () => {
    const person = browser()
    const callback = await person.walk('viewer')
    const cookie = person.cookies.get('counterproof-login') ?? ''
    expect(await person.finish(callback)).toBe('../fleet/')
    const thief = browser()
    thief.cookies.set('counterproof-login', cookie)
    expect(await thief.finish(callback)).toBe('../fleet/#not-authenticated')
  })

  test('with an ID token for another client, with another nonce, or of other keys, is refused', async () => {
    const other = await startIdentityProvider({
      clients: { central: SECRET, other: SECRET },
      account: ACCOUNTS.viewer,
    })
    const oidc = { ...bench.oidc, issuer: other.issuer }
    other.serve(`${oidc.address}/staff/callback`)
    const office = await startOffice({ config: { staff: { oidc } } })
    const person = new StaffBrowser(office.url)
    // A token for another client is not for us; a token with another nonce was made for another login.
    for (const [name, value] of [
      ['client_id', 'other'],
      ['nonce', 'of-another-login'],
    ] as const) {
      const asked = new URL(await person.begin())
      asked.searchParams.set(name, value)
      expect(await person.finish(await walkLogin(asked.href))).toBe('../fleet/#not-authenticated')
    }
    const callback = await walkLogin(await person.begin())
    other.publishOtherKeys()
    expect(await person.finish(callback)).toBe('../fleet/#not-authenticated')
    await office.stop()
    await other.goDown()
  })

  test('without a provider that answers says so, and works again when it does', async () => {
    await bench.idp.goDown()
    const person = browser()
    const fresh = await startOffice({ config: { staff: { oidc: bench.oidc } } })
    const answer = await fetch(`${fresh.url}/staff/sign-in`, { redirect: 'manual' })
    expect(answer.headers.get('location')).toBe('../fleet/#unavailable')
    await bench.idp.comeBack()
    const again = await fetch(`${fresh.url}/staff/sign-in`, { redirect: 'manual' })
    expect(again.headers.get('location')).toContain(bench.idp.issuer)
    await fresh.stop()
    expect(await person.signIn('viewer')).toBe('../fleet/')
  })

  test('leads nowhere but to the fleet page, whatever the address says', async () => {
    const person = browser()
    const callback = await person.walk('viewer')
    for (const name of ['next', 'returnTo', 'redirect_uri'])
      callback.searchParams.set(name, 'https://evil.example/')
    expect(await person.finish(callback)).toBe('../fleet/')
  })
})

describe('a person', () => {
  test('may do what the roles allow, in the tenants of the roles, and nothing of systems', async () => {
    const [vera, otto] = [await signedIn('viewer'), await signedIn('operator')]
    const acknowledge = `/alarms/${alarmOfA}/acknowledgement`
    expect((await vera.call('POST', acknowledge, 'a')).status).toBe(403)
    expect((await vera.call('GET', '/kiosks', 'b')).status).toBe(403)
    expect((await vera.call('GET', '/kiosks', 'nowhere')).status).toBe(403)
    expect((await vera.call('GET', '/kiosks', '')).status).toBe(403)
    // The role is for b, and the alarm is of a.
    expect((await otto.call('POST', acknowledge, 'b')).status).toBe(404)
    expect((await otto.call('POST', acknowledge, 'a')).status).toBe(200)
    const [row] = await bench.office.context.db.query(
      SYSTEM,
      'SELECT acknowledged_by FROM alarms WHERE id = $1',
      [alarmOfA],
    )
    expect(row).toEqual({ acknowledged_by: 'person:operator' })
    const ada = await signedIn('admin')
    for (const [operation, route] of ROUTE_LIST) {
      if ('people' in route) continue
      const path = route.path.replaceAll(/\{\w+\}/g, kioskOfA)
      const { status } = await ada.call(route.method.toUpperCase(), path, 'a', {
        body: route.method === 'get' ? undefined : {},
      })
      expect([operation, status]).toEqual([operation, 403])
    }
  })

  test('who names no tenant is told that the header is missing', async () => {
    const answer = await (await signedIn('viewer')).fetch('/head-office/v1/kiosks')
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      errors: [{ field: 'x-counterproof-tenant', code: 'missing' }],
    })
  })

  test('is in the access log with name, route, tenant and result; a repeated read once per session', async () => {
    const before = (await listLog()).length
    const vera = await signedIn('viewer')
    for (let time = 0; time < 3; time++) await vera.call('GET', '/kiosks', 'a')
    await vera.call('GET', `/kiosks/${kioskOfA}`, 'a')
    await vera.call('POST', `/kiosks/${kioskOfA}/revocation`, 'a', { body: { reason: 'stolen' } })
    await vera.call('GET', '/alarms', 'b')
    await vera.signOut()
    const rows = (await listLog()).slice(before)
    expect(
      rows.map(({ operation, tenantId, subject, result }) => [operation, tenantId, subject, result]),
    ).toEqual([
      ['signIn', null, null, 'OK'],
      ['listKiosks', 'a', null, 'OK'],
      ['getKiosk', 'a', kioskOfA, 'OK'],
      ['revokeKiosk', 'a', kioskOfA, 'forbidden'],
      ['listAlarms', 'b', null, 'forbidden'],
      ['signOut', null, null, 'OK'],
    ])
    for (const row of rows)
      expect(row).toMatchObject({ person: 'viewer', personName: 'Vera Example', keyId: null })
  })

  test('with the role of an auditor reads the log of a tenant, between two times', async () => {
    const audrey = await signedIn('auditor')
    now += MINUTE_MS
    const from = new Date(now).toISOString()
    await (await signedIn('operator')).call('GET', '/alarms', 'a')
    const { body } = await audrey.call('GET', `/access?from=${from}`, 'a')
    expect(
      (body.accesses as readonly Access[]).map(({ operation, personName }) => [operation, personName]),
    ).toEqual([
      ['listAccess', 'Audrey Example'],
      ['listAlarms', 'Otto Example'],
    ])
    expect((await audrey.call('GET', `/access?to=${from}`, 'c')).body.accesses).toEqual([])
    for (let times = 0; times < 2; times++) {
      const table = await audrey.fetch(`/head-office/v1/access.csv?from=${from}`, {
        headers: { 'x-counterproof-tenant': 'a' },
      })
      expect(table.headers.get('content-disposition')).toContain('access-log.csv')
      // The head, two rows, and each export.
      expect((await table.text()).trim().split('\r\n')).toHaveLength(4 + times)
    }
    expect((await (await signedIn('operator')).call('GET', '/access', 'a')).status).toBe(403)
  })

  test('whose role is removed at the provider loses it at the next sign-in; in the configuration, at the next start', async () => {
    const otto = await signedIn('operator')
    bench.accounts.operator = { name: 'Otto Example', groups: ['fleet-readers'] }
    await otto.signIn('operator')
    expect((await otto.session()).person?.tenants).toEqual([{ tenantId: 'a', scopes: ['fleet:read'] }])
    const vera = await signedIn('viewer')
    // The table that a start with another configuration would have.
    const [row] = bench.oidc.roles.splice(0, 1)
    expect((await vera.call('GET', '/kiosks', 'a')).status).toBe(403)
    expect((await vera.session()).person?.tenants).toEqual([])
    bench.oidc.roles.unshift(row)
  })
})

describe('a session', () => {
  test('ends after its fixed time, and earlier without a touch of the person; the polls of the page do not count', async () => {
    const vera = await signedIn('viewer')
    const polls = async (minutes: number, headers: Record<string, string> = {}) => {
      now += minutes * MINUTE_MS
      return (await vera.call('GET', '/kiosks', 'a', { headers })).status
    }
    const touched = { 'x-counterproof-active': '1' }
    expect([await polls(20), await polls(9)]).toEqual([200, 200])
    expect(await polls(1)).toBe(401)
    await vera.signIn('viewer')
    for (let minute = 0; minute < 475; minute += 25) expect(await polls(25, touched)).toBe(200)
    expect(await polls(10, touched)).toBe(401)
    await bench.office.upkeep.run()
    const rows = await bench.office.context.db.query(
      SYSTEM,
      'SELECT 1 FROM staff_sessions WHERE ends_at <= $1',
      [new Date(now)],
    )
    expect(rows).toEqual([])
  })

  test('ends with the sign-out, which leads to the page of the provider', async () => {
    const vera = await signedIn('viewer')
    const token = vera.cookies.get('counterproof-staff') ?? ''
    const url = new URL((await vera.signOut()).url ?? '')
    expect(url.origin).toBe(bench.idp.issuer)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'central',
      post_logout_redirect_uri: `${bench.oidc.address}/fleet/`,
    })
    expect(vera.cookies.has('counterproof-staff')).toBe(false)
    vera.cookies.set('counterproof-staff', token)
    expect((await vera.call('GET', '/kiosks', 'a')).status).toBe(401)
  })

  test('changes nothing for a request without our Origin, or of another site', async () => {
    const ada = await signedIn('admin')
    const path = '/enrolment-codes'
    const body = { name: 'Kiosk' }
    for (const headers of [
      { origin: '' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      expect((await ada.call('POST', path, 'a', { body, headers })).status).toBe(403)
    }
    const bare = await ada.fetch(`/head-office/v1${path}`, {
      method: 'POST',
      headers: { 'x-counterproof-tenant': 'a', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(bare.status).toBe(403)
    expect((await ada.fetch('/staff/sign-out', { method: 'POST' })).status).toBe(403)
    expect((await ada.fetch('/staff/sign-in', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
      403,
    )
    expect((await ada.call('POST', path, 'a', { body })).status).toBe(201)
  })

  test('never stands in for a key that was sent and is wrong', async () => {
    const ada = await signedIn('admin')
    const answer = await ada.call('GET', '/kiosks', 'a', { headers: { authorization: 'Bearer cph_wrong' } })
    expect(answer.status).toBe(401)
  })

  test('is not visible to the role of a tenant, and its token is not in the database', async () => {
    const vera = await signedIn('viewer')
    const { db } = bench.office.context
    await expect(db.query({ tenant: 'a' }, 'SELECT 1 FROM staff_sessions')).rejects.toThrow(
      /permission denied/,
    )
    const rows = await db.query(SYSTEM, 'SELECT * FROM staff_sessions')
    expect(JSON.stringify(rows)).not.toContain(vera.cookies.get('counterproof-staff'))
    expect(JSON.stringify(rows)).not.toContain('canteen')
  })
})

test('no token, code, state or claim is in the log of the service', async () => {
  const vera = browser()
  const callback = await vera.walk('viewer')
  await vera.finish(callback)
  const failed = await vera.walk('stranger')
  await vera.finish(failed)
  await vera.finish(failed)
  const secrets = [
    ...['code', 'state'].flatMap((name) => [callback, failed].map((url) => url.searchParams.get(name) ?? '')),
    ...vera.cookies.values(),
    'Vera Example',
    'Sam Example',
    'canteen',
    SECRET,
  ]
  const text = logged.text()
  expect(text).toContain('a sign-in of staff failed')
  for (const secret of secrets) expect(text).not.toContain(secret)
})

test('without a provider in the configuration, the page is told that staff use a key', async () => {
  const office = await startOffice()
  await addTenant(office, 'a')
  expect(await (await fetch(`${office.url}/staff/session`)).json()).toEqual({
    hasProvider: false,
    person: null,
  })
  expect((await fetch(`${office.url}/staff/sign-in`)).status).toBe(404)
  const key = await addKey(office, 'a', ['fleet:read'])
  expect((await office.call(key, 'GET', '/kiosks')).status).toBe(200)
  await office.stop()
})

onPostgres('two instances behind a pgbouncer', (newDatabase) => {
  describe.skipIf(pgbouncerReason !== null)('with pools of transactions', () => {
    test('one begins a sign-in, the other one finishes it, and both know the session until one ends it', async () => {
      const pgbouncer = await startPgbouncer(newDatabase(), 3)
      const pair = await startStaffBench(structuredClone(ACCOUNTS), ROLES, { databaseUrl: pgbouncer.url })
      const other = await startOffice({
        databaseUrl: pgbouncer.url,
        dataDir: pair.office.dataDir,
        config: { staff: { oidc: pair.oidc } },
      })
      await addTenant(pair.office, 'a')
      const one = new StaffBrowser(pair.oidc.address)
      const two = new StaffBrowser(other.url)
      const callback = await one.walk('operator')
      for (const [name, value] of one.cookies) two.cookies.set(name, value)
      expect(await two.finish(callback)).toBe('../fleet/')
      for (const [name, value] of two.cookies) one.cookies.set(name, value)
      for (const person of [one, two]) expect((await person.call('GET', '/kiosks', 'a')).status).toBe(200)
      await one.signOut()
      expect((await two.call('GET', '/kiosks', 'a')).status).toBe(401)
      await other.close()
      await pair.stop()
      await pgbouncer.close()
    })
  })
})
