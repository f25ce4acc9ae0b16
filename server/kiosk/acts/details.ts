/** The questions that sources outside need answered: a value of the document that was not read, and the applicant's address. */
import type { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { DetailsAnswer, DetailsCheck } from '../contract/visit.ts'
import { change, requireIdentity, requireStep, type Turn } from '../kit.ts'
import type { Known } from '../known.ts'
import { findDetailQuestion } from '../steps.ts'

type Answer = z.output<typeof DetailsAnswer>

/** The document's values never change: what the applicant types stays beside them, as a statement of the applicant. */
export async function answerDetails(turn: Turn, answer: Answer): Promise<void> {
  const known = await requireQuestion(turn, answer.question)
  const { workflows } = turn.kit.deps
  if (answer.question === 'ADDRESS') {
    const { id } = await workflows.stateAddress(turn.caller, requireIdentity(turn), answer)
    return change(turn, { address: { evidenceId: id, isOver: false } })
  }
  const evidenceId = known.facts.document.current?.evidenceId ?? ''
  await workflows.stateDetails(turn.caller, requireIdentity(turn), evidenceId, answer.values)
  change(turn, { detailedId: evidenceId })
}

/** Lists what the applicant should notice before the answer is sent. Nothing is stored. */
export async function checkDetails(turn: Turn, answer: Answer): Promise<DetailsCheck> {
  const { facts } = await requireQuestion(turn, answer.question)
  const { workflows } = turn.kit.deps
  const identityId = requireIdentity(turn)
  const problems =
    answer.question === 'ADDRESS'
      ? await workflows.checkTypedAddress(turn.caller, identityId, answer)
      : await workflows.checkTypedDetails(
          turn.caller,
          identityId,
          facts.document.current?.evidenceId ?? '',
          answer.values,
        )
  return { problems }
}

/** The applicant has read the answer about the address, or does not wait for it. */
export async function passAddress(turn: Turn): Promise<void> {
  const { facts } = await requireQuestion(turn, 'ADDRESS')
  if (!facts.address) throw new AppError('transition_refused', { reason: 'nothing_typed' })
  change(turn, { address: { ...facts.address, isOver: true } })
}

async function requireQuestion(turn: Turn, question: Answer['question']): Promise<Known> {
  const known = await requireStep(turn, 'details')
  const present = findDetailQuestion(known)
  if (present !== question) throw new AppError('transition_refused', { step: 'details' })
  return known
}
