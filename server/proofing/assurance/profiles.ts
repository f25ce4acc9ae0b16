/** Tests which profiles a set of scored evidence meets: each rule needs different evidence. */
import type { EvidenceType, Level } from '../types.ts'
import type { PieceKind } from './facts.ts'
import { groupBy } from './grouped.ts'
import { reaches } from './marks.ts'
import type { PieceRule, Policy, Profile } from './policy.ts'
import { isAtLeast } from './scores.ts'

/** Evidence with everything that a profile may require. */
export interface ScoredPiece {
  readonly id: string
  readonly kind: PieceKind
  readonly type: EvidenceType
  readonly strength: Level
  readonly score: Level
  readonly marks: Readonly<Record<string, number>>
  /** Includes HOLDER_MATCH and HOLDER_LIVE where they apply. */
  readonly passed: readonly string[]
}

/** Profiles that reach the LOA of this rank, in policy order. */
export function listProfiles({ levels, profiles }: Policy, rank: number): readonly Profile[] {
  return profiles.filter(({ levelOfAssurance }) => levelOfAssurance === levels[rank].levelOfAssurance)
}

/** @param pieces agreeing evidence; a contradictory set meets nothing */
export function meetsProfile(
  profile: Profile,
  pieces: readonly ScoredPiece[],
  scales: Readonly<Record<string, number>>,
): boolean {
  if (!reaches(scales, profile.scales)) return false
  const slots = groupBy(pieces, nameSlot)
  const fitting = profile.pieces.map((rule) =>
    [...slots].filter(([, held]) => held.some((piece) => doesFit(rule, piece))).map(([slot]) => slot),
  )
  return findUnmatchedRules(fitting).length === 0
}

/**
 * Returns an empty list if each rule can have its own slot. Otherwise a group of rules (indices) with one slot too few:
 * any improvement must fit one of them. (Augmenting paths; the group violates Hall's condition.)
 *
 * @param fitting slots that fit each rule
 */
export function findUnmatchedRules<Slot>(fitting: readonly (readonly Slot[])[]): readonly number[] {
  const ruleOf = new Map<Slot, number>()
  for (const rule of fitting.keys()) {
    const seen = new Set<Slot>()
    if (place(rule, fitting, ruleOf, seen)) continue
    return [rule, ...[...seen].map((slot) => ruleOf.get(slot) ?? rule)]
  }
  return []
}

/** Assigns a slot to the rule, moving others if necessary. */
function place<Slot>(
  rule: number,
  fitting: readonly (readonly Slot[])[],
  ruleOf: Map<Slot, number>,
  seen: Set<Slot>,
): boolean {
  for (const slot of fitting[rule]) {
    if (seen.has(slot)) continue
    seen.add(slot)
    const holder = ruleOf.get(slot)
    if (holder === undefined || place(holder, fitting, ruleOf, seen)) {
      ruleOf.set(slot, rule)
      return true
    }
  }
  return false
}

export function doesFit(rule: PieceRule, piece: ScoredPiece): boolean {
  return (
    (rule.evidence === 'ANY' || rule.evidence === piece.kind) &&
    (rule.types?.includes(piece.type) ?? true) &&
    isAtLeast(piece.score, rule.minimumScore ?? 'LEVEL0') &&
    isAtLeast(piece.strength, rule.minimumStrength ?? 'LEVEL0') &&
    reaches(piece.marks, rule.marks) &&
    (rule.requires ?? []).every((check) => piece.passed.includes(check))
  )
}

/** Two documents of one type are one evidence: two images of one document, or the old and the new passport. */
export function nameSlot({ kind, type }: Pick<ScoredPiece, 'kind' | 'type'>): string {
  return `${kind}:${type}`
}
