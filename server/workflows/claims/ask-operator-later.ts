/** Queues the question to the mobile operator. Until it is answered the number is not verified, and no proof is sealed. */
import type { Context } from '../../context.ts'
import { moveEvidence, type Evidence } from '../../proofing/evidence.ts'
import { getConsentState } from '../../proofing/identity.ts'
import { noteSilence } from '../../proofing/phone-ownership.ts'
import { getToday } from '../../proofing/time.ts'

/** True if an operator is connected and the applicant consented that it is asked. */
export function mayAskOperator(ctx: Context, identityId: string): boolean {
  if (ctx.operator === null || !ctx.config.tenant.features.mobileOtp) return false
  const today = getToday(ctx.time.statement())
  return getConsentState(ctx.store.consents.list(identityId), 'MOBILE', today) === 'given'
}

/** Must run inside a transaction. */
export function askOperatorLater(ctx: Context, contact: Evidence): void {
  const { id: evidenceId, identityId } = contact
  const content = noteSilence(contact.content, 0)
  const { mobile } = content
  ctx.store.evidences.save({
    ...moveEvidence(contact, 'PROCESSING'),
    content: { ...content, ...(mobile ? { mobile: { ...mobile, verified: false } } : {}) },
  })
  ctx.store.jobs.add('ask-operator', identityId, { evidenceId }, ctx.clock.now())
}
