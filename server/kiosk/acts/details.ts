/** The values that an issuing source needs and the document did not give: the applicant types them, and the source is asked. */
import type { z } from 'zod'
import { fieldProblem } from '../../errors.ts'
import type { DetailsAnswer } from '../contract/visit.ts'
import { change, requireIdentity, requireStep, type Turn } from '../kit.ts'

/** The document's values never change: what the applicant types stays beside them, as a statement of the applicant. */
export async function answerDetails(turn: Turn, { values }: z.output<typeof DetailsAnswer>): Promise<void> {
  const { missing, facts } = await requireStep(turn, 'details')
  const lacking = missing?.fields.find((field) => values[field] === undefined)
  if (lacking) throw fieldProblem('required', `values.${lacking}`, 'must be typed, or the step skipped')
  const evidenceId = facts.document.current?.evidenceId ?? ''
  const { kit, caller } = turn
  await kit.deps.workflows.stateDetails(caller, requireIdentity(turn), evidenceId, values)
  change(turn, { detailedId: evidenceId })
}
