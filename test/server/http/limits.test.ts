import { describe, expect, test } from 'vitest'
import type { Request } from 'express'
import { clientNetwork } from '../../../server/http/client-address.ts'
import { DEFAULT_API_CONFIG } from '../../../server/api/deps.ts'
import { CallWindow } from '../../../server/http/call-window.ts'
import type { ApiWorkflows } from '../../../server/api/workflows-port.ts'
import { fieldProblem } from '../../../server/errors.ts'
import {
  BACK_END_KEY,
  IDENTITY_ID,
  UNKNOWN_ID,
  USER_AGENT_KEY,
  problemCode,
  startApi,
} from '../api/support.ts'
import type { Reply, TestApi } from '../api/support.ts'

const identity = `/v1/identities/${IDENTITY_ID}`
const rateLimits = {
  windowMs: 60_000,
  perRole: { RELYING_SERVICE: 3, USER_AGENT: 1 },
  otp: 2,
  poll: 4,
  perAddress: 2,
  callback: 1,
}

const readIdentity = (api: TestApi, key: string) => api.send('GET', identity, { key })
const submitOtp = (api: TestApi, key = BACK_END_KEY) =>
  api.send('POST', `${identity}/contact-details/mobile/otp`, { key, json: { value: '123456' } })

function expectRefusal(reply: Reply, policy: string) {
  expect([reply.status, problemCode(reply)]).toEqual([429, 'rate_limited'])
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect(reply.headers.ratelimit).toBe(`"${policy}"; r=0; t=${reply.headers['retry-after']}`)
}

describe('the limit of a key', () => {
  test('counts per key, tells how much is left, and says when to come again', async () => {
    await using api = await startApi({ config: { rateLimits } })
    const first = await readIdentity(api, BACK_END_KEY)
    expect(first.headers.ratelimit).toMatch(/^"relying-service"; r=2; t=(60|59)$/)
    expect(first.headers['ratelimit-policy']).toBe('"relying-service"; q=3; w=60')
    expect((await readIdentity(api, USER_AGENT_KEY)).status).toBe(200)
    expectRefusal(await readIdentity(api, USER_AGENT_KEY), 'user-agent')
    expect((await readIdentity(api, BACK_END_KEY)).status).toBe(200)
  })

  test('X-Forwarded-For gives a caller no second allowance', async () => {
    await using api = await startApi({ config: { rateLimits } })
    const from = (address: string) =>
      api.send('GET', identity, { key: USER_AGENT_KEY, headers: { 'X-Forwarded-For': address } })
    expect((await from('203.0.113.1')).status).toBe(200)
    expect((await from('203.0.113.2')).status).toBe(429)
  })

  test('has the documented defaults', () => {
    expect(DEFAULT_API_CONFIG.rateLimits).toEqual({
      windowMs: 60_000,
      perRole: { RELYING_SERVICE: 600, USER_AGENT: 120 },
      otp: 10,
      poll: 600,
      perAddress: 300,
      callback: 60,
    })
  })
})

describe('polling a status', () => {
  const poll = (api: TestApi, id = IDENTITY_ID) =>
    api.send('GET', `/v1/identities/${id}/status`, { key: USER_AGENT_KEY })

  test('takes nothing of what the key may call, and has a limit of its own by identity', async () => {
    await using api = await startApi({ config: { rateLimits } })
    for (let polls = 0; polls < rateLimits.poll; polls += 1) expect((await poll(api)).status).toBe(200)
    expectRefusal(await poll(api), 'status-poll')
    // That one was refused, and counts.
    expectRefusal(await readIdentity(api, USER_AGENT_KEY), 'user-agent')
  })

  test('an identity that is not there counts as any other call', async () => {
    await using api = await startApi({ config: { rateLimits } })
    expect((await poll(api, UNKNOWN_ID)).status).toBe(404)
    expectRefusal(await poll(api), 'user-agent')
  })
})

describe('passcodes can be guessed only slowly', () => {
  test('their submissions have a limit of their own, which leaves the other calls of the key alone', async () => {
    await using api = await startApi({
      config: { rateLimits: { ...rateLimits, perRole: { RELYING_SERVICE: 10, USER_AGENT: 10 } } },
    })
    expect((await submitOtp(api)).status).toBe(204)
    expect((await submitOtp(api)).status).toBe(204)
    expectRefusal(await submitOtp(api), 'otp-submission')
    expect(api.calls.filter(({ name }) => name === 'submitPasscode')).toHaveLength(2)
    expect((await readIdentity(api, BACK_END_KEY)).status).toBe(200)
    expect((await submitOtp(api, USER_AGENT_KEY)).status).toBe(204)
  })

  test('wrong tries for one identity leave the other people who use the same key alone', async () => {
    await using api = await startApi({
      config: { rateLimits: { ...rateLimits, perRole: { RELYING_SERVICE: 10, USER_AGENT: 10 } } },
    })
    for (let tries = 0; tries < 3; tries += 1) await submitOtp(api, USER_AGENT_KEY)
    const path = `/v1/identities/${UNKNOWN_ID}/contact-details/mobile/otp`
    const other = await api.send('POST', path, { key: USER_AGENT_KEY, json: { value: '123456' } })
    expect(other.status).toBe(404)
  })

  test('both policies are named, and the tighter one tells what is left', async () => {
    await using api = await startApi({
      config: { rateLimits: { ...rateLimits, perRole: { RELYING_SERVICE: 3, USER_AGENT: 1 } } },
    })
    const tighterOtp = await submitOtp(api)
    expect(tighterOtp.headers['ratelimit-policy']).toBe(
      '"relying-service"; q=3; w=60, "otp-submission"; q=2; w=60',
    )
    expect(tighterOtp.headers.ratelimit).toMatch(/^"otp-submission"; r=1;/)
    await readIdentity(api, BACK_END_KEY)
    const tighterKey = await submitOtp(api)
    expect(tighterKey.headers.ratelimit).toMatch(/^"(relying-service|otp-submission)"; r=0;/)
    expectRefusal(await submitOtp(api), 'relying-service')
  })
})

describe('what needs no key is limited by address', () => {
  test('the health report, the keys, the description and its page share one allowance', async () => {
    await using api = await startApi({ config: { rateLimits } })
    const open = (path: string) => api.send('GET', path, { key: null })
    const first = await open('/healthcheck')
    expect(first.headers['ratelimit-policy']).toBe('"address"; q=2; w=60')
    expect((await open('/docs/')).status).toBe(200)
    expectRefusal(await open('/.well-known/jwks.json'), 'address')
    expect((await readIdentity(api, BACK_END_KEY)).status).toBe(200)
  })

  test('so are unknown states of returning logins, apart, while a known one passes at the same address', async () => {
    const finishTrustedClaim: ApiWorkflows['finishTrustedClaim'] = async ({ state }) => {
      if (state !== 'known') throw fieldProblem('not_allowed', 'state', 'this login is not known')
      return { redirectTo: null }
    }
    await using api = await startApi({ config: { rateLimits }, workflows: { finishTrustedClaim } })
    const comeBack = (state: string) => api.send('GET', `/oidc/callback?state=${state}&code=c`, { key: null })
    expect((await comeBack('junk')).status).toBe(400)
    expectRefusal(await comeBack('more-junk'), 'oidc-callback')
    expect((await comeBack('known')).status).toBe(201)
    expect((await comeBack('known')).status).toBe(201)
    expectRefusal(await comeBack('junk'), 'oidc-callback')
    expect((await api.send('GET', '/healthcheck', { key: null })).status).toBe(200)
  })
})

describe('the address that a limit counts by', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    // One subscriber has a whole /64: the last four groups do not count.
    ['2001:db8:1:2::7', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:1:2:3', '2001:db8:1:2::/64'],
    ['2001:0DB8:0000:0001:ffff::', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1::2:3:4:5', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['fe80::1:2:3:4%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['somewhere', ''],
    ['192.0.2.7.8', ''],
  ])('of %j is %j', (ip, network) => {
    expect(clientNetwork({ ip } as Request)).toBe(network)
  })
})

describe('the window', () => {
  test('slides: every call gives its place back exactly one window later, refused calls take none', () => {
    let now = 0
    const window = new CallWindow(1000, () => now)
    const hitAt = (at: number) => {
      now = at
      const { isRefused, remaining, resetMs } = window.hit('k', 2)
      return [isRefused, remaining, at + resetMs]
    }
    expect(hitAt(0)).toEqual([false, 1, 1000])
    expect(hitAt(600)).toEqual([false, 0, 1000])
    expect(hitAt(999)).toEqual([true, 0, 1000])
    expect(hitAt(1000)).toEqual([false, 0, 1600])
    expect(hitAt(1001)).toEqual([true, 0, 1600])
    expect(hitAt(1600)).toEqual([false, 0, 2000])
  })

  test('forgets addresses that stayed away, so that strangers cannot fill the memory', () => {
    let now = 0
    const window = new CallWindow(1000, () => now)
    for (let stranger = 0; stranger < 5000; stranger++) window.hit(`10.0.0.${stranger}`, 2)
    now = 900
    window.hit('regular', 2)
    expect(window.size).toBe(5001)
    now = 1000
    window.hit('newcomer', 2)
    expect(window.size).toBe(2)
  })

  test('counts each caller for itself', () => {
    const window = new CallWindow()
    expect(window.hit('a', 1).isRefused).toBe(false)
    expect(window.hit('b', 1).isRefused).toBe(false)
    expect(window.hit('a', 1).isRefused).toBe(true)
  })

  test('forgets the caller it has not seen for the longest time when there are a hundred thousand', () => {
    const window = new CallWindow(60_000, () => 1)
    const isRefused = (caller: string) => window.hit(caller, 1).isRefused
    for (let count = 0; count < 100_000; count++) isRefused(`caller ${count}`)
    // Seen again, though refused: now caller 1 is the one not seen for the longest time.
    expect(isRefused('caller 0')).toBe(true)
    isRefused('one more')
    expect([isRefused('caller 0'), isRefused('caller 2'), isRefused('caller 1')]).toEqual([true, true, false])
  })
})
