import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { isOurHost, isOurOrigin } from '../../../server/http/host-guard.ts'
import { ROUTE_LIST } from '../../../server/api/routes.ts'
import { BACK_END_KEY, IDENTITY_ID, USER_AGENT_KEY, problemCode, startApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`

describe('a page of another site in the same browser', () => {
  test.each([
    ['127.0.0.1', true],
    ['127.0.0.1:8480', true],
    ['LOCALHOST:1', true],
    ['[::1]:9000', true],
    ['kiosk.branch.example', true],
    ['kiosk.branch.example:8480', true],
    ['counter.branch.example:8443', true],
    ['counter.branch.example', false],
    ['counter.branch.example:80', false],
    ['attacker.example', false],
    ['attacker.example:8480', false],
    ['127.0.0.1.attacker.example', false],
    ['localhost.attacker.example', false],
    ['attacker.example#127.0.0.1', false],
    ['127.0.0.1@attacker.example', false],
    ['[::1]attacker.example', false],
    ['127.0.0.1:8480:80', false],
    ['', false],
    [undefined, false],
  ])('Host %j is ours: %s', (host, ours) => {
    expect(isOurHost(host, ['kiosk.branch.example', 'counter.branch.example:8443'])).toBe(ours)
  })

  test.each([
    [undefined, true],
    ['http://127.0.0.1:8480', true],
    ['https://127.0.0.1:8480', true],
    ['https://capture.example', true],
    ['http://127.0.0.1:8481', false],
    ['http://localhost:8480', false],
    ['http://capture.example', false],
    ['https://capture.example.attacker.example', false],
    ['null', false],
    ['', false],
  ])('Origin %j is ours: %s', (origin, ours) => {
    expect(isOurOrigin(origin, '127.0.0.1:8480', ['https://capture.example'])).toBe(ours)
  })

  test('is refused by a rebound host name and by its own origin, on public paths too', async () => {
    await using api = await startApi()
    const attempts = [
      await api.send('GET', identity, { headers: { Host: 'attacker.example' } }),
      await api.send('DELETE', identity, { headers: { Origin: 'https://attacker.example' } }),
      await api.send('GET', identity, { headers: { Origin: 'null' } }),
      await api.send('GET', '/healthcheck', { headers: { Host: 'attacker.example' } }),
    ]
    expect(attempts.map((reply) => [reply.status, problemCode(reply)])).toEqual(
      attempts.map(() => [403, 'host_refused']),
    )
    expect(api.calls).toEqual([])
  })

  test('is refused with two Host headers, and with the address of another host, which no browser sends', async () => {
    await using api = await startApi()
    const { host, port } = new URL(api.url)
    const statusOf = async (head: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1').end(`${head}\r\nConnection: close\r\n\r\n`)
      const answer = (await socket.setEncoding('latin1').toArray()).join('')
      return answer.slice(9, 12)
    }
    expect(await statusOf(`GET /healthcheck HTTP/1.1\r\nHost: ${host}`)).toBe('200')
    const twice = `GET /healthcheck HTTP/1.1\r\nHost: ${host}\r\nHost: attacker.example`
    expect(await statusOf(twice)).toBe('403')
    expect(await statusOf(`GET http://attacker.example/healthcheck HTTP/1.1\r\nHost: ${host}`)).toBe('403')
  })

  test('our own page is let through', async () => {
    await using api = await startApi()
    expect((await api.send('GET', identity, { headers: { Origin: api.url } })).status).toBe(200)
  })
})

test('while shutting down everything but the health report is put off', async () => {
  await using api = await startApi({ isDraining: () => true })
  const refused = await api.send('GET', identity)
  expect([refused.status, problemCode(refused)]).toEqual([503, 'shutting_down'])
  expect(refused.headers).toMatchObject({ 'retry-after': '5', connection: 'close' })
  expect((await api.send('GET', '/healthcheck')).status).toBe(200)
})

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}

test('no answer under /v1 may be cached, of whatever status, and none of this server be framed, sniffed or run', async () => {
  await using api = await startApi()
  for (const { operation, method, path, access } of ROUTE_LIST) {
    for (const key of [BACK_END_KEY, USER_AGENT_KEY, null]) {
      const reply = await api.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, IDENTITY_ID), { key })
      const expected = access === 'public' ? SAFE_HEADERS : { ...SAFE_HEADERS, 'cache-control': 'no-store' }
      expect([operation, reply.status, reply.headers]).toEqual([
        operation,
        reply.status,
        expect.objectContaining(expected),
      ])
    }
  }
  for (const path of ['/v1', '/v1/nowhere', '/nowhere']) {
    const { status, headers } = await api.send('GET', path)
    expect([path, status, headers]).toEqual([
      path,
      404,
      expect.objectContaining({ ...SAFE_HEADERS, 'cache-control': 'no-store' }),
    ])
  }
})

test('answers do not say what they were made with', async () => {
  await using api = await startApi()
  const { headers } = await api.send('GET', identity)
  expect(headers).not.toHaveProperty('x-powered-by')
  expect(headers).not.toHaveProperty('server')
})

describe('the correlation id of a request', () => {
  test.each([
    '7d444840-9dc0-11d1-b245-5ffdce74fad2',
    '4bf92f3577b34da6a3ce929d0e0e4736',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  ])('%s is taken over, echoed and logged', async (id) => {
    await using api = await startApi()
    const reply = await api.send('GET', identity, { headers: { 'X-Correlation-Id': id } })
    expect(reply.headers['x-correlation-id']).toBe(id)
    await expect.poll(() => api.logged()).toContain(id)
  })

  test.each(['Anna-Maria Eriksson', 'x', 'ffff', '4111111111111111', '01234567890123456789012345'])(
    '%s could be a value of a person: a fresh one is given, and it is not logged',
    async (id) => {
      await using api = await startApi()
      const reply = await api.send('GET', identity, { headers: { 'X-Correlation-Id': id } })
      const given = String(reply.headers['x-correlation-id'])
      expect(given).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      await expect.poll(() => api.logged()).toContain(given)
      if (id.length > 4) expect(api.logged()).not.toContain(id)
    },
  )
})
