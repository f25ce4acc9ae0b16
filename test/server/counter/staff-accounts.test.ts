/** Management of accounts and keys, its log entries, and the auditor's reading and export. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyExport } from '../../../server/audit/export.ts'
import { backUpData, backUpKeys } from '../../../server/backup/create.ts'
import { restoreBackup } from '../../../server/backup/restore.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import type { AuditPage, ChainState } from '../../../server/counter/contract/audit.ts'
import type { KeyList, KeysShownOnce } from '../../../server/counter/contract/keys.ts'
import type { Invited, StaffList, StaffView, TotpOffer } from '../../../server/counter/contract/staff.ts'
import { openStore } from '../../../server/store/open.ts'
import { filesIn, findIn, formsOf } from '../../support/byte-scan.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'

const HOUR_MS = 3_600_000

let counter: CounterApp
let administrator: CounterBrowser
beforeAll(async () => {
  counter = await startCounterApp()
  administrator = await counter.signedIn('administrator')
})
afterAll(() => counter.close())

const list = async (): Promise<readonly StaffView[]> =>
  (await administrator.call<StaffList>('GET', 'staff')).body.staff
const own = async (): Promise<string> => (await list()).find(({ you }) => you)?.staffId ?? ''
const invite = async (login: string, roles: readonly string[], name = 'Bo Example'): Promise<Invited> => {
  const { status, body } = await administrator.call<Invited>('POST', 'staff', { login, name, roles })
  expect(status).toBe(201)
  return body
}

describe('an administrator', () => {
  test('invites a colleague, who sets the account up with the code', async () => {
    const { staff, setUpCode } = await invite('bo', ['officer'])
    expect(staff).toMatchObject({
      login: 'bo',
      name: 'Bo Example',
      state: 'INVITED',
      factors: [],
      you: false,
    })
    const bo = counter.browser()
    expect(await bo.setUpPasskey('bo', setUpCode)).toMatchObject({ state: 'SIGNED_IN', name: 'Bo Example' })
    expect((await list()).find(({ login }) => login === 'bo')).toMatchObject({
      state: 'ACTIVE',
      factors: ['PASSKEY'],
    })
  })

  test('disables a colleague, whose session ends at once', async () => {
    const colleague = await counter.signedIn('officer')
    const { staffId } = (await colleague.session()) as { staffId: string }
    expect((await administrator.call('POST', `staff/${staffId}/disable`, {})).status).toBe(200)
    expect(await colleague.session()).toMatchObject({ state: 'SIGNED_OUT', why: 'ACCOUNT_CHANGED' })
    expect(await colleague.usePasskey()).toMatchObject({ state: 'SIGNED_OUT', refusal: { code: 'WRONG' } })
    await administrator.call('POST', `staff/${staffId}/enable`, {})
    expect(await colleague.usePasskey()).toMatchObject({ state: 'SIGNED_IN' })
  })

  test('resets a colleague, whose passkey is good for nothing from then on', async () => {
    const colleague = await counter.signedIn('officer')
    const { staffId, login } = (await colleague.session()) as { staffId: string; login: string }
    const { body } = await administrator.call<Invited>('POST', `staff/${staffId}/reset`, {})
    expect(body.staff).toMatchObject({ state: 'INVITED', factors: [] })
    expect((await colleague.session()).state).toBe('SIGNED_OUT')
    expect(await colleague.usePasskey()).toMatchObject({ refusal: { code: 'WRONG' } })
    expect(await counter.browser().setUpPasskey(login, body.setUpCode)).toMatchObject({ state: 'SIGNED_IN' })
  })

  test('cannot give a role to their own account, nor disable, reset or demote it', async () => {
    const id = await own()
    const attempts: readonly [string, string, object, string][] = [
      ['PUT', `staff/${id}/roles`, { roles: ['administrator', 'officer'] }, 'OWN_ESCALATION'],
      ['PUT', `staff/${id}/roles`, { roles: ['officer'] }, 'OWN_ESCALATION'],
      ['POST', `staff/${id}/disable`, {}, 'OWN_ACCOUNT'],
      ['POST', `staff/${id}/reset`, {}, 'OWN_ACCOUNT'],
    ]
    for (const [method, path, payload, code] of attempts) {
      expect(await administrator.call(method, path, payload)).toMatchObject({
        status: 403,
        body: { errors: [{ code }] },
      })
    }
  })

  test('changes the roles of others, from their next request on', async () => {
    const colleague = await counter.signedIn('officer')
    const { staffId } = (await colleague.session()) as { staffId: string }
    const { body } = await administrator.call<StaffView>('PUT', `staff/${staffId}/roles`, {
      roles: ['auditor', 'officer'],
    })
    expect(body.roles).toEqual(['officer', 'auditor'])
    // Roles that were not chosen at the sign-in are not granted.
    expect(await colleague.session()).toMatchObject({ state: 'SIGNED_IN', roles: ['officer'] })
  })

  test('needs a fresh factor for each of these', async () => {
    counter.tick(5 * 60_000)
    expect(await administrator.call('POST', 'staff', {})).toMatchObject({
      status: 403,
      body: { type: 'urn:counterproof:problem:fresh_factor_needed' },
    })
    expect((await administrator.call('GET', 'staff')).status).toBe(200)
    await administrator.usePasskey()
    expect((await administrator.call('POST', 'staff', {})).status).toBe(400)
  })

  test('finds no second account of a login name', async () => {
    await invite('twice', ['officer'])
    const payload = { login: 'twice', name: 'Other', roles: ['officer'] }
    expect(await administrator.call('POST', 'staff', payload)).toMatchObject({
      status: 403,
      body: { errors: [{ code: 'LOGIN_TAKEN' }] },
    })
  })

  test.each([
    { login: 'A B', name: 'x', roles: ['officer'] },
    { login: 'ok-name', name: '', roles: ['officer'] },
    { login: 'ok-name', name: 'x', roles: [] },
    { login: 'ok-name', name: 'x', roles: ['root'] },
    { login: 'ok-name', name: 'x', roles: ['officer', 'officer'] },
    { login: 'ok-name', name: 'x\u202e', roles: ['officer'] },
    { login: 'ok-name', name: 'x', roles: ['officer'], enabled: true },
  ])('is refused what is no account: %j', async (payload) => {
    expect((await administrator.call('POST', 'staff', payload)).status).toBe(400)
  })
})

describe('keys of applications', () => {
  let supervisor: CounterBrowser
  beforeAll(async () => {
    supervisor = await counter.signedIn('supervisor')
  })

  /** Asked for by the administrator, confirmed by the supervisor, made. */
  const make = async (payload: object, path = 'keys'): Promise<KeysShownOnce> => {
    const asked = await administrator.call<KeyList>('POST', path, payload)
    expect(asked.status).toBe(202)
    const { requestId = '' } = asked.body.requests.at(-1) ?? {}
    expect((await supervisor.call('POST', `keys/requests/${requestId}/confirm`, {})).status).toBe(200)
    const made = await administrator.call<KeysShownOnce>('POST', `keys/requests/${requestId}/make`, {})
    expect(made.status).toBe(201)
    return made.body
  }

  test('are shown once, open the API, and end when they are revoked', async () => {
    const { relyingServiceKey: key } = await make({ application: 'Harbour Bank' })
    expect((await counter.app.call('GET', '/v1/status', { key })).status).not.toBe(403)
    const { body: shown } = await administrator.call<KeyList>('GET', 'keys')
    expect(JSON.stringify(shown)).not.toContain(key)
    const [first] = shown.applications.find(({ application }) => application === 'Harbour Bank')?.keys ?? []
    expect(first).toMatchObject({ role: 'RELYING_SERVICE', state: 'VALID', expiresAt: null })
    expect((await administrator.call('DELETE', `keys/${first?.keyId ?? ''}`)).status).toBe(200)
    expect((await counter.app.call('POST', '/v1/identities', { key, payload: [] })).status).toBe(403)
    expect((await administrator.call('DELETE', `keys/${first?.keyId ?? ''}`)).status).toBe(404)
  })

  test('are rotated: the former ones continue until the overlap is over', async () => {
    const payload = { application: 'Rotating Bank' }
    const before = await make(payload)
    const after = await make({ ...payload, overlapHours: 2 }, 'keys/rotate')
    const { apiKeys } = counter.app.appliance.store
    const isGood = (key: string, hours: number): boolean =>
      apiKeys.authenticate(key, new Date(counter.now().getTime() + hours * HOUR_MS)) !== null
    expect([isGood(before.relyingServiceKey, 1), isGood(before.relyingServiceKey, 2)]).toEqual([true, false])
    expect([isGood(after.relyingServiceKey, 3), isGood(after.userAgentKey, 3)]).toEqual([true, true])
    const answer = await administrator.call('POST', 'keys/rotate', { application: 'Nobody' })
    expect(answer.status).toBe(404)
  })
})

describe('an auditor', () => {
  let auditor: CounterBrowser
  beforeAll(async () => {
    auditor = await counter.signedIn('auditor')
  })

  test('reads who did what, by name, newest first and page by page', async () => {
    const { body: first } = await auditor.call<AuditPage>('GET', 'audit?limit=3')
    expect(first.rows).toHaveLength(3)
    expect(first.rows[0]).toMatchObject({
      type: 'staff.signed_in',
      actor: { kind: 'STAFF', name: 'Ada Example' },
      from: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) as unknown,
    })
    const { body: second } = await auditor.call<AuditPage>('GET', `audit?limit=3&before=${first.next ?? 0}`)
    const numbers = [...first.rows, ...second.rows].map(({ seq }) => seq)
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a))
    expect(new Set(numbers).size).toBe(6)
  })

  test('filters by kind, by who and by time', async () => {
    const { body } = await auditor.call<AuditPage>('GET', 'audit?type=apikey.&limit=200')
    expect(new Set(body.rows.map(({ type }) => type))).toEqual(
      new Set(['apikey.asked', 'apikey.created', 'apikey.limited', 'apikey.revoked']),
    )
    const id = body.rows[0]?.actor.id ?? ''
    const { body: byOne } = await auditor.call<AuditPage>('GET', `audit?actor=${id}&limit=200`)
    expect(byOne.rows.length).toBeGreaterThan(3)
    expect(byOne.rows.every(({ actor }) => actor.id === id)).toBe(true)
    const later = new Date(counter.now().getTime() + HOUR_MS).toISOString()
    const { body: none } = await auditor.call<AuditPage>('GET', `audit?since=${later}`)
    expect(none).toMatchObject({ rows: [], next: null })
    expect((await auditor.call<AuditPage>('GET', 'audit?reference=ZZZZ-ZZZZ')).body.rows).toEqual([])
    expect((await auditor.call('GET', 'audit?type=staff.&type=key.')).status).toBe(400)
    expect((await auditor.call('GET', "audit?type=x' OR 1=1")).status).toBe(400)
  })

  test('finds what happened to a person by the reference on the receipt', async () => {
    const { body } = await counter.app.json('POST', '/v1/identities', { payload: [] })
    const { id: identityId } = body as { id: string }
    const { visits } = counter.app.appliance.store
    visits.add({
      id: identityId,
      identityId,
      channel: 'KIOSK',
      journey: 'default/1',
      language: 'en',
      reference: '7K4P-2M9X',
      step: 'document',
      startedAt: counter.now(),
      endedAt: null,
      outcome: null,
      helpAskedAt: null,
      helpAnswer: null,
      takenOverBy: null,
    })
    for (const reference of ['7K4P-2M9X', '7k4p2m9x', identityId]) {
      const { body: page } = await auditor.call<AuditPage>('GET', `audit?reference=${reference}`)
      expect(page.rows.at(-1)).toMatchObject({
        type: 'identity.created',
        actor: { kind: 'APPLICATION', name: 'test' },
        reference: '7K4P-2M9X',
        identityId,
      })
    }
  })

  test('sees whether the chain is whole, and makes a checkpoint', async () => {
    const { body } = await auditor.call<ChainState>('GET', 'audit/chain')
    expect(body).toMatchObject({ state: 'WHOLE', findings: [], setBack: false })
    expect(body.checked).toBe(body.total)
    const { body: after } = await auditor.call<ChainState>('POST', 'audit/checkpoint', {})
    expect(after.checkpoints[0]?.seq).toBeGreaterThanOrEqual(body.total)
  })

  test('exports the signed log, and the log records the export', async () => {
    const answer = await auditor.fetch('POST', 'audit/export', {})
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename=audit-1-\d+\.jsonl$/)
    const folder = mkdtempSync(join(tmpdir(), 'audit-'))
    try {
      writeFileSync(join(folder, 'audit.jsonl'), await answer.text())
      const { body: jwks } = await counter.app.json('GET', '/.well-known/jwks.json')
      expect(await verifyExport(join(folder, 'audit.jsonl'), { jwks })).toMatchObject({ valid: true })
    } finally {
      rmSync(folder, { recursive: true })
    }
    const { body } = await auditor.call<AuditPage>('GET', 'audit?type=audit.exported')
    expect(body.rows[0]).toMatchObject({ actor: { kind: 'STAFF' } })
    expect(counter.app.appliance.store.auditEvents()).toEqual([])
  })
})

test('names, login names and codes lie nowhere in the data folder as they are read', async () => {
  const { setUpCode } = await invite('wendelgard', ['officer'], 'Wendelgard Quastenflosser')
  const person = counter.browser()
  await person.session('set-up', { login: 'wendelgard', code: setUpCode })
  await person.call('POST', 'me/password', { password: 'seven brass lanterns hum' })
  const { body } = await person.call<TotpOffer>('POST', 'me/totp', {})
  const wanted = {
    name: formsOf('Quastenflosser'),
    login: formsOf('wendelgard'),
    code: formsOf(setUpCode),
    password: formsOf('seven brass lanterns'),
    totp: formsOf(body.secret),
  }
  // The search itself finds what lies there.
  expect(findIn([['a file', Buffer.from('of Wendelgard Quastenflosser')]], wanted)).toEqual(['a file: name'])
  expect(findIn(filesIn(counter.app.dataDir), wanted)).toEqual([])
  expect(findIn([['the log', Buffer.from(counter.app.log())]], wanted)).toEqual([])
})

test('a restored backup holds the staff, sealed as it was', async () => {
  const { store } = counter.app.appliance
  const config = loadConfig({ dataDir: counter.app.dataDir })
  const folder = mkdtempSync(join(tmpdir(), 'backup-'))
  try {
    const kek = loadKek(config)
    const source = { store, dataDir: config.dataDir, kek }
    const data = await backUpData(source, folder, counter.now())
    const keys = await backUpKeys(source, folder, counter.now())
    const target = join(folder, 'restored')
    await restoreBackup({ backup: data.path, keys: keys.path, dataDir: target, kek }, counter.now())
    const restored = openStore(target, kek)
    try {
      expect(restored.staff.list()).toEqual(store.staff.list())
      expect(restored.staff.list().length).toBeGreaterThan(3)
    } finally {
      restored.close()
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
