/** How far evidence with these indicators can help. Owns the reading of `caps`, no cap. */
import type { Policy } from './policy.ts'

export function rankOf({ levels }: Pick<Policy, 'levels'>, levelOfAssurance: string): number {
  return levels.findIndex((level) => level.levelOfAssurance === levelOfAssurance)
}

/** Rank of the highest level that is open with all of these indicators; a cap at a level that does not exist opens none. */
export function highestRank(policy: Pick<Policy, 'levels' | 'caps'>, raised: readonly string[]): number {
  const ranks = raised
    .filter((indicator) => Object.hasOwn(policy.caps, indicator))
    .map((indicator) => rankOf(policy, policy.caps[indicator]))
  return Math.min(policy.levels.length - 1, ...ranks)
}
