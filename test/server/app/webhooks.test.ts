/** Webhooks of a whole appliance over HTTP: registered, told of a proofing, looked at, repeated, removed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
} from '../../../server/api/contract/index.ts'
import { documentForm, startTestApp, type CallOptions, type TestApp } from '../../support/app.ts'
import { eventually, startReceiver, type Receiver } from '../../support/webhook-receiver.ts'
import { verified } from '../webhooks/rig.ts'
import { aPassport, scriptedVision } from './scripted-vision.ts'

const LAN = { webhooks: { allowHttp: true, allowPrivateAddresses: true, timeoutSeconds: 1 } }
const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a8059'

async function startWith(config: object): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-test-'))
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  try {
    return await startTestApp({ dataDir, vision: scriptedVision() })
  } catch (error) {
    rmSync(dataDir, { recursive: true })
    throw error
  }
}

describe('where receivers in the same house are allowed', () => {
  let app: TestApp
  let receiver: Receiver
  beforeAll(async () => {
    app = await startWith(LAN)
  })
  afterAll(() => app.close())
  beforeEach(async () => {
    receiver = await startReceiver()
  })
  afterEach(async () => {
    const { webhooks } = await call<WebhookList>('GET', '/v1/webhooks')
    for (const { webhookId } of webhooks) await app.call('DELETE', `/v1/webhooks/${webhookId}`)
    await receiver.close()
  })

  const call = async <T>(method: string, path: string, options?: CallOptions): Promise<T> => {
    const { status, body } = await app.json(method, path, options)
    expect(status).toBe(200)
    return body as T
  }
  const register = (events?: readonly string[]) =>
    call<Webhook>('POST', '/v1/webhooks', { payload: { url: receiver.url, events } })
  const deliveriesOf = (webhookId: string, query = '') =>
    call<WebhookDeliveryList>('GET', `/v1/webhooks/${webhookId}/deliveries${query}`)
  const settled = (webhookId: string) =>
    eventually(
      () => deliveriesOf(webhookId, '?limit=200'),
      ({ deliveries }) => deliveries.length > 0 && deliveries.every(({ state }) => state === 'DELIVERED'),
    )
  const proofed = async (): Promise<string> => {
    const { id } = await call<{ id: string }>('POST', '/v1/identities', { payload: [] })
    const payload = [{ type: 'ID_DOCUMENT', approved: true }]
    await call('POST', `/v1/identities/${id}/consents`, { payload })
    await call('POST', `/v1/identities/${id}/id-documents/capture`, { body: documentForm(aPassport()) })
    await app.runJobs()
    await (await app.call('GET', `/v1/identities/${id}/proof`)).arrayBuffer()
    expect((await app.call('DELETE', `/v1/identities/${id}`)).status).toBe(204)
    return id
  }

  test('a proofing is told from its beginning to its erasure, in order, without a word of the person', async () => {
    const { webhookId, secret = '' } = await register()
    const id = await proofed()
    await eventually(
      () => receiver.received.map((one) => verified(one, secret).type),
      (types) => types.includes('identity.erased'),
    )
    const told = receiver.received.map((one) => verified(one, secret))
    expect(told.filter(({ identityId }) => identityId !== id)).toEqual([])
    const types = told.map(({ type }) => type)
    const course = [
      'identity.created',
      'consent.recorded',
      'evidence.submitted',
      'evidence.decided',
      'proof.sealed',
      'identity.erased',
    ]
    expect(types.filter((type, at) => course.includes(type) && types.indexOf(type) === at)).toEqual(course)
    expect(types).toContain('identity.evaluated')
    expect(types.at(-1)).toBe('identity.erased')
    expect(told.map(({ sequence }) => sequence)).toEqual(
      [...told.map(({ sequence }) => sequence)].sort((a, b) => a - b),
    )
    for (const { body } of receiver.received) {
      expect(Buffer.byteLength(body)).toBeLessThan(1_000)
      expect(body).not.toMatch(/ERIKSSON|ANNA|L898902C|1974/i)
    }
    const { deliveries } = await settled(webhookId)
    expect(deliveries.at(-1)).toMatchObject({
      type: 'identity.created',
      identityId: id,
      attempts: 1,
      lastStatus: 204,
    })
  })

  test('a secret is shown once and never again; two are valid while they overlap', async () => {
    const { webhookId, secret = '' } = await register()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await call<Webhook>('GET', `/v1/webhooks/${webhookId}`)).not.toHaveProperty('secret')
    expect(JSON.stringify(await call('GET', '/v1/webhooks'))).not.toContain('whsec_')
    const payload = { overlapHours: 2 }
    const rotated = await call<Webhook>('POST', `/v1/webhooks/${webhookId}/secret`, { payload })
    expect(Date.parse(`${rotated.previousSecretValidUntil}Z`) - Date.now()).toBeGreaterThan(7_100_000)
    await call('POST', `/v1/webhooks/${webhookId}/test`)
    await settled(webhookId)
    const [one] = receiver.received
    for (const by of [secret, rotated.secret ?? ''])
      expect(one && verified(one, by).type).toBe('webhook.test')
    expect(app.log()).not.toContain('whsec_')
    expect(app.log()).not.toContain(receiver.url)
  })

  test('what failed is listed with its tries, page by page and by state, and is sent again by hand', async () => {
    receiver.answer = () => 500
    const { webhookId, secret = '' } = await register(['identity.created'])
    for (let each = 0; each < 5; each++) await call('POST', '/v1/identities', { payload: [] })
    const failed = await eventually(
      () => deliveriesOf(webhookId),
      ({ deliveries }) => deliveries.length === 5 && deliveries.every(({ lastStatus }) => lastStatus === 500),
    )
    expect(failed.deliveries[0]).toMatchObject({ state: 'PENDING', lastError: 'status', attempts: 1 })
    expect(Date.parse(`${failed.deliveries[0]?.nextTryDateTime}Z`)).toBeGreaterThan(Date.now())
    const first = await deliveriesOf(webhookId, '?limit=3')
    const second = await deliveriesOf(webhookId, `?limit=3&after=${first.next ?? ''}`)
    expect([...first.deliveries, ...second.deliveries].map((one) => one.deliveryId)).toEqual(
      failed.deliveries.map((one) => one.deliveryId),
    )
    expect(second.next).toBeUndefined()
    expect((await deliveriesOf(webhookId, '?state=PARKED')).deliveries).toEqual([])
    expect(await call<Webhook>('GET', `/v1/webhooks/${webhookId}`)).toMatchObject({ pending: 5, parked: 0 })
    receiver.answer = () => 200
    for (const { deliveryId } of failed.deliveries) {
      const path = `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/resend`
      expect((await call<WebhookDelivery>('POST', path)).state).toBe('PENDING')
    }
    const { deliveries } = await settled(webhookId)
    expect(deliveries.map(({ attempts }) => attempts)).toEqual([2, 2, 2, 2, 2])
    expect(new Set(receiver.received.map((one) => verified(one, secret).id)).size).toBe(5)
  })

  test('after a 410 nothing is sent until it is enabled; the healthcheck shows it meanwhile', async () => {
    receiver.answer = () => 410
    const { webhookId } = await register(['identity.created'])
    await call('POST', '/v1/identities', { payload: [] })
    await eventually(
      () => call<Webhook>('GET', `/v1/webhooks/${webhookId}`),
      ({ disabledBecause }) => disabledBecause === 'GONE',
    )
    const { components } = await call<{ components: Record<string, { status: string; detail: string }> }>(
      'GET',
      '/healthcheck',
    )
    expect(components.webhooks).toMatchObject({
      status: 'DEGRADED',
      detail: '1 pending, the oldest since 0 h, 0 parked, 1 switched off',
    })
    receiver.answer = () => 200
    expect(await call('POST', `/v1/webhooks/${webhookId}/enable`)).not.toHaveProperty('disabledBecause')
    await settled(webhookId)
  })

  test('a repeated Idempotency-Key registers nothing twice and shows no secret', async () => {
    const options = { payload: { url: receiver.url }, headers: { 'Idempotency-Key': 'register-once' } }
    expect((await app.json('POST', '/v1/webhooks', options)).status).toBe(200)
    const again = await app.json('POST', '/v1/webhooks', options)
    expect(again.status).toBe(409)
    expect(JSON.stringify(again.body)).not.toContain('whsec_')
    expect((await call<WebhookList>('GET', '/v1/webhooks')).webhooks).toHaveLength(1)
  })

  test('there are twenty at most; unknown ones are unknown; a user agent learns nothing', async () => {
    const statuses: number[] = []
    for (let each = 0; each < 21; each++) {
      statuses.push((await app.json('POST', '/v1/webhooks', { payload: { url: receiver.url } })).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 400])
    for (const [method, path] of [
      ['GET', `/v1/webhooks/${UNKNOWN}`],
      ['DELETE', `/v1/webhooks/${UNKNOWN}`],
      ['GET', `/v1/webhooks/${UNKNOWN}/deliveries`],
      ['POST', `/v1/webhooks/${UNKNOWN}/test`],
    ] as const) {
      expect((await app.json(method, path)).status).toBe(404)
      expect((await app.json(method, path, { key: app.userAgentKey })).status).toBe(403)
    }
    const { webhooks } = await call<WebhookList>('GET', '/v1/webhooks')
    const path = `/v1/webhooks/${webhooks[0]?.webhookId}/deliveries/${UNKNOWN}/resend`
    expect((await app.json('POST', path)).status).toBe(404)
  })

  test.each([
    [{ url: 'ftp://hooks.example/' }],
    [{ url: 'https://user:word@hooks.example/' }],
    [{ events: ['identity.created'] }],
    [{ url: 'https://hooks.example/', events: ['key.created'] }],
    [{ url: 'https://hooks.example/', events: [] }],
  ])('%j is refused, and not repeated', async (payload) => {
    const { status, body } = await app.json('POST', '/v1/webhooks', { payload })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain('user:word')
  })
})

test('unless the configuration says otherwise, an address is https and public', async () => {
  const app = await startWith({})
  try {
    for (const url of [
      'http://hooks.example/',
      'https://127.0.0.1/',
      'https://intranet/',
      'https://10.0.0.1/',
    ]) {
      const { status, body } = await app.json('POST', '/v1/webhooks', { payload: { url } })
      expect([status, body]).toMatchObject([400, { errors: [{ code: 'url_refused', field: 'url' }] }])
    }
    expect(
      (await app.json('POST', '/v1/webhooks', { payload: { url: 'https://hooks.example/' } })).status,
    ).toBe(200)
  } finally {
    await app.close()
  }
})

test('a file of certificate authorities that holds none refuses the start', async () => {
  await expect(startWith({ webhooks: { caFile: 'none.pem' } })).rejects.toMatchObject({
    code: 'configuration_invalid',
    details: { field: 'webhooks.caFile' },
  })
})
