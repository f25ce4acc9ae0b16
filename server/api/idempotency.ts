/**
 * Implements Idempotency-Key: a POST that is repeated with its key within a day runs once and gets the first answer again. The
 * store keeps the keys and answers.
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
import type { Route } from './route.ts'
import type { Operation } from './routes.ts'

export const REPEAT_KEY_HEADER = 'Idempotency-Key'
export const REPLAYED_HEADER = 'Idempotency-Replayed'

/** Covers a client that was switched off over night. */
const KEPT_MS = 24 * HOUR_MS
const MAX_KEY_LENGTH = 255
/** Bytes to hash in one turn of the event loop, about a millisecond. */
const HASHED_BYTES = 1024 * 1024

/** A string of structured fields (RFC 9651 section 3.3.3); many clients send the bare value. */
const QUOTED_KEY = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/
const BARE_KEY = /^[\x20-\x21\x23-\x7e][\x20-\x7e]*$/

/** Wraps the handlers of one API. Only this process knows which first requests still run. */
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
    // The body is cached, so the handler can read it again.
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

/** Returns undefined without the header. Throws `validation_failed` for an invalid key. */
export function parseRepeatKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const quoted = QUOTED_KEY.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1')
  const key = quoted ?? (BARE_KEY.test(header) ? header : '')
  if (key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key
  const message = `must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, bare or as a quoted string`
  throw fieldProblem('wrong_form', REPEAT_KEY_HEADER, message)
}

/**
 * Hashes the facts that make two requests equal: method, address, content type, body, and the caller's own id of the new
 * identity. A form is hashed by its parts, because the boundary differs between two attempts.
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
 * Returns the identity whose data key encrypts the kept answer: the one in the path, otherwise the one that the answer names or
 * has created. Null: the answer belongs to no identity and is not kept; a repeat only learns that the request was carried out.
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
