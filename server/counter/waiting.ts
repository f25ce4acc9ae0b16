/**
 * The waiting applicants: calls for help, applicants whom a kiosk sent to the counter, and the number of
 * cases. Owns which officer attends to which call. Never: personal data.
 */
import { Router } from 'express'
import { AppError } from '../errors.ts'
import { isInForce } from '../proofing/adjudication-decision.ts'
import type { Visit } from '../store/visits.ts'
import type { StaffCaller } from '../workflows/adjudication/desk-review.ts'
import { requireCase } from '../workflows/adjudication/find-adjudication.ts'
import { scopeOfCases } from '../workflows/access/reach.ts'
import { isFinished } from '../workflows/staff/list-proofings.ts'
import { isAllowed, needs, requireStaff, type SignedIn } from './access.ts'
import { getAuthority, getEventActor, staffCaller } from './caller.ts'
import { CloseCallBody, HelpAnswerBody } from './contract/today.ts'
import type { HelpCall, WaitingView } from './contract/today.ts'
import type { CounterDeps } from './deps.ts'
import { findRefusal } from './desk-case.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'

/** The count stops here: more cases than an officer decides in a day. */
const MAX_COUNTED = 200
/** A call whose proof is sealed or erased leaves the list after this time. Starting value. */
const FINISHED_SHOWN_MS = 2 * 3_600_000
/** A call is overdue after this time: since it was made, or since an officer began to attend to it. Starting value. */
const OVERDUE_MS = 10 * 60_000
/** Time in which the officer who closed a call can reopen it; the page offers it for half of it. Starting value. */
const REOPEN_MS = 60_000

export function waitingRouter(deps: CounterDeps): Router {
  const router = Router()
  const { store, clock } = deps

  router.get('/waiting', needs('waiting:see'), (req, res) => {
    const staff = requireStaff(req)
    const view: WaitingView = {
      calls: visitsWaiting(deps).map((visit) => toHelpCall(deps, visit, staff)),
      cases: isAllowed(staff, 'desk:decide')
        ? countWaiting(deps, staff, staffCaller(deps, req))
        : countUnclaimed(deps, req),
      at: clock.now().toISOString(),
    }
    res.json(view)
  })

  router.post('/help-calls/:visitId/answer', needs('help:answer'), async (req, res) => {
    const { answer, heldBy } = await parseJsonBody(req, HelpAnswerBody)
    const visitId = idParam(req, 'visitId')
    const staff = requireStaff(req)
    const visit = store.transaction(() => {
      const found = store.visits.find(visitId)
      if (!found) throw new AppError('not_found', { resource: 'visit' })
      // The applicant has left, or withdrew the call.
      if (!isWaiting(found)) throw new AppError('transition_refused', { reason: 'no_call' })
      const holder = found.held?.by ?? null
      if (holder !== null && holder !== staff.staffId && holder !== heldBy) {
        throw new AppError('transition_refused', { reason: 'held_by_colleague' })
      }
      const now = clock.now()
      // A sent applicant has not called: there is nothing to answer, and the officer only attends to the
      // call.
      const isCall = found.helpAskedAt !== null
      const held = { by: staff.staffId, at: now }
      const answered = { ...found, held, ...(isCall ? { helpAnswer: answer } : {}) }
      store.visits.save(answered)
      if (isCall)
        store.events.append('help.answered', found.identityId, { visitId, answer }, now, getEventActor(req))
      else store.events.append('visit.held', found.identityId, { visitId }, now, getEventActor(req))
      return answered
    })
    res.json(toHelpCall(deps, visit, staff))
  })

  router.post('/help-calls/:visitId/close', needs('help:answer'), async (req, res) => {
    const { state } = await parseJsonBody(req, CloseCallBody)
    const visitId = idParam(req, 'visitId')
    store.transaction(() => {
      const found = store.visits.find(visitId)
      if (!found) throw new AppError('not_found', { resource: 'visit' })
      if (!found.sent || found.closedAt) throw new AppError('transition_refused', { reason: 'no_call' })
      const { staffId } = requireStaff(req)
      const holder = found.held?.by ?? null
      if (holder !== null && holder !== staffId) {
        throw new AppError('transition_refused', { reason: 'held_by_colleague' })
      }
      const now = clock.now()
      store.visits.save({ ...found, closedAt: now, held: { by: staffId, at: now } })
      store.events.append('visit.held', found.identityId, { visitId, state }, now, getEventActor(req))
    })
    res.status(204).end()
  })

  router.post('/help-calls/:visitId/reopen', needs('help:answer'), (req, res) => {
    const visitId = idParam(req, 'visitId')
    store.transaction(() => {
      const found = store.visits.find(visitId)
      if (!found) throw new AppError('not_found', { resource: 'visit' })
      const now = clock.now()
      const isMine = found.held?.by === requireStaff(req).staffId
      if (!found.closedAt || !isMine || now.getTime() - found.closedAt.getTime() > REOPEN_MS) {
        throw new AppError('transition_refused', { reason: 'no_call' })
      }
      store.visits.save({ ...found, closedAt: null })
      const body = { visitId, state: 'REOPENED' as const }
      store.events.append('visit.held', found.identityId, body, now, getEventActor(req))
    })
    res.status(204).end()
  })
  return router
}

/** Longest wait first. Each stays until an officer takes the visit over or closes it, or its proof is finished. */
export function visitsWaiting({ store, clock }: Pick<CounterDeps, 'store' | 'clock'>): readonly Visit[] {
  const now = clock.now()
  const sent = store.visits.listSent()
  const calling = store.visits.listOpen().filter(({ id }) => !sent.some((visit) => visit.id === id))
  return [...sent, ...calling]
    .filter((visit) => isWaiting(visit) && !isOver(visit, isFinished({ store }, visit), now))
    .toSorted((a, b) => since(a).getTime() - since(b).getTime())
}

function isWaiting({ sent, helpAskedAt, endedAt, takenOverBy, closedAt }: Visit): boolean {
  if (helpAskedAt !== null && endedAt === null) return true
  return Boolean(sent) && takenOverBy === null && !closedAt
}

const isOver = (visit: Visit, isFinished: boolean, now: Date): boolean =>
  isFinished && visit.endedAt !== null && now.getTime() - since(visit).getTime() > FINISHED_SHOWN_MS

/** True if the applicant has waited too long, or the officer who attends to the call has not finished it. */
export const isOverdue = (visit: Visit, now: Date): boolean =>
  now.getTime() - (visit.held?.at ?? since(visit)).getTime() > OVERDUE_MS

/** True if no officer holds or has answered the call, or if it is overdue. */
export const isUnattended = (visit: Visit, now: Date): boolean =>
  isOverdue(visit, now) || (!visit.held && visit.helpAnswer === null)

/** True if no code is needed: the applicant called for help, or left the kiosk because an officer said so. */
export function isOpenedByCall({ helpAskedAt, endedAt, takenOverBy, sent, identityId }: Visit): boolean {
  if (takenOverBy !== null) return false
  if (helpAskedAt !== null && endedAt === null) return true
  // A visit that ended before the consent holds nothing that could be continued.
  const isLeft = endedAt === null || identityId !== null
  return isLeft && (sent?.because === 'CALLED' || sent?.because === 'UNATTENDED')
}

const since = ({ helpAskedAt, sent, startedAt }: Visit): Date => sent?.at ?? helpAskedAt ?? startedAt

function toHelpCall({ config, clock, store }: CounterDeps, visit: Visit, staff: SignedIn): HelpCall {
  const askedAt = since(visit)
  const { held, sent } = visit
  return {
    visitId: visit.id,
    kind: sent ? 'SENT' : 'HELP',
    because: sent?.because ?? null,
    heldBy: held
      ? {
          staffId: held.by,
          name: store.staff.find(held.by)?.name ?? '',
          isMe: held.by === staff.staffId,
        }
      : null,
    kiosk: config.kiosk.name,
    reference: visit.reference,
    step: visit.step,
    language: visit.language,
    askedAt: askedAt.toISOString(),
    waitingSeconds: Math.max(0, Math.round((clock.now().getTime() - askedAt.getTime()) / 1000)),
    answer: visit.helpAnswer,
    overdue: isOverdue(visit, clock.now()),
    // Other sent applicants bring a receipt, whose code lets the visit continue.
    mayTakeOver: isOpenedByCall(visit),
  }
}

/** Counts the unclaimed cases, for a member of staff who may not decide them. */
function countUnclaimed(deps: CounterDeps, req: Parameters<typeof staffCaller>[1]): number {
  const { ctx, clock } = deps
  if (!ctx.config.tenant.features.adjudication) return 0
  const queue = ctx.store.adjudications.queue({
    scope: scopeOfCases(ctx, staffCaller(deps, req), 'READ'),
    statuses: ['TO_PROCESS', 'UNSURE', 'PROCESSING'],
    limit: MAX_COUNTED,
  })
  return queue.filter(({ claim }) => !isInForce(claim, clock.now())).length
}

/** Counts the cases that this officer may take now. */
export function countWaiting({ ctx }: CounterDeps, staff: SignedIn, caller: StaffCaller): number {
  if (!ctx.config.tenant.features.adjudication || !isAllowed(staff, 'desk:decide')) return 0
  const queue = ctx.store.adjudications.queue({
    scope: scopeOfCases(ctx, caller, 'READ'),
    statuses: ['TO_PROCESS', 'UNSURE', 'PROCESSING'],
    limit: MAX_COUNTED,
  })
  return queue.filter(({ id }) => mayTake({ ctx, staff, caller }, id)).length
}

function mayTake(
  { ctx, staff, caller }: { ctx: CounterDeps['ctx']; staff: SignedIn; caller: StaffCaller },
  adjudicationId: string,
): boolean {
  try {
    const found = requireCase(ctx, caller, adjudicationId, 'READ')
    return findRefusal({ ctx, caller: { ...caller, authority: getAuthority(staff) } }, found) === null
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
