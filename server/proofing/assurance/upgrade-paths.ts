/** What could be submitted to reach a higher level: for each level above, the smallest sets of submissions that would. */
import type { UpgradePaths } from '../identity.ts'
import { LEVELS } from '../types.ts'
import { agreeingSets } from './agreeing-sets.ts'
import { rankOf } from './caps.ts'
import type { Ability, AssuranceFacts, EvidenceFacts } from './facts.ts'
import { asksNoMore, offersOf, type Offer } from './offers.ts'
import { groupPaths } from './path-groups.ts'
import { searchPaths } from './path-search.ts'
import { foundAbout, holderOf, holderShownBy } from './pieces.ts'
import { profilesOf, unmatched } from './profiles.ts'
import type { Policy } from './policy.ts'
import { memberOf, type Ground, type Member } from './scene.ts'
import { higherOf } from './scores.ts'
import { countedAt, fraudChecksPassed, openRank, referencesIn, usableEvidence } from './standings.ts'

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
  const { longest, most } = policy.upgradePaths
  const lowest = rankOf(policy, reached) + 1
  const byLevel: (readonly [string, UpgradePaths[string]])[] = []
  let paths: readonly Path[] = []
  // What leads higher leads here, too.
  for (let rank = policy.levels.length - 1; rank >= lowest; rank--) {
    if (rank <= openRank(policy, facts)) paths = pathsWith(policy, facts, offers, rank, longest, paths)
    byLevel.unshift([policy.levels[rank].levelOfAssurance, groupPaths(paths, offers, most)])
  }
  return Object.fromEntries(byLevel)
}

/** @param higher those that lead to a higher level */
function pathsWith(
  policy: Policy,
  facts: AssuranceFacts,
  offers: readonly Offer[],
  rank: number,
  longest: number,
  higher: readonly Path[],
): readonly Path[] {
  let smallest = higher
  const isWithin = containment(offers)
  const isKnown = (path: Path): boolean => smallest.some((found) => isWithin(found, path))
  const keep = (path: Path): void => {
    smallest = [...smallest.filter((found) => !isWithin(path, found)), path]
  }
  for (const ground of groundsAt(policy, facts, offers, rank)) {
    for (const profile of profilesOf(policy, rank)) searchPaths(ground, profile, longest, isKnown, keep)
  }
  return [...smallest].sort(shortestFirst)
}

/** Whether each submission of the one has its own in the other, which asks for as much at least. */
function containment(offers: readonly Offer[]): (one: Path, other: Path) => boolean {
  const noMore = offers.map((one) => offers.map((other) => asksNoMore(one, other)))
  const hasPart = (one: Offer, path: Path): boolean =>
    path.some((other) => noMore[one.position][other.position])
  return (one, other) => {
    if (one.length > other.length || !one.every((offer) => hasPart(offer, other))) return false
    const parts = one.map((offer) => other.filter((larger) => noMore[offer.position][larger.position]))
    return unmatched(parts.map((part) => part.flatMap((offer) => indexesOf(offer, other)))).length === 0
  }
}

/** It may stand there several times: of several types. */
function indexesOf(offer: Offer, path: Path): readonly number[] {
  return [...path.keys()].filter((index) => path[index] === offer)
}

function shortestFirst(a: Path, b: Path): number {
  const at = a.findIndex((offer, index) => offer !== b[index])
  return a.length - b.length || (at < 0 ? 0 : a[at].position - b[at].position)
}

/** One for each set of evidence that agrees and each name in it. */
function groundsAt(
  policy: Policy,
  facts: AssuranceFacts,
  offers: readonly Offer[],
  rank: number,
): readonly Ground[] {
  const usable = usableEvidence(facts)
  return agreeingSets(usable).flatMap((agreeing) => {
    const counted = countedAt(policy, agreeing, rank)
    const known = counted.map((evidence) => {
      const given = [...holderOf(evidence, counted), ...foundAbout(evidence, facts.fraudChecks)]
      return memberOf(evidence, given, canBeCompared(evidence), LEVELS[0])
    })
    const shown = counted.filter(({ kind }) => kind === 'PORTRAIT').flatMap(holderShownBy)
    const offered = offers.map(({ evidence }) => evidence && newMember(evidence, shown, usable))
    return fraudFindings(facts, counted).map((fraudPassed) => ({
      policy,
      offers,
      known,
      offered,
      fraudPassed,
    }))
  })
}

function newMember(
  evidence: EvidenceFacts,
  shown: readonly string[],
  usable: readonly EvidenceFacts[],
): Member {
  const isDocument = evidence.kind === 'ID_DOCUMENT'
  const scores = usable.filter(canBeCompared).map(({ score }) => score)
  return memberOf(evidence, isDocument ? shown : [], isDocument, scores.reduce(higherOf, LEVELS[0]))
}

/** There is a portrait on it. */
function canBeCompared({ kind, codingQuality }: EvidenceFacts): boolean {
  return kind === 'ID_DOCUMENT' && codingQuality > 0
}

/** What fraud checks passed, under each name about which they found more than about those before it. */
function fraudFindings(
  facts: AssuranceFacts,
  counted: readonly EvidenceFacts[],
): readonly (readonly string[])[] {
  const findings: (readonly string[])[] = []
  for (const reference of referencesIn(counted)) {
    const passed = fraudChecksPassed(facts, reference, counted)
    if (!findings.some((found) => passed.every((check) => found.includes(check)))) findings.push(passed)
  }
  return findings
}
