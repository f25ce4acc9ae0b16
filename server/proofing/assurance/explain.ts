/**
 * Explains profile by profile why an LOA was reached or not: for auditors, `npm run policy -- explain` and officers.
 * Contains ids, names and numbers, no personal values. Decides nothing.
 */
import { byId } from './agreeing-sets.ts'
import { assess, type Assessment } from './assess.ts'
import { highestRank, findRank } from './caps.ts'
import { findClosest, type Missing } from './closest.ts'
import type { AssuranceFacts, EvidenceFacts } from './facts.ts'
import { listFraudChecks, listHolderChecks, buildPiece } from './pieces.ts'
import type { Policy, Profile } from './policy.ts'
import { isMet, listLevelCandidates, listUsableEvidence, type LevelCandidate } from './level-candidates.ts'

export type { Missing } from './closest.ts'

export interface Explanation {
  readonly policy: { readonly id: string; readonly version: string; readonly title: string }
  readonly assessment: Omit<Assessment, 'upgradePaths'>
  /** One entry per evidence, counted or not, with the reason. Sorted by id. */
  readonly evidences: readonly {
    readonly id: string
    readonly type: string
    readonly marks: Readonly<Record<string, number>>
    readonly counted: boolean
    /** Null if it counts, or if an indicator of it caps it below the LOA. */
    readonly leftOut: 'NOT_VERIFIED' | 'CONSENT' | 'DISAGREES' | null
  }[]
  /** One entry per profile of the policy, lowest LOA first. */
  readonly profiles: readonly {
    readonly name: string
    readonly levelOfAssurance: string
    readonly met: boolean
    /** The closest evidence for each required rule, in order; null if there is none. */
    readonly pieces: readonly (string | null)[]
    /** Minimal list of what the closest evidence lacks. Empty if the profile is met. */
    readonly missing: readonly Missing[]
  }[]
}

export function explain(policy: Policy, facts: AssuranceFacts): Explanation {
  const { id, version, title } = policy
  const assessment = withoutPaths(assess(policy, facts, []))
  const byRank = [...policy.profiles].sort((a, b) => rank(policy, a) - rank(policy, b))
  const candidates = preferring(assessment, listLevelCandidates({ ...policy, caps: {} }, facts, 0))
  return {
    policy: { id, version, title },
    assessment,
    evidences: facts.evidences
      .toSorted(byId)
      .map((evidence) => ofEvidence(policy, facts, assessment, evidence)),
    profiles: byRank.map((profile) => ofProfile(policy, facts, candidates, profile)),
  }
}

function withoutPaths({ upgradePaths: _, ...assessment }: Assessment): Explanation['assessment'] {
  return assessment
}

const rank = (policy: Policy, { levelOfAssurance }: Profile): number => findRank(policy, levelOfAssurance)

/** Among equally close candidates prefers the one of the assessment. */
function preferring(
  { nameReferenceId, disagreements }: Explanation['assessment'],
  candidates: readonly LevelCandidate[],
): readonly LevelCandidate[] {
  const isAssessed = ({ reference, agreeing }: LevelCandidate): boolean =>
    (reference?.id ?? null) === nameReferenceId &&
    !agreeing.some(({ id }) => disagreements.some(({ evidenceId }) => evidenceId === id))
  return candidates.toSorted((a, b) => Number(isAssessed(b)) - Number(isAssessed(a)))
}

function ofEvidence(
  policy: Policy,
  facts: AssuranceFacts,
  { countedIds, disagreements }: Explanation['assessment'],
  evidence: EvidenceFacts,
): Explanation['evidences'][number] {
  const { id, type, status, mayBeUsed } = evidence
  const disagrees = disagreements.some(({ evidenceId }) => evidenceId === id)
  const isUsable = status === 'VERIFIED' && mayBeUsed
  const given = [
    ...listHolderChecks(evidence, listUsableEvidence(facts)),
    ...listFraudChecks(evidence, facts.fraudChecks),
  ]
  return {
    id,
    type,
    marks: isUsable ? buildPiece(policy, evidence, given).marks : {},
    counted: countedIds.includes(id),
    leftOut: status !== 'VERIFIED' ? 'NOT_VERIFIED' : !mayBeUsed ? 'CONSENT' : disagrees ? 'DISAGREES' : null,
  }
}

/** @param candidates computed without caps */
function ofProfile(
  policy: Policy,
  facts: AssuranceFacts,
  candidates: readonly LevelCandidate[],
  profile: Profile,
): Explanation['profiles'][number] {
  const { name, levelOfAssurance } = profile
  const closest = candidates
    .map((candidate) => findClosest(profile, candidate))
    .reduce((best, next) => (next.missing.length < best.missing.length ? next : best))
  const met = isMet(policy, facts, profile)
  const used = facts.evidences.filter(({ id }) => closest.pieces.includes(id))
  const held =
    closest.missing.length === 0 ? holding(policy, facts, profile) : capping(policy, facts, profile, used)
  return {
    name,
    levelOfAssurance,
    met,
    pieces: closest.pieces,
    missing: met
      ? []
      : [
          ...closest.missing,
          ...held.map((indicator): Missing => ({ what: 'CAP', indicator, maximum: policy.caps[indicator] })),
        ],
  }
}

/** Sorted indicators that cap this evidence, or the whole identity, below the profile. */
function capping(
  policy: Policy,
  facts: AssuranceFacts,
  profile: Profile,
  evidences: readonly EvidenceFacts[],
): readonly string[] {
  const raised = [...evidences, ...facts.fraudChecks].flatMap((item) => item.raised)
  const isBelow = (indicator: string): boolean => highestRank(policy, [indicator]) < rank(policy, profile)
  return [...new Set(raised)].filter(isBelow).sort()
}

/** If only caps prevent the profile: a minimal set of indicators without which it would be met. */
function holding(policy: Policy, facts: AssuranceFacts, profile: Profile): readonly string[] {
  const all = capping(policy, facts, profile, listUsableEvidence(facts))
  let harmless: readonly string[] = []
  for (const name of all) {
    const tried = [...harmless, name]
    const caps = Object.fromEntries(tried.map((indicator) => [indicator, policy.caps[indicator]]))
    if (isMet({ ...policy, caps }, facts, profile)) harmless = tried
  }
  return all.filter((name) => !harmless.includes(name))
}
