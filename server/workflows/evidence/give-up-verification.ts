/** Ends a verification that the appliance failed to carry out, for good. */
import type { Context } from '../../context.ts'
import { closeWithoutVerdict } from './verify-evidence.ts'

/**
 * Must run inside a transaction, when the job has failed permanently. The picture of a chip is foreign data and may be the cause: the
 * document is then verified once more without that picture, so that it keeps what its print and MRZ support.
 */
export function giveUpVerification(
  ctx: Context,
  identityId: string,
  evidenceId: string,
  why: 'technical' | 'unavailable',
): void {
  if (why !== 'technical' || !leavePortrait(ctx, identityId, evidenceId))
    closeWithoutVerdict(ctx, identityId, evidenceId, why)
}

/** False if there is no picture of a chip, or it is left out already. */
function leavePortrait(ctx: Context, identityId: string, evidenceId: string): boolean {
  const { evidences, jobs } = ctx.store
  const evidence = evidences.find(evidenceId)
  if (!evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return false
  const { chip } = evidence.content
  if (!chip || chip.leavesPortrait) return false
  evidences.save({ ...evidence, content: { ...evidence.content, chip: { ...chip, leavesPortrait: true } } })
  jobs.add('verify-evidence', identityId, { evidenceId }, ctx.clock.now())
  return true
}
