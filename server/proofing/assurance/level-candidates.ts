/**
 * Enumerates the candidates for the level of an identity at one LOA: agreeing evidence that may help, the name, and the scales.
 * Defines to which evidence fraud checks are bound. Selects none of them.
 */
import type { FraudCheckType } from '../types.ts'
import { agreeingSets, byId } from './agreeing-sets.ts'
import type { AssuranceFacts, EvidenceFacts, FraudFacts } from './facts.ts'
import { combinedScales, scalesOfFraudChecks, scalesOfPiece, type DatedPiece, type Marks } from './marks.ts'
import { listFraudChecks, listHolderChecks, buildPiece } from './pieces.ts'
import { highestRank, findRank } from './caps.ts'
import type { Policy, Profile } from './policy.ts'
import { meetsProfile } from './profiles.ts'

export interface LevelCandidate {
  readonly rank: number
  /** All agreeing evidence, including evidence capped below this LOA. */
  readonly agreeing: readonly EvidenceFacts[]
  /** Agreeing evidence that no indicator caps below this LOA. */
  readonly counted: readonly EvidenceFacts[]
  readonly pieces: readonly DatedPiece[]
  /** Evidence that supplies the identity's name; null if no counted evidence states one. */
  readonly reference: EvidenceFacts | null
  readonly scales: Marks
}

/** Verified evidence with valid consent, sorted by id. */
export function listUsableEvidence({ evidences }: AssuranceFacts): readonly EvidenceFacts[] {
  return evidences.filter(({ status, mayBeUsed }) => status === 'VERIFIED' && mayBeUsed).sort(byId)
}

/** Findings of fraud checks cap the whole identity. */
export function openRank(policy: Policy, { fraudChecks }: AssuranceFacts): number {
  return highestRank(
    policy,
    fraudChecks.flatMap(({ raised }) => raised),
  )
}

/** One candidate per agreeing set and name; at least one. */
export function listLevelCandidates(
  policy: Policy,
  facts: AssuranceFacts,
  rank: number,
): readonly LevelCandidate[] {
  return agreeingSets(listUsableEvidence(facts)).flatMap((agreeing) => {
    const counted = countedAt(policy, agreeing, rank)
    const pieces = counted.map((evidence) =>
      buildPiece(policy, evidence, [
        ...listHolderChecks(evidence, counted),
        ...listFraudChecks(evidence, facts.fraudChecks),
      ]),
    )
    const ofPieces = pieces.map((piece) => scalesOfPiece(policy.scales, piece))
    return referencesIn(counted).map((reference) => {
      const ofFraud = scalesOfFraudChecks(policy.scales, fraudChecksPassed(facts, reference, counted))
      const scales = combinedScales(policy.scales, [...ofPieces, ofFraud])
      return { rank, agreeing, counted, pieces, reference, scales }
    })
  })
}

/** True if agreeing evidence meets the profile and no cap prevents it. */
export function isMet(policy: Policy, facts: AssuranceFacts, profile: Profile): boolean {
  const rank = findRank(policy, profile.levelOfAssurance)
  return (
    rank <= openRank(policy, facts) &&
    listLevelCandidates(policy, facts, rank).some(({ pieces, scales }) =>
      meetsProfile(profile, pieces, scales),
    )
  )
}

export function countedAt(
  policy: Policy,
  evidences: readonly EvidenceFacts[],
  rank: number,
): readonly EvidenceFacts[] {
  // The lowest LOA is open to all evidence.
  return evidences.filter(({ raised }) => rank === 0 || highestRank(policy, raised) >= rank)
}

export function referencesIn(counted: readonly EvidenceFacts[]): readonly (EvidenceFacts | null)[] {
  const named = counted.filter(({ statesName }) => statesName)
  return named.length > 0 ? named : [null]
}

export function fraudChecksPassed(
  { fraudChecks }: AssuranceFacts,
  reference: EvidenceFacts | null,
  counted: readonly EvidenceFacts[],
): readonly string[] {
  return fraudChecks.filter((check) => isAbout(check, reference, counted)).flatMap(({ passed }) => passed)
}

/** All other checks are bound to the evidence that supplies the name. */
const BOUND_TO_PORTRAIT: readonly FraudCheckType[] = ['DUPLICATE_FACE']
const BOUND_TO_NOBODY: readonly FraudCheckType[] = ['DEVICE_INTEGRITY']

function isAbout(
  { type, subjects }: FraudFacts,
  reference: EvidenceFacts | null,
  counted: readonly EvidenceFacts[],
): boolean {
  if (BOUND_TO_NOBODY.includes(type)) return true
  if (BOUND_TO_PORTRAIT.includes(type)) {
    return counted.some(({ kind, id }) => kind === 'PORTRAIT' && subjects.includes(id))
  }
  return reference !== null && subjects.includes(reference.id)
}
