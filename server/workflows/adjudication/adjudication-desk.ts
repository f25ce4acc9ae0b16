/**
 * The desk of the adjudicators: lists the open cases within the caller's reach, shows one case, and claims or releases it.
 * `decide-adjudication` decides. Earlier decisions stay hidden until the case has ended, so that a second adjudicator judges
 * independently.
 */
import type { Context } from '../../context.ts'
import { isAwaited, moveAdjudication } from '../../proofing/adjudication.ts'
import {
  ADJUDICATION_DECISIONS,
  isInForce,
  requireClaim,
  requireFree,
  requireIndependent,
  statusWhenReleased,
  type Adjudicator,
} from '../../proofing/adjudication-decision.ts'
import { listUnacceptableChecks, reasonsFor } from '../../proofing/adjudication-rules.ts'
import { readCursor, writeCursor } from '../../proofing/page-cursor.ts'
import { MINUTE_MS, formatSpecDateTime } from '../../proofing/time.ts'
import type { AdjudicationStatus, Caller, EvidenceType } from '../../proofing/types.ts'
import type { Adjudication } from '../../store/adjudications.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { Author } from '../../store/events.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { requireFeature } from '../evidence/add-evidence.ts'
import { toActor } from '../access/author.ts'
import { requireCase, requireOpenCase, identifyAdjudicator, type Case } from './find-adjudication.ts'
import { scopeOfCases } from '../access/reach.ts'
import { markDone } from '../identity/record-call.ts'

interface QueueRequest {
  readonly status?: AdjudicationStatus | undefined
  readonly type?: EvidenceType | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  readonly limit: number
}

const OPEN: readonly AdjudicationStatus[] = ['TO_PROCESS', 'UNSURE', 'PROCESSING']

/** Oldest first. Without a status: cases that wait, or are claimed. */
export async function listDesk(ctx: Context, caller: Caller, { status, type, after, limit }: QueueRequest) {
  requireFeature(ctx, 'adjudication')
  const page = ctx.store.adjudications.queue({
    scope: scopeOfCases(ctx, caller, 'READ'),
    statuses: status ? [status] : OPEN,
    ...(type ? { type } : {}),
    ...(after === undefined ? {} : { after: readPlace(after) }),
    // One more, to know whether there is a next page.
    limit: limit + 1,
  })
  const shown = page.slice(0, limit)
  const last = shown.at(-1)
  return {
    adjudications: shown.map((adjudication) => summary(ctx, adjudication)),
    ...(page.length > limit && last ? { next: writeCursor([last.requestedAt.getTime(), last.id]) } : {}),
  }
}

function readPlace(after: string): Pick<Adjudication, 'requestedAt' | 'id'> {
  const [requestedAt, id] = readCursor(after)
  return { requestedAt: new Date(requestedAt), id }
}

export async function getDesk(ctx: Context, caller: Caller, adjudicationId: string) {
  return detail(ctx, requireCase(ctx, caller, adjudicationId, 'READ'))
}

/**
 * A claim by the same adjudicator extends the time. Throws `adjudication_claimed`, and the errors of
 * `requireIndependent`.
 */
export async function claimAdjudication(
  ctx: Context,
  caller: Caller,
  adjudicationId: string,
  as: Adjudicator,
) {
  return changeCase(ctx, caller, adjudicationId, (found) => claimFor(ctx, caller, found, as))
}

/** Throws `adjudication_claimed` for another adjudicator's claim, and `adjudication_not_claimed`. */
export async function releaseAdjudication(
  ctx: Context,
  caller: Caller,
  adjudicationId: string,
  as: Adjudicator,
) {
  return changeCase(ctx, caller, adjudicationId, (found) => releaseFor(ctx, caller, found, as))
}

function changeCase(ctx: Context, caller: Caller, adjudicationId: string, change: (found: Case) => void) {
  return ctx.store.transaction(() => {
    change(requireCase(ctx, caller, adjudicationId, 'ACT'))
    return detail(ctx, requireCase(ctx, caller, adjudicationId, 'ACT'))
  })
}

/** Must run inside a transaction, for a case that the caller may change. */
export function claimFor(ctx: Context, caller: Caller, found: Case, as: Adjudicator): void {
  claim(ctx, found, identifyAdjudicator(ctx, caller, as), toActor(caller))
  markDone(ctx, caller)
}

/** Must run inside a transaction, for a case that the caller may change. */
export function releaseFor(ctx: Context, caller: Caller, found: Case, as: Adjudicator): void {
  requireOpenCase(found)
  requireClaim(found.adjudication.claim, identifyAdjudicator(ctx, caller, as), ctx.clock.now())
  giveBack(ctx, found.adjudication, toActor(caller))
  markDone(ctx, caller)
}

/** Must run inside a transaction. */
function claim(ctx: Context, found: Case, adjudicator: Adjudicator, author: Author): Adjudication {
  requireOpenCase(found)
  const { adjudication, deliberation, officers } = found
  const now = ctx.clock.now()
  requireFree(adjudication.claim, adjudicator, now)
  requireIndependent(adjudicator, deliberation, officers)
  const expiresAt = new Date(now.getTime() + ctx.adjudication.rules.claimMinutes * MINUTE_MS)
  const isOwnClaim = isInForce(adjudication.claim, now)
  // Another adjudicator's claim has expired, and its deadline has not been passed yet.
  const free =
    isOwnClaim || adjudication.status !== 'PROCESSING' ? adjudication : giveBack(ctx, adjudication, TIMED_OUT)
  const claimed = {
    ...(isOwnClaim ? free : moveAdjudication(free, 'PROCESSING')),
    claim: { adjudicator, expiresAt },
  }
  ctx.store.adjudications.save(claimed)
  const { id: subjectId, identityId, evidenceId } = claimed
  ctx.store.deadlines.set({ kind: 'adjudication-claim', subjectId, identityId, dueAt: expiresAt })
  if (!isOwnClaim)
    ctx.store.events.append(
      'adjudication.claimed',
      identityId,
      { evidenceId, adjudicationId: subjectId },
      now,
      author,
    )
  return claimed
}

const TIMED_OUT: Author = { reason: 'TIME_OUT' }

/** Must run inside a transaction: returns the case to the queue. */
function giveBack(ctx: Context, adjudication: Adjudication, author: Author): Adjudication {
  const { id, identityId, evidenceId } = adjudication
  const decisions = ctx.store.adjudicationDecisions.list(id)
  const free = { ...moveAdjudication(adjudication, statusWhenReleased({ decisions })), claim: null }
  ctx.store.adjudications.save(free)
  ctx.store.deadlines.clear('adjudication-claim', id)
  ctx.store.events.append(
    'adjudication.released',
    identityId,
    { evidenceId, adjudicationId: id },
    ctx.clock.now(),
    author,
  )
  return free
}

/** Must run inside a transaction: the claim expired without a decision. */
export function claimTimedOut(ctx: Context, { subjectId }: Deadline): void {
  const adjudication = ctx.store.adjudications.find(subjectId)
  if (adjudication?.status !== 'PROCESSING' || !ctx.store.identities.find(APPLIANCE, adjudication.identityId))
    return
  giveBack(ctx, adjudication, TIMED_OUT)
}

/** Contains no personal data and no name. */
function summary(ctx: Context, adjudication: Adjudication) {
  const { id, identityId, evidenceId, status, requestedAt, respondedAt, fourEyes, claim: held } = adjudication
  const dueAt = ctx.store.deadlines.find('adjudication', id)
  const inForce = isInForce(held, ctx.clock.now()) ? held : null
  return {
    adjudicationId: id,
    identityId,
    evidenceId,
    type: ctx.store.evidences.find(evidenceId)?.type ?? '',
    status,
    requestDateTime: formatSpecDateTime(requestedAt),
    ...(dueAt ? { dueDateTime: formatSpecDateTime(dueAt) } : {}),
    ...(respondedAt ? { responseDateTime: formatSpecDateTime(respondedAt) } : {}),
    fourEyes,
    decisionsMade: ctx.store.adjudicationDecisions.list(id).length,
    ...(inForce ? { claimedUntil: formatSpecDateTime(inForce.expiresAt) } : {}),
  }
}

function detail(ctx: Context, found: Case) {
  const { adjudication, evidence, deliberation, reference } = found
  const { evaluation } = evidence
  const { rules } = ctx.adjudication
  const held = isInForce(adjudication.claim, ctx.clock.now()) ? adjudication.claim : null
  const mayAccept =
    listUnacceptableChecks(rules, evidence).length === 0 &&
    (evidence.family !== 'PORTRAIT' || reference !== null)
  return {
    ...summary(ctx, adjudication),
    evidenceStatus: evidence.status,
    ...(held ? { claimedBy: held.adjudicator } : {}),
    positiveIndicators: evaluation.positiveIndicators,
    warningIndicators: evaluation.warningIndicators,
    blockingIndicators: evaluation.blockingIndicators,
    unverifiedIndicators: evaluation.unverifiedIndicators,
    errors: evaluation.errors,
    images: imagesToSee(found),
    choices: ADJUDICATION_DECISIONS.filter((decision) => decision !== 'ACCEPTED' || mayAccept).map(
      (decision) => ({
        decision,
        reasons: reasonsFor(rules, evidence.family, decision).map(({ code, text }) => ({ code, text })),
      }),
    ),
    ...(isAwaited(adjudication.status)
      ? {}
      : { decisions: ctx.store.adjudicationDecisions.list(adjudication.id) }),
    ...(adjudication.reason === null ? {} : { reason: adjudication.reason }),
    ...(reference ? { referenceId: reference.id } : {}),
    ...(deliberation.fourEyes ? { acceptancesNeeded: 2 } : { acceptancesNeeded: 1 }),
  }
}

/** Paths of this API for the pictures, with the same key. */
function imagesToSee({ identity, evidence, reference }: Case) {
  const at = `/v1/identities/${identity.id}`
  const ofDocument = (id: string): string => `${at}/id-documents/${id}/capture`
  const own = evidence.family === 'PORTRAIT' ? `${at}/attributes/portrait/capture` : ofDocument(evidence.id)
  return [
    { evidenceId: evidence.id, href: own },
    ...(reference ? [{ evidenceId: reference.id, href: ofDocument(reference.id) }] : []),
  ]
}
