/** Facts → level: the highest level that any set of evidence which agrees with itself supports. */
import type { AssessmentSummary, UpgradePaths } from '../identity.ts'
import { LEVELS } from '../types.ts'
import { disagreementsWith } from './agreeing-sets.ts'
import { highestRank } from './caps.ts'
import type { Ability, AssuranceFacts, Disagreement, EvidenceFacts } from './facts.ts'
import type { Policy, Profile } from './policy.ts'
import { meetsProfile, profilesOf } from './profiles.ts'
import { openRank, standingsAt, usableEvidence, type Standing } from './standings.ts'
import { findUpgradePaths } from './upgrade-paths.ts'

export interface Assessment {
  readonly levelOfAssurance: string
  /** Name of the profile that reached it; null at the lowest level. */
  readonly profile: string | null
  /** The evidence whose name the identity goes by: the counted evidence agrees with it. Null where none states a name. */
  readonly nameReferenceId: string | null
  /** Verified, usable, without an indicator that keeps it below this level, and in agreement: what it rests on. Sorted. */
  readonly countedIds: readonly string[]
  /** Verified and usable, but says something else about the person than what the level rests on. Sorted. */
  readonly disagreements: readonly Disagreement[]
  /** Scales of the policy, as the counted evidence reaches them. */
  readonly scales: Readonly<Record<string, number>>
  /**
   * Indicators that held the level down: without them it would be the highest that the evidence supports, and each of them
   * is needed for that. Sorted.
   */
  readonly heldDownBy: readonly string[]
  readonly upgradePaths: UpgradePaths
}

/** The best that an identity reaches, and on what. */
export interface Reached extends Standing {
  /** Null at the lowest level. */
  readonly profile: Profile | null
}

/** The same facts in any order give the same assessment. */
export function assess(policy: Policy, facts: AssuranceFacts, abilities: readonly Ability[]): Assessment {
  const { rank, profile, reference, agreeing, counted, scales } = bestOf(policy, facts)
  const { levelOfAssurance } = policy.levels[rank]
  return {
    levelOfAssurance,
    profile: profile?.name ?? null,
    nameReferenceId: reference?.id ?? null,
    countedIds: counted.map(({ id }) => id),
    disagreements: disagreementsWith(agreeing, usableEvidence(facts)),
    scales,
    heldDownBy: heldDownBy(policy, facts, rank),
    upgradePaths: findUpgradePaths(policy, facts, levelOfAssurance, abilities),
  }
}

/** What is kept of it with the identity. */
export function summaryOf({ id, version }: Policy, assessment: Assessment): AssessmentSummary {
  const { profile, countedIds, disagreements, scales, heldDownBy } = assessment
  return { policy: { id, version }, profile, countedIds, disagreements, scales, heldDownBy }
}

/** The level alone: the quick way, for whoever asks what would be if. */
export function levelReached(policy: Policy, facts: AssuranceFacts): number {
  return bestOf(policy, facts).rank
}

/** The highest level first: there the first profile that is met; of several names, the one that is preferred. */
export function bestOf(policy: Policy, facts: AssuranceFacts): Reached {
  for (let rank = openRank(policy, facts); rank > 0; rank--) {
    const profiles = profilesOf(policy, rank)
    const reached = standingsAt(policy, facts, rank).flatMap((standing): Reached[] => {
      const profile = profiles.find((candidate) => meetsProfile(candidate, standing.pieces, standing.scales))
      return profile ? [{ ...standing, profile }] : []
    })
    if (reached.length > 0) return mostPreferred(reached)
  }
  return { ...mostPreferred(standingsAt(policy, facts, 0)), profile: null }
}

/** Spec "Reference portrait election", for names, too: the higher score, the better portrait, the more recent. */
function mostPreferred<Candidate extends Standing>(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, next) => (isPreferred(next, best) ? next : best))
}

function isPreferred(a: Standing, b: Standing): boolean {
  const [first, second] = [preference(a), preference(b)]
  const at = first.findIndex((value, index) => value !== second[index])
  return at >= 0 && first[at] > second[at]
}

/** Each entry decides only where all before it are alike; the last ones only make sure that one is chosen. */
function preference({ reference, counted }: Standing): readonly (number | string)[] {
  const ofReference = ({ score, codingQuality, submittedAt, id }: EvidenceFacts) =>
    [LEVELS.indexOf(score), codingQuality, submittedAt, id] as const
  const ids = counted.map(({ id }) => id).join(' ')
  return [...(reference ? ofReference(reference) : [-1]), counted.length, ids]
}

/** Tries for each indicator whether the level is as high with it: what can stay does not count. */
function heldDownBy(policy: Policy, facts: AssuranceFacts, rank: number): readonly string[] {
  const reachedUnder = (capping: readonly string[]): number =>
    levelReached(
      { ...policy, caps: Object.fromEntries(capping.map((name) => [name, policy.caps[name]])) },
      facts,
    )
  const raised = [...usableEvidence(facts), ...facts.fraudChecks].flatMap((item) => item.raised)
  const highest = policy.levels.length - 1
  const capping = [...new Set(raised)].filter((name) => highestRank(policy, [name]) < highest).sort()
  const free = capping.length === 0 ? rank : reachedUnder([])
  if (free === rank) return []
  let harmless: readonly string[] = []
  for (const name of capping) {
    if (reachedUnder([...harmless, name]) === free) harmless = [...harmless, name]
  }
  return capping.filter((name) => !harmless.includes(name))
}
