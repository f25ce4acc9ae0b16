import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentForm, portraitForm, startTestApp, type TestApp } from '../../support/app.ts'
import { contractClient, type ContractClient } from '../../support/contract-client.ts'
import { heldVision, type HeldVision } from './held-vision.ts'
import { aPassport, picture } from './scripted-vision.ts'
import { SOON } from '../../support/soon.ts'

let held: HeldVision
let app: TestApp
let client: ContractClient
beforeEach(async () => {
  held = heldVision('measurePortrait')
  app = await startTestApp({ vision: held.vision })
  client = contractClient(() => app)
})
afterEach(async () => {
  held.go()
  await app.close()
})

const consent = (id: string, type: string, approved: boolean, more: object = {}) =>
  client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, {
    payload: [{ type, approved, ...more }],
  })

/** Whose portrait is being measured. */
async function aPortraitInVerification(): Promise<{ id: string; portrait: string }> {
  const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
  await consent(id, 'PORTRAIT', true)
  const path = `/v1/identities/${id}/attributes/portrait/capture`
  const body = portraitForm(picture({ shows: 'person', face: 'A' }))
  const portrait = await client.ask('SingleStatus', 'POST', path, { body })
  await held.begun
  return { id, portrait: portrait.id }
}

const identityOf = (id: string) => client.ask('Identity', 'GET', `/v1/identities/${id}`)
const eventsOf = (id: string, evidenceId: string) =>
  app.appliance.store.events
    .after(0, 1000)
    .filter(({ identityId, body }) => identityId === id && body.evidenceId === evidenceId)
    .map(({ type }) => type)

const WITHDRAWN = {
  status: 'NOT_VERIFIED',
  score: 'LEVEL0',
  errors: [],
  positiveIndicators: [],
  unverifiedIndicators: ['CONSENT_UNVERIFIED'],
}

describe('a consent that is taken back during the verification', () => {
  // @clause NIST-63A-4/3.11-consent
  test('ends it at once, and what was still measured is thrown away', async () => {
    const { id, portrait } = await aPortraitInVerification()
    expect((await identityOf(id)).globalStatus.status).toBe('PROCESSING')
    await consent(id, 'PORTRAIT', false)
    const ended = await identityOf(id)
    expect(ended.globalStatus.status).toBe('EXPECTING_INPUT')
    expect(ended.portrait?.evidenceStatus).toMatchObject(WITHDRAWN)

    held.go()
    await app.runJobs()
    expect((await identityOf(id)).portrait).toEqual(ended.portrait)
    expect(eventsOf(id, portrait)).toEqual(['evidence.submitted', 'evidence.stuck'])
    await vi.waitFor(() => {
      expect(app.log()).toMatch(/"kind":"verify-evidence"[^\n]*"result":"skipped"/)
    }, SOON)
    expect((await app.call('GET', `/v1/identities/${id}/proof`)).status).toBe(200)
  })

  test('counts as taken back when its period is over, too', async () => {
    const { id } = await aPortraitInVerification()
    await consent(id, 'PORTRAIT', true, { validityPeriod: { to: '2020-01-01' } })
    expect((await identityOf(id)).portrait?.evidenceStatus).toMatchObject(WITHDRAWN)
  })

  test('ends nothing that stands on another one', async () => {
    const { id, portrait } = await aPortraitInVerification()
    await consent(id, 'ID_DOCUMENT', false)
    expect((await identityOf(id)).portrait?.evidenceStatus.status).toBe('PROCESSING')
    held.go()
    await app.runJobs()
    expect(eventsOf(id, portrait)).toEqual(['evidence.submitted', 'evidence.decided'])
  })

  test('and given again does not take up what had ended: the portrait has to be sent again', async () => {
    const { id, portrait } = await aPortraitInVerification()
    await consent(id, 'PORTRAIT', false)
    held.go()
    await consent(id, 'PORTRAIT', true)
    const body = documentForm(aPassport())
    await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
    await app.runJobs()
    const identity = await identityOf(id)
    expect(identity.globalStatus.portraitReferenceEvidenceId).toBeDefined()
    expect(identity.portrait).toMatchObject({ evidenceId: portrait, evidenceStatus: WITHDRAWN })
  })
})

test('a portrait that was to be compared with a new document is let be when its consent is taken back', async () => {
  const { id, portrait } = await aPortraitInVerification()
  held.go()
  await app.runJobs()
  expect((await identityOf(id)).portrait?.evidenceStatus.positiveIndicators).toEqual([
    'BIOMETRIC_QUALITY_CHECK_OK',
  ])
  await consent(id, 'PORTRAIT', false)
  const body = documentForm(aPassport())
  await client.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
  await app.runJobs()
  expect(eventsOf(id, portrait)).toEqual(['evidence.submitted', 'evidence.decided'])
})
