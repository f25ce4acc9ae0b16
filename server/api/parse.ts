/** Untrusted values → typed ones by the contract, or `validation_failed` with every problem and its field. */
import type { Request } from 'express'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import type { FieldProblem } from '../errors.ts'
import { UUID } from './request-context.ts'

/** More would help nobody and a hostile body could ask for thousands. */
const MAX_PROBLEMS = 50

/** `at` names the part of the request where the value was: '' for the body itself, else a part or header name. */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, at = ''): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new AppError('validation_failed', {}, { problems: fieldProblems(result.error.issues, value, at) })
}

/** An id of the path. What does not look like one of ours is unknown, like any other unknown id. */
export function idParam(
  req: Request,
  name: 'id' | 'evidenceId' | 'fileId' | 'sessionId' | 'adjudicationId' | 'webhookId' | 'deliveryId',
): string {
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
 * Our own words for each kind of problem: what is expected, never what came. Safe because the contract has no schema
 * with keys of the caller's choosing, so a path holds contract names and positions only.
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
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return { code: 'wrong_form', message: 'does not have the form that the contract gives' }
  }
}

function bound(direction: 'at least' | 'at most', limit: number | bigint, origin: string): string {
  if (origin === 'string') return `must have ${direction} ${limit} characters`
  if (origin === 'array') return `must have ${direction} ${limit} ${limit === 1 ? 'item' : 'items'}`
  return `must be ${direction} ${limit}`
}

function fieldPath(path: readonly PropertyKey[], at: string): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text ? `${text}.${String(step)}` : String(step)
  }, at)
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  )
}
