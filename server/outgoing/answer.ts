/** Classifies the answer to a delivery, or its absence. Pure. */
import { errors } from 'undici'
import { ADDRESS_REFUSED } from './address-guard.ts'

/**
 * `status`: an unsuccessful answer; `gone`: 410, the receiver wants no more deliveries; `redirect`: never followed;
 * `certificate`: the receiver's TLS certificate is not valid for the address.
 */
type SendError = 'status' | 'gone' | 'redirect' | 'timeout' | 'certificate' | 'connection' | 'address_refused'

export interface Sent {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly error: SendError | null
  /** The receiver is overloaded: no delivery to it for this time. Null: it is not. */
  readonly slowDownMs: number | null
}

/**
 * Standard Webhooks: 429, 502 and 504 mean that the receiver is overloaded; without Retry-After the first pause of the
 * schedule applies. RFC 9110 15.6.4 adds 503 with Retry-After.
 */
const BUSY: Readonly<Record<number, number | null>> = { 429: 5_000, 502: 5_000, 503: null, 504: 5_000 }
/** A receiver may delay its deliveries by at most the longest pause of the schedule. */
const MAX_SLOW_DOWN_MS = 6 * 3_600_000

export function classifyAnswer(status: number, retryAfter: string | undefined, now: Date): Sent {
  const isDelivered = status >= 200 && status < 300
  const without = BUSY[status]
  const slowDownMs = without === undefined ? null : (retryAfterMs(retryAfter, now) ?? without)
  return { isDelivered, status, error: isDelivered ? null : errorOfStatus(status), slowDownMs }
}

export function toFailedSending(error: unknown): Sent {
  return { isDelivered: false, status: null, error: classifyError(error), slowDownMs: null }
}

function errorOfStatus(status: number): SendError {
  if (status === 410) return 'gone'
  return status >= 300 && status < 400 ? 'redirect' : 'status'
}

/** RFC 9110 10.2.3: seconds, or a date. */
function retryAfterMs(value: string | undefined, now: Date): number | null {
  const text = value?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime()
  if (!Number.isFinite(ms)) return null
  return Math.min(Math.max(ms, 0), MAX_SLOW_DOWN_MS)
}

/** Node's names for OpenSSL's certificate errors. */
const CERTIFICATE =
  /^(CERT_|CRL_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERROR_IN_CERT_)/

/** True if the other side's certificate is not valid for its address, or of another authority. */
export function isCertificateFault(error: unknown): boolean {
  return CERTIFICATE.test(String((error as { code?: unknown } | null | undefined)?.code))
}

function classifyError(error: unknown): SendError {
  if (error instanceof AggregateError) return classifyError(error.errors[0])
  if (!(error instanceof Error)) return 'connection'
  if ('code' in error && error.code === ADDRESS_REFUSED) return 'address_refused'
  if (isCertificateFault(error)) return 'certificate'
  const isLate =
    error.name === 'TimeoutError' ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  return isLate ? 'timeout' : 'connection'
}
