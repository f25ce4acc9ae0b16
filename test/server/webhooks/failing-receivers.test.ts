/** Failing receivers: every event arrives at least once and in order, or is parked and visible. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  enableWebhook,
  listWebhooks,
  resendDelivery,
  webhookHealth,
} from '../../../server/workflows/webhooks/manage-webhooks.ts'
import { eventually, startReceiver, type Receiver } from '../../support/webhook-receiver.ts'
import { ascending, firstSeen, OPERATOR, startRig, verified, type Rig } from './rig.ts'

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

let rig: Rig
let receiver: Receiver
beforeEach(async () => {
  rig = startRig()
  receiver = await startReceiver()
})
afterEach(async () => {
  await rig.close()
  await receiver.close()
})

const statesOf = (endpointId: string) => rig.deliveries(endpointId).map(({ state }) => state)
const settled = (endpointId: string, count: number) =>
  eventually(
    () => statesOf(endpointId),
    (states) => states.length === count && !states.includes('PENDING'),
  )
const auditOf = (type: string) =>
  rig.store.store.events.after(0, 10_000).filter((event) => event.type === type)

describe('a receiver that fails', () => {
  test('and is down for a while gets everything in order when it is up again', async () => {
    const identities = [rig.store.addIdentity().id, rig.store.addIdentity().id]
    const { id, secret } = rig.register(receiver.url)
    const { port } = new URL(receiver.url)
    await receiver.close()
    for (const identityId of identities) rig.tell(identityId, 4)
    await eventually(
      () => rig.deliveries(id).filter(({ lastError }) => lastError === 'connection').length,
      (failed) => failed === identities.length,
    )
    // Only the first event of each identity was tried: the others wait behind it.
    expect(rig.deliveries(id).filter(({ attempts }) => attempts > 0)).toHaveLength(identities.length)
    receiver = await startReceiver({ port: Number(port) })
    await settled(id, 8)
    expect(new Set(statesOf(id))).toEqual(new Set(['DELIVERED']))
    const told = receiver.received.map((one) => verified(one, secret))
    for (const identityId of identities) {
      const seen = firstSeen(told, identityId)
      expect(seen).toHaveLength(4)
      expect(seen).toEqual(ascending(seen))
    }
  })

  test.each([
    ['answers 500', () => 500, { lastStatus: 500, lastError: 'status' }, {}],
    ['answers 404', () => 404, { lastStatus: 404, lastError: 'status' }, {}],
    [
      'does not answer in time',
      () => undefined,
      { lastStatus: null, lastError: 'timeout' },
      // Long enough for the one who does answer, beside other work.
      { timeoutMs: 400 },
    ],
  ])(
    'and %s is tried for a day, then its event is parked, seen, and the next one goes',
    async (_, answer, last, sender) => {
      await rig.stop()
      rig.start({ sender })
      const { id: identityId } = rig.store.addIdentity()
      const { id, secret } = rig.register(receiver.url)
      receiver.answer = (received) => (verified(received, secret).sequence === first ? answer() : 204)
      rig.tell(identityId, 2)
      const first = rig.store.store.events.head().seq - 1
      await settled(id, 2)
      expect(rig.deliveries(id)).toMatchObject([
        { state: 'PARKED', attempts: 10, ...last },
        { state: 'DELIVERED', attempts: 1, lastStatus: 204 },
      ])
      const told = receiver.received.map((one) => verified(one, secret))
      expect(new Set(told.map((one) => one.id)).size).toBe(2)
      expect(told.map(({ sequence }) => sequence)).toEqual([
        ...Array.from({ length: 10 }, () => first),
        first + 1,
      ])
      // Each pause of the schedule is kept, but for what chance takes off.
      const times = receiver.received.slice(0, 10).map(({ at }) => at)
      expect((times[9] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2_400 * 0.75)
      expect(auditOf('webhook.parked')).toMatchObject([{ body: { webhookId: id } }])
      expect(listWebhooks(rig.registry, OPERATOR)).toMatchObject([{ pending: 0, parked: 1 }])
      expect(webhookHealth({ store: rig.store.store, clock: rig.registry.clock })).toEqual({
        status: 'DEGRADED',
        detail: '0 pending, 1 parked, 0 switched off',
      })
    },
  )

  test('and redirects to this machine is not followed', async () => {
    const inside = await startReceiver()
    receiver.answer = (_, res) => void res.writeHead(307, { location: `${inside.url}/admin` }).end()
    const { id: identityId } = rig.store.addIdentity()
    const { id } = rig.register(receiver.url)
    rig.tell(identityId)
    await settled(id, 1)
    expect(rig.deliveries(id)).toMatchObject([{ state: 'PARKED', lastStatus: 307, lastError: 'redirect' }])
    expect(inside.received).toEqual([])
    await inside.close()
  })

  test('and never ends its answer is believed for its status', async () => {
    receiver.answer = (_, res) => {
      res.writeHead(200)
      const flood = setInterval(() => res.write(Buffer.alloc(32 * 1024)), 1)
      res.once('close', () => clearInterval(flood))
    }
    const { id: identityId } = rig.store.addIdentity()
    const { id } = rig.register(receiver.url)
    rig.tell(identityId)
    await settled(id, 1)
    expect(statesOf(id)).toEqual(['DELIVERED'])
  })

  test('and answers 410 is switched off, and nothing is lost when it is switched on again', async () => {
    const identities = [rig.store.addIdentity().id, rig.store.addIdentity().id]
    const { id, secret } = rig.register(receiver.url)
    receiver.answer = () => 410
    for (const identityId of identities) rig.tell(identityId, 3)
    await eventually(
      () => listWebhooks(rig.registry, OPERATOR),
      ([webhook]) => webhook?.disabledBecause === 'GONE',
    )
    await wait(50)
    const tried = receiver.received.length
    for (const identityId of identities) rig.tell(identityId, 2)
    await wait(100)
    expect(receiver.received).toHaveLength(tried)
    expect(auditOf('webhook.disabled')).toHaveLength(1)
    const { status, detail } = webhookHealth({ store: rig.store.store, clock: rig.registry.clock })
    expect([status, detail]).toEqual(['DEGRADED', expect.stringContaining('1 switched off')])
    receiver.answer = () => 204
    enableWebhook(rig.registry, OPERATOR, id)
    await settled(id, 10)
    const told = receiver.received.slice(tried).map((one) => verified(one, secret))
    for (const identityId of identities) {
      const seen = firstSeen(told, identityId)
      expect(seen).toHaveLength(5)
      expect(seen).toEqual(ascending(seen))
    }
  })

  test('and says Retry-After is left alone for so long, with everything', async () => {
    const identities = Array.from({ length: 6 }, () => rig.store.addIdentity().id)
    const { id } = rig.register(receiver.url)
    let isBusy = true
    receiver.answer = (_, res) =>
      isBusy ? void res.writeHead(429, { 'retry-after': '1' }).end() : void res.writeHead(200).end()
    rig.tell(identities[0] ?? '')
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    )
    isBusy = false
    for (const identityId of identities) rig.tell(identityId)
    await settled(id, 7)
    const [first, second] = receiver.received
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(950)
    expect(rig.deliveries(id).map(({ attempts }) => attempts)).toEqual([2, 1, 1, 1, 1, 1, 1])
  })

  test('and was parked hears again what is sent by hand, under the same id, before what waits', async () => {
    await rig.stop()
    rig.start({ runner: { schedule: [0, 1] } })
    const { id: identityId } = rig.store.addIdentity()
    const { id, secret } = rig.register(receiver.url)
    receiver.answer = () => 500
    rig.tell(identityId)
    await settled(id, 1)
    const [parked] = rig.deliveries(id)
    expect(parked).toMatchObject({ state: 'PARKED', attempts: 2 })
    receiver.answer = () => 204
    const before = receiver.received.length
    rig.store.store.transaction(() => {
      rig.tell(identityId)
      resendDelivery(rig.registry, OPERATOR, id, parked?.id ?? '')
    })
    await settled(id, 2)
    const told = receiver.received.slice(before).map((one) => verified(one, secret))
    expect(told.map((one) => one.id)).toEqual([
      parked?.eventId,
      expect.not.stringMatching(parked?.eventId ?? ''),
    ])
    expect(rig.deliveries(id)[0]).toMatchObject({ state: 'DELIVERED', attempts: 3 })
    expect(auditOf('webhook.resent')).toMatchObject([{ actor: 'operator', body: { deliveryId: parked?.id } }])
  })
})
