/** The client's waiting and sending, with a server whose answers each test defines. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTypedClient } from '../../client/create-client.ts'
import { Problem, unwrap, type ProblemDocument } from '../../client/problem.ts'
import { WaitTimeout, waitUntil } from '../../client/wait.ts'

interface Described {
  200: { content: { 'application/json': { state: string } } }
  400: { content: { 'application/problem+json': ProblemDocument } }
}
interface Paths {
  '/thing': {
    get: { responses: Described }
    post: {
      requestBody: { content: { 'multipart/form-data': { File?: Blob; Details?: object } } }
      responses: Described
    }
  }
}

let server: Server
let answer: (req: IncomingMessage, res: ServerResponse) => void
let client: ReturnType<typeof createTypedClient<Paths>>
beforeAll(async () => {
  server = createServer((req, res) => answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = createTypedClient<Paths>({ baseUrl, apiKey: 'k', userAgent: 'test/1' })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const read = (signal: AbortSignal) => unwrap(client.GET('/thing', { signal }))
const isDone = ({ state }: { state: string }) => state === 'DONE'
const send = (res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
const problem = (code: string) => ({
  type: `urn:counterproof:problem:${code}`,
  title: 'Title',
  status: 400,
  detail: 'What to do.',
  errors: [],
  correlationId: 'c',
})

describe('waiting', () => {
  test('polls again after 429 and 503, not before the time that Retry-After names', async () => {
    const times: number[] = []
    answer = (_req, res) => {
      times.push(Date.now())
      if (times.length === 1) send(res, 429, problem('rate_limited'), { 'retry-after': '1' })
      else if (times.length === 2) send(res, 503, problem('shutting_down'))
      else send(res, 200, { state: 'DONE' })
    }
    expect(await waitUntil(read, isDone)).toEqual({ state: 'DONE' })
    expect(times).toHaveLength(3)
    expect(times[1] - times[0]).toBeGreaterThanOrEqual(990)
  })

  test('polls less and less often', async () => {
    const times: number[] = []
    answer = (_req, res) => {
      times.push(Date.now())
      send(res, 200, { state: times.length < 5 ? 'PROCESSING' : 'DONE' })
    }
    await waitUntil(read, isDone)
    expect(times[4] - times[3]).toBeGreaterThan(times[1] - times[0])
  })

  test('ends at its deadline with the last answer, also where a call hangs', async () => {
    let calls = 0
    answer = (_req, res) => {
      calls++
      if (calls === 1) send(res, 200, { state: 'PROCESSING' })
    }
    const error: unknown = await waitUntil(read, isDone, { timeoutMs: 600 }).catch(
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(WaitTimeout)
    expect(error).toMatchObject({ last: { state: 'PROCESSING' } })
    expect(calls).toBe(2)
  })

  test('ends with the reason of its signal', async () => {
    answer = (_req, res) => send(res, 200, { state: 'PROCESSING' })
    const stop = new AbortController()
    setTimeout(() => stop.abort(new Error('the user left')), 50)
    await expect(waitUntil(read, isDone, { signal: stop.signal })).rejects.toThrow('the user left')
  })

  test('ends at once for a failure that no later call mends', async () => {
    let calls = 0
    answer = (_req, res) => {
      calls++
      send(res, 404, problem('not_found'))
    }
    await expect(waitUntil(read, isDone)).rejects.toMatchObject({
      name: 'Problem',
      code: 'not_found',
      status: 404,
    })
    expect(calls).toBe(1)
  })
})

describe('a failure', () => {
  test('that is no problem document has no code: something before the appliance has answered', async () => {
    answer = (_req, res) => res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    const error: unknown = await unwrap(client.GET('/thing')).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Problem)
    expect(error).toMatchObject({ code: null, document: null, status: 502, retryAfterMs: null })
  })
})

describe('a call', () => {
  test('carries the key and who calls', async () => {
    let headers: IncomingMessage['headers'] = {}
    answer = (req, res) => {
      headers = req.headers
      send(res, 200, { state: 'DONE' })
    }
    await unwrap(client.GET('/thing'))
    expect(headers).toMatchObject({ apikey: 'k', 'user-agent': 'test/1' })
  })

  test('with a file in its body is a form whose other parts are JSON, any other is JSON', async () => {
    const bodies: { type: string; text: string }[] = []
    answer = (req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        bodies.push({
          type: String(req.headers['content-type']),
          text: Buffer.concat(chunks).toString('utf8'),
        })
        send(res, 200, { state: 'DONE' })
      })
    }
    const File = new Blob(['bytes'], { type: 'image/webp' })
    await unwrap(client.POST('/thing', { body: { File, Details: { a: 1 } } }))
    await unwrap(client.POST('/thing', { body: { Details: { a: 1 } } }))
    expect(bodies[0].type).toMatch(/^multipart\/form-data; boundary=/)
    expect(bodies[0].text).toMatch(
      /name="File"; filename="blob"\r\nContent-Type: image\/webp\r\n\r\nbytes\r\n/,
    )
    expect(bodies[0].text).toMatch(
      /name="Details"; .*\r\nContent-Type: application\/json\r\n\r\n\{"a":1\}\r\n/,
    )
    expect(bodies[1]).toEqual({ type: 'application/json', text: '{"Details":{"a":1}}' })
  })
})
