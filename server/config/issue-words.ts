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

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'members' }

function describeBound(origin: string, than: string, bound: number | bigint): string {
  const unit = UNITS[origin]
  return unit ? `must have ${than} ${bound} ${unit}` : `must be ${than} ${bound}`
}

/** Error map of zod (`safeParse(value, { error })`). Undefined: zod's own sentence is used. Quotes names of options, never a value. */
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
      if (issue.format === 'url') return 'must be an address with http:// or https://'
      return issue.pattern === undefined ? undefined : `must have the form ${issue.pattern}`
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      return undefined
  }
}
