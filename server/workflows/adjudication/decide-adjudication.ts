/**
 * Decides a case: checks what the adjudicator saw, signs the decision, then saves decision, case, evidence, events and level
 * in one transaction. If the case changed meanwhile, nothing is saved and the adjudicator is told.
 */
import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isAwaited, moveAdjudication } from '../../proofing/adjudication.ts'
import {
  requireClaim,
  requireFree,
  requireIndependent,
  statusAfter,
  type AdjudicationDecision,
  type Adjudicator,
  type DecisionRule,
} from '../../proofing/adjudication-decision.ts'
import { applyAdjudication } from '../../proofing/adjudication-outcome.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { withPersonRead, type PersonRead } from '../../proofing/read-by-person.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { AdjudicationStatus, Caller } from '../../proofing/types.ts'
import type { RecordedDecision, RecordedExamination } from '../../proofing/verification-record.ts'
import {
  DECISION_TYPE,
  hashOfReading,
  hashOfRecords,
  type DecisionStatement,
  type SignedReading,
} from '../../proof/verify/decision-statement.ts'
import { canonicalBytes } from '../../proof/verify/canonical-json.ts'
import type { Author } from '../../store/events.ts'
import type { ImageKind } from '../../store/images.ts'
import type { Scope } from '../../store/scope.ts'
import { saveEnded } from './request-adjudication.ts'
import { toActor } from '../access/author.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import {
  findCase,
  requireCase,
  requireOpenCase,
  identifyAdjudicator,
  type Case,
} from './find-adjudication.ts'
import { noteSteps } from '../proof/note-steps.ts'
import { resume } from '../identity/pause-identity.ts'
import { scopeOfCases } from '../access/reach.ts'
import { recordCall } from '../identity/record-call.ts'
import { keepDecisionRecord } from './record-decision.ts'
import { requireDecision } from './require-decision.ts'

export interface Answer {
  readonly adjudicator: Adjudicator
  readonly decision: AdjudicationDecision
  readonly reason: string
  /** The adjudicator's own observations, if they were asked for before the measurements were shown. */
  readonly examination?: RecordedExamination
  /** For officers and auditors. In no signature, no proof and no event. */
  readonly note?: string
  /** The values that the adjudicator read from the picture, if the machine could not. */
  readonly values?: PersonRead | undefined
}

/** The channel of an answer, and further data to save inside its transaction. */
interface DecisionChannel {
  /** The cases that may be decided this way. */
  readonly scope: Scope
  readonly author: Author
  /** The case must be claimed first; an outside service claims and decides in one act. */
  readonly claimFirst: boolean
  /** Default: API. */
  readonly rule?: DecisionRule
  readonly alongside: (found: Case) => void
}

/** Number of tries when the evidence changes during the decision. */
const ATTEMPTS = 3
/** The pictures that the API shows. */
const SHOWN: readonly ImageKind[] = ['FRONT', 'BACK', 'PORTRAIT']
const ADJUDICATION = 'ADJUDICATION'
/** 128 bits: a birth date can be guessed, a salt cannot. */
const SALT_BYTES = 16

/** Throws the errors of `requireClaim`, `requireIndependent`, `requireReason` and `requireAcceptable`. */
export async function decideAdjudication(
  ctx: Context,
  caller: Caller,
  adjudicationId: string,
  answer: Answer,
) {
  requireCase(ctx, caller, adjudicationId, 'ACT')
  const adjudicator = identifyAdjudicator(ctx, caller, answer.adjudicator)
  return decide(
    ctx,
    adjudicationId,
    { ...answer, adjudicator },
    {
      scope: scopeOfCases(ctx, caller, 'ACT'),
      author: toActor(caller),
      claimFirst: true,
      alongside: ({ identity, evidence }) => {
        const subject = {
          identityId: identity.id,
          subjectId: evidence.id,
          name: ADJUDICATION,
          kind: 'ADD',
        } as const
        recordCall(ctx, caller, subject, 200)
      },
    },
  )
}

export async function decide(ctx: Context, adjudicationId: string, answer: Answer, channel: DecisionChannel) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const seen = requireDecidableCase(ctx, adjudicationId, answer, channel)
    const decidedAt = ctx.clock.now()
    const id = ctx.newId()
    const reading = answer.values ? saltReading(answer.values) : null
    const signature = await sign(ctx, { id, seen, answer, reading, decidedAt })
    const { adjudicator, decision, reason, examination } = answer
    const recorded: RecordedDecision = {
      decision,
      reason,
      adjudicator,
      decidedAt: formatSpecDateTime(decidedAt),
      ...(examination ? { examination } : {}),
      signature,
    }
    const ended = ctx.store.transaction(() => {
      const present = requireDecidableCase(ctx, adjudicationId, answer, channel)
      if (!isSame(seen, present)) return null
      ctx.store.adjudicationDecisions.add({
        id,
        adjudicationId,
        identityId: present.identity.id,
        decision: recorded,
        decidedAt,
        ...(answer.note === undefined ? {} : { note: answer.note }),
        ...(reading ? { reading } : {}),
      })
      return commit(ctx, present, recorded, decidedAt, channel)
    })
    if (ended) {
      ctx.wakeJobs()
      return ended
    }
  }
  throw new AppError('revision_conflict')
}

/** Throws if this adjudicator may not decide this way. */
function requireDecidableCase(
  ctx: Context,
  adjudicationId: string,
  answer: Answer,
  channel: DecisionChannel,
): Case {
  const { scope, claimFirst, rule } = channel
  const found = findCase(ctx, scope, adjudicationId)
  const { adjudication, deliberation, officers } = found
  const { adjudicator } = answer
  requireOpenCase(found)
  requireIndependent(adjudicator, deliberation, officers)
  const now = ctx.clock.now()
  if (claimFirst) requireClaim(adjudication.claim, adjudicator, now)
  else requireFree(adjudication.claim, adjudicator, now)
  requireDecision(ctx, found, answer, rule)
  return found
}

/** True if the signed state is still the present one. */
function isSame(seen: Case, present: Case): boolean {
  return (
    seen.evidence.revision === present.evidence.revision &&
    seen.adjudication.status === present.adjudication.status &&
    seen.deliberation.decisions.length === present.deliberation.decisions.length &&
    seen.reference?.id === present.reference?.id
  )
}

function saltReading(values: PersonRead): SignedReading & { readonly values: PersonRead } {
  return { salt: randomBytes(SALT_BYTES).toString('base64url'), values: withoutGaps(values) }
}

/** Removes undefined members, so that the signed content has one form. */
function withoutGaps(values: PersonRead): PersonRead & Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(values)) as PersonRead & Readonly<Record<string, unknown>>
}

interface ToSign {
  readonly id: string
  readonly seen: Case
  readonly answer: Answer
  readonly reading: SignedReading | null
  readonly decidedAt: Date
}

/** Returns a compact JWS by the key that signs proofs. */
function sign(ctx: Context, { id, seen, answer, reading, decidedAt }: ToSign): Promise<string> {
  const { identity, evidence, adjudication, reference } = seen
  const signer = ctx.signer.current()
  const { adjudicator, decision, reason, examination } = answer
  const statement: DecisionStatement = {
    type: DECISION_TYPE,
    version: reading ? '2' : '1',
    applianceId: ctx.store.applianceId,
    keyId: signer.keyId,
    decisionId: id,
    adjudicationId: adjudication.id,
    identityId: identity.id,
    evidenceId: evidence.id,
    ...(reference ? { referenceId: reference.id } : {}),
    decision,
    reason,
    adjudicator: { id: adjudicator.id, kind: adjudicator.kind },
    ...(examination ? { examination } : {}),
    ...(reading ? { readingSha256: hashOfReading(reading) } : {}),
    decidedAt: formatSpecDateTime(decidedAt),
    images: hashImages(ctx, [evidence.id, ...(reference ? [reference.id] : [])]),
    verificationSha256: hashOfRecords(ctx.store.evidences.verification(evidence)),
  }
  return signer.sign(canonicalBytes(statement))
}

function hashImages({ store: { images } }: Context, evidenceIds: readonly string[]): Record<string, string> {
  const shown = evidenceIds
    .flatMap((id) => images.listByEvidence(id))
    .filter(({ kind }) => SHOWN.includes(kind))
    .map((image) => [image.id, createHash('sha256').update(images.read(image)).digest('hex')] as const)
  return Object.fromEntries(shown)
}

/** Must run inside a transaction. */
function commit(
  ctx: Context,
  found: Case,
  { decision, reason }: RecordedDecision,
  now: Date,
  { author, alongside, rule }: DecisionChannel,
) {
  const { identity, evidence, adjudication, deliberation } = found
  const status = statusAfter(decision, deliberation, rule)
  const isFinal = !isAwaited(status)
  const claimed =
    adjudication.status === 'PROCESSING' ? adjudication : moveAdjudication(adjudication, 'PROCESSING')
  const decided = {
    ...moveAdjudication(claimed, status),
    claim: null,
    ...(isFinal ? { reason, respondedAt: now } : {}),
  }
  alongside(found)
  if (isFinal) saveEnded(ctx, decided)
  else {
    ctx.store.adjudications.save(decided)
    ctx.store.deadlines.clear('adjudication-claim', decided.id)
  }
  const body = { evidenceId: evidence.id, adjudicationId: adjudication.id, status, reason }
  ctx.store.events.append('adjudication.decided', identity.id, body, now, author)
  keepDecisionRecord(ctx, found, status, reason, now)
  if (isFinal) endWith(ctx, found, status, now, author)
  else noteSteps(ctx, identity.id)
  return { adjudicationId: adjudication.id, identityId: identity.id, evidenceId: evidence.id, status }
}

/**
 * Must run inside a transaction: applies the last decision to the evidence; an identity that was paused for
 * it continues.
 */
function endWith(
  ctx: Context,
  { identity, evidence, adjudication, reference }: Case,
  status: AdjudicationStatus,
  now: Date,
  author: Author,
): void {
  if (status !== 'ACCEPTED' && status !== 'REJECTED') return
  const policy = ctx.policy(identity.tenantId)
  // Adjudicators who agree have read the same; after a dispute the supervisor's reading is final.
  const read =
    status === 'ACCEPTED' ? ctx.store.adjudicationDecisions.readings(adjudication.id).at(-1) : undefined
  const seen = withPersonRead(evidence, read ?? null)
  const after: Evidence = { ...applyAdjudication(policy, seen, status, reference), evaluatedAt: now }
  ctx.store.evidences.save(after)
  announceDecision(ctx, after)
  if (identity.status === 'PAUSED') resume(ctx, author, identity)
  evaluateIdentity(ctx, identity.id)
}
