/** Checks that each evidence in an archive has the strength and score that the archive's policy gives it. */
import type { Policy } from '../proofing/assurance/policy.ts'
import { scoredBy } from '../proofing/assurance/scores.ts'
import type { ArchivedEvidence } from './archive-facts.ts'
import type { Difference } from './difference.ts'

export function findWrongScores(
  policy: Policy,
  evidences: readonly ArchivedEvidence[],
): readonly Difference[] {
  return evidences.filter(isDecided).flatMap((evidence): readonly Difference[] => {
    const { id: evidenceId, status, score, strength, referenceId } = evidence
    const reference = evidences.find(({ id }) => id === referenceId)?.score ?? null
    const derived = scoredBy(policy, evidence, reference)
    return [
      ...(derived.score.level === score
        ? []
        : [{ what: 'score', evidenceId, claimed: score, derived: derived.score.level }]),
      ...(derived.strength.level === strength
        ? []
        : [{ what: 'strength', evidenceId, claimed: strength, derived: derived.strength.level }]),
      ...(isVerifiedWrongly(evidence)
        ? [{ what: 'status', evidenceId, claimed: status, derived: 'NOT_VERIFIED' }]
        : []),
    ]
  })
}

/** False only for evidence that was being verified again at the sealing; it keeps its earlier values. */
function isDecided({ status }: ArchivedEvidence): boolean {
  return status !== 'PROCESSING'
}

/** True for VERIFIED evidence with a missing mandatory check or a blocking finding. */
function isVerifiedWrongly({ status, mandatoryMissing, failed }: ArchivedEvidence): boolean {
  return status === 'VERIFIED' && (mandatoryMissing.length > 0 || failed.length > 0)
}
