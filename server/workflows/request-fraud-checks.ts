/**
 * Antifraud checks: asked for, kept and shown. Two are carried out by this release: whether a document was presented for
 * another identity, and, where the tenant has switched it on, whether a face was. Of the others none is, and none is said
 * to have been.
 */
import type { Context } from '../context.ts'
import { requireOpen, type Identity } from '../proofing/identity.ts'
import type { Caller, FraudCheckType } from '../proofing/types.ts'
import type { StoredFraudCheck } from '../store/fraud-checks.ts'
import { requireFeature } from './add-evidence.ts'
import { byCaller } from './author.ts'
import { findDuplicateFaces, type FaceSearch } from './find-duplicate-faces.ts'
import { currentEvidence } from './read-identity.ts'
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
      const faces = types.includes('DUPLICATE_FACE') ? await searchFaces(ctx, caller, identityId) : null
      return ctx.store.transaction(() => {
        const identity = ctx.store.identities.get(caller.tenantId, identityId)
        requireOpen(identity)
        const requestedAt = ctx.clock.now()
        for (const type of types) {
          ctx.store.fraudChecks.put(identity.id, {
            type,
            requestedAt,
            ...evaluate(ctx, identity, type, faces),
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

type Evaluated = Omit<StoredFraudCheck, 'type' | 'requestedAt'>

/** Before the transaction: the index may be long. */
async function searchFaces(ctx: Context, caller: Caller, identityId: string): Promise<FaceSearch> {
  const identity = ctx.store.identities.get(caller.tenantId, identityId)
  requireOpen(identity)
  return findDuplicateFaces(ctx, identity)
}

/** As things stand when it is asked for: asked for again, it is made anew. */
function evaluate(
  ctx: Context,
  identity: Identity,
  type: FraudCheckType,
  faces: FaceSearch | null,
): Evaluated {
  const isKnown =
    type === 'DUPLICATE_DOCUMENT'
      ? isDocumentKnown(ctx, identity)
      : type === 'DUPLICATE_FACE' && faces
        ? isFaceKnown(ctx, identity, faces)
        : null
  if (isKnown === null) {
    return {
      status: 'NOT_VERIFIED',
      indicators: [`${type}_UNVERIFIED`],
      subjects: [],
      measured: {},
      evaluatedAt: null,
    }
  }
  const evaluatedAt = ctx.clock.now()
  // The same person may have come before: a hint, on which a person decides.
  return isKnown
    ? { status: 'NOT_VERIFIED', indicators: [`${type}_WARNING`], subjects: [], measured: {}, evaluatedAt }
    : { status: 'VERIFIED', indicators: [`${type}_OK`], subjects: [], measured: {}, evaluatedAt }
}

/** Null where no document was read. */
function isDocumentKnown(ctx: Context, { id: identityId, tenantId }: Identity): boolean | null {
  const others = ctx.store.documentPrints.countOthersOf({ tenantId, identityId })
  return others === null ? null : others > 0
}

/** Null where nothing can be said, or where the portrait that was looked for has been replaced or withdrawn since. */
function isFaceKnown(ctx: Context, identity: Identity, { outcome, evidenceId }: FaceSearch): boolean | null {
  const current = currentEvidence(ctx, identity.id, 'PORTRAIT')
  const isCurrent = current?.id === evidenceId && ctx.store.faceTemplates.has(current.id)
  return outcome === 'UNKNOWN' || !isCurrent ? null : outcome === 'FOUND'
}
