/** The HTTP settings of config.json apply to the whole appliance. */
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProofing } from './proofing-client.ts'
import type { ProofingClient } from './proofing-client.ts'

const PAGE = 'https://capture.example'

let client: ProofingClient
beforeAll(async () => {
  client = await startProofing({
    allowedOrigins: [PAGE],
    rateLimits: { otpPerMinute: 1, userAgentPerMinute: 1 },
    http: { headersTimeoutMs: 300, requestTimeoutMs: 600, maxConnections: 50 },
  })
})
afterAll(() => client.app.close())

test('a caller who does not finish the headers in time is cut off with 408', async () => {
  const socket = connect(Number(new URL(client.app.url).port), '127.0.0.1')
  socket.write('GET /healthcheck HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
  let received = ''
  for await (const chunk of socket) received += String(chunk)
  expect(received).toMatch(/^HTTP\/1\.1 408 /)
})

test('passcodes and user agents have the limits that were set', async () => {
  const id = await client.anIdentity()
  const submitOtp = () =>
    client.app.call('POST', `/v1/identities/${id}/contact-details/mobile/otp`, {
      payload: { value: '123456' },
    })
  expect((await submitOtp()).status).toBe(403)
  const second = await submitOtp()
  expect([second.status, second.headers.get('ratelimit-policy')]).toEqual([
    429,
    '"relying-service"; q=600; w=60, "otp-submission"; q=1; w=60',
  ])
  const asUserAgent = () => client.app.call('GET', `/v1/identities/${id}`, { key: client.app.userAgentKey })
  expect([(await asUserAgent()).status, (await asUserAgent()).status]).toEqual([200, 429])
})

test('a page of a configured origin may ask, and the description is there for it', async () => {
  const preflight = await client.app.call('OPTIONS', '/v1/identities', {
    key: null,
    headers: { Origin: PAGE, 'Access-Control-Request-Method': 'POST' },
  })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, PAGE])
  const docs = await client.app.call('GET', '/docs', { key: null })
  expect([docs.status, new URL(docs.url).pathname]).toEqual([200, '/docs/'])
})
