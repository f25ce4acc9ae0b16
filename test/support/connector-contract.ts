/**
 * The contract of a connector that calls a service by HTTP, as tests over real sockets: what it says of each fault, how often
 * it tries, that it tells no personal value, and that breaker, health and closing work. docs/connectors.md has the results.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ServiceSettings } from '../../server/connectors/service/http-service.ts'
import type { ServiceHealth } from '../../server/connectors/service/service-health.ts'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from './certificate-authority.ts'

export interface ContractRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}
export interface ContractAnswer {
  readonly status?: number
  readonly type?: string
  readonly body: string | Uint8Array
}

export interface OpenedConnector {
  /** Makes the exchange; the name of the trouble, null if it was answered. `said`: all that the connector gave back. */
  exchange(): Promise<{ readonly trouble: string | null; readonly said: unknown }>
  /** Absent: the health report does not show this connector. */
  readonly health?: () => ServiceHealth
  /** Absent: it holds nothing open. */
  readonly close?: () => unknown
}

export interface ConnectorContract {
  readonly name: string
  /** @param now of the appliance */
  open(settings: ServiceSettings, now: () => Date): OpenedConnector
  /** Answer of a service that works. It refuses a request that it need not believe. */
  answer(request: ContractRequest, now: Date): ContractAnswer | Promise<ContractAnswer>
  /** Requests at most, in a call whose tries all fail. */
  readonly tries: number
  /** Personal values of the exchange: none may be found in what the connector gives back. */
  readonly personal: readonly string[]
  /** The service checks a signature of the request. */
  readonly isSigned?: boolean
  /** Troubles that this connector names otherwise. */
  readonly troubles?: Partial<Record<ContractFault, string | null>>
  /** Time limit of a call; default 300. */
  readonly timeoutMs?: number
}

/** Each fault with its usual trouble; null: the exchange is answered. */
const FAULTS = {
  down: 'unreachable',
  slow: 'timeout',
  'HTTP 500, then good': null,
  'HTTP 429': 'unexpected-answer',
  malformed: 'malformed',
  'half an answer': 'unreachable',
  'too large': 'too-large',
  'certificate of another authority': 'certificate-refused',
  'expired certificate': 'certificate-refused',
  'credentials refused': 'credentials-refused',
  'signature refused': 'credentials-refused',
  'answer sent twice': null,
  'clock ten minutes late': 'credentials-refused',
} as const
export type ContractFault = keyof typeof FAULTS
const NAMES = Object.keys(FAULTS) as ContractFault[]

type Behaviour = (request: ContractRequest, response: ServerResponse, count: number) => unknown

const TIMEOUT_MS = 300
const LATE_MS = 10 * 60_000
const TOO_LARGE = Buffer.alloc(8 * 1024 * 1024, 0x20)

/** The table of the contract: a row per fault, a column per connector. */
export function buildFaultTable(found: ReadonlyMap<string, ReadonlyMap<ContractFault, string>>): string {
  const connectors = [...found.keys()]
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    row(['fault', ...connectors]),
    row(['---', ...connectors.map(() => '---')]),
    ...NAMES.map((fault) =>
      row([fault, ...connectors.map((name) => found.get(name)?.get(fault) ?? 'not tried')]),
    ),
  ].join('\n')
}

let certificates: ReturnType<typeof makeCertificates> | undefined
const getCertificates = () => (certificates ??= makeCertificates())

/** PEM of two authorities, and of certificates of the first with their keys. */
function makeCertificates() {
  const [ours, other] = [makeCertificateAuthority('Contract'), makeCertificateAuthority('Another')]
  const issue = (name: string, period?: readonly [string, string]) => {
    const extensions = [...SIGNER_EXTENSIONS, 'subjectAltName = IP:127.0.0.1']
    const { pem: cert, keyFile } = ours.issue({ name, extensions, ...(period ? { period } : {}) })
    return { cert, key: readFileSync(keyFile, 'utf8') }
  }
  const made = {
    authority: ours.root.pem,
    otherAuthority: other.root.pem,
    valid: issue('valid'),
    expired: issue('expired', ['20200101000000Z', '20210101000000Z']),
  }
  ours.remove()
  other.remove()
  return made
}

/** Declares the tests. Each result goes into `found`. */
export function testConnectorContract(
  contract: ConnectorContract,
  found: Map<ContractFault, string> = new Map(),
): void {
  const { name, isSigned = false, tries: mostTries } = contract
  const answer: ConnectorContract['answer'] = (request, now) => contract.answer(request, now)
  if (!isSigned) found.set('signature refused', 'not signed')
  const servers: Server[] = []
  const opened: OpenedConnector[] = []
  afterEach(async () => {
    for (const connector of opened.splice(0)) await connector.close?.()
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  const good: Behaviour = async (request, response) => {
    const { status = 200, type = 'application/json', body } = await answer(request, new Date())
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  async function serve(behaviour: Behaviour, tls?: { readonly key: string; readonly cert: string }) {
    const requests: ContractRequest[] = []
    const listener = async (
      req: Parameters<Parameters<typeof createServer>[1] & object>[0],
      res: ServerResponse,
    ) => {
      const { method = '', url: path = '', headers } = req
      const request = { method, path, headers, body: await buffer(req) }
      requests.push(request)
      await behaviour(request, res, requests.length)
    }
    const handle = (...args: Parameters<typeof listener>) =>
      void listener(...args).catch(() => args[1].destroy())
    const server: Server = tls ? createTlsServer(tls, handle) : createServer(handle)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, requests }
  }
  function open(url: string, over: Partial<ServiceSettings> = {}, lateMs = 0): OpenedConnector {
    const settings = { url, token: 'contract-token', timeoutMs: contract.timeoutMs ?? TIMEOUT_MS, ...over }
    const connector = contract.open(settings, () => new Date(Date.now() - lateMs))
    opened.push(connector)
    return connector
  }
  const expectedOf = (fault: ContractFault): string | null => {
    const { [fault]: own } = contract.troubles ?? {}
    if (own !== undefined) return own
    if (fault === 'clock ten minutes late' && !isSigned) return null
    if (fault === 'HTTP 500, then good' && mostTries === 1) return expectedOf('HTTP 429')
    return FAULTS[fault]
  }
  /** One exchange with everything that holds for each of them. */
  async function exchange(connector: OpenedConnector) {
    const spies = (['log', 'info', 'warn', 'error', 'debug'] as const).map((level) =>
      vi.spyOn(console, level),
    )
    const { trouble, said } = await connector.exchange()
    const told = JSON.stringify([trouble, said, connector.health?.(), ...spies.map(({ mock }) => mock.calls)])
    for (const spy of spies) spy.mockRestore()
    if (trouble !== null)
      for (const value of contract.personal) expect(told.toLowerCase()).not.toContain(value.toLowerCase())
    return trouble
  }

  /** The place of each fault, and the settings of the connector there. */
  const situations: Readonly<
    Record<
      ContractFault,
      () => Promise<{ url: string; requests: readonly ContractRequest[]; connector: OpenedConnector }>
    >
  > = {
    down: async () => {
      const { url, requests } = await serve(good)
      const [server] = servers.splice(-1)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      return { url, requests, connector: open(url) }
    },
    slow: () => at(() => undefined),
    'HTTP 500, then good': () =>
      at((request, response, count) =>
        count === 1 ? response.writeHead(500).end() : good(request, response, count),
      ),
    'HTTP 429': () => at((_request, response) => response.writeHead(429).end()),
    malformed: () =>
      at(async (request, response) => {
        const { status = 200, type = 'application/json' } = await answer(request, new Date())
        response.writeHead(status, { 'content-type': type }).end('{"nothing":"of the protocol"}')
      }),
    'half an answer': () =>
      at((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
        response.write('{"half":')
        setTimeout(() => response.destroy(), 20)
      }),
    'too large': () =>
      at(async (request, response) => {
        const { status = 200, type = 'application/json' } = await answer(request, new Date())
        response.writeHead(status, { 'content-type': type }).end(TOO_LARGE)
      }),
    'certificate of another authority': async () => {
      const { valid, otherAuthority } = getCertificates()
      const server = await serve(good, valid)
      return { ...server, connector: open(server.url, { authorities: otherAuthority }) }
    },
    'expired certificate': async () => {
      const { expired, authority } = getCertificates()
      const server = await serve(good, expired)
      return { ...server, connector: open(server.url, { authorities: authority }) }
    },
    'credentials refused': () => at((_request, response) => response.writeHead(401).end()),
    'signature refused': () =>
      at((request, response, count) => {
        // One byte more than was signed.
        const body = Buffer.concat([request.body, Buffer.from(' ')])
        return good({ ...request, body }, response, count)
      }),
    'answer sent twice': () =>
      at(async (request, response, count) => {
        const { socket } = response
        await good(request, response, count)
        socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
      }),
    'clock ten minutes late': async () => {
      const server = await serve(good)
      return { ...server, connector: open(server.url, {}, LATE_MS) }
    },
  }
  async function at(behaviour: Behaviour) {
    const server = await serve(behaviour)
    return { ...server, connector: open(server.url) }
  }

  describe(`the contract of the connector ${name}`, () => {
    test('a service that works answers, in plain and over TLS, once for each question, and health says so', async () => {
      const plain = await serve(good)
      const connector = open(plain.url)
      expect(await exchange(connector)).toBeNull()
      const asked = plain.requests.length
      expect(await exchange(connector)).toBeNull()
      expect(plain.requests).toHaveLength(asked * 2)
      const { valid, authority } = getCertificates()
      const secure = await serve(good, valid)
      expect(await exchange(open(secure.url, { authorities: authority }))).toBeNull()
      expect(connector.health?.() ?? { status: 'UP' }).toMatchObject({ status: 'UP' })
    })

    test.each(NAMES.filter((fault) => isSigned || fault !== 'signature refused'))('%s', async (fault) => {
      const { requests, connector } = await situations[fault]()
      const expected = expectedOf(fault)
      const trouble = await exchange(connector)
      expect(trouble).toBe(expected)
      expect(requests.length).toBeLessThanOrEqual(mostTries)
      if (fault.includes('certificate')) expect(requests).toHaveLength(0)
      if (connector.health) expect(connector.health().status).toBe(trouble === null ? 'UP' : 'DEGRADED')
      found.set(fault, `${trouble ?? 'answered'}${requests.length === 0 ? '' : `, ${requests.length}×`}`)
      if (trouble === null) expect(await exchange(connector)).toBeNull()
    })

    test('a service that failed rests: the next question is not sent', async () => {
      const { url, requests } = await serve((_request, response) => response.writeHead(503).end())
      const connector = open(url, { breaker: { failures: 1, pauseMs: 60_000 } })
      await exchange(connector)
      const asked = requests.length
      expect(asked).toBeGreaterThan(0)
      expect(await exchange(connector)).not.toBeNull()
      expect(requests).toHaveLength(asked)
    })

    test('closing ends a question in progress', async () => {
      const arrived = Promise.withResolvers<void>()
      const { url } = await serve(() => arrived.resolve())
      const connector = open(url, { timeoutMs: 60_000 })
      if (!connector.close) return
      const asked = exchange(connector)
      await arrived.promise
      await connector.close()
      expect(await asked).toBe(expectedOf('down'))
    })
  })
}
