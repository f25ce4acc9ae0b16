/** Finds a proof that does not state `test` although it contains a specimen document, which makes any proof a test. */
import { findOutcome } from '../proofing/judge.ts'
import type { ArchivedParts } from './archive-facts.ts'
import { evidenceByOperation, measuredChecks } from './archive-parts.ts'
import type { Difference } from './difference.ts'

const CHECK = 'SPECIMEN_DOCUMENT'

/** Returns one difference for each specimen document. */
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
