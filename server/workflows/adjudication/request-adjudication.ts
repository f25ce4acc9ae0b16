/** Opens a case for evidence that the appliance could not decide, and closes it when its time is over without an answer. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { applyAdjudication, removeAdjudication } from '../../proofing/adjudication-outcome.ts'
import { isAdjudicable, isAwaited, moveAdjudication } from '../../proofing/adjudication.ts'
import { moveEvidence, type Evidence } from '../../proofing/evidence.ts'
import { HOUR_MS, formatSpecDateTime } from '../../proofing/time.ts'
import type { AdjudicationStatus, Caller } from '../../proofing/types.ts'
import type { Adjudication } from '../../store/adjudications.ts'
import type { Deadline } from '../../store/deadlines.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { requireAllowedFor, requireFeature } from '../evidence/add-evidence.ts'
import { toActor } from '../access/author.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { hasPicture } from '../evidence/has-picture.ts'
import { requireIdentity } from '../access/reach.ts'
import { mustRedact } from '../identity/read-identity.ts'
import { recordCall } from '../identity/record-call.ts'

export async function requestAdjudication(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
) {
  requireFeature(ctx, 'adjudication')
  const answer = ctx.store.transaction(() => request(ctx, caller, identityId, evidenceId))
  ctx.wakeJobs()
  return answer
}

export async function listAdjudications(
  ctx: Context,
  caller: Caller,
  identityId: string,
  status?: AdjudicationStatus,
) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const evidences = ctx.store.evidences.list(identity.id)
  return ctx.store.adjudications.list(identity.id).flatMap((adjudication) => {
    const evidence = evidences.find(({ id }) => id === adjudication.evidenceId)
    const listed = evidence && !evidence.deletedAt && (!status || adjudication.status === status)
    return listed ? [adjudicationView(adjudication, evidence, caller)] : []
  })
}

export async function getAdjudication(ctx: Context, caller: Caller, identityId: string, evidenceId: string) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const evidence = ctx.store.evidences.get(identity.id, evidenceId)
  const adjudication = ctx.store.adjudications.latest(evidence.id)
  if (!adjudication) throw new AppError('not_found', { resource: 'adjudication' })
  return adjudicationView(adjudication, evidence, caller)
}

/** Must run inside a transaction. A repeated request while an answer is pending returns the existing case. */
function request(ctx: Context, caller: Caller, identityId: string, evidenceId: string) {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  const evidence = ctx.store.evidences.get(identity.id, evidenceId)
  requireAllowedFor(ctx, identity, evidence)
  const latest = ctx.store.adjudications.latest(evidence.id)
  if (latest && isAwaited(latest.status)) return adjudicationView(latest, evidence, caller)
  if (!isAdjudicable(evidence) || !hasPicture(ctx, evidence)) {
    throw new AppError('transition_refused', { from: evidence.status, to: 'ADJUDICATION' })
  }

  const subject = {
    identityId: identity.id,
    subjectId: evidence.id,
    name: 'ADJUDICATION',
    kind: 'ADD',
  } as const
  recordCall(ctx, caller, subject, 200)
  const asked = { ...evidence, evaluation: removeAdjudication(evidence.evaluation) }
  ctx.store.evidences.save(moveEvidence(asked, 'ADJUDICATION'))
  const adjudication = openAdjudication(ctx, evidence, toActor(caller))
  evaluateIdentity(ctx, identity.id)
  return adjudicationView(adjudication, evidence, caller)
}

/**
 * Must run inside a transaction, for evidence that was moved to ADJUDICATION. Without an author the appliance
 * itself is the author.
 */
export function openAdjudication(
  ctx: Context,
  { id: evidenceId, identityId }: Evidence,
  author: Partial<ReturnType<typeof toActor>> = {},
): Adjudication {
  const now = ctx.clock.now()
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const adjudication: Adjudication = {
    id: ctx.newId(),
    identityId,
    evidenceId,
    status: 'TO_PROCESS',
    reason: null,
    errors: [],
    requestedAt: now,
    respondedAt: null,
    fourEyes: identity !== null && ctx.policy(identity.tenantId).adjudication.fourEyes,
    claim: null,
  }
  ctx.store.adjudications.add(adjudication)
  const dueAt = new Date(now.getTime() + ctx.config.lifetimes.adjudicationHours * HOUR_MS)
  ctx.store.deadlines.set({ kind: 'adjudication', subjectId: adjudication.id, identityId, dueAt })
  const body = { evidenceId, adjudicationId: adjudication.id, status: adjudication.status }
  ctx.store.events.append('adjudication.requested', identityId, body, now, author)
  return adjudication
}

/**
 * Must run inside a transaction: the time is over without an answer. The machine's findings stay on the
 * evidence.
 */
export function adjudicationTimedOut(ctx: Context, deadline: Deadline): void {
  const adjudication = ctx.store.adjudications.find(deadline.subjectId)
  if (!adjudication || !isAwaited(adjudication.status)) return
  endUnanswered(ctx, adjudication, null)
  const { identityId, evidenceId } = adjudication
  // Withdrawn or sealed evidence stays unchanged.
  const closed = ctx.store.identities.find(APPLIANCE, identityId)?.status === 'CLOSED'
  const evidence = ctx.store.evidences.find(evidenceId)
  if (closed || !evidence || !leaveUndecided(ctx, evidence)) return
  evaluateIdentity(ctx, identityId)
}

/**
 * Must run inside a transaction: the lifetime of the identity is over, so all open cases end. True if
 * evidence was waiting: the caller evaluates.
 */
export function endOpenAdjudications(ctx: Context, identityId: string): boolean {
  const ended = ctx.store.evidences.list(identityId).map((evidence) => {
    const latest = ctx.store.adjudications.latest(evidence.id)
    if (latest && isAwaited(latest.status)) endUnanswered(ctx, latest, null)
    return leaveUndecided(ctx, evidence)
  })
  return ended.includes(true)
}

/** Must run inside a transaction. False: the evidence was not waiting. */
function leaveUndecided(ctx: Context, evidence: Evidence): boolean {
  if (evidence.deletedAt || evidence.status !== 'ADJUDICATION') return false
  const identity = ctx.store.identities.find(APPLIANCE, evidence.identityId)
  if (!identity) return false
  const undecided = applyAdjudication(ctx.policy(identity.tenantId), evidence, 'TIME_OUT', null)
  ctx.store.evidences.save(undecided)
  announceDecision(ctx, undecided)
  return true
}

/**
 * Must run inside a transaction: the identity is open again, and evidence whose case timed out stops waiting.
 * The caller evaluates.
 */
export function endForgottenAdjudications(ctx: Context, identityId: string): void {
  for (const evidence of ctx.store.evidences.list(identityId)) {
    if (evidence.deletedAt || evidence.status !== 'ADJUDICATION') continue
    const latest = ctx.store.adjudications.latest(evidence.id)
    if (latest && isAwaited(latest.status)) continue
    leaveUndecided(ctx, evidence)
  }
}

/** Must run inside a transaction: the consent was withdrawn, so no adjudicator may examine the evidence. */
export function withdrawAdjudication(ctx: Context, evidence: Evidence): void {
  const latest = ctx.store.adjudications.latest(evidence.id)
  if (latest && isAwaited(latest.status)) endUnanswered(ctx, latest, 'CONSENT_WITHDRAWN')
}

function endUnanswered(ctx: Context, adjudication: Adjudication, reason: 'CONSENT_WITHDRAWN' | null): void {
  const now = ctx.clock.now()
  const ended = { ...moveAdjudication(adjudication, 'TIME_OUT'), reason, respondedAt: now, claim: null }
  saveEnded(ctx, ended)
  const { id: adjudicationId, identityId, evidenceId, status } = ended
  ctx.store.events.append('adjudication.ended', identityId, { evidenceId, adjudicationId, status }, now, {
    reason: reason ?? 'TIME_OUT',
  })
}

/** Must run inside a transaction: saves an ended case and its consequences. */
export function saveEnded(ctx: Context, adjudication: Adjudication): void {
  ctx.store.adjudications.save(adjudication)
  ctx.store.deadlines.clear('adjudication', adjudication.id)
  ctx.store.deadlines.clear('adjudication-claim', adjudication.id)
}

function adjudicationView(adjudication: Adjudication, evidence: Evidence, caller: Caller) {
  const { status, requestedAt, respondedAt, reason, errors } = adjudication
  const why = { ...(reason ? { reason } : {}), ...(errors.length > 0 ? { errors } : {}) }
  return {
    evidenceId: evidence.id,
    type: evidence.type,
    status,
    requestDateTime: formatSpecDateTime(requestedAt),
    ...(respondedAt ? { responseDateTime: formatSpecDateTime(respondedAt) } : {}),
    ...(mustRedact(caller) ? {} : why),
  }
}
