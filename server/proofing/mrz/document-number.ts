/**
 * Document numbers longer than nine characters (Doc 9303 part 5 section 4.2.2 and part 6 section 4.2.2). The rule does
 * not exist for passports, but a few use it.
 */
import { checkDigit } from './check-digit.ts'

interface ContinuedNumber {
  /** The whole number without the check digit. */
  readonly number: string
  /** Remainder of the optional field. */
  readonly rest: string
  readonly check: 'passed' | 'failed'
}

/**
 * `field` holds the first nine characters; `optional` begins with the others, the check digit and a filler. Some issuers
 * include the filler in the check digit's usual place in the sum: both sums are accepted.
 */
export function continuedNumber(field: string, optional: string): ContinuedNumber {
  const end = optional.indexOf('<')
  const tail = end === -1 ? optional : optional.slice(0, end)
  if (tail.length < 2) return { number: field.replace(/<+$/, ''), rest: optional, check: 'failed' }
  const digit = tail.slice(-1)
  const more = tail.slice(0, -1)
  const passes = checkDigit(field + more) === digit || checkDigit(`${field}<${more}`) === digit
  return passes
    ? { number: field + more, rest: optional.slice(end === -1 ? optional.length : end + 1), check: 'passed' }
    : { number: field.replace(/<+$/, ''), rest: optional, check: 'failed' }
}
