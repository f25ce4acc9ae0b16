/** How a document is asked for without being named: by the first digits of a hash. */
import { createHash } from 'node:crypto'

/**
 * Hexadecimal digits of a hash that leave the appliance: one of 16^5 (about a million) ranges, so that every question may
 * be about any of the documents in it. As many as the range query of the Pwned Passwords service takes.
 */
export const RANGE_DIGITS = 5
export const HASH_DIGITS = 64

export interface RangeQuestion {
  /** Leaves the appliance: five capital hexadecimal digits. */
  readonly range: string
  /** Stays, and is compared with what comes back. */
  readonly suffix: string
}

/** @param name what names the document (`documentName`) */
export function rangeOf(name: string): RangeQuestion {
  const digest = createHash('sha256').update(name, 'utf8').digest('hex').toUpperCase()
  return { range: digest.slice(0, RANGE_DIGITS), suffix: digest.slice(RANGE_DIGITS) }
}
