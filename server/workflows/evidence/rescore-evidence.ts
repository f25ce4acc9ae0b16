/** Scores existing evidence again after the tenant's policy changed. */
import type { Context } from '../../context.ts'
import type { Policy } from '../../proofing/assurance/policy.ts'
import { scoredBy } from '../../proofing/assurance/scores.ts'
import { isUndecided, type Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'

/**
 * Must run inside a transaction, before the identity is assessed: a proof has one policy for all of its
 * evidence.
 */
export function rescoreEvidence(ctx: Context, { id, assessment }: Identity, policy: Policy): void {
  const isOfThisPolicy = assessment?.policy.id === policy.id && assessment.policy.version === policy.version
  if (assessment === null || isOfThisPolicy) return
  const decided = ctx.store.evidences
    .list(id)
    .filter(({ deletedAt, status }) => deletedAt === null && !isUndecided(status))
  // Documents first, because a portrait takes the score of its document.
  for (const evidence of [...decided].sort((a, b) => Number(isPortrait(a)) - Number(isPortrait(b)))) {
    const { matchedReferenceId: referenceId, evaluation } = evidence
    const reference = referenceId === null ? null : ctx.store.evidences.find(referenceId)
    const { positiveIndicators } = evaluation
    const scored = scoredBy(policy, { ...evidence, positiveIndicators }, reference?.score ?? null)
    const strength = scored.strength.level
    const score = scored.score.level
    const rules = { strengthRule: scored.strength.rule, scoreRule: scored.score.rule }
    ctx.store.evidences.save({ ...evidence, strength, score, evaluation: { ...evaluation, ...rules } })
  }
}

function isPortrait({ family }: Evidence): boolean {
  return family === 'PORTRAIT'
}
