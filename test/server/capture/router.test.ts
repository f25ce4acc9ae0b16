import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CaptureAnswer, CaptureSessionView } from '../../../server/api/contract/capture.ts'
import { startProofing, type ProofingClient } from '../app/proofing-client.ts'
import { aPassport, picture } from '../app/scripted-vision.ts'

const MAX_FILE_BYTES = 4096
const KEYLESS = { key: null }

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing({ uploads: { maxFileBytes: MAX_FILE_BYTES } })
})
afterAll(() => client.app.close())

async function open(kind: 'document' | 'portrait', payload: object = {}) {
  const id = await client.anIdentity()
  const path =
    kind === 'document' ? 'id-documents/live-capture-session' : 'attributes/portrait/capture-session'
  const { id: evidenceId, sessionId } = await client.ask(
    'PortraitSessionAnswer',
    'POST',
    `/v1/identities/${id}/${path}`,
    { payload },
  )
  return { id, evidenceId, sessionId, path: `/capture/sessions/${sessionId}` }
}
const openDocument = (sides = ['FRONT', 'BACK']) => open('document', { sidesToCapture: sides })

function sides(images: { readonly front?: Uint8Array; readonly back?: Uint8Array }): FormData {
  const form = new FormData()
  const parts = [['DocumentFront', images.front] as const, ['DocumentBack', images.back] as const]
  for (const [name, image] of parts) {
    if (image) form.append(name, new Blob([image as BlobPart], { type: 'image/jpeg' }), `${name}.jpg`)
  }
  return form
}
const CARD_FRONT = picture({ shows: 'document', lines: null, face: 'A' })

const send = (path: string, body: FormData) =>
  client.app.json('POST', `${path}/document`, { ...KEYLESS, body })
const gone = (path: string) => client.refusal('GET', path, KEYLESS)
const documentOf = async (id: string) => (await client.identity(id)).idDocuments[0]

describe('a capture component asks what it has to do', () => {
  test('for a document: which sides, and until when; nothing about the person', async () => {
    const { path } = await openDocument(['FRONT', 'BACK'])
    const { status, body } = await client.app.json('GET', path, KEYLESS)
    expect(status).toBe(200)
    expect(CaptureSessionView.parse(body)).toEqual(body)
    expect(body).toEqual({
      kind: 'DOCUMENT',
      state: 'OPEN',
      sidesToCapture: ['FRONT', 'BACK'],
      expiresAt: '2026-03-02T09:10:00.000',
    })
  })

  test('for a portrait: how liveness is shown', async () => {
    const { path } = await open('portrait', { type: 'LIVENESS_ACTIVE', nbChallenge: 1 })
    const answer = await client.app.call('GET', path, KEYLESS)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      kind: 'PORTRAIT',
      state: 'OPEN',
      livenessType: 'LIVENESS_ACTIVE',
      securityLevel: 'MEDIUM',
      nbChallenge: 1,
      expiresAt: '2026-03-02T09:01:30.000',
    })
  })

  test.each([
    ['an id that was never given', '/capture/sessions/b1a6f1f4-5d83-4a5e-9f0a-3f3f3f3f3f3f'],
    ['an id that we never give', '/capture/sessions/0197a3c2-0000-7000-8000-000000000000'],
    ['no id at all', '/capture/sessions/latest'],
    ['another path', '/capture/'],
  ])('%s is not found', async (_, path) => {
    expect(await gone(path)).toMatchObject({ status: 404, code: 'not_found' })
  })
})

describe('the sides of a document', () => {
  test('are verified when they are those asked for, and the session is used up', async () => {
    const { id, evidenceId, path, sessionId } = await openDocument()
    const form = () => sides({ front: CARD_FRONT, back: aPassport() })
    const { status, body } = await send(path, form())
    expect(status).toBe(200)
    expect(CaptureAnswer.parse(body)).toEqual({ status: 'PROCESSING', type: 'ID_DOCUMENT', id: evidenceId })
    await client.app.runJobs()
    expect(await documentOf(id)).toMatchObject({ evidenceId, evidenceStatus: { status: 'VERIFIED' } })

    expect((await send(path, form())).status).toBe(404)
    expect(await gone(path)).toMatchObject({ status: 404 })
    const { images, captureSessions } = client.app.appliance.store
    expect(images.listByEvidence(evidenceId).map(({ kind }) => kind)).toEqual([
      'FRONT',
      'BACK',
      'DOCUMENT_CROP',
    ])
    expect(captureSessions.find(sessionId)?.state).toBe('DONE')
    await client.passTime(600_000)
    expect((await documentOf(id))?.evidenceStatus.status).toBe('VERIFIED')
  })

  test('may be the back alone, where the MRZ of most cards is', async () => {
    const { id, path } = await openDocument(['BACK'])
    expect((await send(path, sides({ back: aPassport() }))).status).toBe(200)
    await client.app.runJobs()
    expect((await documentOf(id))?.evidenceStatus.status).toBe('VERIFIED')
  })

  test('are complete when they are those asked for, even one side of a card', async () => {
    const { id, path } = await open('document', {
      idDocumentType: 'IDENTITY_CARD',
      sidesToCapture: ['FRONT'],
    })
    expect((await send(path, sides({ front: CARD_FRONT }))).status).toBe(200)
    await client.app.runJobs()
    expect((await documentOf(id))?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      // The zone of this kind of card is on its back.
      errors: [{ code: '1508' }, { code: '1543' }],
      positiveIndicators: expect.arrayContaining(['REQUIRED_SIDES_CHECK_OK']) as unknown,
    })
  })

  test.each([
    ['a side is missing', ['FRONT', 'BACK'], sides({ front: CARD_FRONT })],
    ['a side is too many', ['FRONT'], sides({ front: CARD_FRONT, back: CARD_FRONT })],
    ['it is the other side', ['FRONT'], sides({ back: CARD_FRONT })],
    ['there is none', ['FRONT'], sides({})],
  ])('are refused with 1508 when %s, and may be sent again', async (_, asked, form) => {
    const { path } = await openDocument(asked)
    expect(await client.refusal('POST', `${path}/document`, { ...KEYLESS, body: form })).toEqual({
      status: 400,
      code: 'sides_mismatch',
      errors: [{ code: '1508' }],
    })
    const right = sides({ front: CARD_FRONT, ...(asked.includes('BACK') ? { back: aPassport() } : {}) })
    expect((await send(path, right)).status).toBe(200)
  })

  test('that cannot be decoded, or are too large, leave the session open', async () => {
    const { path } = await openDocument(['FRONT'])
    const damaged = await send(path, sides({ front: picture({ shows: 'garbage' }) }))
    const large = await send(path, sides({ front: new Uint8Array(MAX_FILE_BYTES + 1) }))
    expect([damaged.status, large.status]).toEqual([400, 413])
    expect((await send(path, sides({ front: aPassport() }))).status).toBe(200)
  })

  test('sent twice at the same time count once, and no file is left over', async () => {
    const { evidenceId, path } = await openDocument(['FRONT'])
    const { images } = client.app.appliance.store
    const answers = await Promise.all([1, 2, 3].map(() => send(path, sides({ front: aPassport() }))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    await client.app.runJobs()
    expect(images.listByEvidence(evidenceId).map(({ kind }) => kind)).toEqual(['FRONT', 'DOCUMENT_CROP'])
    expect(images.sweepOrphans()).toBe(0)
  })

  test('are not for a portrait session', async () => {
    const { path } = await open('portrait')
    expect((await send(path, sides({ front: aPassport() }))).status).toBe(404)
  })

  test('are taken no more once the person has taken back the consent: the session ends with it', async () => {
    const { id, path } = await openDocument(['FRONT'])
    const payload = [{ type: 'ID_DOCUMENT', approved: false }]
    await client.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    expect((await send(path, sides({ front: aPassport() }))).status).toBe(404)
    expect((await documentOf(id))?.evidenceStatus).toMatchObject({
      status: 'NOT_VERIFIED',
      unverifiedIndicators: ['CONSENT_UNVERIFIED'],
    })
    expect(client.app.appliance.store.images.listByIdentity(id)).toEqual([])
  })
})

describe('the video of a portrait', () => {
  const WEBM = Buffer.from(
    '\x1a\x45\xdf\xa3\x9fB\x86\x81\x01B\xf2\x81\x04B\x82\x84webm, and a face',
    'latin1',
  )
  const MP4 = Buffer.from('\x00\x00\x00\x18ftypisom, and a face', 'latin1')
  const video = (bytes: Uint8Array, type = 'video/webm;codecs=vp8', details?: object) => {
    const form = new FormData()
    form.append('Video', new Blob([bytes as BlobPart], { type }), 'video')
    if (details) form.append('CaptureDetails', JSON.stringify(details))
    return form
  }
  const sendVideo = (path: string, body: FormData) =>
    client.app.json('POST', `${path}/video`, { ...KEYLESS, body })
  const kept = async (evidenceId: string) => {
    const { videos } = client.app.appliance.store
    return Promise.all(
      videos
        .listByEvidence(evidenceId)
        .map(async (row) => [row.mediaType, await buffer(Readable.from(videos.read(row)))]),
    )
  }
  const filesOf = () => readdirSync(join(client.app.dataDir, 'videos'))

  test.each([
    ['WebM', WEBM, 'video/webm;codecs=vp8', 'video/webm'],
    ['MP4', MP4, 'video/mp4', 'video/mp4'],
    ['of no declared type', MP4, '', 'video/mp4'],
  ])('is kept sealed, %s, and the session continues', async (_, bytes, declared, mediaType) => {
    const { evidenceId, path } = await open('portrait')
    const { status, body } = await sendVideo(path, video(bytes, declared))
    expect(status).toBe(200)
    expect(CaptureAnswer.parse(body)).toEqual({ status: 'PROCESSING', type: 'PORTRAIT', id: evidenceId })
    expect(await kept(evidenceId)).toEqual([[mediaType, bytes]])
    const sealed = readFileSync(join(client.app.dataDir, 'videos', filesOf().at(-1) ?? ''))
    expect(sealed.includes('and a face')).toBe(false)
    expect((await client.app.call('GET', path, KEYLESS)).status).toBe(200)
  })

  test('sent again takes the place of the first', async () => {
    const { evidenceId, path } = await open('portrait')
    const before = filesOf().length
    await sendVideo(path, video(WEBM))
    await sendVideo(path, video(MP4, 'video/mp4'))
    expect(await kept(evidenceId)).toEqual([['video/mp4', MP4]])
    expect(filesOf()).toHaveLength(before + 1)
  })

  test.each([
    ['is a picture', aPassport(), 'image/jpeg', 400, 'unsupported_image'],
    ['is no film by its bytes', Buffer.from('a film'), 'video/webm', 400, 'unsupported_image'],
    ['is not what it is called', MP4, 'video/webm', 400, 'unsupported_image'],
    ['is empty', Buffer.alloc(0), 'video/webm', 400, 'validation_failed'],
    [
      'is too large',
      Buffer.concat([WEBM, Buffer.alloc(MAX_FILE_BYTES)]),
      'video/webm',
      413,
      'upload_too_large',
    ],
  ])('that %s is refused, and nothing is kept', async (_, bytes, type, status, code) => {
    const { evidenceId, path } = await open('portrait')
    const refused = await client.refusal('POST', `${path}/video`, { ...KEYLESS, body: video(bytes, type) })
    expect(refused).toMatchObject({ status, code })
    expect(await kept(evidenceId)).toEqual([])
  })

  test('may say what it was filmed with, in words that the contract knows', async () => {
    const { evidenceId, path } = await open('portrait')
    const device = { channel: 'webSDK', deviceModel: 'Kiosk 2', sdkInfo: { sdkVersion: '1.2.3' } }
    expect((await sendVideo(path, video(WEBM, '', { ...device, holder: 'Anna' }))).status).toBe(200)
    const { content } = client.app.appliance.store.evidences.find(evidenceId) ?? {}
    expect(content?.captureDetails).toEqual(device)
    const wrong = video(WEBM, '', { channel: 'telepathy' })
    expect(await client.refusal('POST', `${path}/video`, { ...KEYLESS, body: wrong })).toMatchObject({
      status: 400,
      errors: [{ code: 'not_allowed', field: 'CaptureDetails.channel' }],
    })
  })

  test('is not for a document session, nor for one that has ended', async () => {
    const document = await openDocument()
    expect((await sendVideo(document.path, video(WEBM))).status).toBe(404)
    const { path } = await open('portrait')
    await client.app.call('DELETE', path, KEYLESS)
    expect((await sendVideo(path, video(WEBM))).status).toBe(404)
  })

  test('goes with its portrait', async () => {
    const { id, evidenceId, path } = await open('portrait')
    const before = filesOf().length
    await sendVideo(path, video(WEBM))
    await client.app.json('DELETE', `/v1/identities/${id}/attributes/portrait`)
    expect(await kept(evidenceId)).toEqual([])
    expect(filesOf()).toHaveLength(before)
  })

  test('goes with its identity', async () => {
    const { id, path } = await open('portrait')
    const before = filesOf().length
    await sendVideo(path, video(WEBM))
    await client.app.json('DELETE', `/v1/identities/${id}`)
    expect(filesOf()).toHaveLength(before)
  })
})

describe('a session ends', () => {
  test.each([
    ['2402 for a document', 'document', '2402', 'DOCUMENT_CAPTURE_UNVERIFIED'],
    ['1611 for a portrait', 'portrait', '1611', 'BIOMETRIC_LIVENESS_UNVERIFIED'],
  ] as const)('when the person gives up: %s', async (_, kind, code, indicator) => {
    const { id, evidenceId, path } = await open(kind)
    expect(await client.app.json('DELETE', path, KEYLESS)).toEqual({ status: 204, body: null })
    const { idDocuments, portrait, globalStatus } = await client.identity(id)
    expect(globalStatus.status).toBe('EXPECTING_INPUT')
    expect(kind === 'document' ? idDocuments[0] : portrait).toMatchObject({
      evidenceId,
      evidenceStatus: { status: 'NOT_VERIFIED', errors: [{ code }], unverifiedIndicators: [indicator] },
    })
    expect(await client.refusal('DELETE', path, KEYLESS)).toMatchObject({ status: 404 })
  })

  test('when its identity is erased', async () => {
    const { id, path } = await openDocument()
    await client.app.json('DELETE', `/v1/identities/${id}`)
    expect(await gone(path)).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('when its portrait is deleted', async () => {
    const { id, path } = await open('portrait')
    await client.app.json('DELETE', `/v1/identities/${id}/attributes/portrait`)
    expect(await gone(path)).toMatchObject({ status: 404 })
  })

  test('when its time is over', async () => {
    const { path } = await openDocument(['FRONT'])
    await client.passTime(600_000)
    expect((await send(path, sides({ front: aPassport() }))).status).toBe(404)
  })
})

describe('a caller that is not the capture component', () => {
  test('and comes under another host name or from another page is refused', async () => {
    const { path } = await openDocument()
    const { hostname, port } = new URL(client.app.url)
    const byRebinding = new Promise<number>((resolve, reject) => {
      const options = { hostname, port, path, headers: { host: 'rebound.example' } }
      request(options, (res) => resolve(res.resume().statusCode ?? 0))
        .on('error', reject)
        .end()
    })
    expect(await byRebinding).toBe(403)
    const headers = { origin: 'https://evil.example' }
    expect(await client.refusal('DELETE', path, { ...KEYLESS, headers })).toMatchObject({
      status: 403,
      code: 'host_refused',
    })
    expect((await client.app.call('GET', path, KEYLESS)).status).toBe(200)
  })

  test('and calls too often is held back, in this session alone', async () => {
    const [one, other] = [await openDocument(), await openDocument()]
    for (let call = 0; call < 60; call++) {
      expect((await client.app.call('GET', one.path, KEYLESS)).status).toBe(200)
    }
    const refused = await client.app.call('GET', one.path, KEYLESS)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await client.app.call('GET', other.path, KEYLESS)).status).toBe(200)
  })

  test('and reads the log or an answer finds no session id there', async () => {
    const { sessionId, path } = await openDocument(['FRONT'])
    const paths = [path, `/CAPTURE/Sessions/${sessionId}`, `/capture/session/${sessionId}`, `${path}/frames`]
    const answers = await Promise.all(
      paths.map(async (wrong) => (await client.app.call('POST', wrong, KEYLESS)).text()),
    )
    await send(path, sides({ back: aPassport() }))
    await send(path, sides({ front: aPassport() }))
    await client.app.runJobs()
    expect(answers.filter((answer) => answer.includes(sessionId))).toEqual([])
    expect(client.app.log()).toContain('/capture/sessions/{…}/document')
    expect(client.app.log()).not.toContain(sessionId)
  })
})

test.each([
  ['', 'PUT', 'GET, HEAD, DELETE'],
  ['/frame', 'GET', 'POST'],
  ['/portrait/begin', 'GET', 'POST'],
  ['/portrait/frame', 'DELETE', 'POST'],
  ['/document', 'PUT', 'POST'],
  ['/video', 'GET', 'POST'],
])('%s of a session answers %s with what it allows: %s', async (below, method, allowed) => {
  const { path } = await openDocument()
  const answer = await client.app.call(method, `${path}${below}`, KEYLESS)
  expect([answer.status, answer.headers.get('allow'), answer.headers.get('cache-control')]).toEqual([
    405,
    allowed,
    'no-store',
  ])
})

test('below a session there is nothing else, and what is no session is not found', async () => {
  const { path } = await openDocument()
  for (const unknown of [`${path}/other`, '/capture/sessions/none', '/capture/other']) {
    expect((await client.app.call('GET', unknown, KEYLESS)).status).toBe(404)
  }
})

test('each answer says how many calls a minute its path takes: many pictures, few of all else', async () => {
  const { path } = await openDocument()
  const policyOf = async (below: string, body?: FormData) =>
    (
      await client.app.call(body ? 'POST' : 'GET', `${path}${below}`, {
        ...KEYLESS,
        ...(body ? { body } : {}),
      })
    ).headers.get('ratelimit-policy')
  expect(await policyOf('')).toBe('"capture-session"; q=60; w=60')
  expect(await policyOf('/frame', new FormData())).toBe('"capture-frame"; q=300; w=60')
  expect(await policyOf('/portrait/frame', new FormData())).toBe('"portrait-frame"; q=1200; w=60')
})

test('a picture that cannot be used is refused without a time to come again', async () => {
  const { path } = await open('portrait')
  const body = new FormData()
  body.append('Frame', new Blob([CARD_FRONT as BlobPart], { type: 'image/jpeg' }), 'frame.jpg')
  const answer = await client.app.call('POST', `${path}/frame`, { ...KEYLESS, body })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.headers.get('retry-after')).toBeNull()
})
