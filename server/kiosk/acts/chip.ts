/** The chip of the document, which a reader of this machine reads. */
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { ChipStart } from '../contract/visit.ts'
import { change, requireIdentity, requireStep, type Turn } from '../kit.ts'
import { listSteps } from '../steps.ts'
import { stepView } from '../step-views.ts'

/** Throws `transition_refused` for a number that the document does not have, or after too many of them. */
export async function beginChip(turn: Turn, { can }: z.output<typeof ChipStart>): Promise<void> {
  const known = await requireStep(turn, 'chip')
  const step = stepView(known, listSteps(known))
  if (can !== null && !(step.kind === 'chip' && step.mayTypeCan))
    throw new AppError('transition_refused', { reason: 'no_card_access_number' })
  const { facts } = turn.session
  await turn.kit.deps.workflows.beginChipReading(
    turn.caller,
    requireIdentity(turn),
    facts.document.current?.evidenceId ?? '',
    { can },
  )
  if (can !== null) change(turn, { typedCans: facts.typedCans + 1 })
}

/** Ends a reading that runs: the reader must not read the document of the next applicant for this one. */
export async function abandonChip({ kit, session, caller }: Turn): Promise<void> {
  const { identityId, facts } = session
  const { current } = facts.document
  if (identityId === null || current === null || !kit.deps.settings.chipReader) return
  try {
    await kit.deps.workflows.stopChipReading(caller, identityId, current.evidenceId)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  }
}
