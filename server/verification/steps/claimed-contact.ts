/** Compares a claimed phone number with the number that was submitted for verification (spec error 1151). */
import { contactOutcome } from '../../proofing/contact.ts'
import { resultError } from '../../proofing/error-codes.ts'
import { dataStep } from '../subject.ts'

export const claimedContact = dataStep('claimed-contact', ({ content, contact }) => {
  const claimed = content.claim?.contactDetails?.mobile
  if (!claimed) return { findings: [], models: [] }
  const outcome = contactOutcome(claimed.value, contact)
  const errors = outcome === 'failed' ? [resultError('1151')] : []
  return { findings: [{ check: 'CONTACT_MATCH', outcome, errors }], models: [] }
})
