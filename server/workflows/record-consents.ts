import type { Context } from '../context.ts'
import { requireOpen, type Consent } from '../proofing/identity.ts'
import type { Caller, ConsentType } from '../proofing/types.ts'
import { evaluateIdentity } from './evaluate-identity.ts'
import { recordCall } from './record-call.ts'
import { consentView } from './view.ts'

export interface ConsentInput {
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
  const identity = ctx.store.identities.get(caller.tenantId, identityId)
  requireOpen(identity)
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
      ctx.store.events.append('consent.recorded', identity.id, body, now)
    }
    evaluateIdentity(ctx, identity.id)
  })
  return consents.map(consentView)
}
