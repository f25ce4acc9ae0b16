/**
 * From a kiosk that joins with a code of the fleet page to an archive that the head office verifies itself.
 */
import { expect, test } from 'vitest'
import { verifyProof } from '../../../server/proof/verify.ts'
import { enrolKiosk } from '../../support/kiosk-client.ts'
import { eventually, startReceiver } from '../../support/webhook-receiver.ts'
import { addKey, addTenant, startOffice } from './support.ts'

const METRICS_TOKEN = 'a-token-for-prometheus'

test('a proof that a kiosk delivers is told, fed, fetched, verified and counted', async () => {
  const office = await startOffice({
    options: {
      metricsToken: METRICS_TOKEN,
      webhooks: { allowHttp: true, allowPrivateAddresses: true, pollMs: 20 },
    },
  })
  await addTenant(office, 'acme')
  const key = await addKey(office, 'acme')
  const receiver = await startReceiver()
  const { body: webhook } = await office.call(key, 'POST', '/webhooks', {
    url: receiver.url,
    events: ['proof.stored'],
  })
  expect(webhook.webhookId).toBeDefined()
  const { body: ordered } = await office.call(key, 'POST', '/enrolment-codes', { name: 'Airport' })
  const kiosk = await enrolKiosk(office.url, ordered.code)
  const proof = await kiosk.makeProof()
  expect((await kiosk.deliver(proof)).state).toBe('STORED')
  const { proofId, sha256 } = proof.announcement

  await eventually(
    () => receiver.received.length,
    (count) => count === 1,
  )
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    type: 'proof.stored',
    data: { proofId, kioskId: kiosk.kioskId, sequence: 1, test: false },
  })
  const feed = await office.call(key, 'GET', '/proofs')
  expect(feed.body.proofs).toMatchObject([{ proofId, sha256, kioskId: kiosk.kioskId, sequence: 1 }])
  const archive = await fetch(`${office.url}/head-office/v1/proofs/${proofId}/archive`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const jwks = (await office.call(key, 'GET', `/jwks/${kiosk.kioskId}`)).body
  expect(await verifyProof(new Uint8Array(await archive.arrayBuffer()), { jwks })).toMatchObject({
    valid: true,
    proofId,
  })
  const metrics = await (
    await fetch(`${office.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  ).text()
  expect(metrics).toContain('counterproof_proofs_stored_total 1')
  expect(metrics).toContain('counterproof_ingest_seconds_count 1')
  expect((await office.call(key, 'GET', '/kiosks')).body.kiosks).toMatchObject([
    { name: 'Airport', lastSequence: 1 },
  ])
  // A proof that says it is a test is taken and never passed on as anything else.
  const trial = await kiosk.makeProof({ input: { test: true } })
  expect((await kiosk.deliver(trial)).state).toBe('STORED')
  await eventually(
    () => receiver.received.length,
    (count) => count === 2,
  )
  const trialId = trial.announcement.proofId
  expect(JSON.parse(receiver.received[1]?.body ?? '')).toMatchObject({
    type: 'proof.stored',
    data: { proofId: trialId, test: true },
  })
  expect((await office.call(key, 'GET', '/proofs')).body.proofs).toMatchObject([
    { proofId, test: false },
    { proofId: trialId, test: true },
  ])
  const reasonsNow = async () => (await office.call(key, 'GET', '/kiosks')).body.kiosks[0]?.reasons
  expect(await reasonsNow()).toEqual(['newest_is_test'])
  await kiosk.deliver(await kiosk.makeProof())
  expect(await reasonsNow()).toEqual([])
  await receiver.close()
  await office.stop()
})
