/** Facts → level: the highest level that any set of evidence which agrees with itself supports. */
import type { AssessmentSummary, UpgradePaths } from '../identity.ts'
import { LEVELS, type FraudCheckType } from '../types.ts'
import type { Ability, AssuranceFacts, Disagreement, EvidenceFacts, FraudFacts } from './facts.ts'
import type { MarkRule, Policy, Profile, ScaleRule } from './policy.ts'
import { meetsProfile, type ScoredPiece } from './profiles.ts'
import { findUpgradePaths } from './upgrade-paths.ts'

export interface Assessment {
  readonly levelOfAssurance: string
  /** Name of the profile that reached it; null at the lowest level. */
  readonly profile: string | null
  /** The evidence whose name the identity goes by: the one that the counted evidence agrees with. */
  readonly nameReferenceId: string | null
  /** Verified, usable, and in agreement with the name reference: what the level rests on. Sorted. */
  readonly countedIds: readonly string[]
  /** Verified and usable, but says something else about the person than the name reference. */
  readonly disagreements: readonly Disagreement[]
  /** Scales of the policy, as the counted evidence reaches them. */
  readonly scales: Readonly<Record<string, number>>
  /** Indicators that held the level down: without them it would be higher. Sorted. */
  readonly heldDownBy: readonly string[]
  readonly upgradePaths: UpgradePaths
}

/** What was reached by evidence that agrees with one name reference; null: by evidence that states no name. */
interface Reached {
  readonly reference: EvidenceFacts | null
  readonly rank: number
  readonly profile: Profile | null
  readonly group: readonly EvidenceFacts[]
  readonly scales: Readonly<Record<string, number>>
}

/** The same facts in any order give the same assessment. */
export function assess(policy: Policy, facts: AssuranceFacts, abilities: readonly Ability[]): Assessment {
  const reached = bestOf(policy, facts)
  const { reference, group, profile, scales } = reached
  const levelOfAssurance = policy.levels[reached.rank].levelOfAssurance
  const countedIds = group.map(({ id }) => id).sort()
  return {
    levelOfAssurance,
    profile: profile?.name ?? null,
    nameReferenceId: reference?.id ?? null,
    countedIds,
    disagreements: reference ? disagreementsWith(reference, usable(facts)) : [],
    scales,
    heldDownBy: heldDownBy(policy, facts, reached.rank),
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

function bestOf(policy: Policy, facts: AssuranceFacts): Reached {
  const evidences = usable(facts)
  const references = [...evidences.filter(({ statesName }) => statesName), null]
  const [best] = references
    .map((reference) => reachedWith(policy, facts, evidences, reference))
    .sort(preferred)
  return best
}

/** Verified, and the person lets us use it. */
function usable({ evidences }: AssuranceFacts): readonly EvidenceFacts[] {
  return evidences
    .filter(({ status, mayBeUsed }) => status === 'VERIFIED' && mayBeUsed)
    .sort((a, b) => a.id.localeCompare(b.id))
}

function reachedWith(
  policy: Policy,
  { fraudChecks }: AssuranceFacts,
  evidences: readonly EvidenceFacts[],
  reference: EvidenceFacts | null,
): Reached {
  const group = evidences.filter((evidence) =>
    reference ? agree(reference, evidence) : !evidence.statesName,
  )
  const about = fraudChecks.filter((check) => isAbout(check, reference, group))
  const highest = highestOf(
    policy,
    fraudChecks.flatMap(({ raised }) => raised),
  )
  for (let rank = policy.levels.length - 1; rank > 0; rank--) {
    if (rank > highest) continue
    const { levelOfAssurance } = policy.levels[rank]
    const able = group.filter(({ raised }) => highestOf(policy, raised) >= rank)
    const pieces = able.map((evidence) => pieceOf(policy, evidence, able))
    const scales = scalesOf(policy, pieces, able, about)
    const byId = new Map(able.map((evidence) => [evidence.id, evidence]))
    const together = (a: ScoredPiece, b: ScoredPiece): boolean => {
      const [first, second] = [byId.get(a.id), byId.get(b.id)]
      return first !== undefined && second !== undefined && agree(first, second)
    }
    const profile = policy.profiles.find(
      (candidate) =>
        candidate.levelOfAssurance === levelOfAssurance && meetsProfile(candidate, pieces, scales, together),
    )
    if (profile) return { reference, rank, profile, group: able, scales }
  }
  const pieces = group.map((evidence) => pieceOf(policy, evidence, group))
  return { reference, rank: 0, profile: null, group, scales: scalesOf(policy, pieces, group, about) }
}

/** The higher level; then the reference of the higher score, the better portrait, the more recent one. */
function preferred(a: Reached, b: Reached): number {
  const order = (x: EvidenceFacts | null): readonly number[] =>
    x ? [LEVELS.indexOf(x.score), x.codingQuality, x.submittedAt] : [-1, 0, 0]
  const [first, second] = [order(a.reference), order(b.reference)]
  const at = first.findIndex((value, index) => value !== second[index])
  return (
    b.rank - a.rank ||
    (at < 0 ? 0 : second[at] - first[at]) ||
    (b.reference?.id ?? '').localeCompare(a.reference?.id ?? '')
  )
}

function agree(a: EvidenceFacts, b: EvidenceFacts): boolean {
  const names = (one: EvidenceFacts, other: EvidenceFacts): boolean =>
    one.disagreements.some(({ evidenceId }) => evidenceId === other.id)
  return a.id === b.id || !(names(a, b) || names(b, a))
}

function disagreementsWith(
  reference: EvidenceFacts,
  evidences: readonly EvidenceFacts[],
): readonly Disagreement[] {
  return evidences
    .filter((evidence) => !agree(reference, evidence))
    .map((evidence) => {
      const said = [
        ...reference.disagreements.filter(({ evidenceId }) => evidenceId === evidence.id),
        ...evidence.disagreements.filter(({ evidenceId }) => evidenceId === reference.id),
      ]
      return {
        evidenceId: evidence.id,
        attributes: [...new Set(said.flatMap(({ attributes }) => attributes))].sort(),
      }
    })
}

/** Rank of the highest level that is open to evidence with these indicators. */
function highestOf(policy: Policy, raised: readonly string[]): number {
  const ranks = raised.flatMap((indicator) => {
    const cap = policy.caps[indicator]
    return cap === undefined
      ? []
      : [policy.levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === cap)]
  })
  return Math.min(policy.levels.length - 1, ...ranks)
}

function pieceOf(policy: Policy, evidence: EvidenceFacts, group: readonly EvidenceFacts[]): ScoredPiece {
  const { id, kind, type, strength, score } = evidence
  const holders = group.filter((other) => other.kind === 'PORTRAIT' && other.matches.includes(id))
  const passed = [
    ...evidence.passed,
    ...(holders.length > 0 ? ['HOLDER_MATCH'] : []),
    ...(holders.some((holder) => holder.passed.includes('BIOMETRIC_LIVENESS')) ? ['HOLDER_LIVE'] : []),
  ]
  return { id, kind, type, strength, score, passed, marks: marksOf(policy.marks, { kind, type, passed }) }
}

function marksOf(
  rules: readonly MarkRule[],
  { kind, type, passed }: Pick<ScoredPiece, 'kind' | 'type' | 'passed'>,
): Readonly<Record<string, number>> {
  const marks: Record<string, number> = {}
  for (const { mark, value, evidence, types, requires } of rules) {
    const applies =
      evidence === kind &&
      (types?.includes(type) ?? true) &&
      (requires ?? []).every((check) => passed.includes(check))
    if (applies) marks[mark] = Math.max(marks[mark] ?? 0, value)
  }
  return marks
}

function scalesOf(
  policy: Policy,
  pieces: readonly ScoredPiece[],
  group: readonly EvidenceFacts[],
  fraudChecks: readonly FraudFacts[],
): Readonly<Record<string, number>> {
  const scales: Record<string, number> = {}
  const fraudPassed = fraudChecks.flatMap(({ passed }) => passed)
  const applies = (rule: ScaleRule): boolean => {
    const requires = rule.requires ?? []
    if (rule.evidence === 'ANTIFRAUD') return requires.every((check) => fraudPassed.includes(check))
    return pieces.some(
      (piece) =>
        rule.evidence === piece.kind &&
        (rule.types?.includes(piece.type) ?? true) &&
        requires.every((check) => piece.passed.includes(check)) &&
        Object.entries(rule.marks ?? {}).every(([mark, value]) => (piece.marks[mark] ?? 0) >= value) &&
        (group.find(({ id }) => id === piece.id)?.heldForDays ?? -1) >= (rule.heldForDays ?? -1),
    )
  }
  for (const rule of policy.scales) {
    scales[rule.scale] = Math.max(scales[rule.scale] ?? 0, applies(rule) ? rule.value : 0)
  }
  return scales
}

/** Bound to the document that says who the person is; a face to a portrait; the device to nobody. */
const BOUND_TO_PORTRAIT: readonly FraudCheckType[] = ['DUPLICATE_FACE']
const BOUND_TO_NOBODY: readonly FraudCheckType[] = ['DEVICE_INTEGRITY']

function isAbout(
  check: FraudFacts,
  reference: EvidenceFacts | null,
  group: readonly EvidenceFacts[],
): boolean {
  if (BOUND_TO_NOBODY.includes(check.type)) return true
  if (BOUND_TO_PORTRAIT.includes(check.type)) {
    return group.some(({ kind, id }) => kind === 'PORTRAIT' && check.subjects.includes(id))
  }
  return reference !== null && check.subjects.includes(reference.id)
}

function heldDownBy(policy: Policy, facts: AssuranceFacts, rank: number): readonly string[] {
  const free = bestOf({ ...policy, caps: {} }, facts).rank
  if (free <= rank) return []
  const raised = [...usable(facts), ...facts.fraudChecks].flatMap((item) => item.raised)
  return [...new Set(raised)].filter((indicator) => highestOf(policy, [indicator]) < free).sort()
}
