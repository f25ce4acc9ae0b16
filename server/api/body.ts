/** Reads request bodies: the bytes within a limit, and JSON from them. It believes no header about size or form. */
import type { Request } from 'express'
import { AppError } from '../errors.ts'

/** Bodies that somebody read before their handler. */
const bodiesPutBack = new WeakMap<Request, Buffer[]>()

/** Hands a body that was read to whoever reads it next. */
export function putBodyBack(req: Request, chunks: Buffer[]): void {
  bodiesPutBack.set(req, chunks)
}

/**
 * The body's chunks. Throws `upload_too_large` before reading anything when Content-Length already says so, else at the
 * first byte over the limit; nothing more is kept from there on.
 */
export async function readBody(
  req: Request,
  limitBytes: number,
  tooLarge: () => AppError = () => new AppError('upload_too_large', { limitBytes }),
): Promise<Buffer[]> {
  const putBack = bodiesPutBack.get(req)
  if (putBack) {
    bodiesPutBack.delete(req)
    return putBack
  }
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge()
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw malformed('Content-Encoding', 'compressed bodies are not accepted: send the body as it is')
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (outcome: () => void) => {
      req.off('data', take).off('end', done).off('error', broken).off('close', broken)
      outcome()
    }
    const take = (chunk: Buffer) => {
      size += chunk.byteLength
      if (size > limitBytes) {
        chunks.length = 0
        settle(() => reject(tooLarge()))
      } else chunks.push(chunk)
    }
    const done = () => settle(() => resolve(chunks))
    // The caller hung up: nobody will read the answer, but the request has to end.
    const broken = () => settle(() => reject(malformed(undefined, 'the body ended early')))
    req.on('data', take).once('end', done).once('error', broken).once('close', broken)
  })
}

/** A JSON body, whatever its content type calls itself. Undefined when there is none. */
export async function readJson(req: Request, limitBytes: number): Promise<unknown> {
  return parseJson(Buffer.concat(await readBody(req, limitBytes)))
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
    return JSON.parse(text) as unknown
  } catch {
    throw malformed(field, 'must be well-formed JSON')
  }
}

export function malformed(field: string | undefined, message: string): AppError {
  return new AppError(
    'malformed_body',
    {},
    { problems: [{ code: 'malformed_body', message, ...(field ? { field } : {}) }] },
  )
}
