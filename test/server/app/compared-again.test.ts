import { afterEach, expect, test, vi } from 'vitest'
import type { Clock } from '../../../server/clock.ts'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'
import { contractClient } from '../../support/contract-client.ts'
import { aPassport, picture, scriptedVision } from './scripted-vision.ts'

let app: TestApp
afterEach(() => app.close())

// Longer than any pause between two attempts (server/jobs/runner.ts).
const MINUTE_MS = 60_000

test('a portrait whose comparison with a new document breaks for good is not tried again for ever', async () => {
  const vision = {
    ...scriptedVision(),
    compareFaces: async () => {
      throw new Error('the model is broken')
    },
  }
  let now = new Date()
  const clock: Clock = { now: () => now }
  app = await startTestApp({ vision, clock })
  const client = contractClient(() => app)
  const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
  const consent = () =>
    client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
      payload: [{ type: 'PORTRAIT', approved: true }],
    })
  await consent()
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/attributes/portrait/capture`, {
    body: portraitForm(picture({ shows: 'person', face: 'A' })),
  })
  await app.runJobs()
  // It was usable, and waits for a document to be compared with.
  const path = `/v1/identities/${id}/id-documents/capture`
  await client.ask('SingleStatus', 'POST', path, { body: documentForm(aPassport()) })

  for (let failures = 1; failures <= 4; failures++) {
    await vi.waitFor(() => {
      expect(app.log().match(/job failed and will be tried again/g)).toHaveLength(failures)
    })
    now = new Date(now.getTime() + MINUTE_MS)
    // Any submission has the queue look at the clock.
    await consent()
  }
  await app.runJobs()
  const identity = await client.ask('Identity', 'GET', `/v1/identities/${id}`)
  expect(identity.globalStatus.status).toBe('EXPECTING_INPUT')
  expect(identity.portrait?.evidenceStatus).toMatchObject({
    status: 'NOT_VERIFIED',
    errors: [{ code: '1021' }],
    unverifiedIndicators: ['VERIFICATION_UNVERIFIED'],
  })
  expect(app.appliance.store.jobs.failed()).toBe(1)
})
