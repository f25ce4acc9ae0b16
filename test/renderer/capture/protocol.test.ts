/** The calls of the capture protocol, and what a component makes of answers and of none. */
import { describe, expect, test } from 'vitest'
import {
  captureClient,
  CaptureCallError,
  toFault,
  type Incoming,
  type Outgoing,
} from '../../../renderer/capture/protocol.ts'
import { createFrameSigner } from '../../../renderer/capture/portrait/frame-signer.ts'

const SESSION = '3F1D6A44-9A2E-4A0B-8D57-0F3C1C6D2E11'
const jpeg = (text: string) => new Blob([text], { type: 'image/jpeg' })

function client(answer: Incoming | Error) {
  const sent: Outgoing[] = []
  return {
    sent,
    calls: captureClient({
      base: 'https://appliance.example/',
      sessionId: SESSION,
      transport: async (request) => {
        sent.push(request)
        if (answer instanceof Error) throw answer
        return answer
      },
      signal: new AbortController().signal,
      answerWithinMs: 8_000,
      sendWithinMs: 60_000,
    }),
  }
}

describe('a call', () => {
  test('submits every side with its further pictures and the facts about the camera', async () => {
    const { sent, calls } = client({ status: 200, text: '{"status":"PROCESSING"}' })
    const sides = new Map([
      ['FRONT', { best: jpeg('front'), further: [jpeg('a'), jpeg('b')] }],
      ['BACK', { best: jpeg('back'), further: [] }],
    ] as const)
    await calls.handIn(sides, { channel: 'webSDK' }, () => undefined)
    expect(sent[0].url).toBe(`https://appliance.example/capture/sessions/${SESSION}/document`)
    const form = sent[0].body as FormData
    expect([...form.keys()]).toEqual([
      'DocumentFront',
      'FrontFrame',
      'FrontFrame',
      'DocumentBack',
      'CaptureDetails',
    ])
    expect(form.get('CaptureDetails')).toBe('{"channel":"webSDK"}')
  })
  test('that sends a live picture waits as long as one that hands in: the last answer comes when all are measured', async () => {
    const { sent, calls } = client({ status: 200, text: '{"state":"CAPTURING"}' })
    await calls.sendFrame(jpeg('face'), { sequence: 1, ticket: 't', signature: 's' })
    await calls.assess(jpeg('document'))
    expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 8_000])
  })
  test('that begins tells the key, the camera, whether the browser stands in for one, and which colours are painted', async () => {
    const { sent, calls } = client({ status: 200, text: '{"state":"CAPTURING"}' })
    const publicKey = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }
    await calls.begin(publicKey, { camera: null, isPretended: false, colours: 'CALM' })
    await calls.begin(publicKey, { camera: null, isPretended: true, colours: 'CALM' })
    expect(sent.map(({ body }) => JSON.parse(body as string) as unknown)).toEqual([
      { publicKey, colours: 'CALM' },
      { publicKey, pretendedCamera: true, colours: 'CALM' },
    ])
  })
  test.each([
    [404, 'gone'],
    [410, 'gone'],
    [403, 'gone'],
    [429, 'busy'],
    [503, 'busy'],
    [400, 'unfit'],
    [413, 'unfit'],
    [500, 'offline'],
    [507, 'offline'],
  ] as const)('answered by %i is over as %s', async (status, fault) => {
    expect(toFault(status)).toBe(fault)
    const failure = await client({ status, text: '' })
      .calls.session()
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'CaptureCallError', fault })
  })
  test('without an answer is offline, whatever the browser calls it', async () => {
    const failure = await client(new DOMException('', 'TimeoutError'))
      .calls.session()
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(CaptureCallError)
    expect(failure).toMatchObject({ fault: 'offline' })
  })
})

test('a seal verifies with the key that was told, over session, number, ticket and picture', async () => {
  const signer = await createFrameSigner(SESSION)
  expect(Object.keys(signer.publicKey)).toEqual(['kty', 'crv', 'x', 'y'])
  const { sequence, ticket, signature } = await signer.sign({ sequence: 17, ticket: 'T' }, jpeg('abc'))
  // SHA-256 of "abc" (FIPS 180-4, appendix).
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  const text = `counterproof-frame/1\n${SESSION.toLowerCase()}\n${sequence}\n${ticket}\n${digest}`
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const key = await crypto.subtle.importKey('jwk', signer.publicKey, curve, false, ['verify'])
  const bytes = Buffer.from(signature, 'base64url')
  expect([signature.length, bytes.length]).toEqual([86, 64])
  const isValid = (signed: string) =>
    crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, new TextEncoder().encode(signed))
  expect([await isValid(text), await isValid(`${text} `)]).toEqual([true, false])
})
