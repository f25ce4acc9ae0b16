/** Whether a proof keeps quiet about being a test: what its content shows can make one, whatever its tenant was. */
import { findOutcome } from '../proofing/judge.ts'
import type { ArchivedParts } from './archive-facts.ts'
import { evidenceByOperation, measuredChecks } from './archive-parts.ts'
import type { Difference } from './reassess.ts'

const CHECK = 'SPECIMEN_DOCUMENT'

/** One difference for each specimen document in a proof that does not say `test`. */
export function findHiddenTest({ proof, details }: ArchivedParts): readonly Difference[] {
  if (proof.test === true) return []
  const subjects = evidenceByOperation(details)
  const ids = details.flatMap((entry) => {
    const measured = measuredChecks(entry)
      .filter(({ measurements }) =>
        measurements.some(({ check, outcome }) => check === CHECK && outcome === 'failed'),
      )
      .flatMap(({ operationId }) => subjects.get(operationId) ?? [])
    const judged = (entry.evaluationDetails?.evidences ?? [])
      .filter(({ statusAndScoring }) => statusAndScoring && findOutcome(statusAndScoring, CHECK) === 'failed')
      .map(({ id }) => id)
    return [...judged, ...measured]
  })
  return [...new Set(ids)].map((evidenceId) => ({
    what: 'test',
    evidenceId,
    claimed: 'false',
    derived: `true (${CHECK})`,
  }))
}
