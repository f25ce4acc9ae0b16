/**
 * The proof's statements about captures: devices, the source picture of a portrait, videos, and the order of
 * calls.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentForm, portraitForm } from '../../support/app.ts'
import { openProof } from '../../support/opened-proof.ts'
import type { ProofDetailsEntry } from '../../support/proof-details-schema.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport, HOLDER, picture } from './scripted-vision.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'

const KEYLESS = { key: null }
const WEBM = Buffer.from('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm, and a face', 'latin1')
const MODEL = { deviceModel: 'Kiosk 2', osType: 'LINUX', osVersion: '6.1' }
const DEVICE = { channel: 'nativeSDK', ...MODEL }
const SDK = { sdkVersion: '4.2.0' }

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing({ proof: { videos: true } })
})
afterAll(() => client.app.close())

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
const about = (details: readonly ProofDetailsEntry[], id: string) =>
  details.filter(({ participantContextId }) => participantContextId === id)
const aPortrait = () => picture({ shows: 'person', face: 'A' })

function documentWith(details: object, back?: Uint8Array, front = aPassport()): FormData {
  const form = documentForm(front)
  if (back) form.append('DocumentBack', new Blob([back as BlobPart], { type: 'image/jpeg' }), 'back.jpg')
  form.append('DocumentCaptureDetails', JSON.stringify(details))
  return form
}

async function submitted(id: string, body: FormData): Promise<string> {
  const { id: evidenceId } = await client.ask('SingleStatus', 'POST', at(id, 'id-documents/capture'), {
    body,
  })
  await client.app.runJobs()
  return evidenceId
}

async function portraitSession(id: string) {
  const path = at(id, 'attributes/portrait/capture-session')
  return client.ask('PortraitSessionAnswer', 'POST', path, { payload: {} })
}

function capture(parts: Readonly<Record<string, Uint8Array>>, type: string, details?: object): FormData {
  const form = new FormData()
  for (const [name, bytes] of Object.entries(parts))
    form.append(name, new Blob([bytes as BlobPart], { type }), name)
  if (details) form.append('CaptureDetails', JSON.stringify(details))
  return form
}

describe('the device that took the pictures', () => {
  test('is named for every picture, as the caller told it', async () => {
    const id = await client.anIdentity()
    const details = { documentType: 'PASSPORT', source: 'LIVE_CAPTURE_IMAGE', ...DEVICE, sdkInfo: SDK }
    const evidenceId = await submitted(
      id,
      documentWith(details, picture({ shows: 'document', lines: null, face: null })),
    )
    const [entry] = about((await openProof(client.app, id)).details, evidenceId)
    expect(entry?.evidenceDetails).toMatchObject({
      captureImages: [
        { side: 'FRONT', source: 'LIVE_CAPTURE_IMAGE', ...DEVICE },
        { side: 'BACK', source: 'LIVE_CAPTURE_IMAGE', ...DEVICE },
      ],
      deviceInfo: MODEL,
      sdkInfo: SDK,
    })
  })

  test('is left out where the caller did not state it', async () => {
    const id = await client.anIdentity()
    const evidenceId = await client.document(id, aPassport())
    const [entry] = about((await openProof(client.app, id)).details, evidenceId)
    const [image] = entry?.evidenceDetails?.captureImages ?? []
    expect(Object.keys(image ?? {}).sort()).toEqual(['id', 'side', 'source'])
    for (const name of ['deviceInfo', 'sdkInfo', 'video', 'originLanguageData']) {
      expect(entry?.evidenceDetails).not.toHaveProperty(name)
    }
  })

  test('is told by the capture component of a document session', async () => {
    const id = await client.anIdentity()
    const payload = { idDocumentType: 'PASSPORT' }
    const { sessionId, id: evidenceId } = await client.ask(
      'DocumentSessionAnswer',
      'POST',
      at(id, 'id-documents/live-capture-session'),
      { payload },
    )
    const body = capture({ DocumentFront: aPassport() }, 'image/jpeg', { ...DEVICE, sdkInfo: SDK })
    await client.app.json('POST', `/capture/sessions/${sessionId}/document`, { ...KEYLESS, body })
    await client.app.runJobs()
    const [entry] = about((await openProof(client.app, id)).details, evidenceId)
    expect(entry).toMatchObject({
      sessionId,
      evidenceDetails: {
        captureImages: [{ side: 'FRONT', source: 'LIVE_CAPTURE_IMAGE', ...DEVICE }],
        deviceInfo: MODEL,
        sdkInfo: SDK,
      },
    })
    expect(new Set(entry?.verificationDetails.map((record) => record.sessionId))).toEqual(
      new Set([sessionId]),
    )
  })

  test.each([
    ['an unknown channel', { channel: 'fax' }, 'DocumentCaptureDetails.channel'],
    ['a model without end', { deviceModel: 'x'.repeat(101) }, 'DocumentCaptureDetails.deviceModel'],
    ['a component without version', { sdkInfo: {} }, 'DocumentCaptureDetails.sdkInfo.sdkVersion'],
  ])('is refused with %s', async (_, details, field) => {
    const id = await client.anIdentity()
    const body = documentWith(details)
    const refused = await client.refusal('POST', at(id, 'id-documents/capture'), { body })
    expect(refused).toMatchObject({ status: 400, errors: [{ field }] })
  })
})

describe('the portrait that was cut from a document', () => {
  const noFace = (lines: readonly string[] | null) => picture({ shows: 'document', lines, face: null })
  const withFace = (lines: readonly string[] | null) => picture({ shows: 'document', lines, face: 'A' })
  const lines = buildTd3(HOLDER)

  test.each([
    ['the front', withFace(lines), noFace(null), 'FRONT'],
    ['the back', noFace(lines), withFace(null), 'BACK'],
  ])('names the picture it was cut from: %s', async (_, front, back, side) => {
    const id = await client.anIdentity()
    const evidenceId = await submitted(id, documentWith({ documentType: 'PASSPORT' }, back, front))
    const { details, files } = await openProof(client.app, id)
    const { captureImages = [], photoCrops = [] } = about(details, evidenceId)[0]?.evidenceDetails ?? {}
    const original = captureImages.find((image) => image.side === side)
    expect(photoCrops).toEqual([{ id: expect.any(String) as string, originalCaptureId: original?.id }])
    const names = [...captureImages, ...photoCrops].map((image) => `images/${image.id}.jpg`)
    expect([...files.keys()].filter((path) => path.startsWith('images/'))).toEqual(names.sort())
  })
})

describe('the video of a portrait session', () => {
  async function filmed(from: ProofingClient) {
    const id = await from.anIdentity()
    const path = at(id, 'attributes/portrait/capture-session')
    const { sessionId, id: evidenceId } = await from.ask('PortraitSessionAnswer', 'POST', path, {
      payload: {},
    })
    const body = capture({ Video: WEBM }, 'video/webm', { ...DEVICE, sdkInfo: SDK })
    const sent = await from.app.json('POST', `/capture/sessions/${sessionId}/video`, { ...KEYLESS, body })
    expect(sent.status).toBe(200)
    await from.passTime(90_000)
    return { id, evidenceId }
  }

  test('is in the archive, hashed and named by its evidence, where the tenant wants it', async () => {
    const { id, evidenceId } = await filmed(client)
    const { details, files, proof } = await openProof(client.app, id)
    const [entry] = about(details, evidenceId)
    const videoId = entry?.evidenceDetails?.video?.id
    expect(Buffer.from(files.get(`videos/${videoId}.webm`) ?? []).equals(WEBM)).toBe(true)
    expect((proof.hashes as { videos: object[] }).videos).toEqual([
      {
        id: videoId,
        path: `videos/${videoId}.webm`,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      },
    ])
    expect(entry?.evidenceDetails).toMatchObject({ deviceInfo: MODEL, sdkInfo: SDK })
  })

  test('is neither in the archive nor named by default', async () => {
    const without = await startProofing()
    try {
      const { id, evidenceId } = await filmed(without)
      const { details, files, proof } = await openProof(without.app, id)
      expect([...files.keys()].filter((path) => path.startsWith('videos/'))).toEqual([])
      expect(proof.hashes).not.toHaveProperty('videos')
      expect(about(details, evidenceId)[0]?.evidenceDetails).not.toHaveProperty('video')
    } finally {
      await without.app.close()
    }
  })

  test('is absent once its portrait was replaced', async () => {
    const id = await client.anIdentity()
    const { sessionId } = await portraitSession(id)
    const body = capture({ Video: WEBM }, 'video/webm')
    await client.app.json('POST', `/capture/sessions/${sessionId}/video`, { ...KEYLESS, body })
    await client.portrait(id, aPortrait())
    const { files } = await openProof(client.app, id)
    expect([...files.keys()].filter((path) => path.startsWith('videos/'))).toEqual([])
  })
})

describe('the calls of a proof', () => {
  const step = ({ identityOperation: { name, type } }: ProofDetailsEntry) => `${type} ${name}`

  test('are bound to each other: each names the one before it and the one after it about the same evidence', async () => {
    const id = await client.anIdentity()
    await client.ask('SingleStatus', 'POST', at(id, 'attributes/portrait/capture'), {
      body: portraitForm(aPortrait()),
    })
    await client.app.runJobs()
    await client.app.json('DELETE', at(id, 'attributes/portrait'))
    const { details } = await openProof(client.app, id)
    const [added, deleted] = details.filter((entry) => entry.identityOperation.name === 'PORTRAIT_CAPTURE')
    expect([added?.identityOperationParent, added?.identityOperationChild]).toEqual([
      undefined,
      deleted?.identityOperation,
    ])
    expect([deleted?.identityOperationParent, deleted?.identityOperationChild]).toEqual([
      added?.identityOperation,
      undefined,
    ])
  })

  test('that end a session by its deletion are recorded; the portrait is still there', async () => {
    const id = await client.anIdentity()
    const { sessionId, id: evidenceId } = await portraitSession(id)
    await client.app.json('DELETE', at(id, `attributes/portrait/live-capture-session/${sessionId}`))
    const { details } = await openProof(client.app, id)
    const entries = about(details, evidenceId)
    expect(entries.map(step)).toEqual(['ADD LIVENESS_VIDEO', 'DELETE LIVENESS_VIDEO'])
    expect(entries[1]).toMatchObject({
      sessionId,
      processingDetails: { method: 'DELETE', httpCode: 204 },
      evidenceDetails: { id: evidenceId, family: 'IDENTIFICATION', type: 'PORTRAIT' },
      verificationDetails: [],
    })
  })

  test("carry the caller's own id of the case, where there is one", async () => {
    const headers = { 'correlation-id': 'case 4711' }
    const { id } = await client.ask('GlobalStatus', 'POST', '/v1/identities', { payload: [], headers })
    const payload = [{ type: 'EMAIL', approved: true }]
    await client.ask('ConsentList', 'POST', at(id, 'consents'), { payload })
    const { details, proof } = await openProof(client.app, id)
    expect(details.map(({ businessId }) => businessId)).toEqual(['case 4711'])
    expect(proof.counterproof).toMatchObject({ correlationId: 'case 4711' })
  })
})

test('a person who was asked and did not answer stands with the call that asked', async () => {
  const id = await client.anIdentity()
  const evidenceId = await client.document(id, picture({ shows: 'document', lines: null, face: 'A' }))
  const ask = () => client.ask('AdjudicationAnswer', 'POST', at(id, `adjudications/${evidenceId}`))
  await ask()
  await client.passTime(48 * 3_600_000)
  await ask()
  await client.passTime(48 * 3_600_000)
  const { details } = await openProof(client.app, id)
  const [, first, second] = about(details, evidenceId)
  for (const asked of [first, second]) {
    expect(asked?.verificationDetails).toMatchObject([
      {
        participantType: 'ADJUDICATION',
        participantState: 'ADJUDICATION',
        linkedIdentityOperation: asked?.identityOperation,
        verificationServices: [
          {
            serviceName: 'adjudication',
            isTechnicalError: false,
            adjudicationDetails: { status: 'TIME_OUT' },
          },
        ],
      },
    ])
  }
})

test('a comparison names what was compared with what, with its score', async () => {
  const id = await client.anIdentity()
  const documentId = await client.document(id, aPassport())
  const portraitId = await client.portrait(id, aPortrait())
  const { details } = await openProof(client.app, id)
  const [entry] = about(details, portraitId)
  const match = entry?.verificationDetails.find(
    ({ participantType }) => participantType === 'BIOMETRIC_MATCHING',
  )
  expect(match).toMatchObject({
    candidateId: portraitId,
    candidateType: 'PORTRAIT',
    referenceId: documentId,
    referenceType: 'PASSPORT',
    linkedIdentityOperation: entry?.identityOperation,
    verificationServices: [
      { serviceName: 'portrait-match', matchingScore: 0.9, serviceVersion: 'scripted 1' },
    ],
  })
  const [read] = about(details, documentId)
  expect(read?.verificationDetails.map(({ mainOcrService }) => mainOcrService)).toContain('mrz-read')
})
