/**
 * Creates the HTTP server under the application: limits of time and size, and answers to requests that cannot be parsed. Knows
 * no route.
 */
import { createServer } from 'node:http'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import { isIPv6, type AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { v7 as uuidv7 } from 'uuid'
import type { ErrorCode } from '../errors.ts'
import type { TlsMaterial } from '../files/tls-files.ts'
import type { Log } from '../log.ts'
import { problemDocument } from './problem-response.ts'
import { PROBLEMS } from './problems.ts'

export interface HttpLimits {
  /** Time until the headers are complete. */
  readonly headersTimeoutMs: number
  /** Time until the whole request has arrived; also the limit for a silent connection. */
  readonly requestTimeoutMs: number
  readonly maxConnections: number
}

/** Limit for request line and headers together: Node's default. */
const MAX_HEADER_BYTES = 16 * 1024
/** Time between two requests on one connection; the kiosk's screens call every few seconds. */
const KEEP_ALIVE_MS = 10_000
/** The server finds a late request at most this long after its deadline. */
const MAX_CHECK_MS = 1_000

/** Does not listen yet. @param tls null: plain HTTP */
export function createHttpServer(
  listener: RequestListener,
  limits: HttpLimits,
  log: Log,
  tls: TlsMaterial | null = null,
): Server {
  const options = {
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs / 4, MAX_CHECK_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const server =
    tls === null
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...tls, minVersion: 'TLSv1.2' }, listener)
  server.maxConnections = limits.maxConnections
  // Also closes the connection of a caller that does not read the answer.
  server.timeout = limits.requestTimeoutMs

  const answers = new WeakMap<Duplex, ServerResponse>()
  server.on('request', (req, res) => answers.set(req.socket, res))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const answer = answers.get(socket)
    const isUnderWay = answer?.headersSent === true && !answer.writableFinished
    if (!socket.writable || error.code === 'ECONNRESET' || isUnderWay) {
      socket.destroy()
      return
    }
    const code = toErrorCode(error)
    const correlationId = uuidv7()
    log.warn({ code, correlationId }, 'a request could not be parsed')
    socket.end(rawProblem(code, correlationId), () => socket.destroy())
  })
  return server
}

/** Resolves with the address under which the server can be called. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: taken } = server.address() as AddressInfo
  const scheme = server instanceof TlsServer ? 'https' : 'http'
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${taken}`
}

/** Resolves after all running requests are answered. */
export function closeServer(server: Server): Promise<void> {
  server.closeIdleConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

function toErrorCode({ code }: NodeJS.ErrnoException): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  return 'malformed_request'
}

/** Returns a complete HTTP response as text, because there is no parsed request for Express. */
function rawProblem(code: ErrorCode, correlationId: string): string {
  const { status, title } = PROBLEMS[code]
  const body = problemDocument({ code, correlationId })
  return [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Correlation-Id: ${correlationId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
