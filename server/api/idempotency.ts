/**
 * Idempotency-Key: a POST that comes again under its key within a day is answered as the first time and done once.
 * It knows requests and answers; how keys and answers are kept is the store's.
 */
import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { KeptAnswer } from '../store/idempotency.ts'
import { keepAnswer, sendAnswer } from './answer.ts'
import { putBodyBack, readBody } from './body.ts'
import type { ApiDeps } from './deps.ts'
import type { Handler } from './handlers.ts'
import { readFormBody } from './multipart-in.ts'
import { BOUNDARY_PARAMETER, MOST_PARTS, declaredBoundary, firstBoundary } from './multipart-parts.ts'
import { holderOf, rememberReservation, safePath } from './request-context.ts'
import type { Operation, Route } from './routes.ts'

export const REPEAT_KEY_HEADER = 'Idempotency-Key'
export const REPLAYED_HEADER = 'Idempotency-Replayed'

/** Long enough for a kiosk that was switched off over night. */
const KEPT_MS = 24 * HOUR_MS
const MAX_KEY_LENGTH = 255

/** A string as structured fields write it (RFC 9651 section 3.3.3), and the bare value that many clients send. */
const QUOTED_KEY = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const BARE_KEY = /^[\x20-\x21\x23-\x7e][\x20-\x7e]*$/

/** Wraps the handlers of one API. Which first requests still run is known to this process alone. */
export function repeatKeys(
  deps: Pick<ApiDeps, 'idempotency' | 'clock' | 'config'>,
): (route: Route & { readonly operation: Operation }, handler: Handler) => Handler {
  const { idempotency, clock, config } = deps
  const running = new Set<string>()

  const runOnce = async (id: string, handler: Handler, req: Request, res: Response): Promise<void> => {
    running.add(id)
    rememberReservation(res, id)
    keepAnswer(res, (answer) => {
      const subject = subjectOf(req, answer)
      if (subject !== null) idempotency.answered(id, subject, answer)
    })
    try {
      await handler(req, res)
    } finally {
      running.delete(id)
      idempotency.release(id)
    }
  }

  return (route, handler) => async (req, res) => {
    const key = parseRepeatKey(req.get(REPEAT_KEY_HEADER))
    if (key === undefined) return handler(req, res)
    const files = filesOf(route)
    const { jsonBytes } = config.uploadLimits
    const chunks =
      files > 0 ? await readFormBody(req, config.uploadLimits, files) : await readBody(req, jsonBytes)
    const body = Buffer.concat(chunks)
    putBodyBack(req, [body])
    const now = clock.now()
    const reservation = idempotency.reserve(
      {
        apiKeyId: holderOf(res).keyId,
        route: `${route.operation} ${safePath(req).toLowerCase()}`,
        key,
        request: fingerprint(req, body),
      },
      now,
      new Date(now.getTime() + KEPT_MS),
    )
    switch (reservation.outcome) {
      case 'reserved':
        return runOnce(reservation.id, handler, req, res)
      case 'answered':
        res.setHeader(REPLAYED_HEADER, 'true')
        return sendAnswer(res, reservation.answer)
      case 'reused':
        throw new AppError('idempotency_key_reused')
      case 'running':
        throw new AppError('idempotency_in_progress')
      case 'answer-lost':
        throw new AppError(
          running.has(reservation.id) ? 'idempotency_in_progress' : 'idempotency_answer_lost',
        )
    }
  }
}

/** Undefined without the header. Throws `validation_failed` for what is no key. */
export function parseRepeatKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const quoted = QUOTED_KEY.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  const key = quoted ?? (BARE_KEY.test(header) ? header : '')
  if (key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key
  const message = `must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, bare or as a quoted string`
  throw fieldProblem('wrong_form', REPEAT_KEY_HEADER, message)
}

/**
 * What makes two requests the same: method, address, what the body calls itself, the body, and the caller's own id of
 * the identity to be. The boundary of a form counts in neither: every attempt makes a new one.
 */
function fingerprint(req: Request, body: Buffer): string {
  const type = req.headers['content-type'] ?? ''
  const head = [req.method, req.originalUrl, type.replace(BOUNDARY_PARAMETER, ''), req.get('correlation-id')]
  const hash = createHash('sha256').update(JSON.stringify(head))
  for (const piece of piecesBetween(body, declaredBoundary(type) ?? firstBoundary(body))) {
    hash.update(`\n${piece.byteLength}\n`).update(piece)
  }
  return hash.digest('hex')
}

/** No more pieces than a form may have parts: each costs time and memory, and nobody reads a longer form. */
function piecesBetween(body: Buffer, separator: string | undefined): Buffer[] {
  if (!separator) return [body]
  const pieces: Buffer[] = []
  let start = 0
  for (
    let at = body.indexOf(separator, 0, 'latin1');
    at !== -1 && pieces.length <= MOST_PARTS;
    at = body.indexOf(separator, start, 'latin1')
  ) {
    pieces.push(body.subarray(start, at))
    start = at + separator.length
  }
  return [...pieces, body.subarray(start)]
}

/**
 * The identity under whose data key the answer is kept: that of the path, else the one that it names or has created. Null: it is about
 * no identity, and is kept nowhere; a repeat is told that it was carried out.
 */
function subjectOf(req: Request, answer: KeptAnswer): string | null {
  const { id, webhookId } = req.params
  if (typeof id === 'string') return id.toLowerCase()
  if (typeof webhookId === 'string') return null
  const { identityId, id: created } = JSON.parse(answer.body) as { identityId?: string; id?: string }
  return identityId ?? created ?? null
}

function filesOf({ body }: Route): number {
  if (body?.kind !== 'multipart') return 0
  return body.parts.filter(({ content }) => content === 'image' || content === 'file').length
}
