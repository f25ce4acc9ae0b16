/** Queues the question to the mobile operator. Until it is answered the number is not verified, and no proof is sealed. */
import type { Context } from '../../context.ts'
import { moveEvidence, type Evidence } from '../../proofing/evidence.ts'
import { getConsentState } from '../../proofing/identity.ts'
import { noteSilence } from '../../proofing/phone-ownership.ts'
import type { SourceAccess, SourceReason } from '../../proofing/source-reply.ts'
import { getToday } from '../../proofing/time.ts'

/** Tells whether an operator is connected and the applicant consented that it is asked. */
export function findOperatorAccess(ctx: Context, identityId: string): SourceAccess {
  if (ctx.operator === null || !ctx.config.tenant.features.mobileOtp) return 'CONFIGURATION'
  const today = getToday(ctx.time.statement())
  const consent = getConsentState(ctx.store.consents.list(identityId), 'MOBILE', today)
  return consent === 'given' ? 'ALLOWED' : 'CONSENT'
}

export const mayAskOperator = (ctx: Context, identityId: string): boolean =>
  findOperatorAccess(ctx, identityId) === 'ALLOWED'

/** Tells why the operator is not asked now. One that may be asked lacks a verified name. */
export function findUnaskedReason(ctx: Context, identityId: string): SourceReason {
  const access = findOperatorAccess(ctx, identityId)
  return access === 'ALLOWED' ? 'REFERENCE' : access
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
