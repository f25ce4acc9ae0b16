/** Says in plain words what is wrong with a value of a configuration file, and what may stand there. */
import type { z } from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text in quotation marks',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list in square brackets',
  object: 'an object in braces',
  record: 'an object in braces',
}

const UNITS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  string: ['character', 'characters'],
  array: ['member', 'members'],
}

const FORMATS: Readonly<Record<string, string>> = {
  url: 'must be an address with http:// or https://',
  date: 'must be a date such as 2026-11-29',
  datetime: 'must be a time such as 2026-11-29T08:30:00Z',
}

function describeBound(origin: string, than: string, bound: number | bigint): string {
  const units = UNITS[origin]
  if (!units) return `must be ${than} ${bound}`
  if (than === 'at least' && Number(bound) === 1) return 'must not be empty'
  return `must have ${than} ${bound} ${Number(bound) === 1 ? units[0] : units[1]}`
}

/**
 * Error map of zod (`safeParse(value, { error })`). Undefined: zod's own sentence is used. Quotes names of options, never a value. A
 * regular expression has words of its own (`text-forms.ts`).
 */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `${issue.input === undefined ? 'is missing: it' : ''} must be ${KINDS[issue.expected] ?? issue.expected}`.trim()
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `has no option ${issue.keys.map((key) => `'${key}'`).join(', ')}: correct its name, or remove it`
    case 'too_small':
      return describeBound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return describeBound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'invalid_format':
      return FORMATS[issue.format]
    case 'invalid_key':
      return `has a wrong name: it ${issue.issues[0]?.message ?? 'is not known'}`
    case 'invalid_union':
      return describeUnion(issue.errors)
    case 'custom':
    case 'invalid_element':
    case 'not_multiple_of':
      return undefined
  }
}

/** Each alternative with its first problem. */
function describeUnion(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string {
  const problems = alternatives.flatMap(([first]) => {
    if (!first) return []
    const place = first.path.join('.')
    return [place === '' ? first.message : `${place} ${first.message}`]
  })
  return problems.length > 0 ? [...new Set(problems)].join(', or ') : 'fits no alternative'
}
