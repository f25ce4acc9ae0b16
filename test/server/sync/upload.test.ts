/** A kiosk and a central service that are both well: what is sealed arrives, once, and is acknowledged. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { startKiosk, typesOf, until, type TestKiosk } from './kiosk.ts'

let central: ScriptedCentralService
let kiosk: TestKiosk
beforeEach(async () => {
  central = await startScriptedCentralService()
  kiosk = await startKiosk()
})
afterEach(async () => {
  await kiosk.close()
  await central.close()
})

const packets = () => readdirSync(join(kiosk.dataDir, 'outbox'))
const rowOf = (proofId: string) => kiosk.store.outbox.findByProof(proofId)

describe('a kiosk that has joined a central service while it runs', () => {
  test('sends what it seals, keeps the receipt, and removes the packet', async () => {
    await kiosk.join(central)
    const { proofId, identityId } = await kiosk.seal()
    await until(() => rowOf(proofId)?.state === 'ACKNOWLEDGED')
    expect(central.taken).toEqual([proofId])
    expect(rowOf(proofId)).toMatchObject({ sequence: 1, lastError: null })
    await until(() => packets().length === 0)
    const acknowledged = kiosk.store.events
      .after(0, 1000)
      .filter(({ type }) => type === 'outbox.acknowledged')
      .map(({ identityId: about, body, actor }) => ({ about, body, actor }))
    expect(acknowledged).toEqual([{ about: identityId, body: { proofId, sequence: 1 }, actor: 'centre' }])
  })

  test('sends in the order of sealing, each proof once, and the numbers have no gap', async () => {
    await kiosk.join(central)
    const sealed = []
    for (let count = 0; count < 4; count++) sealed.push((await kiosk.seal()).proofId)
    await until(() => central.taken.length === 4 && kiosk.store.outbox.summary().backlog === 0)
    expect(central.taken).toEqual(sealed)
    expect([...central.uploads.values()].map(({ announcement }) => announcement.sequence)).toEqual([
      1, 2, 3, 4,
    ])
    expect(kiosk.store.outbox.audit()).toEqual([])
  })

  test('sends the proofs that were sealed before it joined', async () => {
    const before = [(await kiosk.seal()).proofId, (await kiosk.seal()).proofId]
    const { queued } = await kiosk.join(central)
    expect(queued).toBe(2)
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(central.taken).toEqual(before)
  })

  test('tells the central service how it is, and takes its time', async () => {
    central.aheadMs = 5_000
    await kiosk.join(central)
    await kiosk.seal()
    await until(
      () => (central.statuses.at(-1)?.lastSequence ?? 0) === 1 && central.statuses.at(-1)?.backlog === 0,
    )
    expect(central.statuses.at(-1)).toMatchObject({
      frozen: [],
      bundleVersion: 0,
      restoredAt: null,
      health: { database: 'UP', sync: 'UP' },
      proofKeys: { keys: [{ kty: 'RSA' }] },
    })
    const { body } = await kiosk.app.json('GET', '/healthcheck')
    const detail = expect.stringMatching(/^0 waiting; 0 parked; last contact 2/) as unknown
    expect(body).toMatchObject({ components: { sync: { status: 'UP', detail } } })
  })
})

test('a kiosk without a central service queues nothing and packs nothing', async () => {
  const { proofId } = await kiosk.seal()
  expect(rowOf(proofId)).toBeNull()
  expect(typesOf(kiosk.store)).not.toContain('outbox.queued')
  expect(existsSync(join(kiosk.dataDir, 'outbox')) ? packets() : []).toEqual([])
})
