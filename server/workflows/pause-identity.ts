/**
 * The lifetime of a transaction: it is paused rather than lost while a person's answer is awaited, and resumed. What a
 * proof has closed is resumed, too, as long as that proof can be fetched again: the next one names it.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { statusWith, type Identity } from '../proofing/identity.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { Caller } from '../proofing/types.ts'
import type { Deadline } from '../store/deadlines.ts'
import { requireFeature } from './add-evidence.ts'
import { endForgottenAdjudications } from './adjudicate.ts'
import { byCaller } from './author.ts'
import { evaluateIdentity } from './evaluate-identity.ts'
import { getIdentity } from './read-identity.ts'
import { isGraceOver, watchOpenIdentity } from './retention.ts'

export function pauseWorkflows(ctx: Context) {
  return {
    /** An open identity is answered as it is. Throws `identity_closed` once its proof is no longer repeated. */
    resumeIdentity: async (caller: Caller, identityId: string, show: { detailed: boolean }) => {
      requireFeature(ctx, 'pauseResume')
      ctx.store.transaction(() => {
        const identity = ctx.store.identities.get(caller.tenantId, identityId)
        if (identity.status === 'CLOSED') reopen(ctx, caller, identity)
        if (identity.status === 'PAUSED') resume(ctx, caller, identity)
      })
      ctx.wakeJobs()
      return getIdentity(ctx, caller, identityId, show)
    },
  }
}

/** Inside a transaction: the lifetime of a new or resumed identity begins. */
export function startLifetime(ctx: Context, identityId: string): void {
  const dueAt = new Date(ctx.clock.now().getTime() + ctx.config.lifetimes.transactionHours * HOUR_MS)
  ctx.store.deadlines.set({ kind: 'transaction', subjectId: identityId, identityId, dueAt })
}

/** Inside a transaction. */
export function transactionLifetimeOver(ctx: Context, { identityId }: Deadline): void {
  if (!ctx.config.tenant.features.pauseResume) return
  const identity = ctx.store.identities.find(identityId)
  if (!identity || identity.status === 'PAUSED' || identity.status === 'CLOSED') return
  const awaited = ctx.store.evidences
    .list(identityId)
    .some((evidence) => evidence.status === 'ADJUDICATION' && !evidence.deletedAt)
  if (!awaited) return
  ctx.store.identities.save({ ...identity, status: 'PAUSED' })
  ctx.store.events.append('identity.paused', identityId, { status: 'PAUSED' }, ctx.clock.now())
}

/** Inside a transaction, for a paused identity. */
function resume(ctx: Context, caller: Caller, identity: Identity): void {
  const evidences = ctx.store.evidences.list(identity.id)
  const status = statusWith({ ...identity, status: 'EXPECTING_INPUT' }, evidences)
  ctx.store.identities.save({ ...identity, status })
  const now = ctx.clock.now()
  ctx.store.events.append('identity.resumed', identity.id, { status }, now, byCaller(caller))
  startLifetime(ctx, identity.id)
}

/** Inside a transaction, for an identity that a proof has closed. That proof stays as it is. */
function reopen(ctx: Context, caller: Caller, identity: Identity): void {
  const proof = ctx.store.proofs.find(identity.id)
  if (!proof || isGraceOver(ctx, proof)) throw new AppError('identity_closed')
  endForgottenAdjudications(ctx, identity.id)
  resume(ctx, caller, { ...identity, previousProofId: proof.id })
  evaluateIdentity(ctx, identity.id)
  watchOpenIdentity(ctx, identity.id)
}
