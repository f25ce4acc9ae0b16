/**
 * The results of a request to the central service: an answer, or an error with its origin and the time to
 * wait.
 */
import { createServer, type IncomingMessage, type ServerResponse, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTransport, type TransportRequest } from '../../../server/sync/transport.ts'

const PROBLEM = { 'content-type': 'application/problem+json' }
const problem = (code: string) => JSON.stringify({ type: `urn:counterproof:problem:${code}` })

type Answer = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void
let server: Server
let origin = ''
let answer: Answer
beforeAll(async () => {
  server = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      answer(req, res, Buffer.concat(parts))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  answer = (_req, res) => res.end('{}')
})

interface Asked extends Partial<TransportRequest> {
  readonly timeoutMs?: number
  readonly at?: string
}
const taken: number[] = []
async function ask({ timeoutMs = 5_000, at = origin, ...request }: Asked = {}) {
  taken.length = 0
  const bucket = { take: async (bytes: number) => void taken.push(bytes) }
  const transport = openTransport({ origin: at, timeoutMs, bucket })
  try {
    return await transport.send({
      method: 'POST',
      path: '/kiosk/v1/status',
      headers: {},
      body: new Uint8Array(),
      largestAnswer: 1_000,
      ...request,
    })
  } finally {
    await transport.close()
  }
}
const says = (status: number, headers: Record<string, string>, body = '') => {
  answer = (_req, res) => res.writeHead(status, headers).end(body)
}

describe('a request', () => {
  test('arrives with its method, path, headers and bytes, and its size counts against the cap', async () => {
    let heard: unknown
    answer = ({ method, url, headers }, res, body) => {
      heard = { method, url, authorization: headers.authorization, body: body.toString('utf8') }
      res.end('done')
    }
    const sent = await ask({
      method: 'PATCH',
      path: '/kiosk/v1/proofs/7',
      headers: { authorization: 'Counterproof a.b.c' },
      body: Buffer.from('chunk'),
    })
    expect(heard).toEqual({
      method: 'PATCH',
      url: '/kiosk/v1/proofs/7',
      authorization: 'Counterproof a.b.c',
      body: 'chunk',
    })
    expect(sent.body.toString('utf8')).toBe('done')
    // Five bytes of body; headers and framing are counted with 600.
    expect(taken).toEqual([605])
  })

  test.each([
    ['A_nonce-7', 'A_nonce-7'],
    ['n'.repeat(500), 'n'.repeat(500)],
    ['n'.repeat(501), null],
    ['two words', null],
    ['semi;colon', null],
  ])('hands on the nonce %s of an answer as %s', async (given, nonce) => {
    says(200, { 'counterproof-nonce': given })
    expect((await ask()).nonce).toBe(nonce)
  })

  test('has no nonce where the central service sends none', async () => {
    expect((await ask()).nonce).toBeNull()
  })

  test('takes an answer of exactly the size that is allowed, and none of one byte more', async () => {
    says(200, {}, 'x'.repeat(1_000))
    expect((await ask()).body).toHaveLength(1_000)
    says(200, {}, 'x'.repeat(1_001))
    await expect(ask()).rejects.toMatchObject({ trouble: 'line', code: 'answer_too_large' })
  })

  test('takes every status from 200 to 299 for an answer', async () => {
    for (const status of [200, 201, 299]) {
      says(status, {}, 'yes')
      expect((await ask()).body.toString('utf8')).toBe('yes')
    }
  })
})

describe('a refusal', () => {
  test.each<[number, string, object]>([
    [400, 'malformed_body', { trouble: 'request', code: 'malformed_body', status: 400 }],
    [404, 'not_found', { trouble: 'request', code: 'not_found', status: 404 }],
    [409, 'announced_otherwise', { trouble: 'request', code: 'announced_otherwise', status: 409 }],
    [499, 'odd', { trouble: 'request', code: 'odd', status: 499 }],
    [401, 'unauthorized', { trouble: 'kiosk', code: 'unauthorized', status: 401 }],
    [403, 'forbidden', { trouble: 'kiosk', code: 'forbidden', status: 403 }],
    [500, 'internal', { trouble: 'fault', code: 'internal', status: 500 }],
    [501, 'internal', { trouble: 'fault', code: 'internal', status: 501 }],
    [429, 'rate_limited', { trouble: 'line', code: 'centre_busy', status: 429 }],
    [502, 'centre_unavailable', { trouble: 'line', code: 'centre_busy', status: 502 }],
    [503, 'shutting_down', { trouble: 'line', code: 'centre_busy', status: 503 }],
    [504, 'request_timeout', { trouble: 'line', code: 'centre_busy', status: 504 }],
    // These two pass with time, and say nothing of the other proofs.
    [429, 'too_many_uploads', { trouble: 'fault', code: 'too_many_uploads', status: 429 }],
    [409, 'announcement_stale', { trouble: 'fault', code: 'announcement_stale', status: 409 }],
  ])('%i %s of the central service is classed by whose trouble it is', async (status, code, trouble) => {
    says(status, PROBLEM, problem(code))
    await expect(ask()).rejects.toMatchObject(trouble)
  })

  test.each<[string, number, Record<string, string>, string]>([
    ['a page of a portal', 401, { 'content-type': 'text/html' }, problem('unauthorized')],
    ['an answer without a type', 404, {}, problem('not_found')],
    ['a problem that is no JSON', 404, PROBLEM, '<html>'],
    ['a redirection', 301, { location: 'http://127.0.0.1:1/' }, ''],
  ])('%s is not the central service’s', async (_, status, headers, body) => {
    says(status, headers, body)
    await expect(ask()).rejects.toMatchObject({ trouble: 'line', code: 'not_the_centre', status })
  })

  test.each([
    ['{"type":7}', 'refused_by_centre'],
    ['{}', 'refused_by_centre'],
    ['{"type":"https://elsewhere.example/STOP!"}', 'refused_by_centre'],
    ['{"type":"urn:counterproof:problem:not_found"}', 'not_found'],
    // Whatever stands before the word is the other side's.
    ['{"type":"<b>Anna</b> not_found"}', 'not_found'],
  ])('whose problem is %s is called %s', async (body, code) => {
    says(404, PROBLEM, body)
    await expect(ask()).rejects.toMatchObject({ code })
  })

  test('also of a type with a character set is the central service’s', async () => {
    says(404, { 'content-type': 'application/problem+json; charset=utf-8' }, problem('not_found'))
    await expect(ask()).rejects.toMatchObject({ trouble: 'request', code: 'not_found' })
  })

  test('of the signature brings the nonce for the next one', async () => {
    says(401, { ...PROBLEM, 'counterproof-nonce': 'fresh' }, problem('nonce_required'))
    await expect(ask()).rejects.toMatchObject({ code: 'nonce_required', nonce: 'fresh' })
  })

  test.each([
    ['120', 120_000],
    ['1', 1_000],
    ['3600', 3_600_000],
    ['7200', 3_600_000],
    ['0', null],
    ['-5', null],
    ['soon', null],
  ])('with Retry-After %s asks for a pause of %s ms', async (header, retryAfterMs) => {
    says(503, { 'retry-after': header })
    await expect(ask()).rejects.toMatchObject({ code: 'centre_busy', retryAfterMs })
    says(500, { ...PROBLEM, 'retry-after': header }, problem('internal'))
    await expect(ask()).rejects.toMatchObject({ code: 'internal', retryAfterMs })
  })

  test('with a date asks for a pause until then, and for none until a moment that is over', async () => {
    says(503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() })
    const error = (await ask().catch((cause: unknown) => cause)) as { retryAfterMs: number }
    expect(error.retryAfterMs).toBeGreaterThan(500_000)
    expect(error.retryAfterMs).toBeLessThanOrEqual(600_000)
    says(503, { 'retry-after': 'Mon, 02 Mar 2020 10:00:00 GMT' })
    await expect(ask()).rejects.toMatchObject({ retryAfterMs: null })
  })

  test('without Retry-After asks for no pause', async () => {
    says(429, {})
    await expect(ask()).rejects.toMatchObject({ retryAfterMs: null })
  })
})

describe('a line', () => {
  test('without a listener at its end is distinguished from one that is cut', async () => {
    // Bound and closed again, so that no server listens there.
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as AddressInfo
    await new Promise((resolve) => gone.close(resolve))
    await expect(ask({ at: `http://127.0.0.1:${port}` })).rejects.toMatchObject({
      trouble: 'line',
      code: 'connection_refused',
    })
    answer = (req) => req.socket.destroy()
    await expect(ask()).rejects.toMatchObject({ trouble: 'line', code: 'not_reachable' })
  })

  test('that stays silent is given up when the time is over', async () => {
    answer = () => undefined
    await expect(ask({ timeoutMs: 50 })).rejects.toMatchObject({ trouble: 'line', code: 'no_answer_in_time' })
  })

  test('that goes silent in the middle of an answer is given up, too', async () => {
    answer = (_req, res) => res.writeHead(200, { 'content-length': 10 }).write('half')
    await expect(ask({ timeoutMs: 50 })).rejects.toMatchObject({ trouble: 'line', code: 'no_answer_in_time' })
  })

  test('is closed with the reason of the abort, which is no trouble of the central service', async () => {
    answer = () => undefined
    const ending = new AbortController()
    const asked = ask({ signal: ending.signal })
    await wait(20)
    ending.abort(new Error('the appliance is closing'))
    await expect(asked).rejects.toThrow('the appliance is closing')
  })
})
