/**
 * Carries out a decision of the desk after the time to undo it. The decision runs once, as the reviewer made it, or is
 * dropped if the case changed. It is stored as a row with a deadline and then as a job, so a crash neither loses nor repeats
 * it.
 */
import type { Context } from '../../context.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { Deadline } from '../../store/deadlines.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { toActor } from '../access/author.ts'
import { decide } from './decide-adjudication.ts'
import { toAdjudicator, UNDO_MS, type StaffCaller } from './desk-review.ts'
import { getScope } from '../access/reach.ts'
import { recordCall } from '../identity/record-call.ts'

/** Must run inside a transaction, when the time to undo is over: adds the job of the decision. */
export function deskDecisionDue(ctx: Context, { subjectId, identityId }: Deadline): void {
  ctx.store.jobs.add('carry-out-decision', identityId, { adjudicationId: subjectId }, ctx.clock.now())
}

/** Errors that drop the decision; after any other error the job is retried. */
const PERMANENT: readonly ErrorCode[] = [
  'adjudication_ended',
  'adjudication_claimed',
  'adjudicator_captured',
  'adjudicator_decided',
  'decision_refused',
  'feature_disabled',
  'identity_closed',
  'not_found',
  'transition_refused',
  'validation_failed',
]

/**
 * The job: carries out the decision once, as the adjudicator made it, or drops it if it is no longer
 * possible.
 */
export async function carryOutDecision(
  ctx: Context,
  identityId: string,
  adjudicationId: string,
): Promise<'done' | 'skipped'> {
  const work = ctx.store.deskWork.findPending(adjudicationId)
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  if (!work?.pending || !identity || work.pending.undoUntil > ctx.clock.now().getTime()) return 'skipped'
  const { pending, reviewer, examination } = work
  const caller = callerAfterwards(ctx, identity, reviewer, new Date(pending.undoUntil - UNDO_MS))
  const { decision, reason, overrules, note, values } = pending
  const answer = {
    adjudicator: toAdjudicator(caller),
    decision,
    reason,
    ...(examination ? { examination } : {}),
    ...(note === undefined ? {} : { note }),
    ...(values ? { values } : {}),
  }
  try {
    await decide(ctx, adjudicationId, answer, {
      scope: getScope(ctx, caller, 'ACT'),
      author: toActor(caller),
      claimFirst: false,
      rule: overrules ? 'OVERRULE' : 'DESK',
      alongside: ({ evidence }) => {
        // Inside the transaction that decides, so that another run of this job finds no pending decision.
        if (ctx.store.deskWork.findPending(adjudicationId)?.pending?.undoUntil !== pending.undoUntil) {
          throw new AppError('transition_refused', { reason: 'nothing_pending' })
        }
        ctx.store.deskWork.save({ ...work, typed: null, draft: null, pending: null })
        const body = { adjudicationId, evidenceId: evidence.id }
        const tell = (type: 'desk.overruled' | 'desk.noted') =>
          ctx.store.events.append(type, identityId, body, ctx.clock.now(), toActor(caller))
        if (overrules) tell('desk.overruled')
        if (note !== undefined) tell('desk.noted')
        const subject = { identityId, subjectId: evidence.id, name: 'ADJUDICATION', kind: 'ADD' } as const
        recordCall(ctx, caller, subject, 200)
      },
    })
  } catch (error) {
    if (!(error instanceof AppError && PERMANENT.includes(error.code))) throw error
    ctx.store.transaction(() => {
      dropDecision(ctx, identityId, adjudicationId, error.code)
    })
    return 'skipped'
  }
  return 'done'
}

/** Must run inside a transaction: drops the decision; the case waits again. */
export function dropDecision(
  ctx: Context,
  identityId: string,
  adjudicationId: string,
  because: ErrorCode,
): void {
  const work = ctx.store.deskWork.findPending(adjudicationId)
  const adjudication = ctx.store.adjudications.find(adjudicationId)
  if (!work || !adjudication) return
  ctx.store.deskWork.save({ ...work, pending: null })
  const body = { adjudicationId, evidenceId: adjudication.evidenceId, because }
  ctx.store.events.append('desk.dropped', identityId, body, ctx.clock.now())
}

/** Builds the caller that the proof names: the officer at the counter, at the time of the confirmation. */
function callerAfterwards(
  ctx: Context,
  { tenantId, applicationId }: { readonly tenantId: string; readonly applicationId: string },
  staffId: string,
  startedAt: Date,
): StaffCaller {
  return {
    tenantId,
    applicationId,
    role: 'RELYING_SERVICE',
    reach: { kind: 'TENANT' },
    staffId,
    correlationId: ctx.newId(),
    method: 'POST',
    uri: '/counter/api/desk/confirm',
    remoteAddress: null,
    startedAt,
  }
}
