/**
 * Idempotency-Key: a POST that comes again under its key within a day is answered as the first time and done once.
 * It knows requests and answers; how keys and answers are kept is the store's.
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { KeptAnswer } from '../store/idempotency.ts'
import { keepAnswer, sendAnswer } from './answer.ts'
import { readBody } from '../http/body.ts'
import type { ApiDeps } from './deps.ts'
import type { Handler } from '../http/limits.ts'
import { parseFormType } from '../http/form-start.ts'
import { readForm, type Form } from '../http/form.ts'
import { getKeyHolder, rememberReservation, safePath } from './request-context.ts'
import type { Operation, Route } from './routes.ts'

export const REPEAT_KEY_HEADER = 'Idempotency-Key'
export const REPLAYED_HEADER = 'Idempotency-Replayed'

/** Long enough for a kiosk that was switched off over night. */
const KEPT_MS = 24 * HOUR_MS
const MAX_KEY_LENGTH = 255
/** Hashed in one turn of the event loop: a millisecond's work. */
const HASHED_BYTES = 1024 * 1024

/** A string as structured fields write it (RFC 9651 section 3.3.3), and the bare value that many clients send. */
const QUOTED_KEY = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const BARE_KEY = /^[\x20-\x21\x23-\x7e][\x20-\x7e]*$/

/** Wraps the handlers of one API. Which first requests still run is known to this process alone. */
export function repeatKeys(
  deps: Pick<ApiDeps, 'idempotency' | 'clock' | 'config'>,
): (route: Route & { readonly operation: Operation }, handler: Handler) => Handler {
  const { idempotency, clock, config } = deps
  const running = new Set<string>()

  const runOnce = async (
    id: string,
    route: Route,
    handler: Handler,
    req: Request,
    res: Response,
  ): Promise<void> => {
    running.add(id)
    rememberReservation(res, id)
    keepAnswer(res, (answer) => {
      const subject = route.secretAnswer ? null : findSubject(req, answer)
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
    const files = countFileParts(route)
    const { jsonBytes } = config.uploadLimits
    // The handler gets the same body when it reads it.
    const form: Form =
      files > 0
        ? await readForm(req, config.uploadLimits, files)
        : { kind: 'plain', bytes: await readBody(req, jsonBytes) }
    const request = await fingerprint(req, form)
    const now = clock.now()
    const reservation = idempotency.reserve(
      {
        apiKeyId: getKeyHolder(res).keyId,
        route: `${route.operation} ${safePath(req).toLowerCase()}`,
        key,
        request,
      },
      now,
      new Date(now.getTime() + KEPT_MS),
    )
    switch (reservation.outcome) {
      case 'reserved':
        return runOnce(reservation.id, route, handler, req, res)
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
 * the identity to be. Of a form the parts count, not the boundary between them: every attempt makes a new one.
 */
async function fingerprint(req: Request, form: Form): Promise<string> {
  const header = req.headers['content-type'] ?? ''
  const type = form.kind === 'parts' ? parseFormType(header).type : header
  const hash = createHash('sha256')
  hash.update(JSON.stringify([req.method, req.originalUrl, type, req.get('correlation-id')]))
  for (const [head, bytes] of listParts(form)) {
    hash.update(`\n${head}\n${bytes.byteLength}\n`)
    for (let from = 0; from < bytes.byteLength; from += HASHED_BYTES) {
      hash.update(bytes.subarray(from, from + HASHED_BYTES))
      await nextTurn()
    }
  }
  return hash.digest('hex')
}

function listParts(form: Form): readonly (readonly [head: string, bytes: Buffer])[] {
  if (form.kind === 'empty') return []
  if (form.kind === 'plain') return [['', form.bytes]]
  return form.parts.map(({ name, contentType, hasFileName, bytes }) => [
    JSON.stringify([name, contentType, hasFileName]),
    bytes,
  ])
}

/**
 * The identity under whose data key the answer is kept: that of the path, else the one that it names or has created. Null: it is about
 * no identity, and is kept nowhere; a repeat is told that it was carried out.
 */
function findSubject(req: Request, answer: KeptAnswer): string | null {
  const { id, webhookId } = req.params
  if (typeof id === 'string') return id.toLowerCase()
  if (typeof webhookId === 'string') return null
  const { identityId, id: created } = JSON.parse(answer.body) as { identityId?: string; id?: string }
  return identityId ?? created ?? null
}

function countFileParts({ body }: Route): number {
  if (body?.kind !== 'multipart') return 0
  return body.parts.filter(({ content }) => content === 'image' || content === 'file').length
}
