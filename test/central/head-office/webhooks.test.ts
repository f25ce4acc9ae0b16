/** Webhooks against a real receiver: signed, tried again, parked, never followed, never sent twice at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDb, SYSTEM } from '../../../server/central/db/db.ts'
import { openPostgres } from '../../../server/central/db/postgres.ts'
import { revokeKiosk } from '../../../server/central/kiosks/revoke.ts'
import { silentLog } from '../../../server/log.ts'
import { enqueueEvent } from '../../../server/central/head-office/index.ts'
import { onEachDatabase, onPostgres } from './databases.ts'
import { runAction } from '../../../server/central/admin/actions.ts'
import { eventually, startReceiver, type Receiver } from '../../support/webhook-receiver.ts'
import { addKey, addKiosk, addProof, addTenant, startOffice, type TestOffice } from './support.ts'

const QUICK = {
  callsPerMinute: 10_000,
  webhooks: {
    allowHttp: true,
    allowPrivateAddresses: true,
    pollMs: 20,
    firstPauseMs: 50,
    // The first request of a process takes some 300 ms on a busy machine.
    timeoutMs: 1_000,
    giveUpAfterHours: 1,
  },
}

onEachDatabase('webhooks', (newDatabase) => {
  let office: TestOffice
  let receiver: Receiver
  let key: string
  let kiosk: string
  let sequence = 0
  beforeAll(async () => {
    office = await startOffice({ databaseUrl: newDatabase(), options: QUICK })
    await addTenant(office, 'a')
    kiosk = await addKiosk(office, 'a')
  })
  afterAll(() => office.stop())
  beforeEach(async () => {
    receiver = await startReceiver()
    key = await addKey(office, 'a', undefined, `system ${++sequence}`)
  })
  afterEach(async () => {
    const { body } = await office.call(key, 'GET', '/webhooks')
    for (const { webhookId } of body.webhooks) await office.call(key, 'DELETE', `/webhooks/${webhookId}`)
    await receiver.close()
  })

  const register = async (url = receiver.url, events: readonly string[] = ['proof.stored']) => {
    const answer = await office.call(key, 'POST', '/webhooks', { url, events })
    expect(answer.status).toBe(201)
    return answer.body
  }
  const store = () => addProof(office, 'a', kiosk, ++sequence)
  const deliveriesOf = async (webhookId: string) =>
    (await office.call(key, 'GET', `/webhooks/${webhookId}/deliveries`)).body.deliveries

  test('a stored proof is told once, with ids alone, under a signature that the receiver can check', async () => {
    const { webhookId, secret } = await register()
    const { proofId, identityId } = await store()
    const [delivery] = await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => first?.state === 'DELIVERED',
    )
    expect(delivery).toMatchObject({ attempts: 1, lastStatus: 204, lastError: null, nextTryAt: null })
    expect(receiver.received).toHaveLength(1)
    const { headers = {}, body = '' } = receiver.received[0] ?? {}
    const event = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(event).toMatchObject({ type: 'proof.stored', data: { proofId, kioskId: kiosk, identityId } })
    expect(headers['webhook-id']).toBe(delivery?.eventId)
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow()
  })

  test('an endpoint receives only the events that it has subscribed to', async () => {
    const { webhookId } = await register(receiver.url, ['kiosk.revoked'])
    await store()
    const other = await addKiosk(office, 'a', { name: 'second' })
    await office.call(key, 'POST', `/kiosks/${other}/revocation`, { reason: 'stolen' })
    await office.call(key, 'POST', `/kiosks/${other}/revocation`, { reason: 'asked again' })
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    )
    await sleep(100)
    expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { type: 'kiosk.revoked', data: { kioskId: other } },
    ])
    expect(await deliveriesOf(webhookId)).toHaveLength(1)
  })

  test.each([
    ['a server error', () => 500, { lastStatus: 500, lastError: 'status' }],
    ['a refusal', () => 404, { lastStatus: 404, lastError: 'status' }],
    ['no answer in time', () => undefined, { lastStatus: null, lastError: 'timeout' }],
  ])('after %s it is tried again, with growing pauses, under the same id', async (_, fails, expected) => {
    let left = 2
    receiver.answer = () => (left-- > 0 ? fails() : 200)
    const { webhookId } = await register()
    await store()
    const [failed] = await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => (first?.attempts ?? 0) >= 1 && (first?.lastError ?? null) !== null,
    )
    expect(failed).toMatchObject({ state: 'PENDING', ...expected })
    expect(Date.parse(failed?.nextTryAt ?? '')).toBeGreaterThan(Date.parse(failed?.createdAt ?? ''))
    const [delivered] = await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => first?.state === 'DELIVERED',
    )
    expect(delivered).toMatchObject({ attempts: 3, lastStatus: 200 })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('a redirect is not followed', async () => {
    const other = await startReceiver()
    receiver.answer = (_, res) => void res.writeHead(307, { location: `${other.url}/elsewhere` }).end()
    const { webhookId } = await register()
    await store()
    const [tried] = await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => (first?.attempts ?? 0) >= 2,
    )
    expect(tried).toMatchObject({ state: 'PENDING', lastStatus: 307, lastError: 'redirect' })
    expect(other.received).toEqual([])
    await other.close()
  })

  test('a refused connection counts as a failure, and an endless answer with the status 200 as a delivery', async () => {
    const gone = await startReceiver()
    await gone.close()
    const closed = await register(gone.url)
    await store()
    const [refused] = await eventually(
      () => deliveriesOf(closed.webhookId),
      ([first]) => (first?.lastError ?? null) !== null,
    )
    expect(refused).toMatchObject({ lastStatus: null, lastError: 'connection' })
    await office.call(key, 'DELETE', `/webhooks/${closed.webhookId}`)

    receiver.answer = (_, res) => {
      res.writeHead(200)
      const flood = setInterval(() => res.write(Buffer.alloc(32 * 1024)), 1)
      res.once('close', () => clearInterval(flood))
    }
    const { webhookId } = await register()
    await store()
    await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => first?.state === 'DELIVERED',
    )
  })

  test('a delivery that fails for longer than the configured hours is parked, and is sent again on request', async () => {
    receiver.answer = () => 500
    const { webhookId } = await register()
    await store()
    await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => (first?.attempts ?? 0) >= 1,
    )
    const { db } = office.context
    await db.query(SYSTEM, `UPDATE deliveries SET since = now() - interval '2 hours' WHERE webhook_id = $1`, [
      webhookId,
    ])
    const [parked] = await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => first?.state === 'PARKED',
    )
    expect(parked?.nextTryAt).toBeNull()
    expect((await office.call(key, 'GET', '/webhooks')).body.webhooks).toMatchObject([
      { pending: 0, parked: 1 },
    ])
    const before = receiver.received.length
    await sleep(300)
    expect(receiver.received).toHaveLength(before)

    receiver.answer = () => 200
    const path = `/webhooks/${webhookId}/deliveries/${parked?.deliveryId}/resend`
    expect((await office.call(key, 'POST', path)).body).toMatchObject({ state: 'PENDING' })
    await eventually(
      () => deliveriesOf(webhookId),
      ([first]) => first?.state === 'DELIVERED',
    )
  })

  test('during the overlap both secrets verify; after it the new one alone', async () => {
    const { webhookId, secret } = await register()
    const { body: rotated } = await office.call(key, 'POST', `/webhooks/${webhookId}/secret`, {
      overlapHours: 1,
    })
    const isBy = (by: string, at: number) => {
      const { body, headers } = receiver.received[at] ?? { body: '', headers: {} }
      try {
        new Webhook(by).verify(body, headers as Record<string, string>)
        return true
      } catch {
        return false
      }
    }
    await store()
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    )
    expect([isBy(secret, 0), isBy(rotated.secret, 0)]).toEqual([true, true])
    await office.call(key, 'POST', `/webhooks/${webhookId}/secret`, { overlapHours: 0 })
    await store()
    await eventually(
      () => receiver.received.length,
      (count) => count === 2,
    )
    expect([isBy(secret, 1), isBy(rotated.secret, 1)]).toEqual([false, false])
  })

  test('no secret lies in the clear in the database', async () => {
    const { secret } = await register()
    const [row] = await office.context.db.query<{ all: string }>(
      SYSTEM,
      `SELECT string_agg(to_jsonb(w)::text, '') AS all FROM webhooks w`,
    )
    const bytes = Buffer.from(secret, 'utf8')
    expect(row?.all).toContain('secret')
    expect(row?.all).not.toContain(bytes.toString('hex'))
    expect(row?.all).not.toContain(bytes.subarray(6).toString('utf8'))
  })

  test('an operator lists parked deliveries, sends one again and drops the others', async () => {
    const { webhookId } = await register()
    receiver.answer = () => 410
    for (let count = 0; count < 3; count++) await store()
    await eventually(
      () => deliveriesOf(webhookId),
      (all) => all.length === 3 && all.every(({ state }) => state === 'PARKED'),
    )
    const act = (name: string, input: object) => runAction(office.context, name, input, 'Ada')
    const list = async () =>
      ((await act('listDeliveries', { tenantId: 'a' })) as { deliveries: { deliveryId: string }[] })
        .deliveries
    const parked = await list()
    expect(parked).toMatchObject(
      Array(3).fill({ webhookId, lastStatus: 410, lastError: 'gone', attempts: 1 }),
    )
    const [first, second] = parked.map(({ deliveryId }) => deliveryId)
    receiver.answer = () => 204
    expect(await act('retryDeliveries', { deliveryId: first })).toEqual({ retried: 1 })
    await eventually(
      () => deliveriesOf(webhookId),
      (all) => all.some(({ state, deliveryId }) => state === 'DELIVERED' && deliveryId === first),
    )
    // It is not parked any more.
    await expect(act('retryDeliveries', { deliveryId: first })).rejects.toThrow('not_found')
    await expect(act('dropDeliveries', { deliveryId: second, tenantId: 'a' })).rejects.toThrow()
    expect(await act('dropDeliveries', { webhookId })).toEqual({ dropped: 2 })
    expect(await list()).toEqual([])
    expect(await act('dropDeliveries', { tenantId: 'a' })).toEqual({ dropped: 0 })
    const noted = await office.db.query<{ operation: string; subject: string }>(
      SYSTEM,
      `SELECT operation, subject FROM access_log WHERE operator = 'Ada' AND result = 'OK' ORDER BY at, id`,
    )
    expect(noted).toEqual([
      { operation: 'retryDeliveries', subject: first },
      { operation: 'dropDeliveries', subject: webhookId },
    ])
  })

  test('an event of a transaction that was rolled back is not delivered', async () => {
    const { webhookId } = await register()
    const { db } = office.context
    const failing = db.transaction(SYSTEM, async (queries) => {
      await enqueueEvent(queries, { tenantId: 'a', type: 'proof.stored', at: new Date(), data: {} })
      throw new Error('taken back')
    })
    await expect(failing).rejects.toThrow('taken back')
    await sleep(200)
    expect(receiver.received).toEqual([])
    expect(await deliveriesOf(webhookId)).toEqual([])
  })

  test('a consumer has at most twenty webhooks, also when it asks for many at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () =>
        office.call(key, 'POST', '/webhooks', { url: receiver.url, events: ['kiosk.offline'] }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    expect((await office.call(key, 'GET', '/webhooks')).body.webhooks).toHaveLength(20)
  })
})

describe('addresses of a network of ours', () => {
  let office: TestOffice
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    office = await startOffice({
      options: { ...QUICK, webhooks: { ...QUICK.webhooks, allowPrivateAddresses: false } },
    })
    await addTenant(office, 'a')
  })
  afterAll(async () => {
    await office.stop()
    await receiver.close()
  })

  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://localhost.:PORT/',
    'http://hooks.internal.:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.1:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://metadata.google.internal/',
    'http://intranet/',
    'ftp://hooks.bank.example/',
    'http://user:secret@hooks.bank.example/',
    'file:///etc/passwd',
    'nonsense',
  ])('%s is refused when it is registered, and its words are not repeated', async (template) => {
    const key = await addKey(office, 'a')
    const url = template.replace('PORT', new URL(receiver.url).port)
    const answer = await office.call(key, 'POST', '/webhooks', { url, events: ['proof.stored'] })
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toMatchObject([{ code: 'url_refused', field: 'url' }])
    expect(answer.text).not.toContain('secret@')
  })

  test('an address that slipped in, or a name that points inside by now, is refused when it is sent', async () => {
    const key = await addKey(office, 'a', undefined, 'rebinding')
    const kiosk = await addKiosk(office, 'a')
    const { port } = new URL(receiver.url)
    // localtest.me-like names need the internet; every system resolves this one, and the check at the door is passed by.
    for (const url of [
      `http://localhost:${port}/`,
      `http://127.0.0.1:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
    ]) {
      const { body } = await office.call(key, 'POST', '/webhooks', {
        url: 'https://hooks.bank.example/',
        events: ['proof.stored'],
      })
      await office.context.db.query(SYSTEM, 'UPDATE webhooks SET url = $2 WHERE id = $1', [
        body.webhookId,
        url,
      ])
    }
    await addProof(office, 'a', kiosk, 1)
    const { body } = await office.call(key, 'GET', '/webhooks')
    for (const { webhookId } of body.webhooks) {
      const [tried] = await eventually(
        async () => (await office.call(key, 'GET', `/webhooks/${webhookId}/deliveries`)).body.deliveries,
        ([first]) => (first?.lastError ?? null) !== null,
      )
      expect(tried).toMatchObject({ lastStatus: null, lastError: 'address_refused' })
    }
    expect(receiver.received).toEqual([])
  })
})

onPostgres('several instances share the deliveries', (newDatabase) => {
  /** Instances that look by themselves only every minute. */
  const CALLED = { ...QUICK, webhooks: { ...QUICK.webhooks, pollMs: 60_000 } }
  const SOON_MS = 10_000

  test('an instance is called when a command stores an event, and again after its connection broke', async () => {
    const databaseUrl = newDatabase()
    const office = await startOffice({ databaseUrl, options: CALLED })
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const receiver = await startReceiver()
    await office.call(key, 'POST', '/webhooks', { url: receiver.url, events: ['proof.stored'] })
    const isTold = (count: number) =>
      eventually(
        () => receiver.received.length,
        (told) => told === count,
        SOON_MS,
      )
    const isListening = () =>
      eventually(
        () =>
          office.db.asOwner((queries) =>
            queries.query(
              `SELECT 1 FROM pg_stat_activity WHERE application_name = 'counterproof-centre-calls' AND query LIKE 'LISTEN%'
               AND datname = current_database()`,
            ),
          ),
        (rows) => rows.length === 1,
        SOON_MS,
      )
    /** As a command does: a process of its own, which ends. */
    const storeByCommand = async () => {
      const db = createDb(openPostgres({ url: databaseUrl, connections: 1 }, silentLog))
      await db.transaction(SYSTEM, (queries) =>
        enqueueEvent(queries, { tenantId: 'a', type: 'proof.stored', at: new Date(), data: {} }),
      )
      await db.close()
    }
    await isListening()
    await storeByCommand()
    await isTold(1)
    await office.db.asOwner((queries) =>
      queries.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'counterproof-centre-calls'`,
      ),
    )
    await isListening()
    await storeByCommand()
    await isTold(2)
    await office.stop()
    await receiver.close()
  })

  test('an instance without a free place calls the others', async () => {
    const databaseUrl = newDatabase()
    const few = { ...CALLED, webhooks: { ...CALLED.webhooks, concurrency: 1, timeoutMs: 20_000 } }
    const busy = await startOffice({ databaseUrl, options: few })
    const idle = await startOffice({ databaseUrl, dataDir: busy.dataDir, options: few })
    await addTenant(busy, 'a')
    const key = await addKey(busy, 'a')
    const kiosk = await addKiosk(busy, 'a')
    const [slow, quick] = [await startReceiver(), await startReceiver()]
    let release = () => undefined as void
    slow.answer = () => new Promise((resolve) => (release = () => resolve(200)))
    await busy.call(key, 'POST', '/webhooks', { url: slow.url, events: ['proof.stored'] })
    await addProof(busy, 'a', kiosk, 1)
    await eventually(
      () => slow.received.length,
      (count) => count === 1,
    )
    await busy.call(key, 'POST', '/webhooks', { url: quick.url, events: ['kiosk.revoked'] })
    await revokeKiosk(busy.context, 'a', kiosk, 'operator:Ada', async () => undefined)
    await eventually(
      () => quick.received.length,
      (count) => count === 1,
      SOON_MS,
    )
    expect(slow.received).toHaveLength(1)
    release()
    await idle.close()
    await busy.stop()
    for (const each of [slow, quick]) await each.close()
  })

  test('each is sent by one at a time; a slow receiver does not hold the others up', async () => {
    const databaseUrl = newDatabase()
    const options = { ...QUICK, webhooks: { ...QUICK.webhooks, timeoutMs: 2_000 } }
    const one = await startOffice({ databaseUrl, options })
    const two = await startOffice({ databaseUrl, dataDir: one.dataDir, options })
    await addTenant(one, 'a')
    const key = await addKey(one, 'a')
    const kiosk = await addKiosk(one, 'a')
    const [quick, slow] = [await startReceiver(), await startReceiver()]
    quick.answer = async () => {
      await sleep(Math.random() * 10)
      // Some fail, so that tries of both instances follow one another.
      return Math.random() < 0.2 ? 503 : 200
    }
    slow.answer = async () => {
      await sleep(1_500)
      return 200
    }
    for (const { url } of [quick, slow]) {
      await one.call(key, 'POST', '/webhooks', { url, events: ['proof.stored'] })
    }
    const COUNT = 150
    const from = Date.now()
    await Promise.all(
      [one, two].map(async (office, at) => {
        for (let each = 0; each < COUNT / 2; each++) await addProof(office, 'a', kiosk, at * COUNT + each + 1)
      }),
    )
    const states = async () =>
      (
        await one.context.db.query<{ state: string; count: number }>(
          SYSTEM,
          `SELECT d.state, count(*)::int AS count FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
           WHERE w.url LIKE $1 GROUP BY 1`,
          [`${quick.url}%`],
        )
      ).map(({ state, count }) => `${state} ${count}`)
    await eventually(states, (shown) => shown.length === 1 && shown[0] === `DELIVERED ${COUNT}`)
    process.stdout.write(
      `deliveries: ${COUNT} by two instances in ${Date.now() - from} ms, ${quick.received.length} tries\n`,
    )
    expect(new Set(quick.received.map(({ headers }) => headers['webhook-id'])).size).toBe(COUNT)
    expect(Math.max(...quick.mostAtOnce.values(), ...slow.mostAtOnce.values())).toBe(1)
    // A success is told once: no event came again after a 200.
    const [again] = await one.context.db.query<{ tries: number }>(
      SYSTEM,
      `SELECT sum(attempts)::int AS tries FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.url LIKE $1`,
      [`${quick.url}%`],
    )
    expect(quick.received).toHaveLength(again?.tries ?? 0)
    for (const office of [one, two]) await office.close()
    for (const each of [quick, slow]) await each.close()
  })

  test('another instance sends the deliveries of an instance that died', async () => {
    const office = await startOffice({ databaseUrl: newDatabase(), options: QUICK })
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const kiosk = await addKiosk(office, 'a')
    const receiver = await startReceiver()
    await office.call(key, 'POST', '/webhooks', { url: receiver.url, events: ['proof.stored'] })
    await office.context.db.transaction(SYSTEM, async (queries) => {
      const data = { kioskId: kiosk }
      await enqueueEvent(queries, { tenantId: 'a', type: 'proof.stored', at: new Date(), data })
      // The state while an instance sends it.
      await queries.query(
        `UPDATE deliveries SET attempts = 1, sending_until = now() + interval '500 milliseconds'`,
      )
    })
    await sleep(250)
    expect(receiver.received).toEqual([])
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    )
    await office.stop()
    await receiver.close()
  })
})
