/** Limits where all callers come over one address: behind a proxy, named in `trustedProxies` or not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { CONFIG_FILE, loadCentralConfig } from '../../server/central/config.ts'
import { AppError } from '../../server/errors.ts'
import { KIOSK_API } from '../../server/protocol/wire.ts'
import { codeFor } from '../support/central.ts'
import { enrolmentRequest } from '../support/kiosk-client.ts'
import { addKey, addTenant, startOffice, type OfficeOptions, type TestOffice } from './head-office/support.ts'

let service: TestOffice
afterEach(() => service?.stop())

async function startBehind(trustedProxies: readonly string[], options: OfficeOptions['options'] = {}) {
  service = await startOffice({ config: { trustedProxies: [...trustedProxies] }, options })
}

const over = (addresses?: string): Record<string, string> =>
  addresses === undefined ? {} : { 'x-forwarded-for': addresses }

describe('enrolment', () => {
  /** An unknown code with the fingerprint of this service. */
  let guesses = 0
  const guess = async () => {
    const fingerprint = (await codeFor(service)).replaceAll('-', '').slice(16)
    return `${String(guesses++).padStart(16, '0')}${fingerprint}`
  }
  const join = async (code: string, addresses?: string) => {
    const answer = await fetch(`${service.url}${KIOSK_API}/enrolments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...over(addresses) },
      body: JSON.stringify(await enrolmentRequest(code)),
    })
    await answer.text()
    return answer.status
  }
  const joinOften = async (times: number, addresses?: string) => {
    let last = 0
    for (let count = 0; count < times; count++) last = await join(await guess(), addresses)
    return last
  }

  test('40 wrong codes over one address are slowed down and lock no kiosk out that has a valid code', async () => {
    await startBehind([])
    expect(await joinOften(40)).toBe(429)
    expect(await join(await codeFor(service))).toBe(200)
  })

  test('wrong codes count for the address that a trusted proxy names', async () => {
    await startBehind(['127.0.0.1', '10.0.0.0/8'])
    expect(await joinOften(25, '203.0.113.7')).toBe(429)
    expect(await join(await guess(), '203.0.113.8')).toBe(403)
    // The right-most address that is no trusted proxy: what stands before it is the caller's own word.
    expect(await join(await guess(), '198.51.100.1, 203.0.113.7, 10.1.2.3')).toBe(429)
    expect(await join(await guess(), '203.0.113.7, 203.0.113.8')).toBe(403)
  })

  test('wrong codes over ever new addresses are slowed down together, and a valid code is accepted', async () => {
    await startBehind(['127.0.0.1'])
    const wrong = await guess()
    const numbered = (count: number) => `${String(count).padStart(16, '0')}${wrong.slice(16)}`
    const statuses: number[] = []
    for (let round = 0; round < 21; round++) {
      const tries = Array.from({ length: 10 }, (_, at) =>
        join(numbered(1000 + round * 10 + at), `203.${round}.113.${at}`),
      )
      statuses.push(...(await Promise.all(tries)))
    }
    expect(statuses.filter((status) => status === 403)).toHaveLength(200)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(await join(await codeFor(service), '203.99.113.1')).toBe(200)
  })

  test('a caller that is no trusted proxy cannot choose its address', async () => {
    await startBehind(['10.0.0.0/8'])
    let last = 0
    for (let count = 0; count < 25; count++) last = await join(await guess(), `203.0.113.${count}`)
    expect(last).toBe(429)
  })

  test('one code is tried ten times in a minute, from wherever', async () => {
    await startBehind(['127.0.0.1'])
    const [code, other] = [await codeFor(service), await codeFor(service)]
    expect(await join(code, '203.0.113.1')).toBe(200)
    const statuses: number[] = []
    for (let count = 0; count < 12; count++) {
      statuses.push(await join(code.toLowerCase().replaceAll('-', ' '), `203.0.113.${count}`))
    }
    expect(statuses.filter((status) => status === 403)).toHaveLength(9)
    expect(statuses.slice(9)).toEqual([429, 429, 429])
    expect(await join(other, '203.0.113.1')).toBe(200)
  })
})

describe('the head-office API', () => {
  const me = async (key: string, addresses?: string) => {
    const headers = { authorization: `Bearer ${key}`, ...over(addresses) }
    return (await fetch(`${service.url}/head-office/v1/me`, { headers })).status
  }
  const verify = async (addresses?: string) => {
    const answer = await fetch(`${service.url}/verify`, {
      method: 'POST',
      body: 'x',
      headers: over(addresses),
    })
    return answer.status
  }

  test('wrong keys and anonymous calls count for the address that a trusted proxy names', async () => {
    await startBehind(['127.0.0.1'], { openCallsPerMinute: 5 })
    const statuses: number[] = []
    for (let count = 0; count < 6; count++) statuses.push(await me('cph_wrong', '203.0.113.7'))
    expect(statuses.at(-1)).toBe(429)
    expect(await me('cph_wrong', '203.0.113.8')).toBe(401)
    for (let count = 0; count < 6; count++) statuses.push(await verify('203.0.113.7'))
    expect(statuses.at(-1)).toBe(429)
    expect(await verify('203.0.113.8')).toBe(200)
  })

  test('a valid key counts for itself: wrong ones over the same address do not lock it out', async () => {
    await startBehind([], { openCallsPerMinute: 5 })
    await addTenant(service, 'a')
    const key = await addKey(service, 'a')
    for (let count = 0; count < 20; count++) await me('cph_wrong')
    expect(await me(key)).toBe(200)
  })
})

describe('an address that a network reaches', () => {
  const load = (given: object) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-address-'))
    writeFileSync(join(dataDir, CONFIG_FILE), JSON.stringify(given))
    try {
      return loadCentralConfig({ dataDir }, {}).host
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  }

  test.each(['0.0.0.0', '::', '192.0.2.5', 'centre.example'])('%s is refused without TLS', (host) => {
    expect(() => load({ host })).toThrow(AppError)
    expect(() => load({ host, trustedProxies: [] })).toThrow(AppError)
  })

  test('is taken with a certificate, or behind a proxy that is named', () => {
    const tls = { certificateFile: 'c.pem', keyFile: 'k.pem' }
    expect(load({ host: '0.0.0.0', tls })).toBe('0.0.0.0')
    expect(load({ host: '0.0.0.0', trustedProxies: ['10.0.0.5'] })).toBe('0.0.0.0')
  })
})

describe('trustedProxies', () => {
  const load = (proxies: unknown, env: NodeJS.ProcessEnv = {}) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-proxies-'))
    writeFileSync(
      join(dataDir, CONFIG_FILE),
      JSON.stringify(proxies === undefined ? {} : { trustedProxies: proxies }),
    )
    try {
      return loadCentralConfig({ dataDir }, env).trustedProxies
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  }

  test('are addresses and CIDR ranges, of the file or of the environment; without them there is none', () => {
    expect(load(undefined)).toEqual([])
    expect(load(['10.0.0.0/8', '::1', '192.0.2.1', 'fd00::/8'])).toHaveLength(4)
    expect(load(['::1'], { CENTRE_TRUSTED_PROXIES: '10.0.0.1, 10.1.0.0/16' })).toEqual([
      '10.0.0.1',
      '10.1.0.0/16',
    ])
  })

  test.each([
    ['loopback'],
    ['10.0.0.0/33'],
    ['proxy.example'],
    ['0.0.0.0/0'],
    ['128.0.0.0/1'],
    ['::/0'],
    [''],
  ])('%j is refused at start', (proxy) => {
    expect(() => load(['10.0.0.1', proxy])).toThrow(AppError)
  })
})
