/** Answers to callers without permission: no metrics, no stack trace, no path of the machine. */
import { request } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOffice, type TestOffice } from './head-office/support.ts'

/** Sends the path unchanged; `fetch` would normalise it. */
function ask(
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
) {
  const { hostname, port } = new URL(url)
  return new Promise<{ status: number; text: string; headers: string }>((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options
    const call = request({ hostname, port, path, method, headers }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, text, headers: JSON.stringify(res.headers) })
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}

describe('metrics', () => {
  const TOKEN = 'a-token-for-prometheus'

  test('are not served without a token, whatever the Host, nor through a plain TCP proxy on this machine', async () => {
    const office = await startOffice()
    const { hostname, port } = new URL(office.url)
    const proxy = createServer((socket) => {
      const upstream = connect(Number(port), hostname)
      socket.pipe(upstream).pipe(socket)
      for (const end of [socket, upstream]) end.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    try {
      for (const [url, headers] of [
        [office.url, {}],
        [office.url, { host: 'attacker.example' }],
        [through, {}],
        [through, { host: 'localhost' }],
      ] as const) {
        const answer = await ask(url, '/metrics', { headers })
        expect([url, answer.status]).toEqual([url, 404])
        expect(answer.text).not.toContain('counterproof_')
      }
    } finally {
      proxy.close()
      await office.stop()
    }
  })

  test('are served only to a caller with the token', async () => {
    const office = await startOffice({ options: { metricsToken: TOKEN } })
    const status = async (authorization?: string) =>
      (await ask(office.url, '/metrics', { headers: authorization ? { authorization } : {} })).status
    expect([await status(), await status('Bearer wrong'), await status(`Bearer ${TOKEN}`)]).toEqual([
      401, 401, 200,
    ])
    await office.stop()
  })
})

describe('an answer', () => {
  let office: TestOffice
  beforeAll(async () => {
    office = await startOffice()
  })
  afterAll(() => office.stop())

  const PATHS = [
    '/nowhere',
    '/%',
    '/assets/%ZZ',
    '/assets',
    '/assets/../central.json',
    '/fleet/%E0%A4%A',
    '/verify/%',
    '/docs/%',
    '/docs/..%2f..%2fpackage.json',
    '/openapi.json/%',
    '/healthcheck/%',
    '/metrics/%',
    '/kiosk/v1/%',
    '/kiosk/v1/proofs/%',
    '/kiosk/v1/nothing',
    '/head-office/v1/%',
    '/head-office/v1/proofs/%',
    `/${'a'.repeat(8000)}`,
    '/?a[b][c]=%',
    '*',
  ]
  const HEADERS: readonly Record<string, string>[] = [
    {},
    { range: 'bytes=99999999-' },
    { 'if-match': '"x"' },
    { 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-encoding': 'gzip' },
    { authorization: 'Counterproof eyJraWQiOnt9fQ.e30.AAAA' },
  ]
  const FILES = ['/fleet/', '/assets/page.css', '/docs/', '/openapi.json']

  test('holds no stack trace, no path of the machine and no name of the framework, whatever was asked', async () => {
    const asked: Promise<void>[] = []
    for (const path of [...PATHS, ...FILES, '/verify', '/kiosk/v1/enrolments', '/head-office/v1/bundles']) {
      for (const headers of HEADERS) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
          asked.push(
            ask(office.url, path, {
              method,
              headers,
              ...(method === 'POST' ? { body: '--x\r\n' } : {}),
            }).then(({ status, text, headers: answered }) => {
              const isPage = status === 200 || status === 304
              const shown = `${method} ${path} ${JSON.stringify(headers)} → ${status} ${answered} ${isPage ? '' : text}`
              expect(shown).not.toMatch(/node_modules|\.ts\b|\/server\/|Error:|\n\s+at |express/i)
              if (!isPage && text !== '' && status >= 400) expect(() => void JSON.parse(text)).not.toThrow()
            }),
          )
        }
      }
    }
    await Promise.all(asked)
  })

  test.each([
    ['PUT', '/healthcheck', 'GET, HEAD'],
    ['DELETE', '/fleet/', 'GET, HEAD'],
    ['DELETE', '/kiosk/v1/enrolments', 'POST'],
    ['POST', '/kiosk/v1/bundle', 'GET, HEAD'],
  ])('to %s %s names the methods of the path', async (method, path, allow) => {
    const answer = await fetch(office.url + path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  })

  test('to a path that does not exist is a problem document', async () => {
    const answer = await ask(office.url, '/nowhere', {})
    expect(answer.status).toBe(404)
    expect(answer.headers).toContain('application/problem+json')
    expect(JSON.parse(answer.text)).toMatchObject({ type: 'urn:counterproof:problem:not_found' })
  })
})
