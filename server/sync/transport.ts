/**
 * One HTTP connection to the central service: TLS with the configured authorities, a time limit on every
 * request, a size limit on answers, the limit of the rate. Every failure becomes a CentralTroubleError
 * that names its origin.
 */
import { resolve } from 'node:path'
import { Agent, request as httpRequest } from 'undici'
import { AppError, fieldProblem } from '../errors.ts'
import { readOwnFile, UnsafeFileError } from '../files/own-files.ts'
import { NONCE_HEADER } from '../protocol/wire.ts'
import type { TokenBucket } from './token-bucket.ts'

/**
 * line: no answer, not the central service, or overloaded: everything waits · kiosk: the central service does
 * not (or no longer) accept this kiosk · request: it refuses this one request · fault: it failed on this one
 * request
 */
export type Trouble = 'line' | 'kiosk' | 'request' | 'fault'

export class CentralTroubleError extends Error {
  override readonly name = 'CentralTroubleError'
  readonly trouble: Trouble
  /** A code for the operator, of letters and underscores: never text of the other side. */
  readonly code: string
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** Nonce of the refusal, for the next signature. */
  readonly nonce: string | null

  constructor(
    trouble: Trouble,
    code: string,
    more: { status?: number; retryAfterMs?: number | null; nonce?: string | null } & ErrorOptions = {},
  ) {
    super(code, more)
    this.trouble = trouble
    this.code = code
    this.status = more.status ?? null
    this.retryAfterMs = more.retryAfterMs ?? null
    this.nonce = more.nonce ?? null
  }
}

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly largestAnswer: number
  /** Bytes of an expected answer that count against the rate; absent: the answer is short. */
  readonly received?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface TransportAnswer {
  readonly body: Buffer
  /** The central service's nonce for the next signature; null: none. */
  readonly nonce: string | null
}

export interface Transport {
  /** Returns an answer with a 2xx status. Throws CentralTroubleError for any other. */
  send(request: TransportRequest): Promise<TransportAnswer>
  close(): Promise<void>
}

/** Approximate bytes of headers and framing per request, counted against the limit. */
const OVERHEAD_BYTES = 600
/** Temporary refusals that concern only this proof: it is sent again later. */
const THIS_PROOF_WAITS: ReadonlySet<string> = new Set(['too_many_uploads', 'announcement_stale'])
const MAX_RETRY_AFTER_MS = 60 * 60_000

/**
 * Returns the origin of a central service. Throws `validation_failed` unless it is https, or http on this
 * machine, or the caller allows http.
 */
export function checkCentralUrl(text: string, insecureAllowed: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw fieldProblem('url', 'url', 'the address of the central service begins with https://')
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw fieldProblem('url', 'url', 'the address of the central service is a host and a port, nothing more')
  }
  const isLoopback = ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url.protocol === 'http:' && !isLoopback && !insecureAllowed) {
    throw fieldProblem(
      'tls_required',
      'url',
      'the central service is reached by https:// only; --insecure-http allows http:// in a laboratory',
    )
  }
  return url.origin
}

/**
 * PEM of the authorities for the central service's TLS; undefined: the public ones. Throws
 * `configuration_invalid`.
 */
export function readTlsAuthorities(dataDir: string, caFile: string | undefined): string | undefined {
  if (caFile === undefined) return undefined
  let message = 'the file holds no certificate that can be read'
  try {
    const pem = readOwnFile(resolve(dataDir, caFile), 'public').toString('utf8')
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  } catch (error) {
    if (error instanceof UnsafeFileError) message = `${error.path}: ${error.message}`
  }
  throw new AppError(
    'configuration_invalid',
    {},
    { problems: [{ code: 'ca_file', field: 'sync.caFile', message }] },
  )
}

export function openTransport(options: {
  readonly origin: string
  readonly authorities?: string | undefined
  readonly timeoutMs: number
  readonly bucket: TokenBucket
}): Transport {
  const { origin, authorities, timeoutMs, bucket } = options
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(authorities === undefined ? {} : { ca: authorities }) },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connections: 4,
  })
  return {
    send: async ({ method, path, headers, body, largestAnswer, received: expected = 0, signal }) => {
      await bucket.take(body.length + expected + OVERHEAD_BYTES, signal)
      // Covers the whole request, including connecting, so that it detects half-open connections.
      const limit = AbortSignal.timeout(timeoutMs)
      let answer
      let received: Buffer
      try {
        answer = await httpRequest(origin + path, {
          dispatcher: agent,
          method,
          headers,
          body: body.length === 0 ? null : body,
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        })
        received = await readUpTo(answer.body, largestAnswer)
      } catch (cause) {
        if (signal?.aborted) throw signal.reason
        if (cause instanceof CentralTroubleError) throw cause
        throw new CentralTroubleError('line', limit.aborted ? 'no_answer_in_time' : classifyReason(cause), {
          cause,
        })
      }
      if (answer.statusCode >= 200 && answer.statusCode < 300) {
        return { body: received, nonce: readNonce(answer.headers) }
      }
      throw toRefusal(answer.statusCode, answer.headers, received)
    },
    close: () => agent.destroy(),
  }
}

async function readUpTo(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    length += part.length
    if (length > most) throw new CentralTroubleError('line', 'answer_too_large')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

type Headers = Record<string, string | string[] | undefined>

function toRefusal(status: number, headers: Headers, body: Buffer): CentralTroubleError {
  const retryAfterMs = parseRetryAfter(headers['retry-after'])
  const code = problemCode(headers['content-type'], body)
  if (code !== null && THIS_PROOF_WAITS.has(code)) {
    return new CentralTroubleError('fault', code, { status, retryAfterMs })
  }
  if (status === 429 || status === 502 || status === 503 || status === 504) {
    return new CentralTroubleError('line', 'centre_busy', { status, retryAfterMs })
  }
  // Any other status counts only from the central service itself: portals and proxies answer with their own
  // pages.
  if (code === null) return new CentralTroubleError('line', 'not_the_centre', { status })
  if (status === 401 || status === 403) {
    return new CentralTroubleError('kiosk', code, { status, nonce: readNonce(headers) })
  }
  if (status >= 400 && status < 500) return new CentralTroubleError('request', code, { status })
  return new CentralTroubleError('fault', code, { status, retryAfterMs })
}

function problemCode(contentType: string | string[] | undefined, body: Buffer): string | null {
  if (typeof contentType !== 'string' || !contentType.startsWith('application/problem+json')) return null
  try {
    const { type } = JSON.parse(body.toString('utf8')) as { type?: unknown }
    const word = typeof type === 'string' ? /([a-z0-9_]{1,60})$/.exec(type)?.[1] : undefined
    return word ?? 'refused_by_centre'
  } catch {
    return null
  }
}

function readNonce(headers: Headers): string | null {
  const nonce = headers[NONCE_HEADER]
  return typeof nonce === 'string' && /^[A-Za-z0-9_-]{1,500}$/.test(nonce) ? nonce : null
}

/** Seconds, or a date. Null: missing or invalid. */
function parseRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null
}

/**
 * ECONNREFUSED → connection_refused; certificate errors have their own codes, everything else is
 * `unreachable`.
 */
function classifyReason(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code
  if (code === 'ECONNREFUSED') return 'connection_refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_found'
  const isTls =
    typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL|HOSTNAME_MISMATCH/.test(code)
  return isTls ? 'tls_refused' : 'not_reachable'
}
