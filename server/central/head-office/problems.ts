/** Error code → HTTP status and words, for head-office callers. Problem documents (RFC 9457) that quote nothing. */
import type { ErrorCode, FieldProblem } from '../../errors.ts'

interface ProblemText {
  readonly status: number
  readonly title: string
  readonly detail: string
}

const PROBLEMS: Readonly<Partial<Record<ErrorCode, ProblemText>>> = {
  validation_failed: {
    status: 400,
    title: 'Request not valid',
    detail: 'Correct the fields listed in errors and send the request again.',
  },
  malformed_body: {
    status: 400,
    title: 'Body not readable',
    detail: 'The body is not what the operation takes. Send well-formed JSON (UTF-8).',
  },
  malformed_request: {
    status: 400,
    title: 'Request not readable',
    detail: 'The path or a header of the request is not well-formed. Correct it and send the request again.',
  },
  upload_too_large: { status: 413, title: 'Too much data', detail: 'Send a smaller body.' },
  unauthorized: {
    status: 401,
    title: 'Key missing or not valid',
    detail: 'Send `Authorization: Bearer` with a key of this service. It may be missing, expired or revoked.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    detail: 'This key does not have the scope that the operation asks for.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    detail: 'Nothing of this kind is known to this consumer. Check the path and the ids in it.',
  },
  proof_not_found: {
    status: 404,
    title: 'Not found',
    detail: 'Nothing of this kind is known to this consumer. Check the path and the ids in it.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path exists, but not with this method. The Allow header lists those it takes.',
  },
  request_timeout: { status: 408, title: 'Request too slow', detail: 'Send the request again in full.' },
  revision_conflict: {
    status: 409,
    title: 'Changed meanwhile',
    detail: 'Another request changed the same thing at the same time. Read it and try again.',
  },
  transition_refused: {
    status: 409,
    title: 'Not possible in this state',
    detail: 'The present state does not allow this. Read it and decide by it.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many calls',
    detail: 'Wait for the seconds given in Retry-After, then go on more slowly.',
  },
  verification_stopped: {
    status: 422,
    title: 'Archive not verified',
    detail:
      'The verification ended without a result: it took more time or memory than it may, or its process ended twice. No sealed ' +
      'proof does that: the archive or the keys are not what they should be. The command `verify-proof` verifies it on your own machine.',
  },
  status_not_stored: {
    status: 503,
    title: 'Storage not available',
    detail: 'The database did not take the change; nothing was changed. Send the same request again later.',
  },
  centre_unavailable: {
    status: 503,
    title: 'Database not available',
    detail: 'Send the same request again in a few seconds.',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    detail: 'Send the same request again in a few seconds.',
  },
}

const OURS: ProblemText = {
  status: 500,
  title: 'Internal error',
  detail: 'A fault of the service. Try again; if it happens again, give the correlation id to its operator.',
}
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 2, 503: 5 }

export function statusOf(code: ErrorCode): number {
  return (PROBLEMS[code] ?? OURS).status
}

export function retryAfterOf(code: ErrorCode): number | null {
  return RETRY_AFTER_SECONDS[statusOf(code)] ?? null
}

export function problemDocument(
  code: ErrorCode,
  correlationId: string,
  problems: readonly FieldProblem[] = [],
): string {
  const { status, title, detail } = PROBLEMS[code] ?? OURS
  const shown = PROBLEMS[code] ? code : 'internal'
  return JSON.stringify({
    type: `urn:counterproof:problem:${shown}`,
    title,
    status,
    detail,
    errors: problems.length > 0 ? problems : [{ code: shown, message: title }],
    correlationId,
  })
}

/** Statuses that any call with a key may end with, for the OpenAPI text. */
export const COMMON_FAILURES: Readonly<Record<number, string>> = {
  400: 'Request not valid',
  401: 'Key missing or not valid',
  403: 'The key lacks the scope',
  404: 'Not found',
  413: 'Too much data',
  429: 'Too many calls; see Retry-After',
  500: 'Internal error',
  503: 'Not available now; see Retry-After',
}
