/** Selects the evidence that may be used now: every consent that it needs is in force. */
import type { Context } from '../../context.ts'
import { consentNeeds } from '../../proofing/consent-needs.ts'
import { deriveKind, type Evidence } from '../../proofing/evidence.ts'
import { areConsentsGiven } from '../../proofing/identity.ts'
import { getToday } from '../../proofing/time.ts'

export function createConsentFilter(
  ctx: Pick<Context, 'store' | 'config'> & { readonly time: Pick<Context['time'], 'statement'> },
  identityId: string,
): (evidence: UsableKind) => boolean {
  const consents = ctx.store.consents.list(identityId)
  const today = getToday(ctx.time.statement())
  const { requiredConsents } = ctx.config.tenant
  return (evidence) => areConsentsGiven(consents, consentNeeds(deriveKind(evidence), requiredConsents), today)
}

type UsableKind = Pick<Evidence, 'family' | 'type' | 'content'>
