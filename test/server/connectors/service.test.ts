/** The HTTP client of all connectors, on real sockets: credentials, limits, repetitions and the circuit breaker. */
import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  openHttpService,
  type HttpService,
  type ServiceCall,
  type ServiceSettings,
} from '../../../server/connectors/service/http-service.ts'
import { makeCertificateAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts'

const READ: ServiceCall = {
  method: 'GET',
  path: '/records',
  accept: 'application/json',
  maxAnswerBytes: 1000,
  mayRepeat: false,
}

const servers: Server[] = []
const services: HttpService[] = []
let authority: CertificateAuthority
beforeAll(() => {
  authority = makeCertificateAuthority('Service authority')
  return () => authority.remove()
})
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listen(server: Server, scheme: 'http' | 'https'): Promise<string> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const serve = (listener: RequestListener): Promise<string> => listen(createServer(listener), 'http')

function open(settings: Partial<ServiceSettings> & { url: string }): HttpService {
  const service = openHttpService({ token: null, timeoutMs: 2000, ...settings })
  services.push(service)
  return service
}

const toText = (outcome: Awaited<ReturnType<HttpService['call']>>): string =>
  outcome.kind === 'answered' ? Buffer.from(outcome.bytes).toString('utf8') : outcome.trouble

/** A source that demands a token, and the authorization server that issues it. */
async function startWithTokens(lifetimeSeconds: number) {
  const issued: { authorization: string | undefined; body: string }[] = []
  let accepted = ''
  let refuses = false
  const authorizationUrl = await serve((req, res) => void issue(req, res))
  const issue = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    issued.push({ authorization: req.headers.authorization, body: await text(req) })
    res.setHeader('content-type', 'application/json')
    if (refuses) return void res.writeHead(401).end(JSON.stringify({ error: 'invalid_client' }))
    accepted = `token-${issued.length}`
    res.end(JSON.stringify({ access_token: accepted, token_type: 'bearer', expires_in: lifetimeSeconds }))
  }
  const url = await serve((req, res) => {
    const isAccepted = req.headers.authorization === `Bearer ${accepted}`
    res.writeHead(isAccepted ? 200 : 401).end(req.headers.authorization ?? 'none')
  })
  const oauth = {
    tokenUrl: `${authorizationUrl}/token`,
    clientId: 'kiosk 1',
    clientSecret: 's:3',
    scope: 'verify',
  }
  return {
    issued,
    open: () => open({ url, oauth }),
    revoke: () => (accepted = 'another'),
    refuse: () => (refuses = true),
  }
}

describe('OAuth 2.0 client credentials', () => {
  test('one token serves calls at the same time and later ones, and names client and scope', async () => {
    const source = await startWithTokens(3600)
    const service = source.open()
    const answers = await Promise.all([service.call(READ), service.call(READ), service.call(READ)])
    expect(answers.map(toText)).toEqual(Array(3).fill('Bearer token-1'))
    expect(toText(await service.call(READ))).toBe('Bearer token-1')
    const basic = Buffer.from('kiosk+1:s%3A3').toString('base64')
    expect(source.issued).toEqual([
      { authorization: `Basic ${basic}`, body: 'scope=verify&grant_type=client_credentials' },
    ])
  })

  test('a token that is about to expire is replaced before it is sent', async () => {
    const source = await startWithTokens(20)
    const service = source.open()
    await service.call(READ)
    expect(toText(await service.call(READ))).toBe('Bearer token-2')
  })

  test('a revoked token is not sent a second time', async () => {
    const source = await startWithTokens(3600)
    const service = source.open()
    await service.call(READ)
    source.revoke()
    expect(await service.call(READ)).toMatchObject({ kind: 'answered', status: 401 })
    expect(toText(await service.call(READ))).toBe('Bearer token-2')
  })

  test('an authorization server that knows no such client is distinguished from one that is down', async () => {
    const source = await startWithTokens(3600)
    source.refuse()
    const service = source.open()
    expect(await service.call(READ)).toMatchObject({ kind: 'failed', trouble: 'credentials-refused' })
    const oauth = { tokenUrl: 'http://127.0.0.1:9/', clientId: 'a', clientSecret: 'b', scope: null }
    expect(await open({ url: 'http://127.0.0.1:9', oauth }).call(READ)).toMatchObject({
      kind: 'failed',
      trouble: 'unreachable',
    })
  })
})

describe('mutual TLS', () => {
  const issue = (name: string) => {
    const extensions = ['basicConstraints = CA:FALSE', 'subjectAltName = IP:127.0.0.1']
    const { pem, keyFile } = authority.issue({ name, extensions, issuer: authority.root })
    return { certificate: pem, key: readFileSync(keyFile, 'utf8') }
  }
  const start = (): Promise<string> => {
    const { certificate: cert, key } = issue('source')
    const options = { cert, key, ca: authority.root.pem, requestCert: true, rejectUnauthorized: true }
    return listen(
      createTlsServer(options, (_req, res) => res.end('known')),
      'https',
    )
  }

  test('the certificate of this appliance opens the door', async () => {
    const service = open({
      url: await start(),
      authorities: authority.root.pem,
      clientCertificate: issue('kiosk'),
    })
    expect(toText(await service.call(READ))).toBe('known')
  })

  test('without a certificate, or with one of another authority, it stays closed', async () => {
    const [url, authorities] = [await start(), authority.root.pem]
    const closed = { kind: 'failed', trouble: 'unreachable' }
    expect(await open({ url, authorities }).call(READ)).toMatchObject(closed)
    const other = makeCertificateAuthority('Another authority')
    const clientCertificate = { certificate: other.root.pem, key: readFileSync(other.root.keyFile, 'utf8') }
    other.remove()
    expect(await open({ url, authorities, clientCertificate }).call(READ)).toMatchObject(closed)
  })
})

describe('a call that fails', () => {
  test('is repeated twice if it may be, and never if it must not', async () => {
    let calls = 0
    const url = await serve((_req, res) => void res.writeHead(++calls === 3 ? 200 : 503).end('third'))
    const service = open({ url })
    expect(toText(await service.call({ ...READ, mayRepeat: true }))).toBe('third')
    calls = 0
    expect(await service.call(READ)).toMatchObject({ status: 503 })
    expect(calls).toBe(1)
  })

  test('names a redirect, an answer that is too large, and silence', async () => {
    const url = await serve((req, res) => {
      if (req.url === '/elsewhere') res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()
      if (req.url === '/large') res.end('x'.repeat(1001))
    })
    const service = open({ url, timeoutMs: 200 })
    expect(await service.call({ ...READ, path: '/elsewhere' })).toMatchObject({ status: 302 })
    expect(await service.call({ ...READ, path: '/large' })).toMatchObject({
      trouble: 'too-large',
      httpStatus: 200,
    })
    expect(await service.call(READ)).toMatchObject({ kind: 'failed', trouble: 'timeout' })
  })
})

test('a service that keeps failing rests, then one call tries it for all', async () => {
  let nowMs = 0
  let calls = 0
  let status = 500
  const url = await serve((_req, res) => {
    calls++
    res.writeHead(status).end()
  })
  const service = open({ url, breaker: { failures: 3, pauseMs: 1000, now: () => nowMs } })
  const resting = { kind: 'failed', trouble: 'resting' }
  for (let i = 0; i < 3; i++) expect(await service.call(READ)).toMatchObject({ status: 500 })
  expect(await service.call(READ)).toMatchObject(resting)
  expect(calls).toBe(3)
  nowMs = 1001
  expect(await Promise.all([service.call(READ), service.call(READ)])).toMatchObject([
    { status: 500 },
    resting,
  ])
  expect(calls).toBe(4)
  status = 200
  nowMs = 3000
  expect(await service.call(READ)).toMatchObject({ status: 200 })
  expect(await Promise.all([service.call(READ), service.call(READ)])).toMatchObject([
    { status: 200 },
    { status: 200 },
  ])
})
