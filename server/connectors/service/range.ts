/** Asks a register about a document or a person by the first digits of a hash, without naming either. */
import { createHash } from 'node:crypto'

/**
 * Number of hexadecimal digits sent: one of 16^5 (about a million) ranges, so that a query may concern any document or
 * person in it. The same as in the Pwned Passwords range query.
 */
export const RANGE_DIGITS = 5
export const HASH_DIGITS = 64

interface RangeQuestion {
  /** Sent to the register: five upper-case hexadecimal digits. */
  readonly range: string
  /** Stays on the appliance and is compared with the answer. */
  readonly suffix: string
}

/** SHA-256 as 64 upper-case hexadecimal digits. @param name canonical name of a document (`documentName`) or person (`namePerson`) */
export function hashName(name: string): string {
  return createHash('sha256').update(name, 'utf8').digest('hex').toUpperCase()
}

/** @param name see hashName */
export function buildRangeQuestion(name: string): RangeQuestion {
  const digest = hashName(name)
  return { range: digest.slice(0, RANGE_DIGITS), suffix: digest.slice(RANGE_DIGITS) }
}
