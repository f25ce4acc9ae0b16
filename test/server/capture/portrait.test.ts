/** The protocol of a portrait session over HTTP: what the client is told, what ends the session, and what is kept of it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import { AppError } from '../../../server/errors.ts'
import { liveActor } from '../../support/live-actor.ts'
import { liveClient, newKeys, type LiveClient } from '../../support/live-client.ts'
import { startWholeApp, type WholeApp } from '../app/whole-app.ts'
import {
  act,
  capturePortrait,
  openSession,
  picturesOf,
  portraitOf,
  recordOf,
} from '../app/portrait-session.ts'
import { picture, scriptedVision } from '../app/scripted-vision.ts'

const KEYLESS = { key: null }
/** Copied from resources/liveness.json. */
const MAX_GAP_MS = 4_000

let app: WholeApp
beforeAll(async () => {
  app = await startWholeApp()
})
beforeEach(() => {
  app.see()
})
afterAll(() => app.close())

let shot = 0
/** Straight at the camera, another picture each time. */
const aFrame = () => picture({ shows: 'person', face: 'A', noise: 10_000 + shot++ })
const stateOf = (sessionId: string) => app.app.appliance.store.captureSessions.find(sessionId)?.state

/** After a first picture. */
async function underWay(payload: object = {}) {
  const session = await openSession(app, { payload })
  const begun = await session.client.begin()
  const first = await session.client.send(aFrame())
  return { ...session, begun, first }
}

describe('a session of a live person', () => {
  test.each([
    ['LIVENESS_PASSIVE', []],
    ['LIVENESS_PASSIVE_VIDEO', ['LIVENESS_STOPS_PRINTS_OK']],
    ['LIVENESS_ACTIVE', ['LIVENESS_STOPS_PRINTS_OK', 'LIVENESS_STOPS_REPLAYS_OK']],
  ])('%s ends without errors: live, with the grades %j, and no reference yet', async (type, grades) => {
    const { ended, portrait, evidenceId, sessionId } = await capturePortrait(app, { payload: { type } })
    const evidence = { status: 'PROCESSING', type: 'PORTRAIT', id: evidenceId }
    expect(ended).toEqual({ state: 'ENDED', evidence })
    expect(portrait).toMatchObject({ status: 'NOT_VERIFIED', errors: [], blockingIndicators: [] })
    expect(portrait?.positiveIndicators).toEqual([
      'BIOMETRIC_LIVENESS_CHALLENGE_OK',
      'BIOMETRIC_LIVENESS_OK',
      ...grades,
      'BIOMETRIC_QUALITY_CHECK_OK',
    ])
    expect(stateOf(sessionId)).toBe('DONE')
    expect(picturesOf(app, evidenceId)).toEqual([
      ['PORTRAIT', 0],
      ['DOCUMENT_CROP', 0],
      ...[1, 2, 3, 4].map((frame) => ['PORTRAIT', frame]),
    ])
    expect(recordOf(app, evidenceId)).toMatchObject({
      livenessType: type,
      breach: null,
      trace: { end: 'COMPLETE', framesWithoutFace: 0 },
      models: [{ id: 'scripted' }],
    })
  })

  test('is asked for one thing at a time, under another number and ticket each time', async () => {
    const { begun, first, client } = await underWay({ type: 'LIVENESS_ACTIVE', nbChallenge: 3 })
    expect(PortraitGuidance.parse(begun)).toEqual(begun)
    expect(begun).toMatchObject({
      state: 'CAPTURING',
      sequence: 1,
      prompt: { kind: 'LOOK_STRAIGHT', index: 1, colour: null, attempt: 1 },
      progress: 0,
      face: null,
    })
    expect(first.body).toMatchObject({ sequence: 2, face: { x: 0.375, y: 350 / 1200, width: 0.25 } })
    expect(Object.keys(client.due).sort()).toEqual(Object.keys(begun).sort())
    const tickets = [begun, first.body, (await client.send(aFrame())).body].map((body) =>
      body.state === 'CAPTURING' ? body.ticket : '',
    )
    expect(new Set(tickets).size).toBe(3)
  })

  test('is told what keeps the picture from being good', async () => {
    const { client } = await underWay()
    const hintFor = async (scene: object) => {
      const { body } = await client.send(picture({ shows: 'person', face: 'A', noise: shot++, ...scene }))
      return body.state === 'CAPTURING' ? body.hint : body.state
    }
    expect(await hintFor({ face: null })).toBe('SHOW_FACE')
    expect(await hintFor({ others: [0.9] })).toBe('ONE_PERSON_ONLY')
    expect(await hintFor({ live: { headWidthPx: 100 } })).toBe('COME_CLOSER')
    expect(await hintFor({ live: { headWidthPx: 900 } })).toBe('MOVE_BACK')
    expect(await hintFor({ live: { leftDeg: 30 } })).toBe('LOOK_STRAIGHT')
    expect(await hintFor({})).toBe('ALL_GOOD')
  })

  // @clause NIST-63A-4/3.14-cues
  test('asks two clients for different things: what is drawn is not the same every time', async () => {
    const asked = async () => {
      const session = await openSession(app, { payload: { type: 'LIVENESS_ACTIVE', nbChallenge: 3 } })
      await session.client.begin()
      await act(app, session.client)
      return recordOf(app, session.evidenceId)
        ?.trace.steps.map(({ kind }) => kind)
        .join(' ')
    }
    const plans = new Set<string | undefined>()
    for (let session = 0; session < 3; session++) plans.add(await asked())
    expect(plans.size).toBeGreaterThan(1)
  })
})

describe('a session is broken off, and its client is told no reason,', () => {
  type Session = Awaited<ReturnType<typeof underWay>>
  const stranger = async ({ sessionId }: Session) => ({
    body: await liveClient(app.app, sessionId).begin(),
  })
  const cases: readonly (readonly [
    string,
    string,
    string,
    (session: Session) => Promise<{ body: object }>,
  ])[] = [
    ['when another client begins', 'OTHER_CLIENT', '1611', stranger],
    [
      'when another key seals a picture',
      'OTHER_CLIENT',
      '1611',
      async ({ client }) => client.send(aFrame(), { key: (await newKeys()).privateKey }),
    ],
    [
      'when the signature is for another picture',
      'OTHER_CLIENT',
      '1611',
      ({ client }) => client.send(aFrame(), { sealedFrame: aFrame() }),
    ],
    ['when a request comes once more', 'REPLAYED', '1611', ({ client, first }) => client.resend(first)],
    [
      'when a picture has the number of another',
      'REPLAYED',
      '1611',
      ({ client }) => client.send(aFrame(), { sequence: 7 }),
    ],
    [
      'when the ticket was not given',
      'REPLAYED',
      '1611',
      ({ client }) => client.send(aFrame(), { ticket: 'A'.repeat(22) }),
    ],
    [
      'when the same picture comes under a new signature',
      'DUPLICATE_FRAME',
      '1611',
      ({ client, first }) => client.send(first.frame),
    ],
    [
      'when the next picture is late',
      'LATE_FRAME',
      '1609',
      ({ client }) => {
        app.tick(MAX_GAP_MS + 1)
        return client.send(aFrame())
      },
    ],
  ]

  test.each(cases)('%s (%s)', async (_, breach, code, tamper) => {
    const session = await underWay()
    const { body } = await tamper(session)
    const evidence = { status: 'PROCESSING', type: 'PORTRAIT', id: session.evidenceId }
    expect(body).toEqual({ state: 'ENDED', evidence })
    expect(stateOf(session.sessionId)).toBe('FAILED')
    await app.app.runJobs()
    expect(await portraitOf(app, session.id)).toMatchObject({
      status: 'NOT_VERIFIED',
      score: 'LEVEL0',
      errors: [{ code }],
      positiveIndicators: [],
      warningIndicators: ['BIOMETRIC_LIVENESS_CHALLENGE_WARNING'],
      blockingIndicators: [],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
    expect(recordOf(app, session.evidenceId)).toMatchObject({ breach, depth: null })
    expect(picturesOf(app, session.evidenceId)).toEqual([])
    expect((await session.client.send(aFrame())).status).toBe(404)
  })

  test('when the pictures of an earlier session are sent again', async () => {
    const earlier = await underWay()
    const other = await openSession(app)
    await other.client.begin()
    const again = await app.app.json('POST', `/capture/sessions/${other.sessionId}/portrait/frame`, {
      ...KEYLESS,
      body: earlier.first.form(),
    })
    expect(again.body).toMatchObject({ state: 'ENDED' })
    expect(recordOf(app, other.evidenceId)?.breach).toBe('OTHER_CLIENT')
  })
})

describe('a picture that cannot be used', () => {
  test('is refused and costs nothing: the next one has its number', async () => {
    const { client } = await underWay()
    const due = client.due
    expect((await client.send(picture({ shows: 'garbage' }))).status).toBe(400)
    expect(client.due).toEqual(due)
    expect(await client.send(aFrame())).toMatchObject({ status: 200, body: { sequence: 3 } })
  })

  test('twenty times ends the session with 1610, for that says nothing of the person', async () => {
    const { id, client } = await underWay()
    const statuses: number[] = []
    for (let times = 0; times < 20; times++)
      statuses.push((await client.send(picture({ shows: 'garbage' }))).status)
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 400), 200])
    await app.app.runJobs()
    expect(await portraitOf(app, id)).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1610' }],
      blockingIndicators: [],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_CHALLENGE_UNVERIFIED', 'BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
  })

  test('has another size than those before', async () => {
    const { client } = await underWay()
    const { trackFace } = scriptedVision()
    app.see({
      trackFace: async (input) => {
        const seen = await trackFace(input)
        return { ...seen, image: { ...seen.image, widthPx: 640 } }
      },
    })
    expect((await client.send(aFrame())).status).toBe(400)
    app.see()
    expect((await client.send(aFrame())).status).toBe(200)
  })

  test.each([
    ['has no signature', undefined],
    ['has a signature of another form', { sequence: 1, ticket: 'short', signature: 'short' }],
    ['has a signature with more in it', { sequence: 0, claims: 'I am live' }],
  ])('%s: refused by the contract, and the session continues', async (_, signature) => {
    const { client, sessionId } = await underWay()
    const form = new FormData()
    form.append('Frame', new Blob([aFrame() as BlobPart], { type: 'image/jpeg' }), 'frame.jpg')
    if (signature) form.append('FrameSignature', JSON.stringify(signature))
    const path = `/capture/sessions/${sessionId}/portrait/frame`
    expect(await app.refusal('POST', path, { ...KEYLESS, body: form })).toMatchObject({
      status: 400,
      code: 'validation_failed',
    })
    expect((await client.send(aFrame())).status).toBe(200)
  })

  test('comes before the session has begun, to a document session, or to an unknown session', async () => {
    const { client, sessionId } = await openSession(app)
    const begun = await underWay()
    const send = (session: string) =>
      app.refusal('POST', `/capture/sessions/${session}/portrait/frame`, {
        ...KEYLESS,
        body: begun.first.form(),
      })
    expect(await send(sessionId)).toMatchObject({ status: 400, errors: [{ code: 'not_begun' }] })
    expect(await client.begin()).toMatchObject({ sequence: 1 })
    const id = await app.anIdentity()
    const path = `/v1/identities/${id}/id-documents/live-capture-session`
    const document = await app.ask('DocumentSessionAnswer', 'POST', path, {})
    expect(await send(document.sessionId)).toMatchObject({ status: 404 })
    expect(await send('b1a6f1f4-5d83-4a5e-9f0a-3f3f3f3f3f3f')).toMatchObject({ status: 404 })
  })

  test('comes while another one is looked at: the newest is sent next, under the same number', async () => {
    const { client } = await underWay()
    const [begun, gate] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const { trackFace } = scriptedVision()
    app.see({
      trackFace: async (input) => {
        begun.resolve(undefined)
        await gate.promise
        return trackFace(input)
      },
    })
    const first = client.send(aFrame())
    await begun.promise
    expect((await client.send(aFrame())).status).toBe(429)
    gate.resolve(undefined)
    expect(await first).toMatchObject({ status: 200, body: { sequence: 3 } })
  })
})

describe('the colours that a client paints', () => {
  const MLC = { payload: { type: 'LIVENESS_MLC' }, mode: 'nativeSDK' } as const
  const beginning = async (told: object) => {
    const session = await openSession(app, MLC)
    await session.client.begin(undefined, told)
    await act(app, session.client)
    return recordOf(app, session.evidenceId)
  }

  test('are told at the beginning, and stand in the record by which it is judged', async () => {
    expect((await beginning({ colours: 'CALM' }))?.trace.colourSet).toBe('CALM')
  })

  test('are the pure ones where nothing is told', async () => {
    const record = await beginning({})
    expect(record?.trace.colours).toHaveLength(4)
    expect(record?.trace.colourSet).toBeUndefined()
  })

  test('are one of two sets', async () => {
    const { client, sessionId } = await openSession(app, MLC)
    const { publicKey } = await newKeys()
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
    const payload = { publicKey: { kty, crv, x, y }, colours: { RED: '#808080' } }
    const path = `/capture/sessions/${sessionId}/portrait/begin`
    expect(await app.refusal('POST', path, { ...KEYLESS, payload })).toMatchObject({ status: 400 })
    expect(await client.begin()).toMatchObject({ state: 'CAPTURING' })
  })
})

describe('a key that is none', () => {
  test.each([
    ['of another curve', { kty: 'EC', crv: 'P-384', x: 'A'.repeat(43), y: 'A'.repeat(43) }, 'not_allowed'],
    ['no point of the curve', { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'B'.repeat(43) }, 'invalid'],
    ['nothing', undefined, 'required'],
  ])('is refused: %s; the session can still begin', async (_, publicKey, code) => {
    const { client, sessionId } = await openSession(app)
    const path = `/capture/sessions/${sessionId}/portrait/begin`
    const refused = await app.refusal('POST', path, { ...KEYLESS, payload: { publicKey } })
    expect(refused).toMatchObject({ status: 400, code: 'validation_failed' })
    expect(refused.errors[0]?.code).toBe(code)
    expect(await client.begin()).toMatchObject({ state: 'CAPTURING' })
  })
})

describe('a fault of our own', () => {
  const failing = () => Promise.reject(new AppError('vision_unavailable', { reason: 'worker_died' }))

  test('once loses a picture and no more', async () => {
    const { client, id, evidenceId } = await underWay()
    app.see({ trackFace: failing })
    expect(await client.send(aFrame())).toMatchObject({ status: 200, body: { sequence: 3 } })
    app.see()
    await act(app, client)
    await app.app.runJobs()
    expect((await portraitOf(app, id))?.errors).toEqual([])
    expect(recordOf(app, evidenceId)?.breach).toBeNull()
  })

  test('twice ends the session with 1610', async () => {
    const { client, id, evidenceId } = await underWay()
    app.see({ trackFace: failing })
    await client.send(aFrame())
    expect(await client.send(aFrame())).toMatchObject({ status: 200, body: { state: 'ENDED' } })
    await app.app.runJobs()
    expect(recordOf(app, evidenceId)?.breach).toBe('TECHNICAL')
    expect(await portraitOf(app, id)).toMatchObject({
      status: 'NOT_VERIFIED',
      errors: [{ code: '1610' }],
      blockingIndicators: [],
    })
  })

  test('at the end is tried once more, then called technical', async () => {
    let calls = 0
    app.see({ measureLiveness: () => (calls++, failing()) })
    const { portrait, evidenceId } = await capturePortrait(app)
    expect(calls).toBe(2)
    expect(recordOf(app, evidenceId)).toMatchObject({ breach: 'TECHNICAL', trace: { end: 'COMPLETE' } })
    expect(portrait).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1610' }] })
    expect(picturesOf(app, evidenceId)).toEqual([])
  })
})

describe('a session that is ended before its challenge sequence is over', () => {
  const ended = (client: LiveClient) => client.send(aFrame()).then(({ status }) => status)

  test.each([
    [
      'the relying service',
      ({ id, sessionId }: { id: string; sessionId: string }) =>
        app.app.json('DELETE', `/v1/identities/${id}/attributes/portrait/live-capture-session/${sessionId}`),
    ],
    [
      'the person',
      ({ sessionId }: { sessionId: string }) =>
        app.app.json('DELETE', `/capture/sessions/${sessionId}`, KEYLESS),
    ],
    [
      'the deletion of the portrait',
      ({ id }: { id: string }) => app.app.json('DELETE', `/v1/identities/${id}/attributes/portrait`),
    ],
    [
      'the erasure of the identity',
      ({ id }: { id: string }) => app.app.json('DELETE', `/v1/identities/${id}`),
    ],
  ])('%s: nothing more is taken', async (_, end) => {
    const { client, id, sessionId } = await underWay()
    expect((await end({ id, sessionId })).status).toBe(204)
    expect(await ended(client)).toBe(404)
  })

  test('the clock: 1609, and nothing of it is kept', async () => {
    const { client, id, evidenceId } = await underWay()
    await app.passTime(90_000)
    expect(await ended(client)).toBe(404)
    expect(await portraitOf(app, id)).toMatchObject({
      errors: [{ code: '1609' }],
      unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'],
    })
    expect(picturesOf(app, evidenceId)).toEqual([])
  })

  test('a consent that is taken back', async () => {
    const { client, id } = await underWay()
    const payload = [{ type: 'PORTRAIT', approved: false }]
    await app.ask('ConsentList', 'POST', `/v1/identities/${id}/consents`, { payload })
    expect(await ended(client)).toBe(404)
  })

  test('while its pictures are measured: what was measured is thrown away, and no file is left', async () => {
    const { client, id, evidenceId, sessionId } = await underWay()
    const { measureLiveness } = scriptedVision()
    app.see({
      measureLiveness: async (input) => {
        await app.app.json('DELETE', `/capture/sessions/${sessionId}`, KEYLESS)
        return measureLiveness(input)
      },
    })
    await expect(act(app, client, liveActor())).rejects.toThrow('refused with 404')
    expect(await portraitOf(app, id)).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1611' }] })
    expect(recordOf(app, evidenceId)).toBeUndefined()
    expect(app.app.appliance.store.images.sweepOrphans()).toBe(0)
  })

  test('a restart: 1610, for its pictures were in memory alone', async () => {
    const { client, id } = await underWay()
    await app.restart()
    expect(await ended(client)).toBe(404)
    expect(await portraitOf(app, id)).toMatchObject({ errors: [{ code: '1610' }] })
  })
})

test('no session id, ticket or key is in the log', async () => {
  const { client, sessionId } = await underWay()
  const { ticket } = client.due
  await client.send(aFrame(), { sequence: 9 })
  await app.app.runJobs()
  expect(app.app.log()).toContain('/capture/sessions/{…}/portrait/frame')
  expect(app.app.log()).not.toContain(sessionId)
  expect(app.app.log()).not.toContain(ticket)
})

test('sixteen sessions run at the same time; the next one begins when one of them has ended', async () => {
  const own = await startWholeApp()
  try {
    const sessions = []
    for (let count = 0; count < 17; count++) sessions.push(await openSession(own))
    const keys = await newKeys()
    const { x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey)
    const begin = ({ sessionId }: { sessionId: string }) =>
      own.app.call('POST', `/capture/sessions/${sessionId}/portrait/begin`, {
        ...KEYLESS,
        payload: { publicKey: { kty: 'EC', crv: 'P-256', x, y } },
      })
    const begun = await Promise.all(sessions.slice(0, 16).map(begin))
    expect(begun.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200))
    const [first, last] = [sessions[0], sessions[16]]
    const held = await begin(last)
    expect([held.status, held.headers.get('retry-after')]).toEqual([429, '1'])
    await own.app.call('DELETE', `/capture/sessions/${first.sessionId}`, KEYLESS)
    expect((await begin(last)).status).toBe(200)
  } finally {
    await own.close()
  }
})
