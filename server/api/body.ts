/**
 * Reads request bodies within their limits: chunk by chunk, as bytes, as JSON. Believes no header about size or form.
 * Gives way to other requests between two chunks, and holds what a body may take in memory to the upload budget.
 */
import { on } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Request } from 'express'
import { AppError } from '../errors.ts'
import { accountOf } from './upload-budget.ts'

/** One read of a socket. */
const BLOCK_BYTES = 64 * 1024
/** Copied in one turn of the event loop: two milliseconds' work, most of it for memory that is used the first time. */
const JOINED_BYTES = 4 * 1024 * 1024
/** A body in tiny chunks costs time, not bytes: a tenth of what one turn of the event loop may take. */
const TURN_MS = 5

/** Bodies that were read already: the Idempotency-Key guard reads a body before its handler does. */
const bodiesRead = new WeakMap<Request, Buffer>()

/**
 * The chunks of the body, each of 64 KiB at most. Throws `upload_too_large` before it reads anything when Content-Length
 * is over the limit, else at the first byte over it; `upload_budget_exceeded` likewise; `request_timeout` when a body
 * that holds a part of the budget stops arriving; `malformed_body` when it ends early.
 */
export async function* bodyChunks(
  req: Request,
  limitBytes: number,
  tooLarge: () => AppError,
): AsyncGenerator<Buffer, void, void> {
  const account = accountOf(req)
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
    // The caller hung up. Nothing can be answered, but the request has to end.
    if (!req.complete) throw malformed(undefined, 'the body ended early')
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
    throw malformed('Content-Encoding', 'compressed bodies are not accepted: send the body as it is')
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
  } catch (cause) {
    if (signal.aborted) throw new AppError('request_timeout', {}, { cause })
    throw malformed(undefined, 'the body ended early')
  }
}

/** The whole body, empty where there is none. The same bytes when it is asked for again. */
export async function readBody(
  req: Request,
  limitBytes: number,
  tooLarge: () => AppError = () => new AppError('upload_too_large', { limitBytes }),
): Promise<Buffer> {
  const read = bodiesRead.get(req)
  if (read) return read
  const bytes = new ByteBlocks()
  for await (const chunk of bodyChunks(req, limitBytes, tooLarge)) bytes.append(chunk)
  const body = await bytes.join()
  bodiesRead.set(req, body)
  return body
}

/**
 * Bytes that arrive in pieces of any size. Copies them into blocks: a million chunks of one byte would take a hundred
 * times their size in memory.
 */
export class ByteBlocks {
  readonly #full: Buffer[] = []
  #open = Buffer.alloc(0)
  #openBytes = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  append(chunk: Uint8Array): void {
    let from = 0
    while (from < chunk.byteLength) {
      if (this.#openBytes === this.#open.byteLength) this.#openBlock()
      const bytes = Math.min(chunk.byteLength - from, this.#open.byteLength - this.#openBytes)
      this.#open.set(chunk.subarray(from, from + bytes), this.#openBytes)
      this.#openBytes += bytes
      from += bytes
    }
    this.#size += chunk.byteLength
  }

  /** All bytes in one piece. Lets each block go once it is copied; nothing may be appended afterwards. */
  async join(): Promise<Buffer> {
    const joined = Buffer.allocUnsafeSlow(this.#size)
    const blocks = [...this.#full.splice(0), this.#open.subarray(0, this.#openBytes)]
    let joinedBytes = 0
    for (let block = blocks.shift(); block; block = blocks.shift()) {
      joined.set(block, joinedBytes)
      joinedBytes += block.byteLength
      if (joinedBytes % JOINED_BYTES === 0) await nextTurn()
    }
    return joined
  }

  #openBlock(): void {
    if (this.#openBytes > 0) this.#full.push(this.#open)
    this.#open = Buffer.allocUnsafeSlow(BLOCK_BYTES)
    this.#openBytes = 0
  }
}

/** A JSON body, whatever its content type calls itself. Undefined when there is none. */
export async function readJson(req: Request, limitBytes: number): Promise<unknown> {
  return parseJson(await readBody(req, limitBytes))
}

/** UTF-8 JSON, byte order mark allowed. Undefined for nothing but white space. The parser's words quote the text: not kept. */
export function parseJson(bytes: Uint8Array, field?: string): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw malformed(field, 'must be UTF-8 text')
  }
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text, requireWritable) as unknown
  } catch (error) {
    if (error instanceof UnwritableText) throw malformed(field, 'must hold no half of a surrogate pair')
    throw malformed(field, 'must be well-formed JSON')
  }
}

/** No canonical JSON (RFC 8785) can hold it, and so no proof. */
class UnwritableText extends Error {}

function requireWritable(name: string, value: unknown): unknown {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) throw new UnwritableText()
  return value
}

export function malformed(field: string | undefined, message: string): AppError {
  return new AppError(
    'malformed_body',
    {},
    { problems: [{ code: 'malformed_body', message, ...(field ? { field } : {}) }] },
  )
}
