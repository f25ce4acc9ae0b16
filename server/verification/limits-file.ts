/** Reads a file of limits from resources/ and validates it with its schema. Contains no limit itself. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { z } from 'zod'
import { AppError } from '../errors.ts'

/** Throws `configuration_invalid` and lists every problem. */
export function readLimits<T>(path: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ code, path: at, message }) => ({
    code,
    field: at.join('.'),
    message,
  }))
  throw new AppError('configuration_invalid', { file: basename(path) }, { problems })
}
