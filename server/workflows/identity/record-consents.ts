/** Records consents of the applicant, and what follows when one is withdrawn. */
import type { Context } from '../../context.ts'
import { requireOpen, type Consent } from '../../proofing/identity.ts'
import type { Caller, ConsentType } from '../../proofing/types.ts'
import { withdrawPasscode } from '../claims/verify-contact.ts'
import { withdrawAdjudication } from '../adjudication/request-adjudication.ts'
import { toActor } from '../access/author.ts'
import { evaluateIdentity } from './evaluate-identity.ts'
import { dropFaceTemplate } from '../evidence/face-templates.ts'
import { requireInTime } from './lifetime.ts'
import { requireIdentity } from '../access/reach.ts'
import { recordCall } from './record-call.ts'
import { restateReasons, resumeTries } from '../evidence/next-try.ts'
import { createConsentFilter } from '../evidence/consent-filter.ts'
import { closeWithoutVerdict } from '../evidence/verify-evidence.ts'
import { viewConsent } from './view.ts'

interface ConsentInput {
  readonly type: ConsentType
  readonly approved: boolean
  readonly validityPeriod?: { readonly from?: string; readonly to?: string }
}

export async function recordConsents(
  ctx: Context,
  caller: Caller,
  identityId: string,
  inputs: readonly ConsentInput[],
) {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  // A withdrawal is possible at any time, also during a pause.
  const takesBack = inputs.every(({ approved }) => !approved)
  if (!(takesBack && identity.status === 'PAUSED')) requireOpen(identity)
  if (!takesBack) requireInTime(ctx, identity)
  const now = ctx.clock.now()
  const consents = inputs.map((input): Consent => ({
    id: ctx.newId(),
    type: input.type,
    approved: input.approved,
    validFrom: input.validityPeriod?.from ?? null,
    validTo: input.validityPeriod?.to ?? null,
    recordedAt: now,
  }))
  ctx.store.transaction(() => {
    for (const consent of consents) {
      ctx.store.consents.add(identity.id, consent)
      recordCall(
        ctx,
        caller,
        { identityId: identity.id, subjectId: consent.id, name: 'CONSENTS', kind: 'ADD' },
        200,
      )
      const body = { consentId: consent.id, type: consent.type, approved: consent.approved }
      ctx.store.events.append('consent.recorded', identity.id, body, now, toActor(caller))
    }
    endWithoutConsent(ctx, identity.id)
    if (!takesBack) resumeTries(ctx, identity.id)
    restateReasons(ctx, identity.id)
    evaluateIdentity(ctx, identity.id)
  })
  // Evidence that was compared with an earlier reference may count again.
  ctx.wakeJobs()
  return consents.map((consent) => viewConsent(ctx, consent))
}

/** Ends evidence without consent: a verification in progress finds nothing left to do. */
function endWithoutConsent(ctx: Context, identityId: string): void {
  const mayUse = createConsentFilter(ctx, identityId)
  for (const evidence of ctx.store.evidences.list(identityId)) {
    if (mayUse(evidence)) continue
    withdrawAdjudication(ctx, evidence)
    dropFaceTemplate(ctx, evidence.id)
    closeWithoutVerdict(ctx, identityId, evidence.id, 'consent')
    withdrawPasscode(ctx, evidence)
  }
}
