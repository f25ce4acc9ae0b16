/** Each route of the central service as a call: what is asked, under which signature, and which answers are believed. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkRequest } from '../../../server/protocol/request-signature.ts'
import type { Announcement, EnrolmentRequest, KioskStatus } from '../../../server/protocol/wire.ts'
import {
  createCentralClient,
  requestEnrolment,
  type CentralClient,
} from '../../../server/sync/central-client.ts'
import { makeKioskKey, type KioskKey } from '../../../server/sync/kiosk-key.ts'
import {
  CentralTroubleError,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../../server/sync/transport.ts'

const CENTRAL_ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const KIOSK_ID = '01890a5d-ac96-774b-bcce-b302099a8058'
const PROOF_ID = '01890a5d-ac96-774b-bcce-b302099a8059'
const AT = new Date('2026-11-21T12:00:00Z')
const RECEIVING = { state: 'RECEIVING', offset: 5 }

let key: KioskKey
let client: CentralClient
let asked: TransportRequest[]
/** Sorted; the last one repeats. */
let answers: unknown[]
let nonces: (string | null)[]

const transport: Transport = {
  send: async (request): Promise<TransportAnswer> => {
    asked.push(request)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (typeof answer === 'function') (answer as () => never)()
    return { body: Buffer.from(JSON.stringify(answer)), nonce: nonces.shift() ?? null }
  },
  close: async () => undefined,
}
const refuses = (trouble: 'kiosk' | 'request', code: string, more: object) => () => {
  throw new CentralTroubleError(trouble, code, more)
}

beforeAll(async () => {
  key = await makeKioskKey()
})
beforeEach(() => {
  asked = []
  answers = [RECEIVING]
  nonces = []
  const identity = { kioskId: KIOSK_ID, centreId: CENTRAL_ID, privateJwk: key.privateJwk }
  client = createCentralClient(transport, identity, { now: () => AT })
})

const claimsOf = ({ method, path, body, headers }: TransportRequest) =>
  checkRequest(headers.authorization, { method, path, body, centreId: CENTRAL_ID }, key.publicJwk)

const announcement = { proofId: PROOF_ID, sequence: 3 } as Announcement
const JSON_TYPE = 'application/json'

describe('a call', () => {
  test.each<[string, () => Promise<unknown>, object, object]>([
    [
      'that announces a proof',
      () => client.announce(announcement),
      { method: 'PUT', path: `/kiosk/v1/proofs/${PROOF_ID}`, largestAnswer: 1_048_576 },
      { 'content-type': JSON_TYPE },
    ],
    [
      'that sends a chunk',
      () => client.sendChunk(PROOF_ID, 4096, Buffer.from('bytes')),
      { method: 'PATCH', path: `/kiosk/v1/proofs/${PROOF_ID}`, largestAnswer: 1_048_576 },
      { 'content-type': 'application/octet-stream', 'upload-offset': '4096' },
    ],
    [
      'that completes an upload',
      () => client.complete(PROOF_ID),
      { method: 'POST', path: `/kiosk/v1/proofs/${PROOF_ID}/completion`, largestAnswer: 1_048_576 },
      {},
    ],
  ])('%s is signed by the kiosk and answers the state of the upload', async (_, call, request, headers) => {
    expect(await call()).toEqual(RECEIVING)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject(request)
    const { authorization, ...others } = asked[0].headers
    expect(authorization).toMatch(/^Counterproof /)
    expect(others).toEqual(headers)
    expect(await claimsOf(asked[0])).toMatchObject({ at: AT.getTime(), nonce: null })
  })

  test('carries what it is about: the announcement as JSON, the chunk as it is, a completion nothing', async () => {
    await client.announce(announcement)
    await client.sendChunk(PROOF_ID, 0, Buffer.from('bytes'))
    await client.complete(PROOF_ID)
    const bodies = asked.map(({ body }) => Buffer.from(body).toString('utf8'))
    expect(bodies).toEqual([`{"proofId":"${PROOF_ID}","sequence":3}`, 'bytes', ''])
  })

  test('hands on the signal that ends it', async () => {
    const { signal } = new AbortController()
    await client.announce(announcement, signal)
    await client.sendChunk(PROOF_ID, 0, Buffer.from('bytes'), signal)
    await client.complete(PROOF_ID, signal)
    answers = [{ bundle: 'a.b.c' }]
    await client.bundle(signal)
    expect(asked.map((request) => request.signal)).toEqual([signal, signal, signal, signal])
  })

  test('is not the central service’s answer when it is no state of an upload', async () => {
    answers = [{ state: 'SOMETHING', offset: 0 }]
    await expect(client.complete(PROOF_ID)).rejects.toMatchObject({ trouble: 'line', code: 'not_the_centre' })
    answers = ['']
    await expect(client.complete(PROOF_ID)).rejects.toMatchObject({ code: 'not_the_centre' })
  })
})

describe('the nonce of the central service', () => {
  test('goes into the signatures that follow, the newest that came', async () => {
    nonces = ['first', null, 'second']
    for (let call = 0; call < 4; call++) await client.complete(PROOF_ID)
    const claimed = await Promise.all(asked.map(async (request) => (await claimsOf(request)).nonce))
    expect(claimed).toEqual([null, 'first', 'first', 'second'])
  })

  test('that has expired is replaced by that of the refusal, and the call repeated once', async () => {
    answers = [refuses('kiosk', 'nonce_required', { status: 401, nonce: 'fresh' }), RECEIVING]
    expect(await client.complete(PROOF_ID)).toEqual(RECEIVING)
    const claimed = await Promise.all(asked.map(async (request) => (await claimsOf(request)).nonce))
    expect(claimed).toEqual([null, 'fresh'])
  })

  test('that is refused twice ends the call', async () => {
    answers = [refuses('kiosk', 'nonce_required', { status: 401, nonce: 'fresh' })]
    await expect(client.complete(PROOF_ID)).rejects.toMatchObject({ code: 'nonce_required' })
    expect(asked).toHaveLength(2)
  })

  test('is not made up: a refusal without one, and any other refusal, end the call at once', async () => {
    answers = [refuses('kiosk', 'nonce_required', { status: 401 })]
    await expect(client.complete(PROOF_ID)).rejects.toMatchObject({ code: 'nonce_required' })
    answers = [refuses('kiosk', 'unauthorized', { status: 401, nonce: 'fresh' })]
    await expect(client.complete(PROOF_ID)).rejects.toMatchObject({ code: 'unauthorized' })
    answers = [
      () => {
        throw new Error('nonce_required')
      },
    ]
    await expect(client.complete(PROOF_ID)).rejects.toThrow('nonce_required')
    expect(asked).toHaveLength(3)
  })
})

describe('a bundle', () => {
  test('is asked for without a body and may be far larger than other answers', async () => {
    answers = [{ bundle: 'a.b.c' }]
    expect(await client.bundle()).toBe('a.b.c')
    expect(asked[0]).toMatchObject({ method: 'GET', path: '/kiosk/v1/bundle', largestAnswer: 25_165_824 })
    expect(asked[0].body).toHaveLength(0)
  })

  test('is none where the central service has none', async () => {
    answers = [refuses('request', 'not_found', { status: 404 })]
    expect(await client.bundle()).toBeNull()
  })

  test('is not taken for none by any other refusal or fault', async () => {
    answers = [refuses('kiosk', 'unauthorized', { status: 401 })]
    await expect(client.bundle()).rejects.toMatchObject({ code: 'unauthorized' })
    answers = [
      () => {
        throw Object.assign(new Error('a fault here'), { status: 404 })
      },
    ]
    await expect(client.bundle()).rejects.toThrow('a fault here')
  })
})

test('a status is told as JSON, and its answer has to have the members of one', async () => {
  await expect(client.status({ counter: 1 } as KioskStatus)).rejects.toMatchObject({ code: 'not_the_centre' })
  expect(asked[0]).toMatchObject({ method: 'POST', path: '/kiosk/v1/status' })
  expect(asked[0].headers).toMatchObject({ 'content-type': JSON_TYPE })
  expect(Buffer.from(asked[0].body).toString('utf8')).toBe('{"counter":1}')
})

test('an enrolment is asked for without a signature: its code stands for it', async () => {
  const request = { code: 'ABCD', name: 'Branch 7' } as EnrolmentRequest
  await expect(requestEnrolment(transport, request)).rejects.toMatchObject({ code: 'not_the_centre' })
  expect(asked).toEqual([
    {
      method: 'POST',
      path: '/kiosk/v1/enrolments',
      headers: { 'content-type': JSON_TYPE },
      body: Buffer.from('{"code":"ABCD","name":"Branch 7"}'),
      largestAnswer: 1_048_576,
    },
  ])
})
