/**
 * Records on evidence which parts of the appliance were faulty while it was verified, so that the caps of the policy apply
 * and the proof shows them. The verdict does not change: a machine fault says nothing about the applicant.
 */
import type { Context } from '../../context.ts'
import { environmentFacts, factsWithoutVision, faultsTouching } from '../../environment/faults-in-force.ts'
import type { EnvironmentFacts } from '../../proofing/antifraud/faults.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { VerificationRecord } from '../../proofing/verification-record.ts'
import type { VerificationOutcome } from '../../verification/pipeline.ts'
import { syncState } from '../health/sync-state.ts'

/** Call it before the transaction that decides the evidence. */
export async function noteFaults(
  ctx: Context,
  decided: Evidence,
  outcome: VerificationOutcome,
): Promise<readonly [Evidence, VerificationOutcome]> {
  const { evidence, records } = noted(ctx, await environmentFacts(ctx, syncState(ctx)), decided)
  return [evidence, { ...outcome, records: [...outcome.records, ...records] }]
}

export interface Noted {
  readonly evidence: Evidence
  /** Empty if there is no fault. */
  readonly records: readonly VerificationRecord[]
}

/** The same inside a transaction, for evidence without pictures. */
export function noteFaultsNow(ctx: Context, decided: Evidence): Noted {
  return noted(ctx, factsWithoutVision(ctx, syncState(ctx)), decided)
}

function noted(ctx: Context, facts: EnvironmentFacts, evidence: Evidence): Noted {
  const touching = faultsTouching(ctx, facts, evidence)
  if (!touching) return { evidence, records: [] }
  const { evaluation } = evidence
  const unverifiedIndicators = [...new Set([...evaluation.unverifiedIndicators, ...touching.indicators])]
  return {
    evidence: { ...evidence, evaluation: { ...evaluation, unverifiedIndicators } },
    records: [touching.record],
  }
}
