/** Computes the highest LOA of one installation from its capabilities and current faults. Pure. */
import { highestRank } from './caps.ts'
import type { Ability, AssuranceFacts } from './facts.ts'
import type { Policy, SubmissionRule } from './policy.ts'
import { findUpgradePaths } from './upgrade-paths.ts'

const NOTHING_YET: AssuranceFacts = { evidences: [], fraudChecks: [] }

/** @param raisedOn indicators that this submission would carry now */
export function highestReach(
  policy: Policy,
  abilities: readonly Ability[],
  raisedOn: (rule: SubmissionRule) => readonly string[],
): string {
  const { levels, submissions } = policy
  for (let rank = levels.length - 1; rank > 0; rank--) {
    const level = levels[rank]?.levelOfAssurance ?? ''
    const open = submissions.filter((rule) => highestRank(policy, raisedOn(rule)) >= rank)
    const before = levels[rank - 1]?.levelOfAssurance ?? ''
    const paths = findUpgradePaths({ ...policy, submissions: open }, NOTHING_YET, before, abilities)
    if ((paths[level] ?? []).length > 0) return level
  }
  return levels[0].levelOfAssurance
}
