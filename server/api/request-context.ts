/** Context of a request: correlation id, arrival time, caller. */
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { fieldProblem } from '../errors.ts'
import { STAFF_ID } from '../proofing/adjudication-decision.ts'
import type { Caller } from '../proofing/types.ts'
import { clientAddress } from '../http/client-address.ts'
import { UUID } from '../http/parse.ts'
import type { ApiDeps, KeyHolder } from './deps.ts'
import { ROUTE_LIST } from './routes.ts'

export const CORRELATION_HEADER = 'X-Correlation-Id'

/**
 * Accepts only ids that can be no name and no number of a person: a UUID, or with a letter a ULID or 16 to 64 hexadecimal digits (trace
 * ids). 16 digits without a letter could be a payment card. Replaces others.
 */
const CORRELATION_ID =
  /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=\d*[a-z])([0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{16,64}))$/i

const SCREEN_WORDS =
  'counter kiosk api session me staff keys audit desk today proofings assist password second-factor passkey passkeys ' +
  'options totp confirm recovery-codes set-up done roles touch lock unlock fresh disable enable reset rotate chain export'

const KNOWN_SEGMENTS = new Set([
  ...ROUTE_LIST.flatMap(({ path }) => path.split('/')).filter((segment) => !segment.startsWith('{')),
  ...['sessions', 'document', 'frame', 'video', 'callbacks', 'biometrics', 'adjudication'], // of the paths under /capture
  // Paths of the screens and their calls
  ...SCREEN_WORDS.split(' '),
])

interface RequestContext {
  readonly correlationId: string
  readonly startedAt: Date
  holder: KeyHolder | null
  /** Id of the reservation for its Idempotency-Key. */
  reservationId?: string
}

const contexts = new WeakMap<Response, RequestContext>()

/**
 * Mount it first. Sets the correlation id of the request, returns it in the answer, and logs the outcome at the end. Skips a
 * request that is already open, because the API also opens requests when it runs alone.
 */
export function openRequest(deps: Pick<ApiDeps, 'clock' | 'newId' | 'log'>): RequestHandler {
  return (req: Request, res: Response, next: NextFunction) => {
    if (contexts.has(res)) return next()
    const sent = req.get(CORRELATION_HEADER)
    const correlationId = sent && CORRELATION_ID.test(sent) ? sent : deps.newId()
    const startedAt = deps.clock.now()
    contexts.set(res, { correlationId, startedAt, holder: null })
    res.setHeader(CORRELATION_HEADER, correlationId)
    res.once('close', () => {
      deps.log.info(
        {
          correlationId,
          method: req.method,
          path: safePath(req),
          status: res.statusCode,
          // False if the caller hung up before the end of the answer.
          complete: res.writableFinished,
          elapsedMs: deps.clock.now().getTime() - startedAt.getTime(),
          keyId: contexts.get(res)?.holder?.keyId ?? null,
        },
        'a request ended',
      )
    })
    next()
  }
}

export function getRequestContext(res: Response): RequestContext {
  const context = contexts.get(res)
  if (!context) throw new TypeError('request was not opened')
  return context
}

export function rememberHolder(res: Response, holder: KeyHolder): void {
  getRequestContext(res).holder = holder
}

export function rememberReservation(res: Response, reservationId: string): void {
  getRequestContext(res).reservationId = reservationId
}

/** Returns the caller that the guard has set. Throws a `TypeError` if the guard did not run, which is a programming error. */
export function getKeyHolder(res: Response): KeyHolder {
  const { holder } = getRequestContext(res)
  if (!holder) throw new TypeError('request was not authenticated')
  return holder
}

/** Builds the caller for the workflows. */
export function buildCaller(req: Request, res: Response): Caller {
  const { correlationId, startedAt, reservationId } = getRequestContext(res)
  const { keyId, tenantId, applicationId, role, identityId } = getKeyHolder(res)
  return {
    tenantId,
    applicationId,
    role,
    reach: identityId === null ? { kind: 'APPLICATION' } : { kind: 'IDENTITY', identityId },
    keyId,
    correlationId,
    method: callerMethod(req.method),
    uri: safePath(req),
    remoteAddress: clientAddress(req) || null,
    startedAt,
    ...(role === 'RELYING_SERVICE' ? readOfficer(req) : {}),
    ...(reservationId ? { idempotencyId: reservationId } : {}),
  }
}

const OFFICER_HEADER = 'officer-id'

/** Throws `validation_failed` for an invalid officer id: if it were ignored, the caller would believe that it counts. */
function readOfficer(req: Request): Pick<Caller, 'officer'> {
  const officer = req.get(OFFICER_HEADER)
  if (officer === undefined) return {}
  if (STAFF_ID.test(officer)) return { officer }
  throw fieldProblem(
    'wrong_form',
    OFFICER_HEADER,
    'must be 1 to 64 of A-Z, a-z, 0-9, dot, hyphen and underscore',
  )
}

/**
 * Returns the path without any text of the caller: known words and UUIDs stay, anything else becomes `{…}`. The id of a capture
 * session (the UUID after `/capture/sessions/` or `/live-capture-session/`) is replaced too, because it is a credential.
 */
export function safePath(req: Request): string {
  const path = req.originalUrl.split('?', 1)[0] ?? '/'
  const segments = path.split('/')
  const firstCapture = segments.findIndex((segment) => /capture/i.test(segment))
  return segments
    .map((segment, at) => {
      const isOpenId = UUID.test(segment) && (firstCapture < 0 || at < firstCapture)
      return KNOWN_SEGMENTS.has(segment) || isOpenId ? segment : '{…}'
    })
    .join('/')
}

function callerMethod(method: string): Caller['method'] {
  switch (method) {
    case 'POST':
    case 'PUT':
    case 'DELETE':
      return method
    default:
      // Express runs HEAD as GET.
      return 'GET'
  }
}
