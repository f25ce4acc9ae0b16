/** Deliveries over real sockets: signed, once, in order, limited, and resumed after a stop. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rotateWebhookSecret } from '../../../server/workflows/webhooks/manage-webhooks.ts'
import { filesIn, findIn, formsOf, formsOfBytes } from '../../support/byte-scan.ts'
import { anIdentity } from '../../support/store.ts'
import { eventually, startReceiver, type Receiver } from '../../support/webhook-receiver.ts'
import { ascending, OPERATOR, startRig, verified, type Rig } from './rig.ts'

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

describe('a receiver that hears', () => {
  test('is told once, with ids and states alone, signed so that the standard library verifies it', async () => {
    const { id: identityId } = rig.store.addIdentity()
    const { id, secret } = rig.register(receiver.url)
    rig.tell(identityId)
    await settled(id, 1)
    expect(receiver.received).toHaveLength(1)
    const [event] = rig.store.store.events.after(0, 100).filter(({ type }) => type === 'identity.evaluated')
    const data = { identityId, sequence: event?.seq, status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA1' }
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
      type: 'identity.evaluated',
      timestamp: event?.at.toISOString(),
      data,
    })
    expect(receiver.received.map((one) => verified(one, secret).id)).toEqual([event?.id])
    expect(rig.deliveries(id)).toMatchObject([{ attempts: 1, lastStatus: 204, lastError: null }])
  })

  test('is told neither what happened before it was registered nor what it did not ask for', async () => {
    const { id: identityId } = rig.store.addIdentity()
    rig.tell(identityId, 3)
    const all = rig.register(receiver.url)
    const few = rig.register(receiver.url, ['proof.sealed'])
    rig.tell(identityId)
    await settled(all.id, 1)
    expect(rig.deliveries(few.id)).toEqual([])
  })

  test('is told of its own tenant alone, also of what was erased before the log was read', async () => {
    const { store } = rig.store
    store.tenants.ensure({ id: 'other', name: 'Other', mode: 'test', policyId: 'default' }, new Date())
    const applicationId = store.apiKeys.ensureApplication('other', 'test', new Date())
    const theirs = anIdentity(applicationId, { tenantId: 'other' })
    store.identities.add(theirs, [])
    const ours = rig.store.addIdentity()
    const { id, secret } = rig.register(receiver.url)
    await rig.stop()
    rig.tell(theirs.id)
    rig.tell(ours.id)
    store.transaction(() => {
      const erasure = {
        identityId: ours.id,
        tenantId: 'tenant',
        applicationId: ours.applicationId,
        reason: 'DELETE',
        actor: 'appliance',
      } as const
      store.erasures.begin({ ...erasure, proofId: null, begunAt: new Date() })
      store.erasures.deleteRows(ours.id)
      store.events.append('identity.erased', ours.id, {}, new Date(), { reason: 'RETENTION' })
    })
    rig.start()
    await settled(id, 2)
    const told = receiver.received.map((one) => verified(one, secret))
    expect(told).toMatchObject([
      { type: 'identity.evaluated', identityId: ours.id },
      { type: 'identity.erased', identityId: ours.id, reason: 'RETENTION' },
    ])
  })

  test('hears under both secrets while they overlap, and under the new one alone after it', async () => {
    const { id: identityId } = rig.store.addIdentity()
    const { id, secret } = rig.register(receiver.url)
    const rotated = rotateWebhookSecret(rig.registry, OPERATOR, id, 1)
    rig.tell(identityId)
    await settled(id, 1)
    const [during] = receiver.received
    for (const by of [secret, rotated.secret])
      expect(during && verified(during, by).identityId).toBe(identityId)
    const last = rotateWebhookSecret(rig.registry, OPERATOR, id, 0)
    rig.tell(identityId)
    await settled(id, 2)
    const after = receiver.received[1]
    expect(after && verified(after, last.secret).identityId).toBe(identityId)
    for (const by of [secret, rotated.secret]) expect(() => after && verified(after, by)).toThrow()
  })
})

describe('many at once', () => {
  test('no event overtakes another one of its identity, however often receivers fail; a bounded number at a time', async () => {
    await rig.stop()
    rig.start({ runner: { schedule: Array.from({ length: 200 }, (_, at) => at) } })
    const identities = Array.from({ length: 8 }, () => rig.store.addIdentity().id)
    const { id, secret } = rig.register(receiver.url)
    const delivered: { identityId: string; sequence: number }[] = []
    const under = new Map<string, number>()
    let most = 0
    let most1 = 0
    let now = 0
    receiver.answer = async (one) => {
      const { identityId, sequence } = verified(one, secret)
      most = Math.max(most, ++now)
      under.set(identityId, (under.get(identityId) ?? 0) + 1)
      most1 = Math.max(most1, under.get(identityId) ?? 0)
      await wait(Math.random() * 8)
      now--
      under.set(identityId, (under.get(identityId) ?? 1) - 1)
      if (Math.random() < 0.4) return 500
      delivered.push({ identityId, sequence })
      return 200
    }
    for (let each = 0; each < 8; each++) for (const identityId of identities) rig.tell(identityId)
    await settled(id, 64)
    expect(new Set(statesOf(id))).toEqual(new Set(['DELIVERED']))
    for (const identityId of identities) {
      const seen = delivered.filter((one) => one.identityId === identityId).map(({ sequence }) => sequence)
      expect(seen).toEqual(ascending(seen))
      expect(seen).toHaveLength(8)
    }
    expect([most, most1]).toEqual([4, 1])
  })

  test('a receiver that hangs keeps no other one waiting', async () => {
    await rig.stop()
    const timeoutMs = 60_000
    rig.start({ sender: { timeoutMs } })
    const slow = await startReceiver()
    slow.answer = () => undefined
    const identities = Array.from({ length: 10 }, () => rig.store.addIdentity().id)
    rig.register(slow.url)
    const { id } = rig.register(receiver.url)
    const from = performance.now()
    for (const identityId of identities) rig.tell(identityId, 3)
    await settled(id, 30)
    expect(performance.now() - from).toBeLessThan(timeoutMs)
    expect(slow.received).toHaveLength(4)
    await rig.stop()
    await slow.close()
  })
})

test('a delivery that a stop interrupts is sent again after the next start under the same id', async () => {
  const { id: identityId } = rig.store.addIdentity()
  const { id, secret } = rig.register(receiver.url)
  await rig.stop()
  rig.start({ sender: { timeoutMs: 5_000 }, runner: { stopMs: 50 } })
  receiver.answer = () => undefined
  rig.tell(identityId)
  await eventually(
    () => receiver.received.length,
    (count) => count === 1,
  )
  await rig.stop()
  expect(rig.deliveries(id)).toMatchObject([{ state: 'PENDING', attempts: 1, lastError: null }])
  receiver.answer = () => 200
  rig.start()
  await settled(id, 1)
  expect(new Set(receiver.received.map((one) => verified(one, secret).id)).size).toBe(1)
  expect(rig.deliveries(id)).toMatchObject([{ state: 'DELIVERED', attempts: 2 }])
})

test('no secret lies in the clear in the database', () => {
  const { secret } = rig.register(receiver.url)
  const { store } = rig.store
  const [endpoint] = store.webhookEndpoints.list(OPERATOR)
  expect(store.webhookEndpoints.listSecrets(endpoint?.id ?? '', new Date())).toEqual([secret])
  store.scrub()
  const wanted = {
    secret: formsOf(secret.slice('whsec_'.length)),
    key: formsOfBytes(Buffer.from(secret.slice('whsec_'.length), 'base64')),
    // Control values: the search must find these.
    url: formsOf(receiver.url),
  }
  expect(findIn(filesIn(rig.store.dataDir), wanted).join()).toMatch(/^(?!.*(secret|key)).*url/)
})
