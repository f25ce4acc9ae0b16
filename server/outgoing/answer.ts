/** What an answer, or its absence, says about a delivery. Pure. */
import { errors } from 'undici'
import { ADDRESS_REFUSED } from './address-guard.ts'

/**
 * `status`: an answer that is no success; `gone`: 410, nothing is wanted here any more; `redirect`: never followed;
 * `certificate`: the receiver could not prove that it is who the address names.
 */
type SendError = 'status' | 'gone' | 'redirect' | 'timeout' | 'certificate' | 'connection' | 'address_refused'

export interface Sent {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly error: SendError | null
  /** The receiver is busy: nothing at all should be sent to it for so long. Null: it did not say so. */
  readonly slowDownMs: number | null
}

/**
 * Standard Webhooks: 429, 502 and 504 say that the receiver is under load; without Retry-After that is the first pause of
 * its schedule. RFC 9110 15.6.4 adds 503 where it comes with a Retry-After.
 */
const BUSY: Readonly<Record<number, number | null>> = { 429: 5_000, 502: 5_000, 503: null, 504: 5_000 }
/** No receiver stops its own deliveries for longer than the longest pause of the schedule. */
const MAX_SLOW_DOWN_MS = 6 * 3_600_000

export function classifyAnswer(status: number, retryAfter: string | undefined, now: Date): Sent {
  const isDelivered = status >= 200 && status < 300
  const without = BUSY[status]
  const slowDownMs = without === undefined ? null : (retryAfterMs(retryAfter, now) ?? without)
  return { isDelivered, status, error: isDelivered ? null : errorOfStatus(status), slowDownMs }
}

export function failedBy(error: unknown): Sent {
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

/** The names that Node gives to what OpenSSL finds wrong with a certificate. */
const CERTIFICATE =
  /^(CERT_|CRL_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERROR_IN_CERT_)/

function classifyError(error: unknown): SendError {
  if (error instanceof AggregateError) return classifyError(error.errors[0])
  if (!(error instanceof Error)) return 'connection'
  const code = 'code' in error ? String(error.code) : ''
  if (code === ADDRESS_REFUSED) return 'address_refused'
  if (CERTIFICATE.test(code)) return 'certificate'
  const isLate =
    error.name === 'TimeoutError' ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  return isLate ? 'timeout' : 'connection'
}
