/**
 * The one HTTP client of the connectors: credentials, time limit, bounded answers, repetitions and a circuit breaker. It knows
 * no protocol and never logs: what is sent and received may be a person's data.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { isCertificateFault } from '../../outgoing/answer.ts'
import type { CallNote, CallTrouble } from '../../proofing/disclosure.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { readUpTo } from './limited-body.ts'
import { createCircuitBreaker, type BreakerLimits } from './circuit-breaker.ts'
import { createTokenSource, TokenRefusedError, type OAuthSettings } from './token-source.ts'
import { waitOutside } from './outside-wait.ts'

export interface ServiceSettings {
  readonly url: string
  /** Bearer token; null sends none. */
  readonly token: string | null
  /** Requests tokens by client credentials (RFC 6749, 4.4) in place of `token`. */
  readonly oauth?: OAuthSettings | null
  /** PEM of the certificate and key that this appliance shows (mutual TLS). */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string } | null
  /** PEM of the only accepted certificate authorities; null: public ones. */
  readonly authorities?: string | null
  /** For the whole exchange of one try. */
  readonly timeoutMs: number
  /** Absent: every call is tried. */
  readonly breaker?: BreakerLimits
}

export interface ServiceCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Appended to the service's address. */
  readonly path: string
  readonly accept: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: { readonly type: string; readonly content: string | Uint8Array }
  readonly maxAnswerBytes: number
  /** A second call has no second effect, because it only reads or carries an idempotency key. */
  readonly mayRepeat: boolean
}

export interface ServiceAnswer {
  readonly kind: 'answered'
  readonly status: number
  /** Media type without parameters, lower case; empty if not stated. */
  readonly type: string
  readonly bytes: Uint8Array
}

export type ServiceTrouble = Exclude<
  CallTrouble,
  'unexpected-answer' | 'malformed' | 'request-refused' | 'throttled'
>

interface ServiceFailure {
  readonly kind: 'failed'
  readonly trouble: ServiceTrouble
  /** The status of an answer that was too large. */
  readonly httpStatus?: number
}
export type ServiceOutcome = ServiceAnswer | ServiceFailure

/** Effort of a call with all its tries. */
type Effort = Pick<CallNote, 'tries' | 'durationMs'>
/** An outcome with the effort of its call. */
export type Called<T> = T & { readonly effort: Effort }

export interface HttpService {
  /** Never rejects. Redirects are not followed: they would send data and credentials to another address. */
  call(call: ServiceCall): Promise<Called<ServiceOutcome>>
  /** Aborts calls in progress. */
  close(): Promise<void>
}

/** A service that restarts is back in a moment; an applicant may be waiting. */
const REPEAT_PAUSES_MS = [200, 800]
/** As many connections to one service as jobs run at once; further calls wait in their time limit. */
const MAX_CONNECTIONS = 32

export function openHttpService(settings: ServiceSettings): HttpService {
  const closing = new AbortController()
  const { timeoutMs, authorities = null, clientCertificate = null, oauth = null } = settings
  const agent = new Agent({
    connect: {
      timeout: timeoutMs,
      ...(authorities === null ? {} : { ca: authorities }),
      ...(clientCertificate === null
        ? {}
        : { cert: clientCertificate.certificate, key: clientCertificate.key }),
    },
    connections: MAX_CONNECTIONS,
  })
  const tokens = oauth && createTokenSource(oauth, agent, timeoutMs)
  const breaker = settings.breaker ? createCircuitBreaker(settings.breaker) : null

  const tryOnce = async (call: ServiceCall): Promise<ServiceOutcome> => {
    if (breaker && !breaker.mayCall()) return { kind: 'failed', trouble: 'resting' }
    const outcome = await send(settings, call, agent, tokens, closing.signal)
    breaker?.note(!isOutage(outcome))
    return outcome
  }
  const callService: HttpService['call'] = async (call) => {
    const startedAt = performance.now()
    let tries = 0
    const tryAgain = async () => {
      const tried = await tryOnce(call)
      if (tried.kind === 'answered' || tried.trouble !== 'resting') tries++
      return tried
    }
    let outcome = await tryAgain()
    for (const pauseMs of call.mayRepeat ? REPEAT_PAUSES_MS : []) {
      if (!mayPass(outcome) || closing.signal.aborted) break
      await wait(pauseMs)
      outcome = await tryAgain()
    }
    return { ...outcome, effort: { tries, durationMs: Math.round(performance.now() - startedAt) } }
  }
  return {
    call: (call) => waitOutside(() => callService(call)),
    async close() {
      closing.abort()
      await agent.destroy()
    },
  }
}

/** The service does not accept the credentials of this appliance. */
export const isRefusal = (status: number): boolean => status === 401 || status === 403

/** 429 and 5xx say that the service cannot answer now. */
export const isOverloaded = (status: number): boolean => status === 429 || status >= 500

function isOutage(outcome: ServiceOutcome): boolean {
  return outcome.kind === 'failed' ? outcome.trouble !== 'too-large' : isOverloaded(outcome.status)
}

/** True if the next try may find the service again. After a timeout the applicant has waited long enough. */
function mayPass(outcome: ServiceOutcome): boolean {
  return outcome.kind === 'failed' ? outcome.trouble === 'unreachable' : isOverloaded(outcome.status)
}

async function send(
  { url, token, timeoutMs }: ServiceSettings,
  { method, path, accept, headers, body, maxAnswerBytes }: ServiceCall,
  agent: Agent,
  tokens: ReturnType<typeof createTokenSource> | null,
  closing: AbortSignal,
): Promise<ServiceOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([timeout, closing])
  try {
    const bearer = tokens ? await tokens.getToken(signal) : token
    const response = await request(url.replace(/\/$/, '') + path, {
      method,
      dispatcher: agent,
      headers: {
        accept,
        'user-agent': `counterproof/${PRODUCT_VERSION}`,
        ...(body === undefined ? {} : { 'content-type': body.type }),
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body.content }),
      signal,
    })
    const { statusCode: status } = response
    // A revoked token must not be sent again.
    if (status === 401) tokens?.forget()
    const bytes = await readUpTo(response.body, maxAnswerBytes)
    if (bytes === null) return { kind: 'failed', trouble: 'too-large', httpStatus: status }
    const type = String(response.headers['content-type'] ?? '')
    return { kind: 'answered', status, type: type.split(';')[0].trim().toLowerCase(), bytes }
  } catch (error) {
    // The error may quote the address, so only its kind is passed on.
    return { kind: 'failed', trouble: timeout.aborted ? 'timeout' : classifyError(error) }
  }
}

/** A service that refuses our certificate only closes the connection in TLS 1.3, so that is `unreachable`. */
function classifyError(error: unknown): ServiceTrouble {
  if (error instanceof TokenRefusedError) return 'credentials-refused'
  const errors = [error, (error as { cause?: unknown } | null)?.cause]
  return errors.some(isCertificateFault) ? 'certificate-refused' : 'unreachable'
}
