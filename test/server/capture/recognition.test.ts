/** Between two sides, a capture component asks what the photograph shows. The answer decides which sides are awaited, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecognisedSide } from '../../../server/api/contract/capture.ts'
import { buildMrz } from '../../../server/proofing/mrz/build.ts'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'
import { aPassport, HOLDER, picture } from '../app/scripted-vision.ts'

const CARD_FRONT = picture({
  shows: 'document',
  lines: null,
  face: 'A',
  quality: {
    framing: { by: 'outline', tiltDeg: 0, resolutionDpi: 300, spanShare: 0.7, missingShare: 0 },
  },
  page: ['IDENTITY CARD', 'Surname', 'ERIKSSON'],
})
const CARD_BACK = picture({
  shows: 'document',
  lines: buildMrz({ ...HOLDER, documentCode: 'I' }, 'TD1'),
  face: null,
})
const NOBODY = picture({ shows: 'person', face: null })
/** A person without a document. */
const FACE = picture({ shows: 'document', lines: null, face: 'A' })

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing()
})
afterAll(() => client.app.close())

async function open(payload: object = {}): Promise<{ identityId: string; id: string; sessionId: string }> {
  const identityId = await client.anIdentity()
  const path = `/v1/identities/${identityId}/id-documents/live-capture-session`
  return { identityId, ...(await client.ask('DocumentSessionAnswer', 'POST', path, { payload })) }
}
function send(sessionId: string, path: 'side' | 'document', parts: Readonly<Record<string, Uint8Array>>) {
  const body = new FormData()
  for (const [name, bytes] of Object.entries(parts))
    body.append(name, new Blob([Buffer.from(bytes)], { type: 'image/jpeg' }), 'side.jpg')
  return client.app.json('POST', `/capture/sessions/${sessionId}/${path}`, { key: null, body })
}
async function show(sessionId: string, side: Uint8Array): Promise<RecognisedSide> {
  const { status, body } = await send(sessionId, 'side', { Side: side })
  expect(status).toBe(200)
  return RecognisedSide.parse(body)
}

describe('the photograph of one side', () => {
  test('of a passport says that no back is awaited, and the front alone is taken', async () => {
    const { sessionId } = await open()
    expect((await send(sessionId, 'document', { DocumentFront: aPassport() })).status).toBe(400)
    expect(await show(sessionId, aPassport())).toEqual({
      isDocument: true,
      documentType: 'PASSPORT',
      issuingCountry: 'UTO',
      shows: 'FRONT',
      isAsked: null,
      sidesToCapture: ['FRONT'],
    })
    expect((await send(sessionId, 'document', { DocumentFront: aPassport() })).status).toBe(200)
  })

  test('of the back of a card says which side it is, and that both are awaited', async () => {
    const { sessionId } = await open()
    await show(sessionId, aPassport())
    expect(await show(sessionId, CARD_BACK)).toMatchObject({
      documentType: 'IDENTITY_CARD',
      shows: 'BACK',
      sidesToCapture: ['FRONT', 'BACK'],
    })
  })

  test('that shows no document, or a face alone, is none', async () => {
    const { sessionId } = await open()
    for (const side of [NOBODY, FACE])
      expect(await show(sessionId, side)).toMatchObject({
        isDocument: false,
        documentType: null,
        sidesToCapture: ['FRONT', 'BACK'],
      })
  })

  test('of another kind than the one that was asked for is told, and changes nothing', async () => {
    const { sessionId } = await open({ idDocumentType: 'IDENTITY_CARD' })
    expect(await show(sessionId, aPassport())).toMatchObject({
      documentType: 'PASSPORT',
      isAsked: false,
      sidesToCapture: ['FRONT', 'BACK'],
    })
    expect(await show(sessionId, CARD_BACK)).toMatchObject({ isAsked: true })
  })

  test('never changes the sides that the relying service named', async () => {
    const { sessionId } = await open({ sidesToCapture: ['FRONT', 'BACK'] })
    expect((await show(sessionId, aPassport())).sidesToCapture).toEqual(['FRONT', 'BACK'])
  })

  test('of a passport does not vouch for the sides of a card that is handed in instead', async () => {
    const { id, sessionId } = await open()
    await show(sessionId, aPassport())
    expect((await send(sessionId, 'document', { DocumentFront: CARD_FRONT })).status).toBe(200)
    await client.app.runJobs()
    const evaluation = client.app.appliance.store.evidences.find(id)?.evaluation
    expect(evaluation?.positiveIndicators).toContain('DOCUMENT_DETECTION_OK')
    expect(evaluation?.positiveIndicators).not.toContain('REQUIRED_SIDES_CHECK_OK')
  })

  test('is not looked at where no document session is open, or too often', async () => {
    const nowhere = await send('3f2b8c1e-0b5a-4c6f-9f6d-3f1f6d1c2b3a', 'side', { Side: aPassport() })
    expect(nowhere.status).toBe(404)
    const { sessionId } = await open()
    for (let i = 0; i < 12; i++) await show(sessionId, NOBODY)
    expect((await send(sessionId, 'side', { Side: NOBODY })).status).toBe(429)
  })
})
