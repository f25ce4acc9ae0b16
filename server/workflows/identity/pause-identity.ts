/**
 * Pauses a transaction whose lifetime ended while an adjudicator's answer is pending, and resumes it. A transaction that a
 * proof closed can be resumed as long as the proof can be fetched; the next proof names the earlier one.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { chooseStatus, type Identity } from '../../proofing/identity.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { Author } from '../../store/events.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { requireFeature } from '../evidence/add-evidence.ts'
import { endForgottenAdjudications, endOpenAdjudications } from '../adjudication/request-adjudication.ts'
import { toActor } from '../access/author.ts'
import { endOpenSessions } from '../capture/capture-sessions.ts'
import { beginErasure } from '../retention/erase-identity.ts'
import { evaluateIdentity } from './evaluate-identity.ts'
import { isOnHold } from '../retention/legal-hold.ts'
import { startLifetime } from './lifetime.ts'
import { requireIdentity } from '../access/reach.ts'
import { getIdentity } from './read-identity.ts'
import { isGraceOver, watchOpenIdentity } from '../retention/apply-retention.ts'

/**
 * An open identity is returned unchanged. Throws `identity_closed` once its proof can no longer be fetched.
 */
export async function resumeIdentity(
  ctx: Context,
  caller: Caller,
  identityId: string,
  show: { detailed: boolean },
) {
  requireFeature(ctx, 'pauseResume')
  ctx.store.transaction(() => {
    const identity = requireIdentity(ctx, caller, identityId, 'ACT')
    if (identity.status === 'CLOSED') reopen(ctx, caller, identity)
    if (identity.status === 'PAUSED') resume(ctx, toActor(caller), identity)
  })
  ctx.wakeJobs()
  return getIdentity(ctx, caller, identityId, show)
}

/** Must run inside a transaction. */
export function transactionLifetimeOver(ctx: Context, { identityId }: Deadline): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!identity || identity.status === 'PAUSED' || identity.status === 'CLOSED') return
  if (ctx.config.tenant.features.pauseResume && isAnswerAwaited(ctx, identityId)) {
    ctx.store.identities.save({ ...identity, status: 'PAUSED' })
    ctx.store.events.append('identity.paused', identityId, { status: 'PAUSED' }, ctx.clock.now())
    return
  }
  AT_EXPIRY[ctx.config.lifetimes.atExpiry](ctx, identity)
}

/** Must run inside a transaction, for an identity that is neither paused nor sealed. */
const AT_EXPIRY: Readonly<
  Record<Context['config']['lifetimes']['atExpiry'], (ctx: Context, identity: Identity) => void>
> = {
  keep: () => undefined,
  erase: (ctx, identity) => {
    if (isOnHold(ctx, identity.id)) return
    noteExpiry(ctx, identity.id)
    beginErasure(ctx, identity, 'ABANDONED', 'appliance')
  },
  // It stays open to be sealed as it is: nothing is pending, and nothing more is accepted (`requireInTime`).
  'end-open': (ctx, { id }) => {
    if (endOpenAdjudications(ctx, id)) evaluateIdentity(ctx, id)
    endOpenSessions(ctx, id)
    noteExpiry(ctx, id)
  },
}

function noteExpiry(ctx: Context, identityId: string): void {
  ctx.store.events.append('identity.expired', identityId, {}, ctx.clock.now(), { reason: 'TIME_OUT' })
}

function isAnswerAwaited(ctx: Context, identityId: string): boolean {
  return ctx.store.evidences
    .list(identityId)
    .some((evidence) => evidence.status === 'ADJUDICATION' && !evidence.deletedAt)
}

/** Must run inside a transaction: the pending answer will not come. */
export function resumeUnanswered(ctx: Context, identityId: string): void {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (identity?.status !== 'PAUSED' || isAnswerAwaited(ctx, identityId)) return
  resume(ctx, { reason: 'TIME_OUT' }, identity)
  evaluateIdentity(ctx, identityId)
}

/** Must run inside a transaction, for a paused identity: by a call, or by the answer that it waited for. */
export function resume(ctx: Context, author: Author, identity: Identity): void {
  const evidences = ctx.store.evidences.list(identity.id)
  const checks = ctx.store.fraudChecks.list(identity.id)
  const status = chooseStatus({ ...identity, status: 'EXPECTING_INPUT' }, evidences, checks)
  ctx.store.identities.save({ ...identity, status })
  ctx.store.events.append('identity.resumed', identity.id, { status }, ctx.clock.now(), author)
  startLifetime(ctx, identity.id)
}

/**
 * Must run inside a transaction, for an identity that a proof has closed. That proof stays unchanged. Throws
 * `identity_closed` once the proof can no longer be fetched, and if the tenant's mode has changed since.
 */
function reopen(ctx: Context, caller: Caller, identity: Identity): void {
  const proof = ctx.store.proofs.find(identity.id)
  if (!proof || isGraceOver(ctx, proof)) throw new AppError('identity_closed')
  if (identity.mode !== ctx.store.tenants.get(identity.tenantId).mode) {
    throw new AppError('identity_closed', { reason: 'tenant_changed_mode' })
  }
  endForgottenAdjudications(ctx, identity.id)
  resume(ctx, toActor(caller), { ...identity, previousProofId: proof.id })
  evaluateIdentity(ctx, identity.id)
  watchOpenIdentity(ctx, identity.id)
}
