/**
 * Lists what an applicant could submit here, each as evidence at its best. Groups types; knows neither LOAs nor paths.
 */
import { LEVELS, type EvidenceType } from '../types.ts'
import type { Ability, AssuranceFacts, EvidenceFacts, PieceKind } from './facts.ts'
import { groupBy } from './grouped.ts'
import { ANY_ISSUER } from './marks.ts'
import type { Policy, SubmissionRule } from './policy.ts'
import { documentScore, ruleStrength } from './scores.ts'

export interface Offer {
  /** Index in the list of offers, in the policy's order. */
  readonly position: number
  readonly rule: SubmissionRule
  /** Types that the policy does not distinguish and that are not present yet. Empty for fraud checks. */
  readonly types: readonly EvidenceType[]
  /** Evidence of the first type; null for fraud checks. */
  readonly evidence: EvidenceFacts | null
}

type Unplaced = Omit<Offer, 'position'>

/** Type of a submission without explicit types. */
const TYPE_OF: Readonly<Record<PieceKind, EvidenceType>> = {
  ID_DOCUMENT: 'ID_DOCUMENT',
  PORTRAIT: 'PORTRAIT',
  ATTRIBUTES: 'ATTRIBUTES',
  ADDRESS: 'ADDRESS',
  TRUSTED_ID_CLAIM: 'TRUSTED_ID_CLAIM',
  ID_CLAIM: 'ID_CLAIM',
  CONTACT: 'MOBILE_OTP',
}

/** Kinds that vouch for a name. */
const STATE_A_NAME: readonly PieceKind[] = ['ID_DOCUMENT', 'TRUSTED_ID_CLAIM']

export function listOffers(
  policy: Policy,
  { evidences }: AssuranceFacts,
  abilities: readonly Ability[],
): readonly Offer[] {
  const there = new Set(evidences.map(({ type }) => type))
  const offers = policy.submissions
    .filter(({ needs }) => needs.every((need) => abilities.includes(need)))
    .flatMap((rule): Unplaced[] => {
      const { evidence: kind } = rule
      if (kind === 'ANTIFRAUD') return [{ rule, types: [], evidence: null }]
      return interchangeable(policy, rule.types ?? [TYPE_OF[kind]], there).map((types) => ({
        rule,
        types,
        evidence: atItsBest(policy, kind, types[0], rule.checks),
      }))
    })
  const firstLike = (offer: Unplaced): Unplaced | undefined =>
    offers.find((other) => needsNoMoreChecks(other, offer) && needsNoMoreChecks(offer, other))
  return offers
    .filter((offer) => firstLike(offer) === offer)
    .map((offer, position) => ({ position, ...offer }))
}

/** Same kind and type with a subset of the other's checks, so it is never harder than the other. */
export function needsNoMoreChecks(one: Unplaced, other: Unplaced): boolean {
  return (
    one.rule.evidence === other.rule.evidence &&
    one.types[0] === other.types[0] &&
    one.rule.checks.every((check) => other.rule.checks.includes(check))
  )
}

function atItsBest(
  policy: Policy,
  kind: PieceKind,
  type: EvidenceType,
  checks: readonly string[],
): EvidenceFacts {
  const strength = ruleStrength(policy, type, checks).level
  return {
    id: `new ${kind} ${type} ${checks.join(' ')}`,
    kind,
    type,
    status: 'VERIFIED',
    strength,
    // A portrait takes the score of a document.
    score:
      kind === 'ID_DOCUMENT'
        ? documentScore(policy, type, checks).level
        : kind === 'PORTRAIT'
          ? LEVELS[0]
          : strength,
    passed: checks,
    raised: [],
    mayBeUsed: true,
    matches: [],
    disagreements: [],
    statesName: STATE_A_NAME.includes(kind),
    codingQuality: 1,
    issuer: ANY_ISSUER,
    submittedAt: 0,
    heldForDays: Number.MAX_SAFE_INTEGER,
  }
}

/** Groups of types that no rule distinguishes; a type that is present already is a group of its own. */
function interchangeable(
  policy: Policy,
  types: readonly EvidenceType[],
  there: ReadonlySet<EvidenceType>,
): readonly (readonly EvidenceType[])[] {
  const groups = groupBy(new Set(types), (type) => (there.has(type) ? type : treatment(policy, type)))
  // Sorted, so that the same group is equal in every rule.
  return [...groups.values()].map((group) => group.sort())
}

/** How the policy treats a type; equal for types it does not distinguish. */
function treatment(policy: Policy, type: EvidenceType): string {
  const naming: readonly { readonly types?: readonly EvidenceType[] }[] = [
    ...policy.strengthRules,
    ...policy.documentScore,
    ...policy.marks,
    ...policy.scales,
    ...policy.profiles.flatMap(({ pieces }) => pieces),
    ...policy.submissions,
  ]
  const named = naming.map(({ types }) => (types?.includes(type) ? '1' : '0')).join('')
  return `${policy.strength[type] ?? LEVELS[0]} ${named}`
}
