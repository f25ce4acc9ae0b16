/**
 * Warnings for authors of policies (`npm run policy -- check`), which reject nothing: unreachable profiles, LOAs that are
 * no harder than lower ones, checks that this release does not perform.
 */
import { isDerived, isOfFraud, OTHER_CHECKS } from '../proofing/assurance/known-checks.ts'
import {
  DERIVED_CHECKS,
  type PieceRule,
  type Policy,
  type Profile,
  type ScaleRule,
} from '../proofing/assurance/policy.ts'
import { isAtLeast } from '../proofing/assurance/scores.ts'

export interface PolicyWarning {
  /**
   * OUT_OF_REACH: requires a score that no rule assigns. NOT_OFFERED: no submission of the policy leads there, so no
   * upgrade path does. EASIER: can be met without meeting any profile of the LOA below. NO_HARDER: implied by a profile
   * below. NOT_PERFORMED: requires a check that this release does not perform.
   */
  readonly code: 'OUT_OF_REACH' | 'NOT_OFFERED' | 'EASIER' | 'NO_HARDER' | 'NOT_PERFORMED'
  /** Names of profiles or checks. */
  readonly about: readonly string[]
}

/** @param notPerformed checks that pipelines list as not performed */
export function policyWarnings(policy: Policy, notPerformed: readonly string[]): readonly PolicyWarning[] {
  const outOfReach = policy.profiles.filter((profile) => !canBeScored(policy, profile))
  const notOffered = policy.profiles.filter(
    (profile) => !outOfReach.includes(profile) && !isOffered(policy, profile),
  )
  const missing = listChecks(policy).filter(
    (check) => notPerformed.includes(check) || OTHER_CHECKS[check]?.performed === false,
  )
  const warnings: readonly PolicyWarning[] = [
    { code: 'OUT_OF_REACH', about: outOfReach.map(({ name }) => name) },
    { code: 'NOT_OFFERED', about: notOffered.map(({ name }) => name) },
    { code: 'EASIER', about: easier(policy).map(({ name }) => name) },
    { code: 'NO_HARDER', about: noHarder(policy).map(({ name }) => name) },
    { code: 'NOT_PERFORMED', about: missing },
  ]
  return warnings.filter(({ about }) => about.length > 0)
}

function canBeScored({ marks, scales }: Policy, { pieces, scales: asked = {} }: Profile): boolean {
  const isGiven = (piece: PieceRule): boolean =>
    Object.entries(piece.marks ?? {}).every(([mark, value]) =>
      marks.some((rule) => rule.mark === mark && rule.value >= value && isOfKind(piece, rule.evidence)),
    )
  const isReached = ([scale, value]: readonly [string, number]): boolean =>
    scales.some((rule) => rule.scale === scale && rule.value >= value)
  return pieces.every(isGiven) && Object.entries(asked).every(isReached)
}

const isOfKind = ({ evidence }: PieceRule, kind: string): boolean => evidence === 'ANY' || evidence === kind

/** True if each requirement is in some submission; together they may still be insufficient. */
function isOffered(policy: Policy, { pieces, scales = {} }: Profile): boolean {
  const { submissions, marks, scales: scaleRules } = policy
  const offered = (kind: string, requires: readonly string[] = []): boolean =>
    submissions.some(
      ({ evidence, checks }) =>
        (kind === 'ANY' || evidence === kind) &&
        requires.every((check) => checks.includes(check) || isGivenByOthers(policy, check)),
    )
  const marked = (piece: PieceRule): boolean =>
    Object.entries(piece.marks ?? {}).every(([mark, value]) =>
      marks.some(
        (rule) =>
          rule.mark === mark &&
          rule.value >= value &&
          isOfKind(piece, rule.evidence) &&
          offered(rule.evidence, rule.requires),
      ),
    )
  const scaled = (rule: ScaleRule): boolean => offered(rule.evidence, rule.requires)
  return (
    pieces.every((piece) => offered(piece.evidence, piece.requires) && marked(piece)) &&
    Object.entries(scales).every(([scale, value]) =>
      scaleRules.some((rule) => rule.scale === scale && rule.value >= value && scaled(rule)),
    )
  )
}

/** The check comes from a portrait or a fraud check. */
function isGivenByOthers({ submissions }: Policy, check: string): boolean {
  if (isOfFraud(check)) return submissions.some(({ checks }) => checks.includes(check))
  if (!isDerived(check)) return false
  return submissions.some(
    ({ evidence, checks }) =>
      evidence === 'PORTRAIT' && DERIVED_CHECKS[check].every((needed) => checks.includes(needed)),
  )
}

function easier(policy: Policy): readonly Profile[] {
  return policy.profiles.filter((profile) => {
    const below = profilesAt(policy, rankProfile(policy, profile) - 1)
    return below.length > 0 && !below.some((lower) => implies(profile, lower))
  })
}

function noHarder(policy: Policy): readonly Profile[] {
  return policy.profiles.filter((profile) =>
    policy.profiles.some(
      (lower) => rankProfile(policy, lower) < rankProfile(policy, profile) && implies(lower, profile),
    ),
  )
}

const rankProfile = ({ levels }: Policy, profile: Profile): number =>
  levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === profile.levelOfAssurance)

function profilesAt(policy: Policy, rank: number): readonly Profile[] {
  return rank < 1 ? [] : policy.profiles.filter((profile) => rankProfile(policy, profile) === rank)
}

/** True if the first profile implies the second, judged by their own rules. */
function implies(harder: Profile, easierOne: Profile): boolean {
  const { scales = {} } = harder
  const reaches = Object.entries(easierOne.scales ?? {}).every(
    ([name, value]) => (scales[name] ?? 0) >= value,
  )
  return reaches && canPlace(easierOne.pieces, harder.pieces)
}

/** True if each rule has its own counterpart. Profiles have few rules. */
function canPlace(rules: readonly PieceRule[], among: readonly PieceRule[]): boolean {
  const [rule, ...others] = rules
  if (!rule) return true
  return among.some(
    (piece, index) =>
      isPieceAsHard(piece, rule) &&
      canPlace(
        others,
        among.filter((_, at) => at !== index),
      ),
  )
}

function isPieceAsHard(hard: PieceRule, rule: PieceRule): boolean {
  const passed = hard.requires ?? []
  return (
    (rule.evidence === 'ANY' || rule.evidence === hard.evidence) &&
    (rule.types === undefined || (hard.types?.every((type) => rule.types?.includes(type)) ?? false)) &&
    isAtLeast(hard.minimumScore ?? 'LEVEL0', rule.minimumScore ?? 'LEVEL0') &&
    isAtLeast(hard.minimumStrength ?? 'LEVEL0', rule.minimumStrength ?? 'LEVEL0') &&
    Object.entries(rule.marks ?? {}).every(([mark, value]) => (hard.marks?.[mark] ?? 0) >= value) &&
    (rule.requires ?? []).every((check) => passed.some((other) => other === check || gives(other, check)))
  )
}

/** One holder check may imply another: a live match is also a match. */
function gives(check: string, wanted: string): boolean {
  if (!isDerived(check) || !isDerived(wanted)) return false
  return DERIVED_CHECKS[wanted].every((needed) => DERIVED_CHECKS[check].includes(needed))
}

function listChecks(policy: Policy): readonly string[] {
  const { strengthRules, documentScore, marks, scales, profiles } = policy
  const rules: readonly { readonly requires?: readonly string[] }[] = [
    ...strengthRules,
    ...documentScore,
    ...marks,
    ...scales,
    ...profiles.flatMap(({ pieces }) => pieces),
  ]
  const named = rules
    .flatMap(({ requires = [] }) => requires)
    .flatMap((check) => (isDerived(check) ? DERIVED_CHECKS[check] : [check]))
  return [...new Set(named)].sort()
}
