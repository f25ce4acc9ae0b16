/** A decision of the desk that waits: a restart neither loses it nor carries it out twice, and a changed case drops it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Draft } from '../../../../server/counter/contract/desk.ts'
import { APPLIANCE } from '../../../../server/store/scope.ts'
import { documentForm } from '../../../support/app.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../../support/counter.ts'
import { HARD_TO_READ, visionInDoubt } from '../../app/adjudicators.ts'

let dataDir: string
let counter: CounterApp
let now: Date
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-desk-'))
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'config.json'), '{}')
  now = new Date()
  counter = await open()
})
afterEach(async () => {
  await counter.app.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

const open = () => startCounterApp({ dataDir, clock: { now: () => now }, vision: visionInDoubt() })
const store = () => counter.app.appliance.store

async function aPendingDecision(): Promise<{ id: string; identityId: string; reviewer: CounterBrowser }> {
  const { app } = counter
  const reviewer = await counter.signedIn('officer')
  const { body: made } = await app.json('POST', '/v1/identities', { payload: {} })
  const identityId = (made as { id: string }).id
  const payload = [{ type: 'ID_DOCUMENT', approved: true }]
  await app.call('POST', `/v1/identities/${identityId}/consents`, { payload })
  const sent = await app.json('POST', `/v1/identities/${identityId}/id-documents/capture`, {
    body: documentForm(HARD_TO_READ),
  })
  await app.runJobs()
  const evidenceId = (sent.body as { id: string }).id
  await app.json('POST', `/v1/identities/${identityId}/adjudications/${evidenceId}`)
  const id = store().adjudications.latest(evidenceId)?.id ?? ''
  await reviewer.call('POST', `desk/${id}/claim`, {})
  const answers = { documentReal: 'YES', dataAgree: 'YES', viewedSeconds: 5 }
  await reviewer.call('POST', `desk/${id}/answers`, answers)
  const decision = { decision: 'ACCEPTED', reason: 'DATA_LEGIBLE_TO_EYE' }
  const { body: draft } = await reviewer.call<Draft>('POST', `desk/${id}/draft`, decision)
  expect((await reviewer.call('POST', `desk/${id}/confirm`, { token: draft.token })).status).toBe(200)
  return { id, identityId, reviewer }
}

const decisionsOf = (id: string) => store().adjudicationDecisions.list(id)

test('a decision that waits is carried out after a restart, once', async () => {
  const { id } = await aPendingDecision()
  await counter.app.stop()
  now = new Date(now.getTime() + 60_000)
  counter = await open()
  for (let i = 0; i < 100 && decisionsOf(id).length === 0; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await counter.app.runJobs()
  expect(decisionsOf(id)).toHaveLength(1)
  expect(store().adjudications.find(id)?.status).toBe('ACCEPTED')
  await counter.app.stop()
  counter = await open()
  await counter.app.runJobs()
  expect(decisionsOf(id)).toHaveLength(1)
})

test('a decision about a person who is erased meanwhile goes with the person', async () => {
  const { id, identityId } = await aPendingDecision()
  await counter.app.call('DELETE', `/v1/identities/${identityId}`)
  expect(store().identities.find(APPLIANCE, identityId)).toBeNull()
  expect(store().adjudications.find(id)).toBeNull()
  expect(store().deadlines.find('desk-decision', id)).toBeNull()
})
