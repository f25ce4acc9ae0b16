/** Live portraits and documents: in any order, with better references, and after withdrawals. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { documentForm, portraitForm } from '../../support/app.ts'
import { liveActor } from '../../support/live-actor.ts'
import { openProof } from '../../support/opened-proof.ts'
import { BUILT_IN, hasFixedCamera } from '../../../server/proofing/applications.ts'
import { isFaceFromFile } from '../../../server/proofing/presence.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { act, capturePortrait, openSession, picturesOf, portraitOf, recordOf } from './portrait-session.ts'
import { aPassport, HOLDER, picture, scriptedVision } from './scripted-vision.ts'
import { startWholeApp, type WholeApp } from './whole-app.ts'

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp()
})
beforeEach(() => {
  app.see()
})
afterAll(() => app.close())

/** Its print says what its zone says: LEVEL3. */
const aPrintedPassport = (face = 'A') =>
  picture({
    shows: 'document',
    lines: buildTd3(HOLDER),
    face,
    page: [
      'PASSPORT UTOPIA',
      'Passport No. L898902C3',
      'Surname ERIKSSON',
      'Given names ANNA MARIA',
      'Nationality UTOPIAN',
      'Date of birth 12 AUG 1974',
      'Sex F',
      'Date of expiry 31 DEC 2029',
    ],
  })

async function submitDocument(id: string, image: Uint8Array): Promise<string> {
  const body = documentForm(image)
  const sent = await app.ask('SingleStatus', 'POST', `/v1/identities/${id}/id-documents/capture`, { body })
  await app.app.runJobs()
  return sent.id
}
const identityOf = (id: string, key?: string) =>
  app.ask('Identity', 'GET', `/v1/identities/${id}`, key === undefined ? {} : { key })
const consent = async (id: string, type: string, approved: boolean) => {
  const payload = [{ type, approved }]
  await app.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
  await app.app.runJobs()
}
const ACTIVE = { payload: { type: 'LIVENESS_ACTIVE' } }
const MLC = { payload: { type: 'LIVENESS_MLC' }, mode: 'nativeSDK' } as const
const VIDEO = { payload: { type: 'LIVENESS_PASSIVE_VIDEO' } }

describe('a live portrait', () => {
  test('that matches the document is verified, takes its score, and reaches LOA2', async () => {
    const id = await app.anIdentity()
    await submitDocument(id, aPrintedPassport())
    await capturePortrait(app, { id, ...ACTIVE })
    const { portrait, globalStatus } = await identityOf(id)
    expect(portrait?.evidenceStatus).toMatchObject({
      status: 'VERIFIED',
      score: 'LEVEL3',
      errors: [],
      positiveIndicators: [
        'BIOMETRIC_LIVENESS_CHALLENGE_OK',
        'BIOMETRIC_LIVENESS_OK',
        'LIVENESS_STOPS_PRINTS_OK',
        'LIVENESS_STOPS_REPLAYS_OK',
        'BIOMETRIC_QUALITY_CHECK_OK',
        'BIOMETRIC_MATCHING_CHECK_OK',
      ],
      unverifiedIndicators: [],
    })
    expect(portrait).toMatchObject({ portraitQuality: true })
    expect(globalStatus).toMatchObject({ levelOfAssurance: 'LOA2', status: 'EXPECTING_INPUT' })
  })

  test('that does not match is INVALID with 1600: live, but another person', async () => {
    const id = await app.anIdentity()
    await submitDocument(id, aPassport({}, 'B'))
    const { portrait } = await capturePortrait(app, { id, ...VIDEO })
    expect(portrait).toMatchObject({
      status: 'INVALID',
      score: 'LEVEL0',
      errors: [{ code: '1600' }],
      blockingIndicators: ['BIOMETRIC_MATCHING_CHECK_FAILED'],
    })
  })

  test('that comes first waits without an error and is verified with the document, live once and for all', async () => {
    const { id, portrait, evidenceId } = await capturePortrait(app, VIDEO)
    expect(portrait).toMatchObject({ status: 'NOT_VERIFIED', errors: [] })
    app.see({
      trackFace: () => Promise.reject(new TypeError('nobody is there any more')),
      measureLiveness: () => Promise.reject(new TypeError('nobody is there any more')),
    })
    await submitDocument(id, aPassport())
    expect(await portraitOf(app, id)).toMatchObject({ status: 'VERIFIED', score: 'LEVEL2', errors: [] })
    expect(app.app.appliance.store.evidences.find(evidenceId)?.matchedReferenceId).toBeTruthy()
  })

  test('is compared with a better reference again, and the better one decides', async () => {
    const { id } = await capturePortrait(app, VIDEO)
    const first = await submitDocument(id, aPassport())
    expect((await identityOf(id)).globalStatus.portraitReferenceEvidenceId).toBe(first)
    const better = await submitDocument(id, aPrintedPassport())
    expect((await identityOf(id)).globalStatus.portraitReferenceEvidenceId).toBe(better)
    expect(await portraitOf(app, id)).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
    await submitDocument(id, aPrintedPassport('B'))
    expect(await portraitOf(app, id)).toMatchObject({ status: 'INVALID', errors: [{ code: '1600' }] })
  })

  test('of an application other than kiosk and counter may come from a phone: a scene that moves is no sign', async () => {
    const { measureLiveness } = scriptedVision()
    const told: (boolean | undefined)[] = []
    app.see({ measureLiveness: (input) => (told.push(input.cameraMoves), measureLiveness(input)) })
    await capturePortrait(app, VIDEO)
    expect(told).toEqual([true])
    expect([BUILT_IN.KIOSK, BUILT_IN.COUNTER, 'a-bank'].map(hasFixedCamera)).toEqual([true, true, false])
  })

  test('is compared with all the stills that were kept, in one call', async () => {
    const { compareFaces, measurePortrait } = scriptedVision()
    const calls: number[] = []
    app.see({
      compareFaces: (input) => (calls.push(input.frames?.length ?? 0), compareFaces(input)),
      measurePortrait: (input) => (calls.push(-1), measurePortrait(input)),
    })
    const id = await app.anIdentity()
    await submitDocument(id, aPassport())
    await capturePortrait(app, { id, ...VIDEO })
    expect(calls).toEqual([4])
  })

  test('keeps of its stills what belongs to the picture, and nothing that was sent behind it', async () => {
    const { trackFace } = scriptedVision()
    const textOf = (image: Uint8Array): string => Buffer.from(image).toString('utf8')
    // A picture of the scripted worker is JSON: blanks behind it are not of the picture.
    app.see({
      trackFace: async (input) => {
        const byteLength = Buffer.byteLength(textOf(input.image).trimEnd())
        return { ...(await trackFace(input)), byteLength }
      },
    })
    const { client, evidenceId } = await openSession(app, VIDEO)
    await client.begin()
    const actor = liveActor()
    const appending = {
      ...actor,
      picture: (...asked: Parameters<typeof actor.picture>) =>
        Buffer.concat([actor.picture(...asked), Buffer.from('     ')]),
    }
    await act(app, client, appending)
    const { images } = app.app.appliance.store
    const stills = [...images.listByEvidence(evidenceId), ...images.listFrames(evidenceId)]
      .filter(({ kind }) => kind === 'PORTRAIT')
      .map((image) => textOf(images.read(image)))
    expect(stills).toHaveLength(5)
    expect(stills.filter((text) => text !== text.trimEnd())).toEqual([])
  })

  test('shows its best still, and a user agent nothing of why', async () => {
    const { id, evidenceId } = await capturePortrait(app, VIDEO)
    const answer = await app.app.call('GET', `/v1/identities/${id}/attributes/portrait/capture`)
    expect(answer.status).toBe(200)
    const { images } = app.app.appliance.store
    const best = images.listByEvidence(evidenceId).find(({ kind }) => kind === 'PORTRAIT')
    const part = (await answer.formData()).get('Portrait') as File
    expect(Buffer.from(await part.arrayBuffer())).toEqual(best && images.read(best))
    const { portrait } = await identityOf(id, app.app.userAgentKey)
    expect(portrait?.evidenceStatus).toMatchObject({
      positiveIndicators: [],
      unverifiedIndicators: ['PORTRAIT_REFERENCE_UNVERIFIED'],
    })
    expect(portrait).not.toHaveProperty('portraitQuality')
  })
})

describe('a portrait that was not live', () => {
  test.each([
    ['a flat picture', ACTIVE, { scene: { isFlat: true } }],
    ['a person who follows no prompt', ACTIVE, { poseFor: () => ({ leftDeg: 0, upDeg: 0, nearer: 1 }) }],
  ])('%s is NOT_VERIFIED, and never compared, whatever documents come', async (_, payload, actor) => {
    const { compareFaces } = scriptedVision()
    let compared = 0
    app.see({ compareFaces: (input) => (compared++, compareFaces(input)) })
    const { id, portrait } = await capturePortrait(app, { ...payload, ...actor })
    expect(portrait).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      warningIndicators: ['BIOMETRIC_LIVENESS_CHALLENGE_WARNING'],
      blockingIndicators: [],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
    expect(portrait?.errors).toHaveLength(1)
    expect(['1609', '1611']).toContain(portrait?.errors?.[0]?.code)
    await submitDocument(id, aPassport())
    await submitDocument(id, aPrintedPassport())
    expect(await portraitOf(app, id)).toEqual(portrait)
    expect(compared).toBe(0)
  })

  // @clause NIST-63A-4/3.11-same
  test('another face that takes over between two steps fails with 1611', async () => {
    const session = await openSession(app, ACTIVE)
    await session.client.begin()
    const actor = liveActor()
    while (session.client.due.prompt.index < 2) await act(app, session.client, actor, 1)
    actor.become('B')
    await act(app, session.client, actor)
    await app.app.runJobs()
    expect(await portraitOf(app, session.id)).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1611' }],
    })
  })

  // @clause NIST-63A-4/3.2.1-inference
  test('a user agent is told the same of each: that it has to be done again', async () => {
    const flat = await capturePortrait(app, { ...VIDEO, scene: { isFlat: true } })
    const idle = await capturePortrait(app, {
      ...ACTIVE,
      poseFor: () => ({ leftDeg: 0, upDeg: 0, nearer: 1 }),
    })
    const unlit = await capturePortrait(app, { ...MLC, liveOver: { skin: null } })
    const codes = [flat, idle, unlit].map(({ portrait }) => portrait?.errors?.map(({ code }) => code))
    expect(codes).toEqual([['1611'], ['1609'], ['1610']])
    for (const { id } of [flat, idle, unlit]) {
      const { portrait } = await identityOf(id, app.app.userAgentKey)
      expect(portrait?.evidenceStatus).toMatchObject({
        status: 'NOT_VERIFIED',
        score: 'LEVEL0',
        errors: [{ code: '1611' }],
      })
      expect(JSON.stringify(portrait)).not.toMatch(/LIVENESS_CHALLENGE|FLAT|DEPTH|COURSE|1609|1610/)
    }
  })
})

test('an uploaded file is not live, and is verified where no level requires liveness', async () => {
  const id = await app.anIdentity()
  await submitDocument(id, aPrintedPassport())
  const body = portraitForm(picture({ shows: 'person', face: 'A' }))
  await app.ask('SingleStatus', 'POST', `/v1/identities/${id}/attributes/portrait/capture`, { body })
  await app.app.runJobs()
  const { portrait, globalStatus } = await identityOf(id)
  expect(portrait?.evidenceStatus).toMatchObject({ status: 'VERIFIED', errors: [] })
  expect(portrait?.evidenceStatus.unverifiedIndicators).toContain('BIOMETRIC_LIVENESS_UNVERIFIED')
  expect(JSON.stringify(portrait)).not.toContain('LIVENESS_CHALLENGE')
  expect(globalStatus.levelOfAssurance).toBe('LOA1')
})

describe('what is taken back', () => {
  // @clause NIST-63A-4/3.11-deletion
  test('a deleted portrait leaves no picture, crop, frame or record', async () => {
    const { id, evidenceId } = await capturePortrait(app, VIDEO)
    expect(picturesOf(app, evidenceId)).toHaveLength(6)
    expect((await app.app.json('DELETE', `/v1/identities/${id}/attributes/portrait`)).status).toBe(204)
    expect(picturesOf(app, evidenceId)).toEqual([])
    expect(recordOf(app, evidenceId)).toBeUndefined()
    const { store } = app.app.appliance
    expect(store.images.sweepOrphans()).toBe(0)
    expect(store.evidences.find(evidenceId)?.content).toEqual({ sessionId: expect.any(String) as string })
  })

  test('a deleted portrait that a camera took is never shown to staff as a picture file', async () => {
    const filmed = await capturePortrait(app, VIDEO)
    const id = await app.anIdentity()
    const body = portraitForm(picture({ shows: 'person', face: 'A' }))
    const sent = await app.ask('SingleStatus', 'POST', `/v1/identities/${id}/attributes/portrait/capture`, {
      body,
    })
    for (const [identityId, evidenceId, isFile] of [
      [filmed.id, filmed.evidenceId, false],
      [id, sent.id, true],
    ] as const) {
      expect((await app.app.json('DELETE', `/v1/identities/${identityId}/attributes/portrait`)).status).toBe(
        204,
      )
      const evidence = app.app.appliance.store.evidences.find(evidenceId)
      expect(evidence?.deletedAt).not.toBeNull()
      expect(evidence && isFaceFromFile(evidence)).toBe(isFile)
    }
  })

  test('a document that may not be used any more takes its match with it, and gives it back', async () => {
    const id = await app.anIdentity()
    await submitDocument(id, aPrintedPassport())
    const { portrait } = await capturePortrait(app, { id, ...VIDEO })
    expect(portrait).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
    await consent(id, 'ID_DOCUMENT', false)
    const without = await identityOf(id)
    expect(without.portrait?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: [],
      unverifiedIndicators: ['PORTRAIT_REFERENCE_UNVERIFIED', 'BIOMETRIC_MATCHING_CHECK_UNVERIFIED'],
    })
    expect(without.portrait?.evidenceStatus.positiveIndicators).toContain('BIOMETRIC_LIVENESS_OK')
    expect(without.globalStatus).toMatchObject({ levelOfAssurance: 'LOA0' })
    expect(without.globalStatus).not.toHaveProperty('portraitReferenceEvidenceId')
    await consent(id, 'ID_DOCUMENT', true)
    expect(await portraitOf(app, id)).toMatchObject({ status: 'VERIFIED', score: 'LEVEL3' })
  })
})

test('the proof names models, thresholds, scores and what was decided by them, and the crop with its original', async () => {
  const id = await app.anIdentity()
  await submitDocument(id, aPrintedPassport())
  const { evidenceId, sessionId } = await capturePortrait(app, { id, ...ACTIVE })
  const { details, files } = await openProof(app.app, id)
  const entry = details.find(({ participantContextId }) => participantContextId === evidenceId)
  expect(entry?.sessionId).toBe(sessionId)
  const [portrait] = entry?.evidenceDetails?.captureImages ?? []
  expect(entry?.evidenceDetails).toMatchObject({
    captureImages: [{ source: 'LIVE_CAPTURE_VIDEO' }],
    photoCrops: [{ originalCaptureId: portrait?.id }],
  })
  // Further stills helped to compare; the best one is the evidence.
  const pictures = [...files.keys()].filter((path) => path.startsWith('images/'))
  expect(pictures).toHaveLength(4)
  const liveness = entry?.verificationDetails.find(
    ({ participantType }) => participantType === 'BIOMETRIC_LIVENESS',
  )
  expect(liveness).toMatchObject({
    participantState: 'ACCEPTED',
    isBlockingParticipant: true,
    raisedIndicators: [
      'BIOMETRIC_LIVENESS_CHALLENGE_OK',
      'BIOMETRIC_LIVENESS_OK',
      'LIVENESS_STOPS_PRINTS_OK',
      'LIVENESS_STOPS_REPLAYS_OK',
    ],
  })
  const measured =
    entry?.counterproof?.verifications?.[entry.verificationDetails.findIndex((one) => one === liveness)]
  expect(measured?.models).toEqual([{ id: 'scripted', version: '1', sha256: '0'.repeat(64) }])
  const text = JSON.stringify(measured)
  for (const measure of ['depth', 'explainedShare', 'continuity']) expect(text).toContain(measure)
})

describe('combined methods', () => {
  test('that come to no answer say why, to the relying service alone', async () => {
    const { id, portrait } = await capturePortrait(app, { ...MLC, liveOver: { skin: null } })
    expect(portrait).toMatchObject({
      status: 'NOT_VERIFIED',
      blockingIndicators: [],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_CHALLENGE_UNVERIFIED', 'BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
    const { portrait: shown } = await identityOf(id)
    expect(shown?.livenessDiagnostic).toMatch(/^[A-Z_]+$/)
    const { portrait: redacted } = await identityOf(id, app.app.userAgentKey)
    expect(redacted).not.toHaveProperty('livenessDiagnostic')
  })

  test('that agree say nothing more', async () => {
    const { id, portrait } = await capturePortrait(app, MLC)
    expect(portrait?.positiveIndicators).toContain('BIOMETRIC_LIVENESS_OK')
    expect((await identityOf(id)).portrait).not.toHaveProperty('livenessDiagnostic')
  })
})
