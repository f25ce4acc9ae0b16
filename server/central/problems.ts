/** The problems whose words or status differ from the appliance's; both APIs of the service answer failures with them. */
import type { Request, Response } from 'express'
import { AppError, type ErrorCode } from '../errors.ts'
import { sendProblem, type ProblemTexts } from '../http/problem-response.ts'
import { PROBLEMS, type ProblemText } from '../http/problems.ts'

const NOT_FOUND: ProblemText = {
  status: 404,
  title: 'Not found',
  detail: 'Nothing of this kind is known to this caller. Check the path and the ids in it.',
}
const AGAIN_SECONDS = 5

const OWN: Partial<ProblemTexts> = {
  unauthorized: {
    status: 401,
    title: 'Key missing or not valid',
    detail:
      'Send `Authorization: Bearer` with a key of this service, or sign in again. The key or the session may be missing, expired or revoked.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    detail:
      'The key lacks the scope, or the roles of the person lack the right, that the operation asks for.',
  },
  host_refused: {
    status: 403,
    title: 'Origin refused',
    detail:
      'Open the fleet page by the address that `staff.oidc.address` of central.json names, and sign in there.',
  },
  not_found: NOT_FOUND,
  proof_not_found: NOT_FOUND,
  transition_refused: {
    status: 409,
    title: 'Not possible in this state',
    detail: ({ reason, by, at }) => {
      const why = [reason, by && `by ${String(by)}`, at].filter(Boolean).join(', ')
      return `The present state does not allow this${why && `: ${why}`}. Read it and decide by it.`
    },
  },
  legal_hold: {
    status: 403,
    title: 'Under a legal hold',
    detail: 'A legal hold keeps the proof. Release the hold before the proof is erased.',
  },
  rate_limited: { ...PROBLEMS.rate_limited, retryAfterSeconds: AGAIN_SECONDS },
  too_many_uploads: { ...PROBLEMS.too_many_uploads, retryAfterSeconds: AGAIN_SECONDS },
  status_not_stored: {
    status: 503,
    title: 'Storage not available',
    detail: 'The database did not take the change; nothing was changed. Send the same request again later.',
    retryAfterSeconds: AGAIN_SECONDS,
  },
  centre_unavailable: {
    status: 503,
    title: 'Database not available',
    detail: 'Send the same request again in a few seconds.',
    retryAfterSeconds: AGAIN_SECONDS,
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    detail: 'Send the same request again in a few seconds.',
    retryAfterSeconds: AGAIN_SECONDS,
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail:
      'A fault of the service. Try again; if it happens again, give the correlation id to its operator.',
  },
}

export const CENTRAL_PROBLEMS: ProblemTexts = { ...PROBLEMS, ...OWN }

export function getHttpStatus(code: ErrorCode): number {
  return CENTRAL_PROBLEMS[code].status
}

/** Answers with the problem. A caller learns of a fault of the service that it is one, and not which. */
export function refuse(
  req: Request,
  res: Response,
  error: AppError,
  { correlationId, challenge }: { readonly correlationId: string; readonly challenge: string },
): void {
  const shown = getHttpStatus(error.code) === 500 ? new AppError('internal') : error
  sendProblem(req, res, shown, { correlationId, challenge, texts: CENTRAL_PROBLEMS })
}

/** Statuses that only some operations end with (`failures` of the route table). */
export const OWN_FAILURES: Readonly<Record<number, string>> = {
  409: 'Not possible in the present state',
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
