/** Reads bodies within a limit and values by their schema. No header is believed about size or form. */
import type { Request } from 'express'
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { decodeJson } from '../json.ts'

const MOST_PROBLEMS = 50

/** Throws `upload_too_large`, `malformed_body`. */
export async function readBody(req: Request, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes) {
    throw new AppError('upload_too_large', { limitBytes })
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') throw new AppError('malformed_body')
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of req as AsyncIterable<Buffer>) {
      size += piece.byteLength
      if (size > limitBytes) throw new AppError('upload_too_large', { limitBytes })
      pieces.push(piece)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('malformed_body', {}, { cause: error })
  }
  return Buffer.concat(pieces)
}

/** Throws `malformed_body`, or `validation_failed` with one problem per field; neither repeats a value. */
export function parseJson<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  const parsed = schema.safeParse(decodeJson(bytes))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, MOST_PROBLEMS).map(({ code, path }) => ({
    code,
    field: path.map(String).join('.').slice(0, 100) || 'body',
    message: 'missing or not of the right form',
  }))
  throw new AppError('validation_failed', {}, { problems })
}
