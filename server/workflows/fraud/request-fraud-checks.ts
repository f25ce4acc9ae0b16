/**
 * Requests and shows antifraud checks. A check, and its identity, is PROCESSING until the job has run, and no proof is made
 * before that. A repeated request runs the check again.
 */
import type { Context } from '../../context.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Caller, FraudCheckType } from '../../proofing/types.ts'
import { requireFeature } from '../evidence/add-evidence.ts'
import { toActor } from '../access/author.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { openFraudCheck } from './open-checks.ts'
import { requireTakingMore } from '../identity/lifetime.ts'
import { requireRoom } from '../access/quotas.ts'
import { requireIdentity } from '../access/reach.ts'
import { markDone } from '../identity/record-call.ts'
import { viewFraudCheck, viewGlobalStatus } from '../identity/view.ts'

/** A check that is named twice in one request runs once. */
export async function requestFraudChecks(
  ctx: Context,
  caller: Caller,
  identityId: string,
  checks: readonly { readonly type: FraudCheckType }[],
) {
  requireFeature(ctx, 'antifraud')
  const types = [...new Set(checks.map(({ type }) => type))]
  const answered = ctx.store.transaction(() => {
    const { id } = openIdentity(ctx, caller, identityId)
    const requestedAt = ctx.clock.now()
    const before = ctx.store.fraudChecks.list(id)
    for (const type of types) {
      const indicators = before.find((check) => check.type === type)?.indicators ?? []
      // Start without subjects: earlier runs do not matter.
      openFraudCheck(ctx, id, { type, indicators, subjects: [] })
    }
    ctx.store.jobs.add('run-fraud-checks', id, {}, requestedAt)
    ctx.store.events.append('antifraud.requested', id, { types }, requestedAt, toActor(caller))
    // A proof in progress is built again, with these checks.
    evaluateIdentity(ctx, id)
    // The spec has no operation name for this call, so the proof contains no record of it.
    markDone(ctx, caller)
    return answer(ctx, requireIdentity(ctx, caller, id, 'ACT'))
  })
  ctx.wakeJobs()
  return answered
}

export async function getFraudChecks(ctx: Context, caller: Caller, identityId: string) {
  requireFeature(ctx, 'antifraud')
  return answer(ctx, requireIdentity(ctx, caller, identityId, 'READ'))
}

function answer(ctx: Context, identity: Identity) {
  return {
    globalStatus: viewGlobalStatus(ctx, identity),
    checks: ctx.store.fraudChecks.list(identity.id).map(viewFraudCheck),
  }
}

function openIdentity(ctx: Context, caller: Caller, identityId: string): Identity {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  requireTakingMore(ctx, identity)
  requireRoom(ctx, identity, { jobs: 1 })
  return identity
}
