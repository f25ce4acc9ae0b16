/** The lifetime of a transaction: it is paused rather than lost while a person's answer is awaited, and resumed. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { statusWith, type Identity } from '../proofing/identity.ts'
import { HOUR_MS } from '../proofing/time.ts'
import type { Caller } from '../proofing/types.ts'
import type { Deadline } from '../store/deadlines.ts'
import { requireFeature } from './add-evidence.ts'
import { getIdentity } from './read-identity.ts'

export function pauseWorkflows(ctx: Context) {
  return {
    /** An open identity is answered as it is. */
    resumeIdentity: async (caller: Caller, identityId: string, show: { detailed: boolean }) => {
      requireFeature(ctx, 'pauseResume')
      ctx.store.transaction(() => {
        const identity = ctx.store.identities.get(caller.tenantId, identityId)
        if (identity.status === 'CLOSED') throw new AppError('identity_closed')
        if (identity.status === 'PAUSED') resume(ctx, identity)
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
function resume(ctx: Context, identity: Identity): void {
  const evidences = ctx.store.evidences.list(identity.id)
  const status = statusWith({ ...identity, status: 'EXPECTING_INPUT' }, evidences)
  ctx.store.identities.save({ ...identity, status })
  ctx.store.events.append('identity.resumed', identity.id, { status }, ctx.clock.now())
  startLifetime(ctx, identity.id)
}
