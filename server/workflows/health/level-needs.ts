/** Computes the smallest sets of submissions that reach each level of a policy, by the rules of the policy. */
import { ABILITIES } from '../../proofing/assurance/facts.ts'
import type { Policy } from '../../proofing/assurance/policy.ts'
import { findUpgradePaths } from '../../proofing/assurance/upgrade-paths.ts'
import type { UpgradePaths } from '../../proofing/identity.ts'

/** Enough for every shipped policy, because the search finds the shortest ways first. */
const MAX_WAYS = 12

const known = new WeakMap<Policy, UpgradePaths>()

/** Independent of this machine's abilities: a missing chip reader is still listed. Levels above the first. */
export function levelNeeds(policy: Policy): UpgradePaths {
  const before = known.get(policy)
  if (before) return before
  const { longest } = policy.upgradePaths
  const needs = findUpgradePaths(
    { ...policy, upgradePaths: { longest, most: MAX_WAYS } },
    { evidences: [], fraudChecks: [] },
    policy.levels[0].levelOfAssurance,
    ABILITIES,
  )
  known.set(policy, needs)
  return needs
}
