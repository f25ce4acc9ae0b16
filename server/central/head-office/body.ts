/** Reads request bodies within a limit, and values by the contract. No header is believed about size or form. */
import type { Request } from 'express'
import type { z } from 'zod'
import { AppError, type FieldProblem } from '../../errors.ts'

const MAX_PROBLEMS = 50
const MAX_FIELD_CHARS = 100

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

/** Deeper than any settings are; what comes after goes through them one inside the other. */
const MAX_DEPTH = 100
const CHAR = { quote: 34, backslash: 92, open: [91, 123], close: [93, 125] } as const

/** An absent body is `{}`. Throws `malformed_body`, also for what is nested without end. */
export function parseJson(bytes: Uint8Array): unknown {
  if (depthOf(bytes) > MAX_DEPTH) throw new AppError('malformed_body')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown)
  } catch {
    throw new AppError('malformed_body')
  }
}

/** How deep arrays and objects are nested in JSON text. Of text that is no JSON it says nothing of use. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const char = bytes[at] ?? 0
    if (isText) {
      if (char === CHAR.backslash) at++
      else if (char === CHAR.quote) isText = false
    } else if (char === CHAR.quote) isText = true
    else if (char === CHAR.open[0] || char === CHAR.open[1]) deepest = Math.max(deepest, ++depth)
    else if (char === CHAR.close[0] || char === CHAR.close[1]) depth--
  }
  return deepest
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
