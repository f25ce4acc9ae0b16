/** Error code → HTTP status, for kiosks. A problem document (RFC 9457) without words: a program reads it. */
import type { Request, Response } from 'express'
import type { AppError } from '../../errors.ts'
import { type ErrorCode } from '../../errors.ts'
import { endWhenRead } from '../http/body.ts'

const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  validation_failed: 400,
  malformed_body: 400,
  malformed_request: 400,
  unauthorized: 401,
  nonce_required: 401,
  enrolment_refused: 403,
  not_found: 404,
  method_not_allowed: 405,
  revision_conflict: 409,
  announcement_stale: 409,
  upload_too_large: 413,
  rate_limited: 429,
  too_many_uploads: 429,
  centre_unavailable: 503,
  shutting_down: 503,
}
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 10, 503: 5 }

export function statusOf(code: ErrorCode): number {
  return STATUSES[code] ?? 500
}

export function sendProblem(req: Request, res: Response, error: AppError, correlationId: string): void {
  const status = statusOf(error.code)
  const code = status === 500 ? 'internal' : error.code
  const body = Buffer.from(
    JSON.stringify({
      type: `urn:counterproof:problem:${code}`,
      title: code,
      status,
      errors: error.problems.length > 0 ? error.problems : [{ code, message: code }],
      correlationId,
    }),
  )
  const retryAfter = RETRY_AFTER_SECONDS[status]
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(retryAfter))
  if (status === 401) res.setHeader('WWW-Authenticate', 'Counterproof')
  res.status(status)
  res.setHeader('Content-Type', 'application/problem+json; charset=utf-8')
  res.setHeader('Content-Length', body.byteLength)
  res.setHeader('Cache-Control', 'no-store')
  endWhenRead(req, res, body)
}
