/** Deliveries, figures and waiting polls by themselves: one database in memory, a receiver that answers as told, no service. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HeadOfficeOptionsSchema } from '../../../server/central/head-office/options.ts'
import { createDb, SYSTEM, type Db } from '../../../server/central/db/db.ts'
import { openNewEmbedded } from '../../support/embedded-database.ts'
import { migrate } from '../../../server/central/db/migrate.ts'
import { createFeedWatch } from '../../../server/central/head-office/feed-watch.ts'
import { createMetrics } from '../../../server/central/head-office/metrics.ts'
import { enqueueEvent } from '../../../server/central/head-office/webhooks/events.ts'
import { Places } from '../../../server/central/head-office/webhooks/claim.ts'
import { createDeliveryRunner } from '../../../server/central/head-office/webhooks/runner.ts'
import { webhookSecretContext } from '../../../server/central/head-office/webhooks/secrets.ts'
import { createSecrets } from '../../../server/central/secrets.ts'
import type { Sent } from '../../../server/outgoing/answer.ts'
import type { Outgoing, Sender } from '../../../server/outgoing/send.ts'

const HOUR_MS = 3_600_000
const DELIVERED: Sent = { isDelivered: true, status: 204, error: null, slowDownMs: null }
const FAILED: Sent = { isDelivered: false, status: 500, error: 'status', slowDownMs: null }
const secrets = createSecrets(Buffer.alloc(32, 7))

let db: Db
let consumerId: string
let sent: Outgoing[]
let answer: (outgoing: Outgoing) => Sent | Promise<Sent>
let closed: number
let logged: [string, Readonly<Record<string, unknown>>, string][]
const log = {
  info: (fields: object, message: string) => void logged.push(['info', { ...fields }, message]),
  warn: (fields: object, message: string) => void logged.push(['warn', { ...fields }, message]),
  error: (fields: object, message: string) => void logged.push(['error', { ...fields }, message]),
}
beforeAll(async () => {
  db = createDb(await openNewEmbedded())
  await migrate(db)
  await db.query(SYSTEM, `INSERT INTO tenants (tenant_id, name, created_at) VALUES ('acme', 'acme', now())`)
})
afterAll(() => db.close())
beforeEach(async () => {
  sent = []
  logged = []
  closed = 0
  answer = () => DELIVERED
  consumerId = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO consumers (id, tenant_id, name, created_at) VALUES ($1::uuid, 'acme', $1::uuid::text, now())`,
    [consumerId],
  )
})
afterEach(() => db.query(SYSTEM, 'DELETE FROM webhooks'))

const sender: Sender = {
  send: async (outgoing) => {
    sent.push(outgoing)
    return answer(outgoing)
  },
  close: async () => void closed++,
}
const runner = (over: object = {}) =>
  createDeliveryRunner({
    db,
    log,
    secrets,
    sender,
    options: {
      ...HeadOfficeOptionsSchema.parse({}).webhooks,
      firstPauseMs: 1000,
      giveUpAfterHours: 1,
      pollMs: 10,
      ...over,
    },
  })
const sealed = (webhookId: string, secret: string) =>
  secrets.seal(webhookSecretContext(webhookId), Buffer.from(secret, 'utf8'))

async function aWebhook({
  tenantId = 'acme',
  url = 'https://hooks.example/',
  events = ['proof.stored'],
  previous = null as string | null,
  validForMs = HOUR_MS,
} = {}) {
  const id = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO webhooks (id, tenant_id, consumer_id, url, events, secret, previous_secret, previous_valid_until, created_at)
     VALUES ($1, $7, $2, $8, $3::text[], $4, $5, now() + $6 * interval '1 millisecond', now())`,
    [
      id,
      consumerId,
      events,
      sealed(id, 'new'),
      previous === null ? null : sealed(id, previous),
      validForMs,
      tenantId,
      url,
    ],
  )
  return id
}
const happened = (data: object = { proofId: 'p' }, tenantId = 'acme') =>
  db.transaction(SYSTEM, (queries) =>
    enqueueEvent(queries, {
      tenantId,
      type: 'proof.stored',
      at: new Date('2026-03-01T10:00:00Z'),
      data: data as never,
    }),
  )
interface Row extends Record<string, unknown> {
  readonly state: string
  readonly attempts: number
  readonly last_status: number | null
  readonly last_error: string | null
  readonly waits_ms: number
  readonly is_leased: boolean
  readonly is_delivered: boolean
}
const rows = () =>
  db.query<Row>(
    SYSTEM,
    `SELECT state, attempts, last_status, last_error, sending_until IS NOT NULL AS is_leased,
       delivered_at IS NOT NULL AS is_delivered, (extract(epoch FROM next_try_at - now()) * 1000)::float8 AS waits_ms
     FROM deliveries ORDER BY created_at, id`,
  )
/** Simulates that much time. */
const pass = (ms: number) =>
  db.query(
    SYSTEM,
    `UPDATE deliveries SET next_try_at = next_try_at - $1 * interval '1 millisecond', since = since - $1 * interval '1 millisecond',
       sending_until = sending_until - $1 * interval '1 millisecond', delivered_at = delivered_at - $1 * interval '1 millisecond'`,
    [ms],
  )

describe('an event', () => {
  test('is one row for each webhook of the tenant that asked for it', async () => {
    await aWebhook()
    await aWebhook({ events: ['alarm.raised'] })
    await aWebhook({ events: ['alarm.raised', 'proof.stored'] })
    await happened()
    await happened({ proofId: 'q' }, 'other')
    expect(await rows()).toHaveLength(2)
    expect(await runner().runOnce()).toBe(2)
    expect(sent.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      Array(2).fill({ type: 'proof.stored', timestamp: '2026-03-01T10:00:00.000Z', data: { proofId: 'p' } }),
    )
    // The same event for both, so that receivers can detect it.
    expect(new Set(sent.map(({ eventId }) => eventId)).size).toBe(1)
  })
})

describe('a delivery', () => {
  test('is sent once, signed by the secret of its webhook, and noted', async () => {
    const id = await aWebhook()
    await happened()
    expect(await runner().runOnce()).toBe(1)
    expect(sent).toMatchObject([{ url: 'https://hooks.example/', secrets: ['new'] }])
    expect(await rows()).toMatchObject([
      {
        state: 'DELIVERED',
        attempts: 1,
        last_status: 204,
        last_error: null,
        is_leased: false,
        is_delivered: true,
      },
    ])
    expect(logged).toMatchObject([
      ['info', { webhookId: id, attempts: 1, status: 204, error: null }, 'a webhook delivery was tried'],
    ])
    expect(JSON.stringify(logged)).not.toContain('hooks.example')
    expect(await runner().runOnce()).toBe(0)
    expect(sent).toHaveLength(1)
  })

  test('is signed by both secrets while the earlier one is valid', async () => {
    await aWebhook({ previous: 'old' })
    await aWebhook({ previous: 'old', validForMs: -1 })
    await happened()
    await runner().runOnce()
    expect(sent.map((each) => each.secrets).sort((a, b) => b.length - a.length)).toEqual([
      ['new', 'old'],
      ['new'],
    ])
  })

  test('that failed is tried again after a pause that doubles', async () => {
    await aWebhook()
    await happened()
    answer = () => FAILED
    const pauses: number[] = []
    for (let tries = 1; tries <= 3; tries++) {
      await runner().runOnce()
      const [row] = await rows()
      expect(row).toMatchObject({
        state: 'PENDING',
        attempts: tries,
        last_status: 500,
        last_error: 'status',
        is_leased: false,
      })
      pauses.push(row.waits_ms)
      expect(await runner().runOnce()).toBe(0)
      await pass(row.waits_ms + 1)
    }
    // A factor of half to one and a half, and some time passes between writing and reading.
    for (const [index, full] of [1000, 2000, 4000].entries()) {
      expect(pauses[index]).toBeGreaterThan(full * 0.5 - 500)
      expect(pauses[index]).toBeLessThanOrEqual(full * 1.5)
    }
    answer = () => DELIVERED
    await runner().runOnce()
    expect(await rows()).toMatchObject([{ state: 'DELIVERED', attempts: 4, last_error: null }])
  })

  test('waits for as long as a busy receiver asks', async () => {
    await aWebhook()
    await happened()
    answer = () => ({ ...FAILED, status: 429, slowDownMs: 600_000 })
    await runner().runOnce()
    const [row] = await rows()
    expect(row.waits_ms).toBeGreaterThan(590_000)
    expect(row.waits_ms).toBeLessThanOrEqual(600_000)
  })

  test('is parked when its time is over, and at once by who wants nothing more', async () => {
    await aWebhook()
    await happened()
    answer = () => FAILED
    await pass(HOUR_MS - 60_000)
    await runner().runOnce()
    expect(await rows()).toMatchObject([{ state: 'PENDING' }])
    await pass(120_000)
    await runner().runOnce()
    expect(await rows()).toMatchObject([{ state: 'PARKED', attempts: 2 }])
    await pass(HOUR_MS)
    expect(await runner().runOnce()).toBe(0)
    await happened()
    answer = () => ({ ...FAILED, status: 410, error: 'gone' })
    await runner().runOnce()
    expect((await rows()).map(({ state, last_error }) => [state, last_error])).toEqual([
      ['PARKED', 'status'],
      ['PARKED', 'gone'],
    ])
  })

  test('that another instance is sending is left to it until its lease is over', async () => {
    await aWebhook()
    await happened()
    const { promise, resolve } = Promise.withResolvers<Sent>()
    answer = () => promise
    const first = runner().runOnce()
    await expect.poll(() => sent).toHaveLength(1)
    expect(await rows()).toMatchObject([{ is_leased: true, attempts: 1 }])
    expect(await runner().runOnce()).toBe(0)
    // Longer than a try may take: the instance has died.
    await pass(HeadOfficeOptionsSchema.parse({}).webhooks.timeoutMs + 14_000)
    expect(await runner().runOnce()).toBe(0)
    await pass(1_000)
    answer = () => FAILED
    expect(await runner().runOnce()).toBe(1)
    // A late answer changes nothing.
    resolve(DELIVERED)
    await first
    expect(await rows()).toMatchObject([{ state: 'PENDING', attempts: 2, last_error: 'status' }])
  })

  test('goes to a webhook that takes them quickly four at a time, and to no more at once than there is room', async () => {
    await aWebhook()
    await aWebhook()
    const one = runner()
    await happened()
    await one.runOnce()
    for (let count = 0; count < 6; count++) await happened()
    const waiting: ((sent: Sent) => void)[] = []
    answer = () => new Promise((resolve) => waiting.push(resolve))
    const running = one.runOnce()
    await expect.poll(() => waiting).toHaveLength(8)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(waiting).toHaveLength(8)
    answer = () => DELIVERED
    for (const resolve of waiting) resolve(DELIVERED)
    expect(await running).toBe(12)
    expect((await rows()).every(({ state }) => state === 'DELIVERED')).toBe(true)
    // One place.
    for (let count = 0; count < 2; count++) await happened()
    let atOnce = 0
    let most = 0
    answer = async () => {
      most = Math.max(most, ++atOnce)
      await new Promise((resolve) => setTimeout(resolve, 5))
      atOnce--
      return DELIVERED
    }
    expect(await runner({ concurrency: 1 }).runOnce()).toBe(4)
    expect(most).toBe(1)
  })

  test('that could not be noted stays claimed, and is logged', async () => {
    await aWebhook()
    await happened()
    answer = () => Promise.reject(new TypeError('a bug'))
    await runner().runOnce()
    expect(await rows()).toMatchObject([{ state: 'PENDING', is_leased: true }])
    expect(logged).toMatchObject([
      ['error', { class: 'TypeError' }, 'a webhook delivery could not be recorded'],
    ])
  })
})

describe('tenants', () => {
  /** A tenant with a webhook, and with that many deliveries that wait for their first try. */
  const aTenant = async (tenantId: string, waiting: number) => {
    const id = randomUUID()
    await db.query(
      SYSTEM,
      `INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, $1, now()) ON CONFLICT DO NOTHING`,
      [tenantId],
    )
    await db.query(
      SYSTEM,
      `INSERT INTO consumers (id, tenant_id, name, created_at) VALUES ($1::uuid, $2, $1::uuid::text, now())`,
      [id, tenantId],
    )
    consumerId = id
    const webhookId = await aWebhook({ tenantId, url: `https://${tenantId}.example/` })
    await db.query(
      SYSTEM,
      `INSERT INTO deliveries (tenant_id, webhook_id, event_id, type, body, next_try_at, since, created_at)
       SELECT $1, $2, gen_random_uuid(), 'proof.stored', '{}', now() - interval '1 minute', now(), now()
       FROM generate_series(1, $3::int)`,
      [tenantId, webhookId, waiting],
    )
  }
  const isTold = (tenantId: string) => sent.findIndex(({ url }) => url === `https://${tenantId}.example/`)

  test('whose receivers never answer leave half of the places to the others', async () => {
    for (let count = 0; count < 20; count++) await aTenant(`dead-${count}`, 50)
    const hanging = new Map<string, (sent: Sent) => void>()
    answer = ({ url }) =>
      url.includes('dead') ? new Promise((resolve) => void hanging.set(url, resolve)) : DELIVERED
    const loop = runner()
    loop.start()
    // Each of them once takes a place as if it were quick.
    const failed = new Set<string>()
    while (failed.size < 20) {
      const findNew = () => [...hanging.keys()].find((each) => !failed.has(each)) ?? ''
      await expect.poll(findNew, { interval: 5 }).not.toBe('')
      const url = findNew()
      failed.add(url)
      hanging.get(url)?.(FAILED)
      hanging.delete(url)
    }
    await expect.poll(() => hanging.size).toBe(8)
    await aTenant('late', 0)
    for (let count = 0; count < 3; count++) await happened({}, 'late')
    await expect.poll(() => sent.filter(({ url }) => url.includes('late'))).toHaveLength(3)
    expect(hanging.size).toBe(8)
    answer = () => FAILED
    for (const resolve of hanging.values()) resolve(FAILED)
    await loop.stop()
  })

  test('whose receivers take deliveries slowly leave half of the places to the others, too', async () => {
    const places = new Places(16)
    for (let count = 0; count < 4; count++) await aTenant(`slow-${count}`, 20)
    const takeDue = async () => {
      const { claimed } = await places.claim(db, 60_000)
      for (const each of claimed) places.take(each)
      return claimed
    }
    for (const each of await takeDue()) places.giveBack(each, 'slow')
    const slow = await takeDue()
    expect(slow).toHaveLength(8)
    await aTenant('other', 3)
    expect(await takeDue()).toMatchObject([{ tenant_id: 'other' }])
    // A webhook that failed has one place.
    for (const each of slow) places.giveBack(each, 'failed')
    expect(await takeDue()).toHaveLength(4)
  })

  test('with ten thousand waiting deliveries delay the delivery of another tenant by less than one round of places', async () => {
    await aTenant('flood', 10_000)
    await aTenant('small', 1)
    const one = runner()
    let count = 0
    answer = () => {
      if (++count === 200) void one.stop()
      return DELIVERED
    }
    one.start()
    await expect.poll(() => count).toBeGreaterThanOrEqual(200)
    await one.stop()
    expect(isTold('small')).toBeGreaterThanOrEqual(0)
    expect(isTold('small')).toBeLessThan(16)
  })
})

describe('the loop', () => {
  test('asks the database only when it is called, or when a try is due', async () => {
    await aWebhook()
    let asked = 0
    const counting: Db = {
      ...db,
      transaction: (...given) => {
        asked++
        return db.transaction(...given)
      },
    }
    const loop = createDeliveryRunner({
      db: counting,
      log,
      secrets,
      sender,
      options: { ...HeadOfficeOptionsSchema.parse({}).webhooks, firstPauseMs: 500 },
    })
    loop.start()
    await new Promise((done) => setTimeout(done, 300))
    expect(asked).toBe(1)
    answer = () => FAILED
    await happened()
    await expect.poll(() => sent).toHaveLength(1)
    answer = () => DELIVERED
    // Its pause is over after 250 to 750 milliseconds.
    await expect.poll(() => sent, { timeout: 5_000 }).toHaveLength(2)
    await expect.poll(rows).toMatchObject([{ state: 'DELIVERED' }])
    await new Promise((done) => setTimeout(done, 300))
    expect(asked).toBeLessThanOrEqual(6)
    await loop.stop()
  })

  test('sends what comes, and ends with what is under way', async () => {
    await aWebhook()
    await happened()
    const loop = runner()
    loop.start()
    await expect.poll(() => sent).toHaveLength(1)
    const { promise, resolve } = Promise.withResolvers<Sent>()
    answer = () => promise
    await happened()
    await expect.poll(() => sent).toHaveLength(2)
    let isOver = false
    const stopped = loop.stop().then(() => void (isOver = true))
    await new Promise((done) => setTimeout(done, 30))
    expect([isOver, closed]).toEqual([false, 0])
    resolve(DELIVERED)
    await stopped
    expect(closed).toBe(1)
    await happened()
    await new Promise((done) => setTimeout(done, 40))
    expect(sent).toHaveLength(2)
    expect(await loop.runOnce()).toBe(0)
  })

  test('continues when the database fails for a while', async () => {
    await aWebhook()
    await happened()
    let fails = true
    const failing: Db = {
      ...db,
      transaction: (...given) => (fails ? Promise.reject(new Error('gone')) : db.transaction(...given)),
    }
    const loop = createDeliveryRunner({
      db: failing,
      log,
      secrets,
      sender,
      options: { ...HeadOfficeOptionsSchema.parse({}).webhooks, pollMs: 10 },
    })
    loop.start()
    await expect
      .poll(() => logged[0]?.slice(0, 3))
      .toMatchObject(['warn', { class: 'Error' }, 'webhook deliveries could not be claimed'])
    fails = false
    await expect.poll(() => sent).toHaveLength(1)
    await loop.stop()
  })
})

async function aKiosk({
  status = null as object | null,
  seenAgoSeconds = 0,
  revoked = false,
} = {}): Promise<string> {
  const id = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at, status, status_at, revoked_at)
     VALUES ($1, 'acme', 'x', '{}', '', '[]', now(), now() - interval '1 hour', $2::jsonb,
       CASE WHEN $2::jsonb IS NULL THEN NULL ELSE now() - $3 * interval '1 second' END, CASE WHEN $4 THEN now() END)`,
    [id, status === null ? null : JSON.stringify(status), seenAgoSeconds, revoked],
  )
  return id
}

describe('figures', () => {
  const figures = async (metrics = createMetrics(db)) => {
    const { text, contentType } = await metrics.read()
    expect(contentType).toContain('text/plain')
    const lines = text.split('\n').filter((line) => !line.startsWith('#') && line !== '')
    return Object.fromEntries(
      lines.map((line) => {
        const at = line.lastIndexOf(' ')
        return [line.slice(0, at), Number(line.slice(at + 1))]
      }),
    )
  }

  test('count what this instance has stored and refused, with closed words', async () => {
    const metrics = createMetrics(db)
    metrics.proofStored(0.2)
    metrics.proofStored(3)
    metrics.proofRefused('hash_mismatch')
    metrics.proofRefused('hash_mismatch')
    metrics.proofRefused('Something Else!')
    metrics.proofRefused('x'.repeat(41))
    const now = await figures(metrics)
    expect(now).toMatchObject({
      counterproof_proofs_stored_total: 2,
      'counterproof_proofs_refused_total{reason="hash_mismatch"}': 2,
      'counterproof_proofs_refused_total{reason="other"}': 2,
      'counterproof_ingest_seconds_bucket{le="0.1"}': 0,
      'counterproof_ingest_seconds_bucket{le="0.25"}': 1,
      'counterproof_ingest_seconds_bucket{le="5"}': 2,
      counterproof_ingest_seconds_count: 2,
    })
  })

  test('have a series for fifty kinds of refusal, and one for all others', async () => {
    const metrics = createMetrics(db)
    const letters = (index: number) => String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))
    for (let index = 0; index < 52; index++) metrics.proofRefused(`kind_${letters(index)}`)
    metrics.proofRefused(`kind_${letters(0)}`)
    const now = await figures(metrics)
    const series = Object.keys(now).filter((name) => name.startsWith('counterproof_proofs_refused_total'))
    expect(series).toHaveLength(51)
    expect(now['counterproof_proofs_refused_total{reason="other"}']).toBe(2)
    expect(now['counterproof_proofs_refused_total{reason="kind_aa"}']).toBe(2)
  })

  test('tell of kiosks, deliveries, alarms and proofs as the database has them, and forget what is gone', async () => {
    const id = await aKiosk({ status: { backlog: 3 }, seenAgoSeconds: 120 })
    const silent = await aKiosk()
    const gone = await aKiosk({ status: { backlog: 9 }, revoked: true })
    await aWebhook()
    await happened()
    const alarm = randomUUID()
    await db.query(
      SYSTEM,
      `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at)
       VALUES ($1, 'acme', $2, 'GAP', '', '{}', now(), now())`,
      [alarm, id],
    )
    const metrics = createMetrics(db)
    const now = await figures(metrics)
    expect(now).toMatchObject({
      counterproof_proofs: 0,
      [`counterproof_kiosk_backlog{kiosk="${id}"}`]: 3,
      'counterproof_kiosks{revoked="false"}': 2,
      'counterproof_kiosks{revoked="true"}': 1,
      'counterproof_webhook_deliveries{state="PENDING"}': 1,
      'counterproof_alarms_open{kind="GAP"}': 1,
    })
    const seen = now[`counterproof_kiosk_last_seen_seconds{kiosk="${id}"}`]
    expect(seen).toBeGreaterThanOrEqual(120)
    expect(seen).toBeLessThan(180)
    // Never seen: since it has joined.
    expect(now[`counterproof_kiosk_last_seen_seconds{kiosk="${silent}"}`]).toBeGreaterThanOrEqual(3600)
    expect(now).not.toHaveProperty([`counterproof_kiosk_backlog{kiosk="${silent}"}`])
    expect(now).not.toHaveProperty([`counterproof_kiosk_backlog{kiosk="${gone}"}`])
    await db.query(SYSTEM, 'UPDATE alarms SET acknowledged_at = now() WHERE id = $1', [alarm])
    await db.query(SYSTEM, 'DELETE FROM webhooks')
    const after = await figures(metrics)
    expect(after).not.toHaveProperty(['counterproof_alarms_open{kind="GAP"}'])
    expect(after).toMatchObject({ 'counterproof_webhook_deliveries{state="PENDING"}': 0 })
  })
})

describe('a waiting poll', () => {
  const soon = (
    watch: ReturnType<typeof createFeedWatch>,
    withinMs: number,
    signal = new AbortController().signal,
  ) => {
    let isWoken = false
    const woken = watch.changed(watch.mark(), withinMs, signal).then(() => void (isWoken = true))
    return { woken, isWoken: () => isWoken }
  }
  let position = 0
  let newest: () => Promise<readonly object[]>
  /** A call says that a proof may have been stored. */
  let call: () => void
  const watched = () => {
    const onWork: Db['onWork'] = (_work, begin) => (call = begin)
    return createFeedWatch({ ...db, query: () => newest(), onWork } as unknown as Db, log)
  }
  beforeEach(() => {
    position = 0
    newest = async () => [{ newest: position }]
  })

  test('is woken when a proof was stored, all who wait at once', async () => {
    const watch = watched()
    const [first, second] = [soon(watch, 60_000), soon(watch, 60_000)]
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([first.isWoken(), second.isWoken()]).toEqual([false, false])
    position = 1
    call()
    await Promise.all([first.woken, second.woken])
    // A change since the mark ends the wait immediately.
    await watch.changed(watch.mark() - 1, 60_000, new AbortController().signal)
    watch.close()
  })

  test('of fifty callers asks the database once, until a call comes', async () => {
    let asked = 0
    newest = async () => {
      asked++
      return [{ newest: position }]
    }
    const watch = watched()
    const all = Array.from({ length: 50 }, () => soon(watch, 60_000).woken)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(asked).toBe(1)
    position = 1
    call()
    await Promise.all(all)
    expect(asked).toBeLessThan(4)
    watch.close()
  })

  test('ends by itself after its time, and at once when its caller has left', async () => {
    const watch = watched()
    await soon(watch, 10).woken
    await soon(watch, -5).woken
    const leaving = new AbortController()
    const left = soon(watch, 60_000, leaving.signal)
    leaving.abort()
    await left.woken
    await soon(watch, 60_000, leaving.signal).woken
    watch.close()
  })

  test('ends when the service closes, and no later poll waits', async () => {
    const watch = watched()
    const waiting = soon(watch, 60_000)
    expect(watch.isOpen()).toBe(true)
    watch.close()
    await waiting.woken
    expect(watch.isOpen()).toBe(false)
    await soon(watch, 60_000).woken
  })

  test('continues when the database cannot be asked for a while', async () => {
    newest = () => Promise.reject(new Error('gone'))
    const watch = watched()
    const waiting = soon(watch, 60_000)
    await expect.poll(() => logged).toMatchObject([['warn', {}, 'the newest proof could not be looked up']])
    position = 5
    newest = async () => [{ newest: position }]
    await waiting.woken
    watch.close()
  })

  test('causes no query of the database after it has ended', async () => {
    let asked = 0
    newest = async () => {
      asked++
      return [{ newest: 0 }]
    }
    const watch = watched()
    await soon(watch, 5).woken
    await new Promise((resolve) => setTimeout(resolve, 300))
    const before = asked
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(asked).toBe(before)
    watch.close()
  })
})
