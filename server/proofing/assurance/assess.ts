/** Derives the highest LOA that an agreeing set of evidence supports. */
import type { AssessmentSummary, UpgradePaths } from '../identity.ts'
import { LEVELS } from '../types.ts'
import { disagreementsWith } from './agreeing-sets.ts'
import { highestRank } from './caps.ts'
import type { Ability, AssuranceFacts, Disagreement, EvidenceFacts } from './facts.ts'
import type { Policy, Profile } from './policy.ts'
import { meetsProfile, listProfiles } from './profiles.ts'
import { openRank, listLevelCandidates, listUsableEvidence, type LevelCandidate } from './level-candidates.ts'
import { findUpgradePaths } from './upgrade-paths.ts'

export interface Assessment {
  readonly levelOfAssurance: string
  /** Name of the profile that was met; null at the lowest LOA. */
  readonly profile: string | null
  /** Evidence that supplies the identity's name; the counted evidence agrees with it. Null if none states a name. */
  readonly nameReferenceId: string | null
  /**
   * Evidence on which the LOA rests: verified, usable, in agreement and without an indicator that caps below it. Sorted.
   */
  readonly countedIds: readonly string[]
  /** Verified, usable evidence that contradicts the counted evidence. Sorted. */
  readonly disagreements: readonly Disagreement[]
  /** Scales of the policy as reached by the counted evidence. */
  readonly scales: Readonly<Record<string, number>>
  /**
   * Indicators that cap the LOA: each is necessary, and without them the evidence would support the highest possible LOA.
   * Sorted.
   */
  readonly heldDownBy: readonly string[]
  readonly upgradePaths: UpgradePaths
}

/** The best level candidate of an identity. */
export interface Reached extends LevelCandidate {
  /** Null at the lowest LOA. */
  readonly profile: Profile | null
}

/** Independent of the order of the facts. */
export function assess(policy: Policy, facts: AssuranceFacts, abilities: readonly Ability[]): Assessment {
  const { rank, profile, reference, agreeing, counted, scales } = findBest(policy, facts)
  const { levelOfAssurance } = policy.levels[rank]
  return {
    levelOfAssurance,
    profile: profile?.name ?? null,
    nameReferenceId: reference?.id ?? null,
    countedIds: counted.map(({ id }) => id),
    disagreements: disagreementsWith(agreeing, listUsableEvidence(facts)),
    scales,
    heldDownBy: heldDownBy(policy, facts, rank),
    upgradePaths: findUpgradePaths(policy, facts, levelOfAssurance, abilities),
  }
}

/** The part that is stored with the identity. */
export function summarise({ id, version }: Policy, assessment: Assessment): AssessmentSummary {
  const { profile, countedIds, disagreements, scales, heldDownBy } = assessment
  return { policy: { id, version }, profile, countedIds, disagreements, scales, heldDownBy }
}

/** Only the LOA: a fast evaluation for hypothetical facts. */
export function levelReached(policy: Policy, facts: AssuranceFacts): number {
  return findBest(policy, facts).rank
}

/** Searches from the highest LOA: the first profile that is met; among several names the preferred one. */
export function findBest(policy: Policy, facts: AssuranceFacts): Reached {
  for (let rank = openRank(policy, facts); rank > 0; rank--) {
    const profiles = listProfiles(policy, rank)
    const reached = listLevelCandidates(policy, facts, rank).flatMap((found): Reached[] => {
      const profile = profiles.find((candidate) => meetsProfile(candidate, found.pieces, found.scales))
      return profile ? [{ ...found, profile }] : []
    })
    if (reached.length > 0) return choosePreferred(reached)
  }
  return { ...choosePreferred(listLevelCandidates(policy, facts, 0)), profile: null }
}

/** Applies spec "Reference portrait election" to names: higher score, better portrait, more recent. */
function choosePreferred<Candidate extends LevelCandidate>(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, next) => (isPreferred(next, best) ? next : best))
}

function isPreferred(a: LevelCandidate, b: LevelCandidate): boolean {
  const [first, second] = [preference(a), preference(b)]
  const at = first.findIndex((value, index) => value !== second[index])
  return at >= 0 && first[at] > second[at]
}

/** Each entry decides only ties of those before it; the last ones ensure a unique choice. */
function preference({ reference, counted }: LevelCandidate): readonly (number | string)[] {
  const ofReference = ({ score, codingQuality, submittedAt, id }: EvidenceFacts) =>
    [LEVELS.indexOf(score), codingQuality, submittedAt, id] as const
  const ids = counted.map(({ id }) => id).join(' ')
  return [...(reference ? ofReference(reference) : [-1]), counted.length, ids]
}

/** Tests for each indicator whether the LOA is as high with it; an indicator without effect is not listed. */
function heldDownBy(policy: Policy, facts: AssuranceFacts, rank: number): readonly string[] {
  const reachedUnder = (capping: readonly string[]): number =>
    levelReached(
      { ...policy, caps: Object.fromEntries(capping.map((name) => [name, policy.caps[name]])) },
      facts,
    )
  const raised = [...listUsableEvidence(facts), ...facts.fraudChecks].flatMap((item) => item.raised)
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
