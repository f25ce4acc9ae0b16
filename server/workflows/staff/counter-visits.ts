/**
 * Starts visits at the counter and takes over visits from a kiosk with everything that was done. The visit at the kiosk ends
 * and continues as a counter visit with the same identity. Owns which officer attends it.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { APPLIANCE } from '../../store/scope.ts'
import type { Visit, VisitNoteKind, VisitOutcome } from '../../store/visits.ts'
import { toActor } from '../access/author.ts'
import type { StaffCaller } from '../adjudication/desk-review.ts'
import { refuseWhenFrozen } from '../health/freeze.ts'

const JOURNEY = 'counter/1'

/** Throws `proofings_frozen` while no proofing may begin. */
export function beginVisit(ctx: Context, caller: StaffCaller, language: string): Visit {
  refuseWhenFrozen(ctx)
  return ctx.store.transaction(() => {
    const visit = newVisit(ctx, caller, { language, identityId: null, reference: null })
    const body = { visitId: visit.id, channel: visit.channel }
    ctx.store.events.append('visit.begun', null, body, ctx.clock.now(), toActor(caller))
    return visit
  })
}

/**
 * Throws `identity_closed` if it is sealed, `not_found` if it is erased, and `transition_refused` for a visit
 * that ended before the consent, or that a colleague attends. The same officer gets it unchanged. @param from
 * the colleague from whom the caller takes a visit that went to the desk
 */
export function takeOverVisit(
  ctx: Context,
  caller: StaffCaller,
  found: Visit,
  from: string | null = null,
): Visit {
  return ctx.store.transaction(() => {
    const present = ctx.store.visits
      .listOpen()
      .find(
        ({ channel, identityId }) =>
          channel === 'COUNTER' && identityId !== null && identityId === found.identityId,
      )
    const kept = ctx.store.visits.find(found.id) ?? found
    requireOpenIdentity(ctx, kept)
    // An officer who ended a visit no longer attends it: its receipt opens it to every officer.
    const attendant = present?.takenOverBy ?? (kept.endedAt === null ? kept.takenOverBy : null)
    const isOthers = attendant !== null && attendant !== caller.staffId
    if (isOthers && !(from === attendant && present && wasSentToDesk(ctx, present))) {
      throw new AppError('visit_taken_over')
    }
    if (attendant === caller.staffId && present && present.id !== kept.id) return present
    const visit = isOthers && present ? present : kept
    const now = ctx.clock.now()
    // The kiosk reads this with its next request and ends its session without erasing anything.
    ctx.store.visits.save({
      ...visit,
      takenOverBy: caller.staffId,
      helpAskedAt: null,
      ...(visit.endedAt === null && visit.channel === 'COUNTER'
        ? { endedAt: now, outcome: 'TAKEN_OVER' as const }
        : {}),
    })
    const { language, identityId, reference } = visit
    const goesOn = newVisit(ctx, caller, { language, identityId, reference })
    note(ctx, goesOn, 'ACT', 'TAKEN_OVER')
    const before = visit.takenOverBy !== caller.staffId ? visit.takenOverBy : null
    const body = { visitId: visit.id, channel: visit.channel, ...(before === null ? {} : { from: before }) }
    ctx.store.events.append('visit.taken_over', identityId, body, now, toActor(caller))
    return goesOn
  })
}

/**
 * The officer may be off duty when the desk has decided, so any officer may continue such a visit of the
 * counter.
 */
export function wasSentToDesk(
  { store }: Pick<Context, 'store'>,
  { channel, endedAt, identityId }: Pick<Visit, 'channel' | 'endedAt' | 'identityId'>,
): boolean {
  if (channel !== 'COUNTER' || endedAt !== null || identityId === null) return false
  return store.adjudications.list(identityId).length > 0
}

function requireOpenIdentity({ store }: Context, { identityId, endedAt }: Visit): void {
  if (identityId === null) {
    if (endedAt !== null) throw new AppError('transition_refused', { reason: 'visit_ended' })
    return
  }
  const identity = store.identities.find(APPLIANCE, identityId)
  if (!identity) throw new AppError('not_found', { resource: 'identity' })
  if (identity.status === 'CLOSED') throw new AppError('identity_closed')
}

function newVisit(
  ctx: Context,
  { staffId }: StaffCaller,
  about: Pick<Visit, 'language' | 'identityId' | 'reference'>,
): Visit {
  const visit: Visit = {
    ...about,
    id: ctx.newId(),
    channel: 'COUNTER',
    journey: JOURNEY,
    step: about.identityId === null ? 'consent' : 'document',
    startedAt: ctx.clock.now(),
    endedAt: null,
    outcome: null,
    helpAskedAt: null,
    helpAnswer: null,
    takenOverBy: staffId,
  }
  ctx.store.visits.add(visit)
  note(ctx, visit, 'STEP', visit.step)
  return visit
}

/** Throws `not_found` for a visit that another officer attends, and for one of a kiosk. */
export function attendedVisit({ store }: Context, { staffId }: StaffCaller, visitId: string): Visit {
  const visit = store.visits.find(visitId)
  if (visit?.channel !== 'COUNTER' || visit.takenOverBy !== staffId) {
    throw new AppError('not_found', { resource: 'visit' })
  }
  return visit
}

/** Throws `transition_refused` for an ended one, too. */
export function runningVisit(ctx: Context, caller: StaffCaller, visitId: string): Visit {
  const visit = attendedVisit(ctx, caller, visitId)
  if (visit.endedAt !== null) throw new AppError('transition_refused', { reason: 'visit_ended' })
  return visit
}

export function enterStep(ctx: Context, visit: Visit, step: string): Visit {
  if (visit.step === step) return visit
  const moved = { ...visit, step }
  ctx.store.visits.save(moved)
  note(ctx, moved, 'STEP', step)
  return moved
}

export function note({ store, clock }: Context, visit: Visit, kind: VisitNoteKind, code: string): void {
  store.visits.note({ visitId: visit.id, at: clock.now(), step: visit.step, kind, code })
}

export function endVisit(ctx: Context, caller: StaffCaller, visit: Visit, outcome: VisitOutcome): Visit {
  const ended = { ...visit, outcome, endedAt: ctx.clock.now(), helpAskedAt: null }
  ctx.store.transaction(() => {
    ctx.store.visits.save(ended)
    const isThere =
      visit.identityId !== null && ctx.store.identities.find(APPLIANCE, visit.identityId) !== null
    const about = isThere ? visit.identityId : null
    const body = { visitId: visit.id, outcome }
    ctx.store.events.append('visit.ended', about, body, ctx.clock.now(), toActor(caller))
  })
  return ended
}
