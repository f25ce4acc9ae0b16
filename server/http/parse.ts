/**
 * Turns untrusted values into typed ones by the contract. Throws `validation_failed` with every problem and its
 * field.
 */
import type { Request } from 'express'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import type { FieldProblem } from '../errors.ts'

/** A hostile body could ask for thousands. */
const MAX_PROBLEMS = 50
const MAX_FIELD_CHARS = 100

/** `at` names the part of the request where the value was: '' for the body itself, else a part or header name. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, at = ''): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new AppError('validation_failed', {}, { problems: fieldProblems(result.error.issues, value, at) })
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id of the path. A text that is no UUID is unknown, like any other unknown id. */
export function idParam(req: Request, name: string): string {
  const value = req.params[name]
  if (typeof value !== 'string' || !UUID.test(value)) throw new AppError('not_found')
  return value.toLowerCase()
}

function fieldProblems(issues: readonly z.core.$ZodIssue[], value: unknown, at: string): FieldProblem[] {
  const byField = new Map<string, FieldProblem>()
  for (const issue of issues) {
    const field = fieldPath(issue.path, at)
    const problem = describe(issue, valueAt(value, issue.path) === undefined)
    if (!byField.has(field)) byField.set(field, { ...problem, ...(field ? { field } : {}) })
  }
  return [...byField.values()].slice(0, MAX_PROBLEMS)
}

/**
 * Our own words for each kind of problem: what is expected, never what came. A path holds names of the contract and
 * positions; where a contract has keys of the caller's choosing, `fieldPath` bounds them.
 */
function describe(issue: z.core.$ZodIssue, missing: boolean): { code: string; message: string } {
  if (missing) return { code: 'required', message: 'is required' }
  switch (issue.code) {
    case 'invalid_type':
      return { code: 'wrong_type', message: `must be of type ${issue.expected}` }
    case 'invalid_value':
      return { code: 'not_allowed', message: `must be one of ${issue.values.map(String).join(', ')}` }
    case 'too_small':
      return { code: 'too_small', message: bound('at least', issue.minimum, issue.origin) }
    case 'too_big':
      return { code: 'too_big', message: bound('at most', issue.maximum, issue.origin) }
    case 'invalid_format':
    case 'custom':
      return { code: 'wrong_form', message: issue.message }
    case 'unrecognized_keys':
      return { code: 'wrong_form', message: 'has a field that the contract does not know' }
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return { code: 'wrong_form', message: 'does not have the form that the contract gives' }
  }
}

function bound(direction: 'at least' | 'at most', limit: number | bigint, origin: string): string {
  if (origin === 'string') return `must have ${direction} ${limit} characters`
  if (origin === 'array') return `must have ${direction} ${limit} ${limit === 1 ? 'item' : 'items'}`
  return `must be ${direction} ${limit}`
}

function fieldPath(path: readonly PropertyKey[], at: string): string {
  const whole = path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text ? `${text}.${String(step)}` : String(step)
  }, at)
  return whole.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_FIELD_CHARS)
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  )
}
