import { describe, expect, test } from 'vitest'
import { IDENTITY_ID, problemCode, startApi } from './support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const PAGE = 'https://capture.example'
const config = { allowedOrigins: [PAGE] }

const preflight = (origin: string, method = 'POST') => ({
  key: null,
  headers: {
    Origin: origin,
    'Access-Control-Request-Method': method,
    'Access-Control-Request-Headers': 'apikey,content-type,idempotency-key',
  },
})
const listOf = (header: unknown) => String(header).toLowerCase().split(/,\s*/)

describe('a page of a configured origin', () => {
  test('is told in its preflight, without a key, what it may send', async () => {
    await using api = await startApi({ config })
    const { status, headers, bytes } = await api.send('OPTIONS', identity, preflight(PAGE))
    expect([status, bytes.byteLength]).toEqual([204, 0])
    expect(headers['access-control-allow-origin']).toBe(PAGE)
    expect(listOf(headers['access-control-allow-methods'])).toEqual(['get', 'head', 'post', 'put', 'delete'])
    expect(listOf(headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining([
        'apikey',
        'content-type',
        'correlation-id',
        'tenant-role',
        'idempotency-key',
        'x-correlation-id',
      ]),
    )
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(listOf(headers.vary)).toContain('origin')
    expect(api.calls).toEqual([])
  })

  test('may read the answer and what it says about limits, deprecation and correlation', async () => {
    await using api = await startApi({ config })
    const { status, headers } = await api.send('GET', identity, { headers: { Origin: PAGE } })
    expect([status, headers['access-control-allow-origin']]).toEqual([200, PAGE])
    expect(listOf(headers.vary)).toContain('origin')
    expect(listOf(headers['access-control-expose-headers'])).toEqual(
      expect.arrayContaining([
        'ratelimit',
        'ratelimit-policy',
        'retry-after',
        'x-correlation-id',
        'deprecation',
        'link',
        'location',
      ]),
    )
  })

  test('may read why it was refused', async () => {
    await using api = await startApi({ config })
    const refused = await api.send('GET', identity, { key: null, headers: { Origin: PAGE } })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, PAGE])
  })

  test('needs a key, too', async () => {
    await using api = await startApi({ config })
    const asked = await api.send('OPTIONS', identity, { key: null, headers: { Origin: PAGE } })
    expect(asked.status).toBe(403)
  })
})

test.each(['https://attacker.example', 'http://capture.example', `${PAGE}.attacker.example`, 'null'])(
  'a page of %s is refused, in its preflight too',
  async (origin) => {
    await using api = await startApi({ config })
    const asked = await api.send('OPTIONS', identity, preflight(origin))
    const called = await api.send('GET', identity, { headers: { Origin: origin } })
    for (const reply of [asked, called]) {
      expect([reply.status, problemCode(reply)]).toEqual([403, 'host_refused'])
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
    }
    expect(api.calls).toEqual([])
  },
)

test('without configured origins nothing is shared with any page', async () => {
  await using api = await startApi()
  const { headers } = await api.send('GET', identity, { headers: { Origin: api.url } })
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  const asked = await api.send('OPTIONS', identity, preflight(PAGE))
  expect([asked.status, problemCode(asked)]).toEqual([403, 'host_refused'])
})

test('answers to a request without Origin contain Vary: Origin', async () => {
  await using api = await startApi({ config })
  const { headers } = await api.send('GET', identity)
  expect(listOf(headers.vary)).toContain('origin')
  expect(headers).not.toHaveProperty('access-control-allow-origin')
})

describe('methods beside those of the table', () => {
  test.each(['OPTIONS', 'TRACE', 'PUT', 'PATCH'])('%s is 405 and says what there is', async (method) => {
    await using api = await startApi({ config })
    const reply = await api.send(method, identity)
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD, DELETE'])
    expect(reply.text).not.toContain('apikey')
  })

  test('HEAD answers as GET does, without the body', async () => {
    await using api = await startApi()
    const get = await api.send('GET', identity)
    const head = await api.send('HEAD', identity)
    expect([head.status, head.bytes.byteLength]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.headers['cache-control']).toBe('no-store')
  })
})
