/** Antifraud checks: asked for, kept and shown. None is carried out by this release, and none is said to have been. */
import type { Context } from '../context.ts'
import { requireOpen, type Identity } from '../proofing/identity.ts'
import type { Caller, FraudCheckType } from '../proofing/types.ts'
import { requireFeature } from './add-evidence.ts'
import { byCaller } from './author.ts'
import { markDone } from './record-call.ts'
import { fraudCheckView, globalStatusView } from './view.ts'

export function fraudCheckWorkflows(ctx: Context) {
  const answer = (identity: Identity) => ({
    globalStatus: globalStatusView(identity),
    checks: ctx.store.fraudChecks.list(identity.id).map(fraudCheckView),
  })
  return {
    /** Asked for twice in one request, a check is one check. */
    requestFraudChecks: async (
      caller: Caller,
      identityId: string,
      checks: readonly { readonly type: FraudCheckType }[],
    ) => {
      requireFeature(ctx, 'antifraud')
      const types = [...new Set(checks.map(({ type }) => type))]
      return ctx.store.transaction(() => {
        const identity = ctx.store.identities.get(caller.tenantId, identityId)
        requireOpen(identity)
        const requestedAt = ctx.clock.now()
        for (const type of types) {
          ctx.store.fraudChecks.put(identity.id, {
            type,
            status: 'NOT_VERIFIED',
            indicators: [`${type}_UNVERIFIED`],
            requestedAt,
            evaluatedAt: null,
          })
        }
        ctx.store.events.append('antifraud.requested', identity.id, { types }, requestedAt, byCaller(caller))
        // A proof that is being built meanwhile is built again, with these checks.
        ctx.store.identities.save(identity)
        // The spec's list of operations has no name for this call: the proof holds no record of it.
        markDone(ctx, caller)
        return answer(identity)
      })
    },

    getFraudChecks: async (caller: Caller, identityId: string) => {
      requireFeature(ctx, 'antifraud')
      return answer(ctx.store.identities.get(caller.tenantId, identityId))
    },
  }
}
