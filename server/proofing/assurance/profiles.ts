/** Which profiles a set of scored pieces meets: each rule of a profile by another piece of evidence. */
import type { EvidenceType, Level } from '../types.ts'
import type { PieceKind } from './facts.ts'
import { grouped } from './grouped.ts'
import { reaches } from './marks.ts'
import type { PieceRule, Policy, Profile } from './policy.ts'
import { atLeast } from './scores.ts'

/** A piece of evidence with all that a profile may ask of it. */
export interface ScoredPiece {
  readonly id: string
  readonly kind: PieceKind
  readonly type: EvidenceType
  readonly strength: Level
  readonly score: Level
  readonly marks: Readonly<Record<string, number>>
  /** With HOLDER_MATCH and HOLDER_LIVE where they apply. */
  readonly passed: readonly string[]
}

/** Those that reach the level of this rank, in the order of the policy. */
export function profilesOf({ levels, profiles }: Policy, rank: number): readonly Profile[] {
  return profiles.filter(({ levelOfAssurance }) => levelOfAssurance === levels[rank].levelOfAssurance)
}

/** @param pieces of evidence that agrees: a set that contradicts itself meets nothing together */
export function meetsProfile(
  profile: Profile,
  pieces: readonly ScoredPiece[],
  scales: Readonly<Record<string, number>>,
): boolean {
  if (!reaches(scales, profile.scales)) return false
  const slots = grouped(pieces, slotOf)
  const fitting = profile.pieces.map((rule) =>
    [...slots].filter(([, held]) => held.some((piece) => fits(rule, piece))).map(([slot]) => slot),
  )
  return unmatched(fitting).length === 0
}

/**
 * Empty where each rule can have a slot of its own. Else a group of rules (by position) that has one slot too few for all of
 * it: whatever helps has to fit one of them. (Augmenting paths; the group is Hall's.)
 *
 * @param fitting the slots that fit each rule
 */
export function unmatched<Slot>(fitting: readonly (readonly Slot[])[]): readonly number[] {
  const ruleOf = new Map<Slot, number>()
  for (const rule of fitting.keys()) {
    const seen = new Set<Slot>()
    if (place(rule, fitting, ruleOf, seen)) continue
    return [rule, ...[...seen].map((slot) => ruleOf.get(slot) ?? rule)]
  }
  return []
}

/** Gives the rule a slot, moving others on where it has to. */
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

export function fits(rule: PieceRule, piece: ScoredPiece): boolean {
  return (
    (rule.evidence === 'ANY' || rule.evidence === piece.kind) &&
    (rule.types?.includes(piece.type) ?? true) &&
    atLeast(piece.score, rule.minimumScore ?? 'LEVEL0') &&
    atLeast(piece.strength, rule.minimumStrength ?? 'LEVEL0') &&
    reaches(piece.marks, rule.marks) &&
    (rule.requires ?? []).every((check) => piece.passed.includes(check))
  )
}

/** Two documents of one type are one piece of evidence (two images of one document, the old and the new passport). */
export function slotOf({ kind, type }: Pick<ScoredPiece, 'kind' | 'type'>): string {
  return `${kind}:${type}`
}
