/** New API keys at the counter take two people, and no key is made, or good, for an application of the appliance itself. */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditPage } from '../../../server/counter/contract/audit.ts'
import type {
  KeyList,
  KeyRequestList,
  KeyRequestView,
  KeysShownOnce,
} from '../../../server/counter/contract/keys.ts'
import type { Invited } from '../../../server/counter/contract/staff.ts'
import { SHARING_TENANT } from '../../support/app.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'

let counter: CounterApp
let administrator: CounterBrowser
let supervisor: CounterBrowser
beforeAll(async () => {
  counter = await startCounterApp({
    config: {
      tenant: {
        ...SHARING_TENANT,
        adjudication: { service: { application: 'Second Look' } },
        sharing: [
          { application: 'head-office', of: ['kiosk', 'counter'], may: 'act' },
          { application: 'head-office', of: ['online'], may: 'read' },
        ],
      },
    },
  })
  administrator = await counter.signedIn('administrator')
  supervisor = await counter.signedIn('supervisor')
})
afterAll(() => counter.close())

const ask = async (payload: object, by = administrator): Promise<KeyRequestView> => {
  const { status, body } = await by.call<KeyList>('POST', 'keys', payload)
  expect(status).toBe(202)
  const [request] = body.requests.slice(-1)
  if (!request) throw new Error('nothing was asked for')
  return request
}
const act = (by: CounterBrowser, { requestId }: KeyRequestView, what: string) =>
  by.call<KeysShownOnce & KeyRequestList>('POST', `keys/requests/${requestId}/${what}`, {})
const refusal = async (answer: Promise<{ readonly status: number; readonly body: unknown }>) => {
  const { status, body } = await answer
  const { errors } = body as { errors?: readonly { readonly code: string }[] }
  return [status, errors?.[0]?.code]
}
const keysOf = (application: string) =>
  counter.app.appliance.store.apiKeys.list('default').filter((key) => key.application === application)
const staffIdOf = async (person: CounterBrowser) => ((await person.session()) as { staffId: string }).staffId

describe('a pair of keys that an administrator asks for', () => {
  test('is not made before a supervisor has confirmed it, and then once, for who asked', async () => {
    const request = await ask({ application: 'head-office', days: 30 })
    expect(request).toMatchObject({ kind: 'NEW', state: 'WAITING', own: true, confirmedBy: null })
    expect(await refusal(act(administrator, request, 'make'))).toEqual([403, 'NOT_CONFIRMED'])
    expect(keysOf('head-office')).toEqual([])

    const { body: waiting } = await supervisor.call<KeyRequestList>('GET', 'keys/requests')
    expect(waiting.requests.find(({ requestId }) => requestId === request.requestId)).toMatchObject({
      application: 'head-office',
      days: 30,
      askedBy: 'Ada Example',
      // The confirming officer sees what such a key may access.
      acts: ['kiosk', 'counter'],
      reads: ['online'],
      own: false,
    })
    expect((await act(supervisor, request, 'confirm')).status).toBe(200)
    const other = await counter.signedIn('administrator')
    expect(await refusal(act(other, request, 'make'))).toEqual([403, 'REQUEST_GONE'])
    const made = await act(administrator, request, 'make')
    expect(made.status).toBe(201)
    const key = made.body.relyingServiceKey
    expect((await counter.app.call('POST', '/v1/identities', { key, payload: [] })).status).toBe(200)
    expect(await refusal(act(administrator, request, 'make'))).toEqual([403, 'REQUEST_GONE'])
  })

  test('is in the log with both people, and the console names both', async () => {
    const request = await ask({ application: 'named' })
    await act(supervisor, request, 'confirm')
    await act(administrator, request, 'make')
    const { store } = counter.app.appliance
    const [asker, confirmer] = [await staffIdOf(administrator), await staffIdOf(supervisor)]
    const events = store.events.after(0, 100_000).filter(({ type }) => type.startsWith('apikey.'))
    expect(events.slice(-2)).toMatchObject([
      { type: 'apikey.asked', actor: `STAFF:${asker}`, body: { requestId: request.requestId, kind: 'NEW' } },
      { type: 'apikey.created', actor: `STAFF:${asker}`, body: { confirmedBy: confirmer } },
    ])
    const auditor = await counter.signedIn('auditor')
    const { body } = await auditor.call<AuditPage>('GET', 'audit?type=apikey.created&limit=1')
    expect(body.rows[0]).toMatchObject({
      actor: { kind: 'STAFF', id: asker },
      confirmedBy: { kind: 'STAFF', id: confirmer, name: 'Ada Example' },
    })
  })

  test('is never confirmed by the account that asked, in any role', async () => {
    const both = await counter.signedIn('administrator', 'supervisor')
    const request = await ask({ application: 'of-one-person' }, both)
    expect(await refusal(act(both, request, 'confirm'))).toEqual([403, 'OWN_REQUEST'])
    expect(await refusal(act(both, request, 'decline'))).toEqual([403, 'OWN_REQUEST'])
    expect(await refusal(act(both, request, 'make'))).toEqual([403, 'NOT_CONFIRMED'])
    expect(keysOf('of-one-person')).toEqual([])
  })

  test('is confirmed by no other role, and by a supervisor with a fresh factor alone', async () => {
    const request = await ask({ application: 'roles' })
    for (const role of ['officer', 'auditor', 'administrator'] as const) {
      expect((await act(await counter.signedIn(role), request, 'confirm')).status).toBe(403)
    }
    counter.tick(5 * 60_000 + 1)
    const { status, body } = await act(supervisor, request, 'confirm')
    expect([status, (body as { type?: string }).type]).toEqual([
      403,
      'urn:counterproof:problem:fresh_factor_needed',
    ])
    await supervisor.usePasskey()
    await administrator.usePasskey()
    expect((await act(supervisor, request, 'confirm')).status).toBe(200)
  })

  test('is not confirmed by an account that the requester, or the creator of the requester’s account, could have set up', async () => {
    const invent = async (maker: CounterBrowser, login: string, role: string): Promise<CounterBrowser> => {
      const given = { login, name: 'Ina Vented', roles: [role], language: 'en' }
      const { status, body } = await maker.call<Invited>('POST', 'staff', given)
      expect(status).toBe(201)
      const person = counter.browser()
      await person.setUpPasskey(login, body.setUpCode)
      return person
    }
    const invented = await invent(administrator, 'invented-supervisor', 'supervisor')
    const own = await ask({ application: 'by-one-hand' })
    expect(await refusal(act(invented, own, 'confirm'))).toEqual([403, 'NOT_INDEPENDENT'])
    expect(await refusal(act(administrator, own, 'make'))).toEqual([403, 'NOT_CONFIRMED'])

    const straw = await invent(administrator, 'invented-administrator', 'administrator')
    const asked = await ask({ application: 'by-one-hand' }, straw)
    expect(await refusal(act(invented, asked, 'confirm'))).toEqual([403, 'NOT_INDEPENDENT'])
    expect((await act(supervisor, asked, 'confirm')).status).toBe(200)

    const real = await counter.signedIn('supervisor')
    const staffId = await staffIdOf(real)
    const { body } = await administrator.call<Invited>('POST', `staff/${staffId}/reset`, {})
    const taken = counter.browser()
    await taken.setUpPasskey(body.staff.login, body.setUpCode)
    expect(await refusal(act(taken, own, 'confirm'))).toEqual([403, 'NOT_INDEPENDENT'])
    expect(keysOf('by-one-hand')).toEqual([])
  })

  test('is not made when the supervisor may confirm no more', async () => {
    const leaving = await counter.signedIn('supervisor')
    const request = await ask({ application: 'left' })
    expect((await act(leaving, request, 'confirm')).status).toBe(200)
    counter.app.appliance.store.staff.setEnabled(await staffIdOf(leaving), false)
    expect(await refusal(act(administrator, request, 'make'))).toEqual([403, 'NOT_CONFIRMED'])
  })

  test('is over when it is declined, taken back, or an hour old', async () => {
    const declined = await ask({ application: 'declined' })
    expect((await act(supervisor, declined, 'decline')).status).toBe(200)
    expect(await refusal(act(supervisor, declined, 'confirm'))).toEqual([403, 'REQUEST_GONE'])
    const takenBack = await ask({ application: 'taken-back' })
    expect((await administrator.call('DELETE', `keys/requests/${takenBack.requestId}`)).status).toBe(200)
    expect(await refusal(act(supervisor, takenBack, 'confirm'))).toEqual([403, 'REQUEST_GONE'])
    const late = await ask({ application: 'late' })
    await act(supervisor, late, 'confirm')
    counter.tick(60 * 60_000)
    await administrator.usePasskey()
    expect(await refusal(act(administrator, late, 'make'))).toEqual([403, 'REQUEST_GONE'])
    expect(keysOf('declined').concat(keysOf('taken-back'), keysOf('late'))).toEqual([])
  })

  test('waits among a few: many at once are refused', async () => {
    await supervisor.usePasskey()
    await administrator.usePasskey()
    let last: readonly unknown[] = []
    for (let each = 0; each < 30; each++) {
      last = await refusal(administrator.call('POST', 'keys', { application: `many-${each}` }))
    }
    expect(last).toEqual([403, 'TOO_MANY_REQUESTS'])
    const { body } = await administrator.call<KeyList>('GET', 'keys')
    for (const { requestId } of body.requests)
      await administrator.call('DELETE', `keys/requests/${requestId}`)
  })
})

describe('a name of the appliance itself', () => {
  test.each(['kiosk', 'counter', 'KIOSK', ' Counter ', 'ｋｉｏｓｋ'])(
    '%j is refused at the console',
    async (application) => {
      await administrator.usePasskey()
      expect(await refusal(administrator.call('POST', 'keys', { application }))).toEqual([400, 'reserved'])
      expect(keysOf(application)).toEqual([])
    },
  )

  test('of the adjudication service is left to the operator', async () => {
    await administrator.usePasskey()
    const answer = administrator.call('POST', 'keys', { application: 'Second Look' })
    expect(await refusal(answer)).toEqual([400, 'operator_only'])
  })

  test('with keys of an older version: they open nothing, and health and console say so', async () => {
    const { store } = counter.app.appliance
    const old = store.apiKeys.createPair('default', 'made before', new Date())
    const db = new Database(join(counter.app.dataDir, 'appliance.sqlite'))
    const kiosk = store.apiKeys.applications('default').find(({ name }) => name === 'kiosk')
    db.prepare('UPDATE api_keys SET application_id = ? WHERE application_id = ?').run(
      kiosk?.id,
      old.applicationId,
    )
    db.close()
    for (const key of [old.relyingServiceKey, old.userAgentKey]) {
      expect((await counter.app.call('GET', '/v1/supported-evidence/countries', { key })).status).toBe(403)
    }
    const { body: health } = await counter.app.json('GET', '/healthcheck', { key: null })
    expect(health).toMatchObject({
      components: {
        applications: {
          status: 'DEGRADED',
          detail: expect.stringContaining('2 keys of reserved') as unknown,
        },
      },
    })
    await administrator.usePasskey()
    const { body } = await administrator.call<KeyList>('GET', 'keys')
    expect(body.applications.find(({ application }) => application === 'kiosk')).toMatchObject({
      reserved: true,
    })
    expect(await refusal(administrator.call('POST', 'keys/rotate', { application: 'kiosk' }))).toEqual([
      400,
      'reserved',
    ])
    for (const keyId of old.keyIds)
      expect((await administrator.call('DELETE', `keys/${keyId}`)).status).toBe(200)
  })
})
