/** What could be submitted to reach a higher level: for each level above, the smallest sets of submissions that would. */
import type { UpgradePaths } from '../identity.ts'
import { rankOf } from './caps.ts'
import type { Ability, AssuranceFacts } from './facts.ts'
import { groundsOf } from './grounds.ts'
import { asksNoMore, offersOf, type Offer } from './offers.ts'
import { groupPaths } from './path-groups.ts'
import { searchPaths } from './path-search.ts'
import type { Policy } from './policy.ts'
import { profilesOf, unmatched } from './profiles.ts'
import { openRank } from './standings.ts'

type Path = readonly Offer[]

/**
 * For every level above `reached`: sets of submissions, each of which would reach that level at least if it went as well as
 * it can, the shortest first. None contains another, nor one that asks for no more (a portrait where a live portrait is
 * asked for): so nothing in them is of no use. At most `policy.upgradePaths.most`; an empty list where nothing that this
 * installation can do leads there.
 *
 * As well as it can: what is submitted passes all checks that its rule names, and agrees with all that is there; a portrait,
 * new or there, shows the holder of every new document, a new one also of those that are there; fraud checks pass for all.
 */
export function findUpgradePaths(
  policy: Policy,
  facts: AssuranceFacts,
  reached: string,
  abilities: readonly Ability[],
): UpgradePaths {
  const offers = offersOf(policy, facts, abilities)
  const lowest = rankOf(policy, reached) + 1
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

/** The smallest sets for a level, given those for the levels above: what leads higher leads here, too. */
function searcher(
  policy: Policy,
  facts: AssuranceFacts,
  offers: readonly Offer[],
): (rank: number, higher: readonly Path[]) => readonly Path[] {
  const groundsAt = groundsOf(policy, facts, offers)
  const isWithin = containment(offers)
  return (rank, higher) => {
    let smallest = higher
    const isKnown = (path: Path): boolean => smallest.some((found) => isWithin(found, path))
    const keep = (path: Path): void => {
      smallest = [...smallest.filter((found) => !isWithin(path, found)), path]
    }
    for (const ground of groundsAt(rank)) {
      for (const profile of profilesOf(policy, rank)) {
        searchPaths(ground, profile, policy.upgradePaths.longest, isKnown, keep)
      }
    }
    return [...smallest].sort(shortestFirst)
  }
}

/** Whether each submission of the one has its own in the other, which asks for as much at least. */
function containment(offers: readonly Offer[]): (one: Path, other: Path) => boolean {
  const noMore = offers.map((one) => offers.map((other) => asksNoMore(one, other)))
  const hasPart = (one: Offer, path: Path): boolean =>
    path.some((other) => noMore[one.position][other.position])
  return (one, other) => {
    if (one.length > other.length || !one.every((offer) => hasPart(offer, other))) return false
    const places = one.map((offer) =>
      other.flatMap((larger, index) => (noMore[offer.position][larger.position] ? [index] : [])),
    )
    return unmatched(places).length === 0
  }
}

/** Of different paths. */
function shortestFirst(a: Path, b: Path): number {
  const at = a.findIndex((offer, index) => offer !== b[index])
  return a.length - b.length || a[at].position - b[at].position
}
