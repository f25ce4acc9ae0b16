/**
 * Sends results. JSON passes its contract schema first: members that the contract does not list are removed, and an answer
 * that breaks the contract becomes an internal error (500).
 */
import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import type { Response } from 'express'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { canonicalJson } from '../proof/verify/canonical-json.ts'
import type { KeptAnswer } from '../store/idempotency.ts'
import { CONTRACT } from './contract/index.ts'
import type { ContractName, Frozen } from './contract/index.ts'

const keepers = new WeakMap<Response, (answer: KeptAnswer) => void>()

/** Passes the answer to `keep` before it is sent. Files are not kept. */
export function keepAnswer(res: Response, keep: (answer: KeptAnswer) => void): void {
  keepers.set(res, keep)
}

/** Sends a new or a kept answer. */
export function sendAnswer(res: Response, answer: KeptAnswer): void {
  keepers.get(res)?.(answer)
  res.status(answer.status)
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value)
  if (answer.status !== 204) res.setHeader('Content-Length', Buffer.byteLength(answer.body))
  // Node writes a text together with the head: one call of the system instead of two.
  res.end(answer.body)
}

/** Writes the JSON in the same form as the proof, so that both can be compared byte by byte. */
export function sendJson<Name extends ContractName>(
  res: Response,
  name: Name,
  value: Frozen<z.output<(typeof CONTRACT)[Name]>>,
): void {
  const checked = CONTRACT[name].safeParse(value)
  if (!checked.success) {
    const fields = checked.error.issues.map(({ path }) => path.map(String).join('.'))
    throw new AppError('internal', { contract: name, fields })
  }
  sendAnswer(res, {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: canonicalJson(checked.data),
  })
}

export function sendNothing(res: Response): void {
  sendAnswer(res, { status: 204, headers: {}, body: '' })
}

/** Answers 302 Found. The caller of this function must have checked the target. */
export function sendRedirect(res: Response, target: string): void {
  sendAnswer(res, { status: 302, headers: { Location: target }, body: '' })
}

interface OutgoingPart {
  /** `form-data; name="Portrait"` or `attachment`; the file name is added. */
  readonly disposition: string
  /** Made of ids and fixed words only. */
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * Sends a MIME multipart body with its exact length. The boundary is a hash of the content: the same parts always give the
 * same bytes, and no content contains its own hash by accident.
 */
export function sendMultipart(
  res: Response,
  subtype: 'form-data' | 'mixed',
  parts: readonly OutgoingPart[],
): void {
  const hash = createHash('sha256')
  for (const { bytes } of parts) hash.update(bytes)
  const boundary = buildBoundary(hash.digest('hex'))
  const body = Buffer.concat([
    ...parts.flatMap((part) => [
      partHead(boundary, { ...part, size: part.bytes.byteLength }),
      part.bytes,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  startMultipart(res, subtype, boundary, body.byteLength)
  res.end(body)
}

interface StreamedPart extends Omit<OutgoingPart, 'bytes'> {
  readonly size: number
  /** SHA-256 of the bytes, lower-case hex. */
  readonly sha256: string
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Sends a multipart body of one part piece by piece, at the speed of the caller. Rejects before anything is sent if the first
 * piece cannot be read; after a later error the answer is shorter than its stated length. Stops reading if the caller hangs
 * up.
 */
export async function sendStreamed(
  res: Response,
  subtype: 'form-data' | 'mixed',
  part: StreamedPart,
): Promise<void> {
  const boundary = buildBoundary(part.sha256)
  const head = partHead(boundary, part)
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const pieces = part.content[Symbol.asyncIterator]()
  const first = await pieces.next()
  const body = async function* () {
    yield head
    for (let next = first; !next.done; next = await pieces.next()) yield next.value
    yield tail
  }
  startMultipart(res, subtype, boundary, head.byteLength + part.size + tail.byteLength)
  try {
    await pipeline(body(), res)
  } catch (error) {
    if (!hungUp(error)) throw error
  } finally {
    await pieces.return?.()
  }
}

const HUNG_UP = [
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
  'ECONNRESET',
  'EPIPE',
]

/** True if the caller hung up. That is no fault; the request log states that the answer is incomplete. */
function hungUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && HUNG_UP.includes(String(error.code))
}

function buildBoundary(sha256: string): string {
  return `counterproof-${sha256.slice(0, 32)}`
}

function partHead(
  boundary: string,
  { disposition, fileName, mediaType, size }: Omit<OutgoingPart, 'bytes'> & { readonly size: number },
): Buffer {
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: ${disposition}; filename="${fileName}"\r\n` +
      `Content-Type: ${mediaType}\r\nContent-Length: ${size}\r\n\r\n`,
  )
}

function startMultipart(res: Response, subtype: string, boundary: string, length: number): void {
  res.status(200)
  res.setHeader('Content-Type', `multipart/${subtype}; boundary=${boundary}`)
  res.setHeader('Content-Length', length)
}
