import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { picture } from './scripted-vision.ts'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const MINUTE_MS = 60_000

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

const openDocument = (id: string, payload?: object) =>
  client.ask('DocumentSessionAnswer', 'POST', `/v1/identities/${id}/id-documents/live-capture-session`, {
    ...(payload ? { payload } : {}),
  })
const portraitPath = (id: string, query = '') =>
  `/v1/identities/${id}/attributes/portrait/capture-session${query}`
const openPortrait = (id: string, payload?: object, query = '') =>
  client.ask('PortraitSessionAnswer', 'POST', portraitPath(id, query), { ...(payload ? { payload } : {}) })
const statusOf = async (id: string) => (await client.identity(id)).globalStatus.status
const settingsOf = (sessionId: string) => client.app.appliance.store.captureSessions.find(sessionId)?.settings

describe('a document capture session', () => {
  test('keeps the document in PROCESSING and names the sides of a document of unknown type', async () => {
    const id = await client.anIdentity()
    const opened = await openDocument(id)
    expect(opened).toMatchObject({
      status: 'PROCESSING',
      type: 'ID_DOCUMENT',
      sidesToCapture: ['FRONT', 'BACK'],
    })
    expect(opened.sessionId).toMatch(UUID_V4)
    expect(await statusOf(id)).toBe('PROCESSING')
    expect(await client.refusal('GET', `/v1/identities/${id}/proof`)).toMatchObject({
      status: 403,
      code: 'identity_processing',
    })
  })

  test.each([
    ['a passport has one page to show', { idDocumentType: 'PASSPORT' }, 'PASSPORT', ['FRONT']],
    ['a card has two sides', { idDocumentType: 'IDENTITY_CARD' }, 'IDENTITY_CARD', ['FRONT', 'BACK']],
    [
      'the relying service has the last word',
      { idDocumentType: 'IDENTITY_CARD', issuingCountry: 'UTO', sidesToCapture: ['BACK'] },
      'IDENTITY_CARD',
      ['BACK'],
    ],
  ])('%s', async (_, payload, type, sidesToCapture) => {
    const opened = await openDocument(await client.anIdentity(), payload)
    expect(opened).toMatchObject({ type, sidesToCapture })
    expect(settingsOf(opened.sessionId)).toMatchObject({ sidesToCapture })
  })

  test('ends NOT_VERIFIED with 2401 when its time is over, and not before', async () => {
    const id = await client.anIdentity()
    const { id: evidenceId, sessionId } = await openDocument(id)
    await client.passTime(9 * MINUTE_MS)
    expect(await statusOf(id)).toBe('PROCESSING')
    await client.passTime(MINUTE_MS)
    const { idDocuments, globalStatus } = await client.identity(id)
    expect(globalStatus).toMatchObject({ status: 'EXPECTING_INPUT', levelOfAssurance: 'LOA0' })
    expect(idDocuments[0]?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: [{ code: '2401' }],
      positiveIndicators: [],
      unverifiedIndicators: ['DOCUMENT_CAPTURE_UNVERIFIED'],
    })
    const told = client.events(id).filter(([type]) => type.startsWith('session.'))
    expect(told).toEqual([
      ['session.opened', { evidenceId, kind: 'DOCUMENT' }],
      ['session.ended', { evidenceId, state: 'EXPIRED' }],
    ])
    expect(JSON.stringify(client.events(id))).not.toContain(sessionId)
  })

  test('that the person has refused the document for cannot be opened', async () => {
    const id = await client.anIdentity()
    const payload = [{ type: 'ID_DOCUMENT', approved: false }]
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    const path = `/v1/identities/${id}/id-documents/live-capture-session`
    expect(await client.refusal('POST', path)).toMatchObject({ status: 403, code: 'consent_missing' })
  })
})

describe('a portrait capture session', () => {
  test('needs the consent PORTRAIT', async () => {
    const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [] })
    expect(await client.refusal('POST', portraitPath(id))).toEqual({
      status: 403,
      code: 'consent_missing',
      errors: [{ code: 'consent_missing', field: 'PORTRAIT' }],
    })
  })

  test('takes what the configuration says where the request says nothing', async () => {
    const id = await client.anIdentity()
    const opened = await openPortrait(id)
    expect(opened).toMatchObject({ status: 'PROCESSING', type: 'PORTRAIT' })
    expect(opened.sessionId).toMatch(UUID_V4)
    expect(settingsOf(opened.sessionId)).toEqual({
      mode: 'webSDK',
      livenessType: 'LIVENESS_ACTIVE',
      securityLevel: 'MEDIUM',
      nbChallenge: 2,
    })
    expect((await client.identity(id)).portrait?.portraitData).toEqual({
      source: 'LIVE_CAPTURE_VIDEO',
      channel: 'webSDK',
      metadata: [
        { key: 'livenessType', value: 'LIVENESS_ACTIVE' },
        { key: 'securityLevel', value: 'MEDIUM' },
        { key: 'nbChallenge', value: '2' },
      ],
    })
  })

  test.each([
    [
      'LIVENESS_HIGH is LIVENESS_ACTIVE, with two challenges',
      { type: 'LIVENESS_HIGH' },
      'LIVENESS_ACTIVE',
      2,
    ],
    ['three challenges may be asked for', { type: 'LIVENESS_ACTIVE', nbChallenge: 3 }, 'LIVENESS_ACTIVE', 3],
    [
      'other types have no challenges',
      { type: 'LIVENESS_PASSIVE', nbChallenge: 3 },
      'LIVENESS_PASSIVE',
      undefined,
    ],
  ])('%s', async (_, payload, livenessType, nbChallenge) => {
    const { sessionId } = await openPortrait(await client.anIdentity(), { ...payload, securityLevel: 'HIGH' })
    const settings = settingsOf(sessionId)
    expect(settings).toMatchObject({ livenessType, securityLevel: 'HIGH' })
    expect(settings && 'nbChallenge' in settings ? settings.nbChallenge : undefined).toBe(nbChallenge)
  })

  test('combined methods are for the native component only', async () => {
    const id = await client.anIdentity()
    const payload = { type: 'LIVENESS_MLC' }
    expect(await client.refusal('POST', portraitPath(id), { payload })).toEqual({
      status: 400,
      code: 'validation_failed',
      errors: [{ code: 'not_allowed', field: 'type' }],
    })
    const { sessionId } = await openPortrait(id, payload, '?mode=nativeSDK')
    expect(settingsOf(sessionId)).toMatchObject({ mode: 'nativeSDK', livenessType: 'LIVENESS_MLC' })
  })

  test('replaces an earlier portrait that failed, and its image goes', async () => {
    const id = await client.anIdentity()
    await client.portrait(id, picture({ shows: 'person', face: null }))
    const { id: evidenceId } = await openPortrait(id)
    expect((await client.identity(id)).portrait?.evidenceId).toBe(evidenceId)
    expect(client.app.appliance.store.images.listByIdentity(id)).toEqual([])
  })

  test('leaves a portrait that waits for its document, also when the session is cancelled', async () => {
    const id = await client.anIdentity()
    const waiting = await client.portrait(id, picture({ shows: 'person', face: 'A' }))
    const { sessionId } = await openPortrait(id)
    const path = `/v1/identities/${id}/attributes/portrait/live-capture-session/${sessionId}`
    expect((await client.app.call('DELETE', path)).status).toBe(204)
    expect((await client.identity(id)).portrait?.evidenceId).toBe(waiting)
    expect(client.app.appliance.store.images.listByIdentity(id)).not.toEqual([])
  })

  test('ends NOT_VERIFIED with 1609 when its time is over: nothing was filmed, so nothing is said of the person', async () => {
    const id = await client.anIdentity()
    await openPortrait(id)
    await client.passTime(90_000)
    const { portrait, globalStatus } = await client.identity(id)
    expect(globalStatus.status).toBe('EXPECTING_INPUT')
    expect(portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1609' }],
      positiveIndicators: [],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
  })

  test('is cancelled once, by the relying service of its own identity', async () => {
    const id = await client.anIdentity()
    const { sessionId } = await openPortrait(id)
    const cancel = (identityId: string) =>
      `/v1/identities/${identityId}/attributes/portrait/live-capture-session/${sessionId}`
    const stranger = await client.refusal('DELETE', cancel(await client.anIdentity()))
    expect(stranger).toMatchObject({ status: 404, code: 'not_found' })
    expect(await client.app.json('DELETE', cancel(id))).toEqual({ status: 204, body: null })
    expect((await client.identity(id)).portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1611' }],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
    expect(await client.refusal('DELETE', cancel(id))).toMatchObject({ status: 404 })
    expect(client.app.log()).not.toContain(sessionId)
  })

  test('its deadline passes harmlessly after the portrait was deleted', async () => {
    const id = await client.anIdentity()
    await openPortrait(id)
    expect((await client.app.json('DELETE', `/v1/identities/${id}/attributes/portrait`)).status).toBe(204)
    await client.passTime(90_000)
    expect((await client.identity(id)).portrait).toBeUndefined()
    expect(client.app.log()).not.toContain('a deadline could not be processed')
  })
})

describe('a restart of the appliance', () => {
  test('ends portrait sessions with 1610, for their frames are gone, and leaves document sessions open', async () => {
    const id = await client.anIdentity()
    const document = await openDocument(id)
    const portrait = await openPortrait(id)
    await client.restart()
    const identity = await client.identity(id)
    expect(identity.portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1610' }],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
    expect(identity.idDocuments[0]?.evidenceStatus.status).toBe('PROCESSING')
    const session = (sessionId: string) =>
      client.app.call('GET', `/capture/sessions/${sessionId}`, { key: null })
    expect((await session(document.sessionId)).status).toBe(200)
    expect((await session(portrait.sessionId)).status).toBe(404)
  })
})
