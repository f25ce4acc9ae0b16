/**
 * What was wrong with the appliance while an evidence was verified stands on that evidence and in its record, so that the
 * policy's caps apply and the proof shows it. The verdict itself stays: a fault of ours says nothing about a person.
 */
import type { Context } from '../context.ts'
import { environmentFacts, faultsTouching } from '../environment/faults-in-force.ts'
import type { Evidence } from '../proofing/evidence.ts'
import type { VerificationOutcome } from '../verification/pipeline.ts'
import { syncState } from './sync-state.ts'

/** Before the transaction that decides the evidence. */
export async function notingFaults(
  ctx: Context,
  decided: Evidence,
  outcome: VerificationOutcome,
): Promise<readonly [Evidence, VerificationOutcome]> {
  const touching = faultsTouching(ctx, await environmentFacts(ctx, syncState(ctx)), decided)
  if (!touching) return [decided, outcome]
  const { evaluation } = decided
  const unverifiedIndicators = [...new Set([...evaluation.unverifiedIndicators, ...touching.indicators])]
  return [
    { ...decided, evaluation: { ...evaluation, unverifiedIndicators } },
    { ...outcome, records: [...outcome.records, touching.record] },
  ]
}
