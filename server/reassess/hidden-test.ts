/** Whether a proof keeps quiet about being a test: what its content shows can make one, whatever its tenant was. */
import { outcomeOf } from '../proofing/judge.ts'
import type { ArchivedParts } from './archive-facts.ts'
import type { Difference } from './reassess.ts'

const CHECK = 'SPECIMEN_DOCUMENT'

/** One difference for each specimen document in a proof that does not say `test`. */
export function findHiddenTest({ proof, details }: ArchivedParts): readonly Difference[] {
  if (proof.test === true) return []
  const ids = details.flatMap(({ evidenceDetails, evaluationDetails, verificationDetails }) => {
    const wasMeasured = verificationDetails
      .flatMap(({ measurements }) => measurements)
      .some(({ check, outcome }) => check === CHECK && outcome === 'failed')
    const judged = (evaluationDetails?.evidences ?? []).filter(
      ({ statusAndScoring }) => statusAndScoring && outcomeOf(statusAndScoring, CHECK) === 'failed',
    )
    return [...judged.map(({ id }) => id), ...(wasMeasured && evidenceDetails ? [evidenceDetails.id] : [])]
  })
  return [...new Set(ids)].map((evidenceId) => ({
    what: 'test',
    evidenceId,
    claimed: 'false',
    derived: `true (${CHECK})`,
  }))
}
