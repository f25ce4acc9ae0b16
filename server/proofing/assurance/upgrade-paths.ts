/** Finds the smallest sets of submissions that would reach each higher LOA. */
import type { UpgradePaths } from '../identity.ts'
import { findRank } from './caps.ts'
import type { Ability, AssuranceFacts } from './facts.ts'
import { findGrounds } from './grounds.ts'
import { needsNoMoreChecks, listOffers, type Offer } from './offers.ts'
import { groupPaths } from './path-groups.ts'
import { searchPaths } from './path-search.ts'
import type { Policy } from './policy.ts'
import { listProfiles, findUnmatchedRules } from './profiles.ts'
import { openRank } from './level-candidates.ts'

type Path = readonly Offer[]

/**
 * For every LOA above `reached`: sets of submissions that would reach at least that LOA at best, shortest first. No set
 * contains another or a more demanding variant of another (a live portrait where a portrait is enough), so every
 * submission in it is necessary. At most `policy.upgradePaths.most` sets; an empty list if this installation cannot reach
 * the LOA.
 *
 * At best: a submission passes all checks of its rule and agrees with existing evidence; a portrait, new or existing,
 * shows the holder of every new document, and a new one also of existing documents; all fraud checks pass.
 */
export function findUpgradePaths(
  policy: Policy,
  facts: AssuranceFacts,
  reached: string,
  abilities: readonly Ability[],
): UpgradePaths {
  const offers = listOffers(policy, facts, abilities)
  const lowest = findRank(policy, reached) + 1
  const searched = searcher(policy, facts, offers)
  const byLevel: (readonly [string, UpgradePaths[string]])[] = []
  let paths: readonly Path[] = []
  for (let rank = policy.levels.length - 1; rank >= lowest; rank--) {
    if (rank <= openRank(policy, facts)) paths = searched(rank, paths)
    const grouped = groupPaths(paths, offers, policy.upgradePaths.most)
    byLevel.unshift([policy.levels[rank].levelOfAssurance, grouped])
  }
  return Object.fromEntries(byLevel)
}

/** Minimal sets for one LOA, given those for higher LOAs, which reach this one too. */
function searcher(
  policy: Policy,
  facts: AssuranceFacts,
  offers: readonly Offer[],
): (rank: number, higher: readonly Path[]) => readonly Path[] {
  const groundsAt = findGrounds(policy, facts, offers)
  const isWithin = containment(offers)
  return (rank, higher) => {
    let smallest = higher
    const isKnown = (path: Path): boolean => smallest.some((found) => isWithin(found, path))
    const keep = (path: Path): void => {
      smallest = [...smallest.filter((found) => !isWithin(path, found)), path]
    }
    for (const ground of groundsAt(rank)) {
      for (const profile of listProfiles(policy, rank)) {
        searchPaths(ground, profile, policy.upgradePaths.longest, isKnown, keep)
      }
    }
    return [...smallest].sort(shortestFirst)
  }
}

/** True if each submission of one set corresponds to a different one in the other that is at least as demanding. */
function containment(offers: readonly Offer[]): (one: Path, other: Path) => boolean {
  const noMore = offers.map((one) => offers.map((other) => needsNoMoreChecks(one, other)))
  const hasPart = (one: Offer, path: Path): boolean =>
    path.some((other) => noMore[one.position][other.position])
  return (one, other) => {
    if (one.length > other.length || !one.every((offer) => hasPart(offer, other))) return false
    const places = one.map((offer) =>
      other.flatMap((larger, index) => (noMore[offer.position][larger.position] ? [index] : [])),
    )
    return findUnmatchedRules(places).length === 0
  }
}

/** Requires different paths. */
function shortestFirst(a: Path, b: Path): number {
  const at = a.findIndex((offer, index) => offer !== b[index])
  return a.length - b.length || a[at].position - b[at].position
}
