/** Whether each piece of evidence in an archive has the strength and score that the archive's policy gives it. */
import { documentScore, lowerOf, passedChecks, strengthOf } from '../proofing/assurance/scores.ts'
import type { Policy } from '../proofing/assurance/policy.ts'
import { LEVELS, type Level } from '../proofing/types.ts'
import type { ArchivedEvidence } from './archive-facts.ts'
import type { Difference } from './reassess.ts'

export function findWrongScores(
  policy: Policy,
  evidences: readonly ArchivedEvidence[],
): readonly Difference[] {
  return evidences.flatMap((evidence): readonly Difference[] => {
    const { id: evidenceId, status, score, strength } = evidence
    const derived = derivedScore(policy, evidence, evidences)
    const mostPossible = strengthOf(policy, evidence.type, passedChecks(evidence.positiveIndicators)).level
    return [
      ...(derived === null || derived === score
        ? []
        : [{ what: 'score', evidenceId, claimed: score, derived }]),
      ...(status === 'PROCESSING' || mostPossible === strength
        ? []
        : [{ what: 'strength', evidenceId, claimed: strength, derived: mostPossible }]),
      ...(isVerifiedWrongly(evidence)
        ? [{ what: 'status', evidenceId, claimed: status, derived: 'NOT_VERIFIED' }]
        : []),
    ]
  })
}

/** Null where the score is set by what stands outside the archive: how much an identity provider is worth. */
function derivedScore(
  policy: Policy,
  { family, type, status, positiveIndicators, score, strength, referenceId }: ArchivedEvidence,
  evidences: readonly ArchivedEvidence[],
): Level | null {
  // Judged once more, it stands with what it had: no proof is sealed before it is decided.
  if (status === 'PROCESSING') return null
  if (status !== 'VERIFIED') return 'LEVEL0'
  const isAdjudicated = positiveIndicators.includes('ADJUDICATION_OK')
  if (family === 'IDDOCUMENT') {
    const { level } = documentScore(policy, type, passedChecks(positiveIndicators))
    return isAdjudicated ? lowerOf(level, policy.adjudication.documentScore) : level
  }
  if (family === 'PORTRAIT') {
    const reference = evidences.find(({ id }) => id === referenceId)?.score ?? 'LEVEL0'
    return isAdjudicated ? lowerOf(reference, policy.adjudication.portraitScore) : reference
  }
  // Never above what its kind can reach.
  return LEVELS.indexOf(score) <= LEVELS.indexOf(strength) ? null : strength
}

/** Success is earned: nothing that is mandatory is missing, and nothing that blocks was found. */
function isVerifiedWrongly({ status, mandatoryMissing, blocking }: ArchivedEvidence): boolean {
  return status === 'VERIFIED' && (mandatoryMissing.length > 0 || blocking.length > 0)
}
