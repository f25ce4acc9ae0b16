import { describe, expect, test } from 'vitest'
import { isOurHost, isOurOrigin } from '../../../server/api/host-guard.ts'
import { SlidingWindowStore } from '../../../server/api/rate-limit.ts'
import { DEFAULT_API_CONFIG } from '../../../server/api/deps.ts'
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

  test('our own page is let through', async () => {
    await using api = await startApi()
    expect((await api.send('GET', identity, { headers: { Origin: api.url } })).status).toBe(200)
  })
})

describe('the rate limit', () => {
  const rateLimits = { windowMs: 60_000, perRole: { RELYING_SERVICE: 3, USER_AGENT: 1 } }

  test('counts per key and role, tells how much is left, and says when to come again', async () => {
    await using api = await startApi({ config: { rateLimits } })
    const call = (key: string) => api.send('GET', `${identity}/status`, { key })
    const first = await call(BACK_END_KEY)
    expect(first.headers.ratelimit).toMatch(/^"relying-service"; r=2; t=(60|59)$/)
    expect(first.headers['ratelimit-policy']).toMatch(/^"relying-service"; q=3; w=60; pk=:/)
    expect((await call(USER_AGENT_KEY)).status).toBe(200)
    const refused = await call(USER_AGENT_KEY)
    expect([refused.status, problemCode(refused)]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await call(BACK_END_KEY)).status).toBe(200)
  })

  test('X-Forwarded-For buys nobody a second allowance', async () => {
    await using api = await startApi({ config: { rateLimits } })
    const from = (address: string) =>
      api.send('GET', `${identity}/status`, { key: USER_AGENT_KEY, headers: { 'X-Forwarded-For': address } })
    expect((await from('203.0.113.1')).status).toBe(200)
    expect((await from('203.0.113.2')).status).toBe(429)
  })

  test('does not count the health report', async () => {
    await using api = await startApi({ config: { rateLimits } })
    for (let call = 0; call < 5; call++) expect((await api.send('GET', '/healthcheck')).status).toBe(200)
  })

  test('has the documented defaults', () => {
    expect(DEFAULT_API_CONFIG.rateLimits).toEqual({
      windowMs: 60_000,
      perRole: { RELYING_SERVICE: 600, USER_AGENT: 120 },
    })
  })

  test('slides: every call gives its place back exactly one window later, refused calls take none', () => {
    let now = 0
    const store = new SlidingWindowStore(
      1000,
      () => 2,
      () => now,
    )
    const hitAt = (at: number) => {
      now = at
      const { totalHits, resetTime } = store.increment('k')
      return [totalHits, resetTime?.getTime()]
    }
    expect(hitAt(0)).toEqual([1, 1000])
    expect(hitAt(600)).toEqual([2, 1000])
    expect(hitAt(999)).toEqual([3, 1000])
    expect(hitAt(1000)).toEqual([2, 1600])
    expect(hitAt(1001)).toEqual([3, 1600])
    expect(hitAt(1600)).toEqual([2, 2000])
  })
})

test('while shutting down everything but the health report is put off', async () => {
  await using api = await startApi({ isDraining: () => true })
  const refused = await api.send('GET', identity)
  expect([refused.status, problemCode(refused)]).toEqual([503, 'shutting_down'])
  expect(refused.headers).toMatchObject({ 'retry-after': '5', connection: 'close' })
  expect((await api.send('GET', '/healthcheck')).status).toBe(200)
})

test('answers can be neither cached, framed, sniffed nor run', async () => {
  await using api = await startApi()
  const { headers } = await api.send('GET', identity)
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none';frame-ancestors 'none';base-uri 'none';form-action 'none'",
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  })
  expect(headers).not.toHaveProperty('x-powered-by')
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

  test.each(['Anna-Maria Eriksson', 'x', 'ffff'])(
    '%s could be anything: a fresh one is given',
    async (id) => {
      await using api = await startApi()
      const reply = await api.send('GET', identity, { headers: { 'X-Correlation-Id': id } })
      expect(reply.headers['x-correlation-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    },
  )
})
