/** What the tenant's policy can reach on this machine: with all that is wrong now, and if nothing were. */
import type { Context } from '../context.ts'
import { environmentFacts, faultsTouchingSubmission } from '../environment/faults-in-force.ts'
import { highestReach } from '../proofing/assurance/reach.ts'
import { abilitiesOf } from './assurance-facts.ts'
import { syncState } from './sync-state.ts'

export interface ReachHere {
  readonly policyId: string
  readonly title: string
  /** The policy's highest level. */
  readonly highest: string
  readonly now: string
  readonly withoutFaults: string
}

export async function reachHere(ctx: Context): Promise<ReachHere> {
  const policy = ctx.policy(ctx.config.tenant.id)
  const abilities = abilitiesOf(ctx)
  const facts = await environmentFacts(ctx, syncState(ctx))
  return {
    policyId: policy.id,
    title: policy.title,
    highest: policy.levels.at(-1)?.levelOfAssurance ?? '',
    now: highestReach(policy, abilities, (rule) => faultsTouchingSubmission(facts, rule)),
    withoutFaults: highestReach(policy, abilities, () => []),
  }
}
