/** Callers who send slowly, endlessly or nonsense, over raw sockets. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { ProblemDocument } from '../../../server/api/contract/index.ts'
import { BACK_END_KEY, IDENTITY_ID, problemCode, startApi } from './support.ts'
import type { TestApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const SHORT = { headersTimeoutMs: 300, requestTimeoutMs: 600 }
const HEAD = `Host: 127.0.0.1\r\nUser-Agent: tests/1 (en)\r\napikey: ${BACK_END_KEY}\r\n`

interface RawCaller {
  readonly socket: Socket
  /** The server's output until it closed the connection. */
  readonly closed: Promise<string>
}

function callRaw(api: TestApi, text: string): RawCaller {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
  let received = ''
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    // A reset is a way of closing too.
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(received))
  })
  socket.write(text)
  return { socket, closed }
}

/** Status and code of the one response that was sent. */
function outcomeOf(received: string): [number, string | undefined] {
  const [head = '', body = ''] = received.split('\r\n\r\n')
  expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(head.toLowerCase()).toContain('content-type: application/problem+json')
  expect(head.toLowerCase()).toContain('connection: close')
  const problem = ProblemDocument.parse(JSON.parse(body))
  expect(head).toContain(`X-Correlation-Id: ${problem.correlationId}`)
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), problem.type.split(':').at(-1)]
}

describe('a caller who never finishes', () => {
  test('the headers is told so and cut off', async () => {
    await using api = await startApi({ http: SHORT })
    const { closed } = callRaw(api, 'GET /healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    expect(outcomeOf(await closed)).toEqual([408, 'request_timeout'])
  })

  test('the body, however often another byte comes, is told so and cut off', async () => {
    await using api = await startApi({ http: SHORT })
    const head = `POST ${identity}/consents HTTP/1.1\r\n${HEAD}Content-Length: 100000\r\n\r\n[`
    const { socket, closed } = callRaw(api, head)
    const dribble = setInterval(() => socket.write(' '), 20)
    expect(outcomeOf(await closed)).toEqual([408, 'request_timeout'])
    clearInterval(dribble)
    expect(api.calls).toEqual([])
  })

  test('the body of a request with an Idempotency-Key leaves the key free', async () => {
    await using api = await startApi({ http: SHORT })
    const head = `POST ${identity}/consents HTTP/1.1\r\n${HEAD}Idempotency-Key: k1\r\nContent-Length: 100000\r\n\r\n[`
    await callRaw(api, head).closed
    const again = await api.send('POST', `${identity}/consents`, {
      headers: { 'Idempotency-Key': 'k1' },
      json: [{ type: 'PORTRAIT', approved: true }],
    })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined])
  })

  test('does not delay other callers, and two hundred of them do not either', async () => {
    const callers = (api: TestApi) =>
      Array.from({ length: 200 }, () =>
        callRaw(api, 'GET /healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '),
      )
    const ended = (all: readonly RawCaller[]) => all.filter(({ socket }) => socket.closed).length
    {
      await using api = await startApi({ http: { headersTimeoutMs: 60_000, requestTimeoutMs: 60_000 } })
      const slow = callers(api)
      for (let call = 0; call < 20; call++) expect((await api.send('GET', identity)).status).toBe(200)
      // All of them were answered while the slow caller was connected.
      expect(ended(slow)).toBe(0)
      for (const { socket } of slow) socket.destroy()
    }
    await using api = await startApi({ http: SHORT })
    const slow = callers(api)
    await Promise.all(slow.map(({ closed }) => closed))
    expect(ended(slow)).toBe(200)
  })
})

describe('what cannot be read as a request', () => {
  test.each([
    ['no HTTP', 'HELO there\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths of one body (request smuggling)',
      `POST ${identity}/consents HTTP/1.1\r\n${HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    [
      'headers of more than 16 KiB',
      `GET ${identity} HTTP/1.1\r\n${HEAD}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])(
    '%s is answered with a problem document, and the connection is closed',
    async (_, text, status, code) => {
      await using api = await startApi()
      expect(outcomeOf(await callRaw(api, text).closed)).toEqual([status, code])
      expect(api.calls).toEqual([])
    },
  )

  test('more than a hundred headers are refused, not cut short', async () => {
    await using api = await startApi()
    const headers = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`X-${index}`, 'x']))
    const reply = await api.send('GET', identity, { headers })
    expect([reply.status, problemCode(reply)]).toEqual([431, 'headers_too_large'])
  })

  test('an address of more than 8000 characters is refused', async () => {
    await using api = await startApi()
    const reply = await api.send('GET', `${identity}?x=${'x'.repeat(8000)}`)
    expect([reply.status, problemCode(reply)]).toEqual([414, 'address_too_long'])
    expect((await api.send('GET', `${identity}?x=${'x'.repeat(7000)}`)).status).toBe(200)
  })
})

test('connections over the limit are turned away, and those that are there continue', async () => {
  await using api = await startApi({ http: { maxConnections: 2 } })
  const [first, second] = [callRaw(api, 'GET '), callRaw(api, 'GET ')]
  await Promise.all([first, second].map(({ socket }) => new Promise((done) => socket.once('connect', done))))
  expect(await callRaw(api, `GET ${identity} HTTP/1.1\r\n${HEAD}\r\n`).closed).toBe('')
  first?.socket.destroy()
  await first?.closed
  second?.socket.write(`${identity} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`)
  expect(await second?.closed).toMatch(/^HTTP\/1\.1 200 /)
})
