/** The status exchange of kiosk and central service: time, keys, numbers, freezes, bundles. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { syncState } from '../../../server/workflows/health/sync-state.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { QUICK_SYNC, startKiosk, typesOf, until, type TestKiosk } from './kiosk.ts'

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

const POLICY = JSON.parse(readFileSync(join(RESOURCES_DIR, 'policies/default.json'), 'utf8')) as object
const told = () => central.statuses.at(-1)
/** Rounds of the kiosk's own loop, each of which tells the central service how it is. */
async function moreRounds(count: number): Promise<void> {
  const before = central.requests.filter(({ route }) => route === '/status').length
  const since = () => central.requests.filter(({ route }) => route === '/status').length - before
  await until(() => since() >= count)
}
const bodiesOf = (type: string) =>
  kiosk.store.events
    .after(0, 1000)
    .filter((event) => event.type === type)
    .map(({ body }) => body)

describe('statements that are not the central service’s word for this question', () => {
  test('an old time played again is not taken, and says so', async () => {
    let first: string | null = null
    await kiosk.join(central)
    await until(() => told() !== undefined)
    const contact = () => syncState({ store: kiosk.store }).lastContactAt
    await until(() => contact() !== null)
    first = await central.serverTime(kiosk.store.applianceId, told()?.nonce ?? '')
    central.instead = ({ route }) =>
      route === '/status'
        ? {
            status: 200,
            body: { serverTime: first, bundleVersion: 0, lastSequence: 0, trust: central.trust },
          }
        : null
    await until(() => syncState({ store: kiosk.store }).lastError === 'statement_refused')
    const before = contact()
    await moreRounds(1)
    expect(contact()).toBe(before)
  })

  test('new keys count only under the CA of the enrolment', async () => {
    await kiosk.join(central)
    await until(() => told() !== undefined)
    const kept = kiosk.store.enrolments.find()?.membership?.trust
    const own = await generateKeyPair('ES256', { extractable: true })
    const keys = { keys: [await exportJWK(own.publicKey)] } as never
    const { centreId, packetKeys } = central.trust
    const signature = await new CompactSign(
      Buffer.from(JSON.stringify({ centreId, statementKeys: keys, packetKeys })),
    )
      .setProtectedHeader({ alg: 'ES256' })
      .sign(own.privateKey)
    central.setTrust({ ...central.trust, statementKeys: keys, signature })
    await until(() => syncState({ store: kiosk.store }).lastError === 'statement_refused')
    expect(kiosk.store.enrolments.find()?.membership?.trust).toEqual(kept)
  })
})

describe('numbers', () => {
  test('that the central service has seen and this kiosk has forgotten (a backup was restored) are never given twice', async () => {
    central.lastSequence = 41
    await kiosk.join(central)
    await until(() => kiosk.store.outbox.lastSequence() === 41)
    expect(bodiesOf('outbox.skipped')).toEqual([{ after: 0, to: 41 }])
    const { proofId } = await kiosk.seal()
    expect(kiosk.store.outbox.findByProof(proofId)?.sequence).toBe(42)
    expect(kiosk.store.outbox.audit()).toEqual([])
  })

  test('a restored kiosk begins nothing until the central service has said how far it had got', async () => {
    await kiosk.join(central)
    await until(() => told() !== undefined)
    const { body } = await kiosk.app.json('POST', '/v1/identities', { payload: [] })
    const { id: open } = body as { id: string }
    central.instead = () => ({ status: 503, body: '' })
    kiosk.store.meta.setJson('restored', { at: Date.now() + 4_000, madeAt: 0 })
    expect((await kiosk.app.json('POST', '/v1/identities', { payload: [] })).status).toBe(503)
    // Nor does what was open in the backup take a number that may have been given since.
    const proof = `/v1/identities/${open}/proof`
    const refused = await kiosk.app.call('GET', proof)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
    expect(await refused.json()).toMatchObject({ type: 'urn:counterproof:problem:proofings_frozen' })
    expect(kiosk.store.outbox.lastSequence()).toBe(0)
    central.lastSequence = 7
    central.instead = null
    await until(() => told()?.restoredAt !== null)
    await until(() => typesOf(kiosk.store).includes('appliance.thawed'))
    expect((await kiosk.app.json('POST', '/v1/identities', { payload: [] })).status).toBe(200)
    expect((await kiosk.app.call('GET', proof)).status).toBe(200)
    expect(kiosk.store.outbox.lastSequence()).toBe(8)
  })
})

describe('a freeze', () => {
  test('refuses what is new, lets what was begun continue, is told to the central service and ends when the backlog is gone', async () => {
    await kiosk.close()
    kiosk = await startKiosk({ sync: { ...QUICK_SYNC, freeze: { backlog: 2 } } })
    const { body } = await kiosk.app.json('POST', '/v1/identities', { payload: [] })
    const begun = (body as { id: string }).id
    await kiosk.join(central)
    await until(() => told() !== undefined)
    central.instead = ({ method }) => (method === 'PUT' ? { status: 503, body: '' } : null)
    await kiosk.seal()
    await kiosk.seal()
    const refused = await kiosk.app.json('POST', '/v1/identities', { payload: [] })
    expect(refused).toMatchObject({
      status: 503,
      body: { type: 'urn:counterproof:problem:proofings_frozen' },
    })
    expect((await kiosk.app.call('GET', `/v1/identities/${begun}/proof`)).status).toBe(200)
    expect(bodiesOf('appliance.frozen')).toEqual([{ reasons: ['backlog_full'] }])
    const health = (await kiosk.app.json('GET', '/healthcheck')).body
    const detail = expect.stringContaining('nothing new may begin: backlog_full') as unknown
    expect(health).toMatchObject({ components: { sync: { status: 'DEGRADED', detail } } })
    await until(() => told()?.frozen.includes('backlog_full') === true)
    central.instead = null
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    await until(() => typesOf(kiosk.store).includes('appliance.thawed'))
    expect((await kiosk.app.json('POST', '/v1/identities', { payload: [] })).status).toBe(200)
    expect(bodiesOf('appliance.frozen')).toHaveLength(1)
  })
})

describe('a bundle', () => {
  const stateOf = (version: number) => kiosk.store.bundles.find(version)

  test('brings a policy into force at once, and settings at the next start', async () => {
    const strict = { ...POLICY, id: 'default', version: 'head-office-7' }
    await central.signBundle({ version: 3, policies: { default: strict }, settings: { otp: { digits: 9 } } })
    let restart = false
    void kiosk.app.appliance.restartWanted.then(() => (restart = true))
    await kiosk.join(central)
    await until(() => stateOf(3)?.state === 'APPLIED')
    await until(() => told()?.bundleVersion === 3)
    // No proofing is in progress.
    await until(() => restart)
    await kiosk.restart()
    expect(stateOf(3)?.state).toBe('APPLIED')
    expect(typesOf(kiosk.store).filter((type) => type === 'bundle.applied')).toHaveLength(1)
  })

  test('waits with its restart during a proofing', async () => {
    await kiosk.app.json('POST', '/v1/identities', { payload: [] })
    await central.signBundle({ version: 1, settings: { retention: { proofRepeatHours: 1 } } })
    let restart = false
    void kiosk.app.appliance.restartWanted.then(() => (restart = true))
    await kiosk.join(central)
    await until(() => stateOf(1)?.state === 'APPLIED')
    await moreRounds(2)
    expect(restart).toBe(false)
  })

  test('for another tenant, or of a lower version, changes nothing', async () => {
    await central.signBundle({ version: 5 })
    await kiosk.join(central)
    await until(() => stateOf(5)?.state === 'APPLIED')
    await central.signBundle({ version: 6, tenantId: 'other' })
    await until(() => central.requests.filter(({ route }) => route === '/bundle').length > 2)
    await central.signBundle({ version: 4 })
    await moreRounds(2)
    expect(kiosk.store.bundles.list().map(({ version }) => version)).toEqual([5])
  })
})
