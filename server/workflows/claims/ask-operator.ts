/**
 * Job `ask-operator`: asks the mobile operator whether the number, whose code was entered, belongs to the verified person. The
 * question goes out with no transaction open; answer, event and the next jobs are saved in one. A crash repeats the question,
 * which changes nothing at the operator.
 */
import type { Context } from '../../context.ts'
import { moveEvidence, type Evaluation, type Evidence } from '../../proofing/evidence.ts'
import { nameQuestion } from '../../proofing/issuer-question.ts'
import { judge, type Finding } from '../../proofing/judge.ts'
import { listPassedChecks, ruleStrength } from '../../proofing/assurance/scores.ts'
import {
  buildOperatorQuestion,
  CODE_ENTERED,
  isOwnershipShown,
  judgeOwnership,
  OWNERSHIP_RULES,
  type OperatorAnswer,
  type OperatorQuestion,
} from '../../proofing/phone-ownership.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { toRecord } from '../../verification/pipeline.ts'
import { noteFaultsNow } from '../evidence/note-faults.ts'
import type { VerifyResult } from '../evidence/verify-evidence.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { findNameReference } from '../identity/reference-agreement.ts'
import { mayAskOperator } from './ask-operator-later.ts'
import { keepRecords } from './verify-mobile.ts'

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
  const startedAt = ctx.clock.now()
  const answer =
    ctx.operator && question ? await ctx.operator.ask(question, nameQuestion(evidenceId, question)) : null
  return ctx.store.transaction(() =>
    decide(ctx, identityId, evidenceId, { referenceId: reference?.id ?? null, question, answer, startedAt })
      ? 'done'
      : 'skipped',
  )
}

/** Must run inside a transaction, when the job has failed permanently: the number stays unverified. */
export function giveUpOperator(ctx: Context, identityId: string, evidenceId: string): void {
  const referenceId = findOpen(ctx, identityId, evidenceId)?.reference?.id ?? null
  const startedAt = ctx.clock.now()
  decide(ctx, identityId, evidenceId, { referenceId, question: null, answer: null, startedAt })
}

/** Null if there is nothing left to ask: replaced, erased, withdrawn or decided meanwhile. */
function findOpen(ctx: Context, identityId: string, evidenceId: string) {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || !evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return null
  if (ctx.store.otps.find(evidenceId)?.status !== 'DONE') return null
  return { evidence, reference: findNameReference(ctx, identity), tenantId: identity.tenantId }
}

interface Asked {
  /** The evidence whose person the operator was asked about. */
  readonly referenceId: string | null
  readonly question: OperatorQuestion | null
  readonly answer: OperatorAnswer | null
  readonly startedAt: Date
}

function decide(ctx: Context, identityId: string, evidenceId: string, asked: Asked): boolean {
  const open = findOpen(ctx, identityId, evidenceId)
  if (!open) return false
  const { evidence, tenantId } = open
  const ownership = judgeOwnership(asked.question, asked.answer)
  const { evidence: decided, records } = noteFaultsNow(
    ctx,
    applyJudgement(ctx, tenantId, evidence, asked.referenceId, ownership),
  )
  ctx.store.evidences.save(decided)
  const record = toRecord({
    name: 'mobile-operator',
    participantType: 'CLAIM_VERIFICATION',
    stopOnFailure: false,
    report: { findings: ownership, models: [] },
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
