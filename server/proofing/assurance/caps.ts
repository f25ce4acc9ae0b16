/** Evaluates the caps of a policy: how high evidence with certain indicators can count. Contains no cap. */
import type { Policy } from './policy.ts'

export function findRank({ levels }: Pick<Policy, 'levels'>, levelOfAssurance: string): number {
  return levels.findIndex((level) => level.levelOfAssurance === levelOfAssurance)
}

/** Rank of the highest LOA allowed with all these indicators. A cap at an unknown LOA allows none. */
export function highestRank(policy: Pick<Policy, 'levels' | 'caps'>, raised: readonly string[]): number {
  const ranks = raised
    .filter((indicator) => Object.hasOwn(policy.caps, indicator))
    .map((indicator) => findRank(policy, policy.caps[indicator]))
  return Math.min(policy.levels.length - 1, ...ranks)
}
