/**
 * Asks the mobile operator whether the number, whose code was entered, belongs to the verified person. The question goes out with
 * no transaction open; answer, events and the next jobs are saved in one. A crash repeats the question, which changes nothing at the
 * operator. One that was not answered is put again with growing pauses, while the number counts by its code alone.
 */
import type { AskedOperator } from '../../connectors/operator/operator.ts'
import type { Context } from '../../context.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { moveEvidence, type Evaluation, type Evidence } from '../../proofing/evidence.ts'
import { nameQuestion } from '../../proofing/issuer-question.ts'
import { judge, type Finding } from '../../proofing/judge.ts'
import { listPassedChecks, ruleStrength } from '../../proofing/assurance/scores.ts'
import {
  buildOperatorQuestion,
  CODE_ENTERED,
  isOwnershipShown,
  isUnanswered,
  listDisclosed,
  OPERATOR_FIELDS,
  noteSilence,
  judgeOwnership,
  OWNERSHIP_RULES,
  type AskedOwnership,
  type OperatorAnswer,
  type OperatorQuestion,
} from '../../proofing/phone-ownership.ts'
import type { Unasked } from '../../proofing/source-reply.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { toRecord } from '../../verification/pipeline.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { judgeStanding, planNextTry } from '../evidence/next-try.ts'
import { noteFaultsNow } from '../evidence/note-faults.ts'
import type { VerifyResult } from '../evidence/verify-evidence.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { findNameReference } from '../identity/reference-agreement.ts'
import { findUnaskedReason, mayAskOperator } from './ask-operator-later.ts'
import { keepRecords } from './verify-contact.ts'

/** Job `ask-operator`: the first question about this person, or another try of one that was not answered. */
export async function askOperator(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): Promise<VerifyResult> {
  const open = findOpen(ctx, identityId, evidenceId)
  if (!open) return 'skipped'
  const { evidence, reference } = open
  const number = evidence.content.mobile?.value
  const question =
    ctx.operator && mayAskOperator(ctx, identityId) && number !== undefined && reference
      ? buildOperatorQuestion(number, reference.content, ctx.operator.sends)
      : null
  if (question === null && evidence.status !== 'PROCESSING') return 'skipped'
  const startedAt = ctx.clock.now()
  const requestId = question && nameQuestion(evidenceId, question)
  const asked = ctx.operator && question && requestId ? await ctx.operator.ask(question, requestId) : null
  const calls = asked && question && requestId ? describeCalls(question, requestId, asked) : []
  const referenceId = reference?.id ?? null
  return ctx.store.transaction(() => {
    noteCalls(ctx, identityId, evidenceId, calls)
    const ownership =
      asked && question ? { question, answer: asked.answer } : { unasked: findUnaskedReason(ctx, identityId) }
    return decide(ctx, identityId, evidenceId, { referenceId, ownership, calls, startedAt })
      ? 'done'
      : 'skipped'
  })
}

/** Must run inside a transaction, when the job has failed permanently: the number stays unverified. */
export function giveUpOperator(ctx: Context, identityId: string, evidenceId: string): void {
  const open = findOpen(ctx, identityId, evidenceId)
  if (open?.evidence.status !== 'PROCESSING') return
  const referenceId = open.reference?.id ?? null
  const startedAt = ctx.clock.now()
  const ownership = { unasked: 'ANSWER' } as const
  decide(ctx, identityId, evidenceId, { referenceId, ownership, calls: [], startedAt })
}

/** Null if there is nothing left to ask: sealed, replaced, erased, withdrawn, or answered meanwhile. */
function findOpen(ctx: Context, identityId: string, evidenceId: string) {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || identity.status === 'CLOSED' || !evidence || evidence.deletedAt) return null
  if (ctx.store.otps.find(evidenceId)?.status !== 'DONE') return null
  const waits = evidence.status === 'PROCESSING' || judgeStanding(ctx, 'operator', evidence) === 'ASK'
  return waits ? { identity, evidence, reference: findNameReference(ctx, identity) } : null
}

function describeCalls(
  question: OperatorQuestion,
  requestId: string,
  { calls }: AskedOperator,
): readonly OutsideCall[] {
  return calls.map(({ api, ...note }) => ({
    connector: 'operator',
    source: api,
    requestId,
    values:
      api === 'kyc-match'
        ? listDisclosed(OPERATOR_FIELDS.filter((field) => question.values[field] !== undefined))
        : ['phoneNumber'],
    ...note,
  }))
}

interface Asked {
  /** The evidence whose person the operator was asked about. */
  readonly referenceId: string | null
  readonly ownership: AskedOwnership | Unasked
  readonly calls: readonly OutsideCall[]
  readonly startedAt: Date
}

function decide(ctx: Context, identityId: string, evidenceId: string, asked: Asked): boolean {
  const open = findOpen(ctx, identityId, evidenceId)
  if (!open) return false
  const { evidence, identity } = open
  const answer = 'answer' in asked.ownership ? asked.ownership.answer : null
  const silent = answer && isUnanswered(answer) ? (evidence.content.operatorSilent ?? 0) + 1 : 0
  const noted = { ...evidence, content: noteSilence(evidence.content, silent) }
  planNextTry(ctx, 'operator', noted)
  // The earlier result stands until an answer changes it.
  if (evidence.status !== 'PROCESSING' && silent > 0 && !isSimChanged(answer)) {
    ctx.store.evidences.save(noted)
    return true
  }
  const ownership = judgeOwnership(asked.ownership)
  const reopened = evidence.status === 'PROCESSING' ? noted : moveEvidence(noted, 'PROCESSING')
  const { evidence: decided, records } = noteFaultsNow(
    ctx,
    applyJudgement(ctx, identity.tenantId, reopened, asked.referenceId, ownership),
  )
  ctx.store.evidences.save(decided)
  const record = toRecord({
    name: 'mobile-operator',
    participantType: 'CLAIM_VERIFICATION',
    stopOnFailure: false,
    report: { findings: ownership, models: [], calls: asked.calls },
    rules: OWNERSHIP_RULES,
    blocked: decided.status !== 'VERIFIED',
    startedAt: asked.startedAt,
    endedAt: ctx.clock.now(),
  })
  keepRecords(ctx, decided, [record, ...records])
  announceDecision(ctx, decided)
  evaluateIdentity(ctx, identityId)
  return true
}

const isSimChanged = (answer: OperatorAnswer | null): boolean =>
  answer?.simSwapped.kind === 'answered' && answer.simSwapped.answer

function applyJudgement(
  ctx: Context,
  tenantId: string,
  evidence: Evidence,
  referenceId: string | null,
  ownership: readonly Finding[],
): Evidence {
  const judgement = judge([{ check: CODE_ENTERED, outcome: 'passed' }, ...ownership], OWNERSHIP_RULES)
  const policy = ctx.policy(tenantId)
  const strength = ruleStrength(policy, evidence.type, listPassedChecks(judgement.positiveIndicators))
  const counts = judgement.status === 'VERIFIED'
  const { positiveIndicators, warningIndicators, blockingIndicators, unverifiedIndicators } = judgement
  const evaluation: Evaluation = {
    positiveIndicators,
    warningIndicators,
    blockingIndicators,
    unverifiedIndicators,
    errors: judgement.errors,
    mandatoryMissing: judgement.mandatoryMissing,
    ...(judgement.withheldBy ? { withheldBy: judgement.withheldBy } : {}),
    strengthRule: strength.rule,
    scoreRule: counts ? strength.rule : `${policy.id}/${policy.version}:not-verified`,
  }
  const { mobile } = evidence.content
  return {
    ...moveEvidence(evidence, judgement.status),
    strength: strength.level,
    score: counts ? strength.level : 'LEVEL0',
    evaluatedAt: ctx.clock.now(),
    evaluation,
    matchedReferenceId: referenceId,
    content: {
      ...evidence.content,
      ...(mobile ? { mobile: { ...mobile, verified: isOwnershipShown(ownership) } } : {}),
    },
  }
}
