/** A claimed phone number against the one that was submitted for verification. */
import { currentOf, type Evidence } from './evidence.ts'
import type { CheckOutcome } from './judge.ts'

export interface KnownContact {
  readonly number: string
  /** The person has shown that he reads what is sent to it. */
  readonly confirmed: boolean
}

export function knownContact(evidences: readonly Evidence[]): KnownContact | null {
  const contact = currentOf(evidences, 'CONTACT')
  const number = contact?.content.mobile?.value
  return contact && number !== undefined ? { number, confirmed: contact.status === 'VERIFIED' } : null
}

/** A claimed number is sent a passcode of itself: that the two are the same says something once it was typed in. */
export function contactOutcome(claimed: string, contact: KnownContact | null): CheckOutcome {
  if (!contact) return 'inconclusive'
  if (contact.number !== claimed) return 'failed'
  return contact.confirmed ? 'passed' : 'inconclusive'
}
