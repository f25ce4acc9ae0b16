/**
 * Reviews a case at the counter's desk. The reviewer first records their own answers, then drafts and confirms a decision.
 * `carry-out-decision` carries it out when the time to undo it is over; `decide-adjudication` signs and saves it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { isAwaited } from '../../proofing/adjudication.ts'
import {
  isDisputed,
  requireClaim,
  requireIndependent,
  requireOverruler,
  requireSupervisor,
  statusAfter,
  type Adjudicator,
  type Authority,
  type DecisionRule,
} from '../../proofing/adjudication-decision.ts'
import type { EvidenceFamily } from '../../proofing/evidence.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { RecordedExamination } from '../../proofing/verification-record.ts'
import type { DeskWork } from '../../store/desk-work.ts'
import { claimFor, releaseFor } from './adjudication-desk.ts'
import { toActor } from '../access/author.ts'
import { requireCase, requireOpenCase, type Case } from './find-adjudication.ts'
import { requireDecision, type Reading } from './require-decision.ts'

/** Time to undo a decision (docs/screens.md, "Rules for the console"). */
export const UNDO_MS = 30_000
/** Long enough to read the question, short enough that the next officer does not find a draft. */
const DRAFT_MS = 5 * MINUTE_MS
/** A decision that is confirmed in the last second of a claim still counts as its adjudicator's. */
const HELD_AFTER_MS = 5 * MINUTE_MS

/** An officer in a session of the counter. */
export type StaffCaller = Caller & { readonly staffId: string }

/** An adjudicator at the desk, with the session's authority in a dispute. */
export type DeskCaller = StaffCaller & { readonly authority: Authority }

type QuestionName = 'samePerson' | 'documentReal' | 'dataAgree'

/** The questions to answer before the measurements are shown. */
export function listQuestions(family: EvidenceFamily, hasReference: boolean): readonly QuestionName[] {
  if (family === 'PORTRAIT') return hasReference ? ['samePerson'] : []
  return ['documentReal', 'dataAgree']
}

export function toAdjudicator({ staffId }: StaffCaller): Adjudicator {
  return { id: staffId, kind: 'STAFF' }
}

interface DeskDraft {
  readonly token: string
  readonly expiresAt: Date
  /** No other adjudicator follows. */
  readonly isLast: boolean
}

/** Throws the errors of `requireSupervisor` and `claimAdjudication`. */
export async function claimCase(ctx: Context, caller: DeskCaller, adjudicationId: string): Promise<void> {
  ctx.store.transaction(() => {
    const found = requireCase(ctx, caller, adjudicationId, 'ACT')
    claimFor(ctx, caller, found, toAdjudicator(caller))
    requireSupervisor(found.deliberation, caller.authority)
  })
}

/**
 * Throws `transition_refused` while a confirmed decision is pending, and the errors of `releaseAdjudication`.
 */
export async function releaseCase(ctx: Context, caller: DeskCaller, adjudicationId: string): Promise<void> {
  ctx.store.transaction(() => {
    const found = requireCase(ctx, caller, adjudicationId, 'ACT')
    if (ctx.store.deskWork.findPending(adjudicationId))
      throw new AppError('transition_refused', { reason: 'decision_pending' })
    releaseFor(ctx, caller, found, toAdjudicator(caller))
  })
}

/**
 * Records the answers once: after the measurements were shown they cannot change. Throws `transition_refused`
 * then.
 */
export function answerCase(
  ctx: Context,
  caller: StaffCaller,
  adjudicationId: string,
  examination: RecordedExamination,
): void {
  return ctx.store.transaction(() => {
    const { found, work } = requireHeldCase(ctx, caller, adjudicationId)
    if (work.examination !== null) throw new AppError('transition_refused', { reason: 'answered' })
    requireAnswers(found, examination)
    ctx.store.deskWork.save({ ...work, examination })
    note(ctx, caller, 'desk.answered', found)
  })
}

/**
 * Drafts the decision; `confirmDecision` must follow. Throws `transition_refused` before the answers, the errors of `requireOverruler`, and the
 * reasons to refuse the decision.
 */
export function draftDecision(
  ctx: Context,
  caller: DeskCaller,
  adjudicationId: string,
  { decision, reason, values }: Reading,
): DeskDraft {
  return ctx.store.transaction(() => {
    const { found, work } = requireHeldCase(ctx, caller, adjudicationId)
    requireOverruler(found.deliberation, caller.authority)
    requireDecidable(ctx, found, work, { decision, reason, values })
    const token = randomBytes(24).toString('base64url')
    const expiresAt = new Date(ctx.clock.now().getTime() + DRAFT_MS)
    const draft = {
      decision,
      reason,
      ...(values ? { values } : {}),
      tokenSha256: sha256(token),
      expiresAt: expiresAt.getTime(),
    }
    ctx.store.deskWork.save({ ...work, draft, ...(values ? { typed: values } : {}) })
    const status = statusAfter(decision, found.deliberation, getDecisionRule(found))
    return { token, expiresAt, isLast: !isAwaited(status) }
  })
}

/**
 * Confirms the draft and starts the time to undo. Throws `transition_refused` for another or expired token, and the
 * errors of `draftDecision`.
 */
export function confirmDecision(
  ctx: Context,
  caller: DeskCaller,
  adjudicationId: string,
  token: string,
  words?: string,
): Date {
  return ctx.store.transaction(() => {
    const { found, work } = requireHeldCase(ctx, caller, adjudicationId)
    requireOverruler(found.deliberation, caller.authority)
    const { draft } = work
    const now = ctx.clock.now()
    const isGood = draft !== null && draft.expiresAt > now.getTime() && isToken(token, draft.tokenSha256)
    if (!isGood) throw new AppError('transition_refused', { reason: 'draft_gone' })
    const { decision, reason, values } = draft
    requireDecidable(ctx, found, work, { decision, reason, values })
    const undoUntil = new Date(now.getTime() + UNDO_MS)
    const overrules = getDecisionRule(found) === 'OVERRULE'
    const pending = {
      decision,
      reason,
      overrules,
      ...(values ? { values } : {}),
      ...(words ? { note: words } : {}),
      undoUntil: undoUntil.getTime(),
    }
    ctx.store.deskWork.save({ ...work, draft: null, pending })
    holdUntil(ctx, found, toAdjudicator(caller), new Date(undoUntil.getTime() + HELD_AFTER_MS))
    const { id: subjectId, identityId } = found.adjudication
    ctx.store.deadlines.set({ kind: 'desk-decision', subjectId, identityId, dueAt: undoUntil })
    note(ctx, caller, 'desk.confirmed', found, { undoUntil: undoUntil.getTime() })
    return undoUntil
  })
}

/** Throws `transition_refused` if no decision is pending, or its time is over. */
export function undoDecision(ctx: Context, caller: StaffCaller, adjudicationId: string): void {
  return ctx.store.transaction(() => {
    const found = requireCase(ctx, caller, adjudicationId, 'ACT')
    const work = ctx.store.deskWork.find(adjudicationId, caller.staffId)
    const isInTime = (work?.pending?.undoUntil ?? 0) > ctx.clock.now().getTime()
    if (!work || !isInTime) throw new AppError('transition_refused', { reason: 'nothing_to_undo' })
    ctx.store.deskWork.save({ ...work, pending: null })
    ctx.store.deadlines.clear('desk-decision', adjudicationId)
    note(ctx, caller, 'desk.undone', found)
  })
}

/** A supervisor decides if two adjudicators disagree (`requireOverruler`). */
export function getDecisionRule({ deliberation }: Pick<Case, 'deliberation'>): DecisionRule {
  return isDisputed(deliberation) ? 'OVERRULE' : 'DESK'
}

/**
 * Must run inside a transaction: returns the case, claimed by this officer, with the work so far. No decision
 * may be pending.
 */
function requireHeldCase(
  ctx: Context,
  caller: StaffCaller,
  adjudicationId: string,
): { found: Case; work: DeskWork } {
  const found = requireCase(ctx, caller, adjudicationId, 'ACT')
  const adjudicator = toAdjudicator(caller)
  requireOpenCase(found)
  requireIndependent(adjudicator, found.deliberation, found.officers)
  requireClaim(found.adjudication.claim, adjudicator, ctx.clock.now())
  const work = ctx.store.deskWork.find(adjudicationId, adjudicator.id) ?? {
    adjudicationId,
    identityId: found.identity.id,
    reviewer: adjudicator.id,
    examination: null,
    draft: null,
    pending: null,
  }
  if (work.pending !== null) throw new AppError('transition_refused', { reason: 'decision_pending' })
  return { found, work }
}

function requireAnswers({ evidence, reference }: Case, examination: RecordedExamination): void {
  const open = listQuestions(evidence.family, reference !== null).filter(
    (question) => examination[question] === undefined,
  )
  const [first] = open
  if (first !== undefined) throw fieldProblem('required', first, 'must be answered')
}

function requireDecidable(ctx: Context, found: Case, { examination }: DeskWork, reading: Reading): void {
  if (examination === null) throw new AppError('transition_refused', { reason: 'not_answered' })
  if (requireDecision(ctx, found, reading, getDecisionRule(found)) === null) return
  const { samePerson, documentReal, dataAgree } = examination
  const contradicts = [samePerson, documentReal, dataAgree].includes('NO')
  if (contradicts) throw new AppError('decision_refused', { reason: 'own_answers' })
}

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function isToken(token: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(token), 'hex'), Buffer.from(expected, 'hex'))
}

/** Must run inside a transaction. */
function holdUntil(ctx: Context, { adjudication }: Case, adjudicator: Adjudicator, until: Date): void {
  const { id: subjectId, identityId, claim } = adjudication
  const expiresAt = claim && claim.expiresAt > until ? claim.expiresAt : until
  ctx.store.adjudications.save({ ...adjudication, claim: { adjudicator, expiresAt } })
  ctx.store.deadlines.set({ kind: 'adjudication-claim', subjectId, identityId, dueAt: expiresAt })
}

type Noted = 'desk.answered' | 'desk.undone'

function note(ctx: Context, caller: StaffCaller, type: Noted, found: Case): void
function note(
  ctx: Context,
  caller: StaffCaller,
  type: 'desk.confirmed',
  found: Case,
  more: { readonly undoUntil: number },
): void
function note(
  ctx: Context,
  caller: StaffCaller,
  type: Noted | 'desk.confirmed',
  { adjudication: { id: adjudicationId, evidenceId, identityId } }: Case,
  more = {},
): void {
  const body = { adjudicationId, evidenceId, ...more }
  ctx.store.events.append(type as Noted, identityId, body, ctx.clock.now(), toActor(caller))
}
