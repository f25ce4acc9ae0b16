/** Computes the levels that the tenant's policy can reach on this machine, with its current faults and without faults. */
import type { Context } from '../../context.ts'
import { environmentFacts, faultsTouchingSubmission } from '../../environment/faults-in-force.ts'
import type { Ability } from '../../proofing/assurance/facts.ts'
import type { Policy, SubmissionRule } from '../../proofing/assurance/policy.ts'
import { highestReach } from '../../proofing/assurance/reach.ts'
import { listAbilities } from '../identity/assurance-facts.ts'
import { syncState } from './sync-state.ts'

interface ReachHere {
  readonly policyId: string
  readonly title: string
  /** The policy's highest level. */
  readonly highest: string
  readonly now: string
  readonly withoutFaults: string
}

/**
 * Cached results of `highestReach`, which is a search: the counter requests them for each part every few
 * seconds.
 */
const known = new WeakMap<Policy, Map<string, string>>()
/** A machine has fewer different states in a day. */
const MAX_KNOWN = 500

/** Like `highestReach`. */
export function reachWith(
  policy: Policy,
  abilities: readonly Ability[],
  raisedOn: (rule: SubmissionRule) => readonly string[],
): string {
  const answers = known.get(policy) ?? new Map<string, string>()
  known.set(policy, answers)
  const raised = new Map(policy.submissions.map((rule) => [rule, raisedOn(rule)]))
  const key = JSON.stringify([[...abilities].sort(), [...raised.values()]])
  const before = answers.get(key)
  if (before !== undefined) return before
  const reached = highestReach(policy, abilities, (rule) => raised.get(rule) ?? [])
  if (answers.size >= MAX_KNOWN) answers.clear()
  answers.set(key, reached)
  return reached
}

export async function reachHere(ctx: Context): Promise<ReachHere> {
  const policy = ctx.policy(ctx.config.tenant.id)
  const abilities = listAbilities(ctx)
  const facts = await environmentFacts(ctx, syncState(ctx))
  return {
    policyId: policy.id,
    title: policy.title,
    highest: policy.levels.at(-1)?.levelOfAssurance ?? '',
    now: reachWith(policy, abilities, (rule) => faultsTouchingSubmission(facts, rule)),
    withoutFaults: reachWith(policy, abilities, () => []),
  }
}
