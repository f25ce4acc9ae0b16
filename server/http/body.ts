/**
 * Reads request bodies within their limits: chunk by chunk, as bytes, as JSON. Believes no header about size or form.
 * Gives way to other requests between two chunks, and counts each body in an account that limits the memory of bodies.
 */
import { on } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Request } from 'express'
import { AppError } from '../errors.ts'
import { ByteBlocks } from './byte-blocks.ts'
import { createMalformedError, parseJson } from './json.ts'
import { getUploadAccount, type BodyAccount } from './upload-budget.ts'

/** One read of a socket. */
const BLOCK_BYTES = 64 * 1024
/** A body in tiny chunks costs time, not memory. This is a tenth of what one turn of the event loop may take. */
const TURN_MS = 5

/** Bodies that were already read: the Idempotency-Key guard reads a body before its handler does. */
const bodiesRead = new WeakMap<Request, Buffer<ArrayBuffer>>()

/**
 * The chunks of the body, each of 64 KiB at most. Throws `upload_too_large` before it reads anything when Content-Length
 * is over the limit, else at the first byte over it; what the account throws when it has no room (`upload_budget_exceeded`,
 * `rate_limited`) or the body arrives too slowly (`request_timeout`); `malformed_body` when the body ends early.
 */
export async function* bodyChunks(
  req: Request,
  limitBytes: number,
  tooLarge: () => AppError,
  account: BodyAccount = getUploadAccount(req),
): AsyncGenerator<Buffer, void, void> {
  const arrival = account.watchArrival()
  let isRead = false
  try {
    const declaredBytes = Number(req.headers['content-length'] ?? 0)
    if (declaredBytes > limitBytes) throw tooLarge()
    refuseEncoding(req)
    account.claim(declaredBytes)
    let receivedBytes = 0
    let turn = { since: performance.now(), bytes: 0 }
    for await (const chunk of arrivingChunks(req, arrival.signal)) {
      receivedBytes += chunk.byteLength
      if (receivedBytes > limitBytes) throw tooLarge()
      account.claim(Math.max(declaredBytes, receivedBytes))
      arrival.note(receivedBytes)
      yield chunk
      turn.bytes += chunk.byteLength
      if (turn.bytes >= BLOCK_BYTES || performance.now() - turn.since >= TURN_MS) {
        await nextTurn()
        turn = { since: performance.now(), bytes: 0 }
      }
    }
    arrival.signal.throwIfAborted()
    // The client closed the connection. No answer is possible, but the request must end.
    if (!req.complete) throw createMalformedError(undefined, 'the body ended early')
    isRead = true
  } finally {
    arrival.stop()
    // The read bytes are dropped at once. The sender may continue sending for a while.
    if (!isRead) account.release()
  }
}

function refuseEncoding({ headers }: Request): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw createMalformedError(
      'Content-Encoding',
      'compressed bodies are not accepted: send the body as it is',
    )
  }
}

async function* arrivingChunks(req: Request, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  if (req.readableEnded || req.destroyed) return
  const events = on(req, 'data', {
    signal,
    close: ['end', 'close'],
    highWaterMark: 1,
    lowWaterMark: 1,
  }) as AsyncIterable<[Buffer]>
  try {
    for await (const [chunk] of events) yield chunk
  } catch {
    if (signal.aborted) throw signal.reason as Error
    throw createMalformedError(undefined, 'the body ended early')
  }
}

/** Reads the whole body. It is empty if the request has none. A second call returns the same bytes. */
export async function readBody(
  req: Request,
  limitBytes: number,
  tooLarge: () => AppError = () => new AppError('upload_too_large', { limitBytes }),
  account?: BodyAccount,
): Promise<Buffer<ArrayBuffer>> {
  const read = bodiesRead.get(req)
  if (read) return read
  const bytes = new ByteBlocks()
  for await (const chunk of bodyChunks(req, limitBytes, tooLarge, account)) bytes.append(chunk)
  const body = await bytes.join()
  bodiesRead.set(req, body)
  return body
}

/** Reads a JSON body and ignores its content type. Returns undefined if there is no body. */
export async function readJson(req: Request, limitBytes: number): Promise<unknown> {
  return parseJson(await readBody(req, limitBytes))
}
