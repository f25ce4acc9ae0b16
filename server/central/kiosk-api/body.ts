/** Reads values by their schema. */
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import { decodeJson } from '../json.ts'

const MAX_PROBLEMS = 50

/** Throws `malformed_body`, or `validation_failed` with one problem per field; neither repeats a value. */
export function parseJson<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  const parsed = schema.safeParse(decodeJson(bytes))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, MAX_PROBLEMS).map(({ code, path }) => ({
    code,
    field: path.map(String).join('.').slice(0, 100) || 'body',
    message: 'missing or not of the right form',
  }))
  throw new AppError('validation_failed', {}, { problems })
}
