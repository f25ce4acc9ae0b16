/**
 * The ways to look at an identity at one level: which evidence agrees and may help to reach it, under whose name, and which
 * scales it reaches. Owns what fraud checks are bound to. Decides for none of them.
 */
import type { FraudCheckType } from '../types.ts'
import { agreeingSets, byId } from './agreeing-sets.ts'
import type { AssuranceFacts, EvidenceFacts, FraudFacts } from './facts.ts'
import { combinedScales, scalesOfFraudChecks, scalesOfPiece, type DatedPiece, type Marks } from './marks.ts'
import { foundAbout, holderOf, pieceOf } from './pieces.ts'
import { highestRank, rankOf } from './caps.ts'
import type { Policy, Profile } from './policy.ts'
import { meetsProfile } from './profiles.ts'

export interface Standing {
  readonly rank: number
  /** All that agrees, whether it may help to reach this level or not. */
  readonly agreeing: readonly EvidenceFacts[]
  /** What may help: no indicator that it carries keeps it below. */
  readonly counted: readonly EvidenceFacts[]
  readonly pieces: readonly DatedPiece[]
  /** Whose name the identity goes by; null where nothing that counts states one. */
  readonly reference: EvidenceFacts | null
  readonly scales: Marks
}

/** Verified, and the person lets us use it. By id. */
export function usableEvidence({ evidences }: AssuranceFacts): readonly EvidenceFacts[] {
  return evidences.filter(({ status, mayBeUsed }) => status === 'VERIFIED' && mayBeUsed).sort(byId)
}

/** What fraud checks found against somebody holds the whole identity down. */
export function openRank(policy: Policy, { fraudChecks }: AssuranceFacts): number {
  return highestRank(
    policy,
    fraudChecks.flatMap(({ raised }) => raised),
  )
}

/** For each set of evidence that agrees, and each name in it. At least one, however little there is. */
export function standingsAt(policy: Policy, facts: AssuranceFacts, rank: number): readonly Standing[] {
  return agreeingSets(usableEvidence(facts)).flatMap((agreeing) => {
    const counted = countedAt(policy, agreeing, rank)
    const pieces = counted.map((evidence) =>
      pieceOf(policy, evidence, [...holderOf(evidence, counted), ...foundAbout(evidence, facts.fraudChecks)]),
    )
    const ofPieces = pieces.map((piece) => scalesOfPiece(policy.scales, piece))
    return referencesIn(counted).map((reference) => {
      const ofFraud = scalesOfFraudChecks(policy.scales, fraudChecksPassed(facts, reference, counted))
      const scales = combinedScales(policy.scales, [...ofPieces, ofFraud])
      return { rank, agreeing, counted, pieces, reference, scales }
    })
  })
}

/** Whether evidence that agrees meets this profile, and no cap is in the way. */
export function isMet(policy: Policy, facts: AssuranceFacts, profile: Profile): boolean {
  const rank = rankOf(policy, profile.levelOfAssurance)
  return (
    rank <= openRank(policy, facts) &&
    standingsAt(policy, facts, rank).some(({ pieces, scales }) => meetsProfile(profile, pieces, scales))
  )
}

export function countedAt(
  policy: Policy,
  evidences: readonly EvidenceFacts[],
  rank: number,
): readonly EvidenceFacts[] {
  // The lowest level is open to all.
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

/** The others are bound to the evidence that says who the person is. */
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
