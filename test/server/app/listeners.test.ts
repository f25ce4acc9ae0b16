/**
 * Which address answers what: the kiosk this machine alone, /v1 and the counter a network too, on listeners of their own and
 * with TLS. Real sockets, on this machine's own address in the network.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingHttpHeaders } from 'node:http'
import { request as requestTls } from 'node:https'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../server/config/config.ts'
import { AppError } from '../../../server/errors.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { makeCertificateAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts'
import { scriptedVision } from './scripted-vision.ts'

/** Null on a machine without a network. */
const OUR_ADDRESS =
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null

let dataDir: string
let app: TestApp | undefined
let authority: CertificateAuthority
let tls: { certificateFile: string; keyFile: string }
beforeAll(() => {
  authority = makeCertificateAuthority('Listeners')
  const names = [`IP:${OUR_ADDRESS ?? '127.0.0.1'}`, 'IP:127.0.0.1'].join(', ')
  const server = ['basicConstraints = critical, CA:FALSE', `subjectAltName = ${names}`]
  const { certificateFile, keyFile } = authority.issue({ name: 'branch', extensions: server })
  tls = { certificateFile, keyFile }
})
afterAll(() => authority.remove())
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-listeners-'))
})
afterEach(async () => {
  await app?.close()
  app = undefined
  rmSync(dataDir, { recursive: true, force: true })
})

const configure = (config: object) => writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))

async function start(config: object): Promise<TestApp> {
  configure(config)
  const screensDir = join(dataDir, 'screens')
  for (const folder of ['kiosk', 'counter', 'assets', 'capture']) {
    mkdirSync(join(screensDir, folder), { recursive: true })
    writeFileSync(join(screensDir, folder, 'index.html'), `<!doctype html><title>${folder}</title>`)
  }
  app = await startTestApp({ dataDir, screensDir, vision: scriptedVision() })
  return app
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** @param url of the listener; TLS is checked against the authority of this test */
function get(url: string, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { protocol, port, hostname } = new URL(url)
  const host = hostname === '0.0.0.0' ? (OUR_ADDRESS ?? '127.0.0.1') : hostname
  const send = protocol === 'https:' ? requestTls : request
  return new Promise((resolve, reject) => {
    const call = send({ host, port, path, headers, agent: false, ca: authority.root.pem }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (piece: string) => (body += piece))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    call.once('error', reject)
    call.end()
  })
}

function problemsOf(config: object): Readonly<Record<string, string>> {
  configure(config)
  try {
    loadConfig({ dataDir })
    return {}
  } catch (error) {
    if (error instanceof AppError)
      return Object.fromEntries(error.problems.map(({ field = '', message = '' }) => [field, message]))
    throw error
  }
}

describe('the configuration', () => {
  test.each(['0.0.0.0', '::', '192.0.2.7', 'kiosk.example', '::ffff:127.0.0.1'])(
    'refuses %s for the listener that carries the kiosk, and names what opens the rest',
    (host) => {
      expect(problemsOf({ host })).toEqual({ host: expect.stringContaining('listeners.api') as string })
    },
  )

  test.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('takes %s', (host) => {
    expect(problemsOf({ host })).toEqual({})
  })

  // @clause NIST-63A-4/3.5-channel
  test('refuses a network without TLS and without a named reverse proxy, with every problem at once', () => {
    const listeners = {
      api: { host: '0.0.0.0', port: 8443 },
      counter: { host: '0.0.0.0', port: 8444, proxyTerminatesTls: true },
    }
    const problems = problemsOf({ host: '0.0.0.0', listeners, counter: { enabled: false } })
    expect(Object.keys(problems).sort()).toEqual([
      'host',
      'listeners.api.tls',
      'listeners.counter',
      'listeners.counter.proxyTerminatesTls',
    ])
  })

  test('takes TLS, a named reverse proxy, or an address of this machine', () => {
    const files = { certificateFile: 'cert.pem', keyFile: 'key.pem' }
    const proxied = { host: '10.0.0.7', port: 8444, proxyTerminatesTls: true }
    const listeners = { api: { host: '::', port: 8443, tls: files }, counter: proxied }
    expect(problemsOf({ listeners, trustedProxies: ['10.0.0.5'] })).toEqual({})
    expect(problemsOf({ listeners: { api: { host: '127.0.0.1', port: 8443 } } })).toEqual({})
  })
})

test('an appliance whose certificate or key cannot be used does not start, and says which', async () => {
  const { keyFile } = authority.issue({ name: 'another', extensions: [] })
  await expect(
    start({
      listeners: {
        api: { host: '127.0.0.1', port: 0, tls: { certificateFile: 'none.pem', keyFile: 'none.key' } },
        counter: { host: '127.0.0.1', port: 0, tls: { ...tls, keyFile } },
      },
    }),
  ).rejects.toMatchObject({
    problems: [
      { field: 'listeners.api.tls.certificateFile' },
      { field: 'listeners.api.tls.keyFile' },
      { field: 'listeners.counter.tls' },
    ],
  })
})

describe.skipIf(OUR_ADDRESS === null)('on a network', () => {
  const network = { host: '0.0.0.0', port: 0 }
  const config = () => ({
    allowedHosts: [OUR_ADDRESS],
    listeners: { api: { ...network, tls }, counter: { ...network, tls } },
  })

  test('the listener of the API answers over TLS, and carries neither kiosk nor counter', async () => {
    const { appliance, relyingServiceKey } = await start(config())
    const url = appliance.listeners.api!
    expect(url).toMatch(/^https:/)
    const keyed = { apikey: relyingServiceKey, 'user-agent': 'bank/1 (en)' }
    expect((await get(url, '/v1/supported-evidence/countries', keyed)).status).toBe(200)
    expect((await get(url, '/healthcheck')).status).toBe(200)
    expect((await get(url, '/capture/sessions/none')).body).toContain('not_found')
    for (const path of [
      '/',
      '/kiosk/',
      '/kiosk/api/journey',
      '/counter/',
      '/counter/api/session',
      '/assets/index.html',
    ])
      expect([path, (await get(url, path)).status]).toEqual([path, 404])
  })

  test('the listener of the counter carries neither kiosk nor API', async () => {
    const { appliance, relyingServiceKey } = await start(config())
    const url = appliance.listeners.counter!
    expect((await get(url, '/')).headers.location).toBe('/counter/')
    expect((await get(url, '/counter/')).status).toBe(200)
    expect((await get(url, '/counter/api/session', { 'x-counterproof': 'counter' })).status).toBe(200)
    expect((await get(url, '/healthcheck')).status).toBe(200)
    for (const path of [
      '/kiosk/',
      '/kiosk/api/journey',
      '/v1/supported-evidence/countries',
      '/docs',
      '/openapi.json',
    ])
      expect([path, (await get(url, path, { apikey: relyingServiceKey })).status]).toEqual([path, 404])
  })

  test('the main listener is not there', async () => {
    const { url } = await start(config())
    const { port } = new URL(url)
    await expect(get(`http://${OUR_ADDRESS}:${port}`, '/kiosk/')).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    })
  })

  test('a listener behind a reverse proxy refuses every other peer', async () => {
    const proxied = { ...network, proxyTerminatesTls: true }
    const { appliance } = await start({
      allowedHosts: [OUR_ADDRESS],
      trustedProxies: ['127.0.0.1', '10.99.0.0/16'],
      listeners: { api: proxied },
    })
    const { port } = new URL(appliance.listeners.api!)
    const past = await get(`http://${OUR_ADDRESS}:${port}`, '/healthcheck', {
      'x-forwarded-for': '127.0.0.1',
    })
    expect([past.status, past.body]).toEqual([403, expect.stringContaining('proxy_required')])
    expect((await get(`http://127.0.0.1:${port}`, '/healthcheck')).status).toBe(200)
  })

  test('calls of both listeners count for the same limit', async () => {
    const { appliance, url, relyingServiceKey } = await start({
      ...config(),
      rateLimits: { relyingServicePerMinute: 2 },
    })
    const keyed = { apikey: relyingServiceKey, 'user-agent': 'bank/1 (en)' }
    const statuses = []
    for (const at of [url, appliance.listeners.api!, url])
      statuses.push((await get(at, '/v1/supported-evidence/countries', keyed)).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})
