/** Reads values by the contract. */
import type { z } from 'zod'
import { AppError, type FieldProblem } from '../../errors.ts'
import { decodeJson } from '../json.ts'

const MAX_PROBLEMS = 50
const MAX_FIELD_CHARS = 100
/** Tab, line feed, carriage return, space. */
const BLANKS = new Set([9, 10, 13, 32])

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
