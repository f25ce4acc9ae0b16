/** Reads request bodies within a limit, and values by the contract. No header is believed about size or form. */
import type { Request } from 'express'
import type { z } from 'zod'
import { AppError, type FieldProblem } from '../../errors.ts'
import { decodeJson } from '../json.ts'

const MAX_PROBLEMS = 50
const MAX_FIELD_CHARS = 100
/** Tab, line feed, carriage return, space. */
const BLANKS = new Set([9, 10, 13, 32])

/** Throws `upload_too_large`, `malformed_body`. */
export async function readBody(req: Request, limitBytes: number): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limitBytes)
    throw new AppError('upload_too_large', { limitBytes })
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw new AppError('malformed_body')
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      size += chunk.byteLength
      if (size > limitBytes) throw new AppError('upload_too_large', { limitBytes })
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('malformed_body', {}, { cause: error })
  }
  return Buffer.concat(chunks)
}

/** An absent body is `{}`. Throws `malformed_body`. */
export function parseJson(bytes: Uint8Array): unknown {
  return bytes.every((byte) => BLANKS.has(byte)) ? {} : decodeJson(bytes)
}

/** Throws `validation_failed` with every problem and its field; no value is repeated. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.slice(0, MAX_PROBLEMS).map((issue): FieldProblem => {
    const field = issue.path
      .map(String)
      .join('.')
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, MAX_FIELD_CHARS)
    return { code: issue.code, message: wordsOf(issue), ...(field ? { field } : {}) }
  })
  throw new AppError('validation_failed', {}, { problems })
}

/** Our own words: what is expected, never what came. */
function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of type ${issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}${issue.origin === 'string' ? ' characters long' : ''}`
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`
    case 'unrecognized_keys':
      return 'has a field that the contract does not know'
    case 'custom':
      return issue.message
    case 'invalid_format':
      return issue.format === 'regex' && issue.message !== 'Invalid input'
        ? issue.message
        : 'is not of the right form'
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return 'is not of the right form'
  }
}
