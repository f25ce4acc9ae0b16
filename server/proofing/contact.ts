/** Compares a claimed phone number with the number submitted for verification. */
import { findCurrent, type Evidence } from './evidence.ts'
import type { CheckOutcome } from './judge.ts'

export interface KnownContact {
  readonly number: string
  /** The applicant has entered the passcode that was sent to it. */
  readonly confirmed: boolean
}

export function knownContact(evidences: readonly Evidence[]): KnownContact | null {
  const contact = findCurrent(evidences, 'CONTACT')
  const number = contact?.content.mobile?.value
  return contact && number !== undefined ? { number, confirmed: contact.status === 'VERIFIED' } : null
}

/** A claimed number gets its own passcode, so equality counts only after the passcode was entered. */
export function contactOutcome(claimed: string, contact: KnownContact | null): CheckOutcome {
  if (!contact) return 'inconclusive'
  if (contact.number !== claimed) return 'failed'
  return contact.confirmed ? 'passed' : 'inconclusive'
}
