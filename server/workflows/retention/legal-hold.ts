/** Sets and lifts legal holds. No call and no retention policy erases an identity with a hold. */
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import { nameActor } from '../access/author.ts'
import { requireIdentity } from '../access/reach.ts'

interface LegalHoldInput {
  /** The reference of the case at the authority. */
  readonly reference: string
  /** ISO 8601 with its zone. */
  readonly until?: string | undefined
}

export async function placeLegalHold(
  ctx: Context,
  caller: Caller,
  identityId: string,
  input: LegalHoldInput,
) {
  ctx.store.transaction(() => {
    const { id } = requireIdentity(ctx, caller, identityId, 'ACT')
    placeHold(ctx, id, input, nameActor(caller))
  })
}

/** Throws `not_found` if none is in force. */
export async function getLegalHold(ctx: Context, caller: Caller, identityId: string) {
  const { id } = requireIdentity(ctx, caller, identityId, 'READ')
  const hold = isOnHold(ctx, id) ? ctx.store.legalHolds.find(id) : null
  if (!hold) throw noHold()
  const { reference, placedAt, until } = hold
  return {
    reference,
    placedDateTime: formatSpecDateTime(placedAt),
    ...(until ? { until: formatSpecDateTime(until) } : {}),
  }
}

/** Throws `not_found` if there is none. */
export async function liftLegalHold(ctx: Context, caller: Caller, identityId: string) {
  ctx.store.transaction(() => {
    const { id } = requireIdentity(ctx, caller, identityId, 'ACT')
    liftHold(ctx, id, nameActor(caller))
  })
  ctx.wakeJobs()
}

/** Whether it must be kept now; a hold ends when its end has certainly passed. */
export function isOnHold(
  ctx: { readonly store: Context['store']; readonly time: Pick<Context['time'], 'statement'> },
  identityId: string,
): boolean {
  return ctx.store.legalHolds.holds(identityId, ctx.time.statement().earliest)
}

type Keeping = Pick<Context, 'store' | 'clock'>

/**
 * Must run inside a transaction. Replaces an earlier hold. Throws `validation_failed` for one that is over
 * already.
 */
export function placeHold(
  ctx: Keeping,
  identityId: string,
  { reference, until: end }: LegalHoldInput,
  actor: string,
): void {
  const placedAt = ctx.clock.now()
  const until = end === undefined ? null : new Date(end)
  if (until && until <= placedAt) throw fieldProblem('too_early', 'until', 'must be in the future')
  ctx.store.legalHolds.place({ identityId, actor, reference, placedAt, until })
  const body = { untilMs: until?.getTime() ?? null }
  ctx.store.events.append('hold.placed', identityId, body, placedAt, { actor })
  // No check is needed until then; lifting the hold schedules one.
  if (until) scheduleRetentionCheck(ctx, identityId, until)
  else ctx.store.deadlines.clear('retention', identityId)
}

/** Must run inside a transaction. Throws `not_found` if there is none. */
export function liftHold(ctx: Keeping, identityId: string, actor: string): void {
  if (!ctx.store.legalHolds.lift(identityId)) throw noHold()
  const now = ctx.clock.now()
  ctx.store.events.append('hold.lifted', identityId, {}, now, { actor })
  scheduleRetentionCheck(ctx, identityId, now)
}

/** Schedules the next check of the retention policy (`retention`). */
function scheduleRetentionCheck(ctx: Keeping, identityId: string, dueAt: Date): void {
  ctx.store.deadlines.set({ kind: 'retention', subjectId: identityId, identityId, dueAt })
}

function noHold(): AppError {
  return new AppError('not_found', { resource: 'legal hold' })
}
