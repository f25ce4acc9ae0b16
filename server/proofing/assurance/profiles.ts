/** Which profiles a set of scored pieces meets: each piece of a profile by another piece of evidence. */
import type { EvidenceType, Level } from '../types.ts'
import type { PieceKind } from './facts.ts'
import type { PieceRule, Profile } from './policy.ts'
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

type Agree = (a: ScoredPiece, b: ScoredPiece) => boolean

/** @param agree whether two pieces speak of the same person: those that meet a profile together must */
export function meetsProfile(
  profile: Profile,
  pieces: readonly ScoredPiece[],
  scales: Readonly<Record<string, number>>,
  agree: Agree = () => true,
): boolean {
  const reached = Object.entries(profile.scales ?? {}).every(
    ([scale, value]) => (scales[scale] ?? 0) >= value,
  )
  return reached && assign(profile.pieces, pieces, agree, [])
}

/** Whether each rule can have a piece of its own. */
function assign(
  rules: readonly PieceRule[],
  pieces: readonly ScoredPiece[],
  agree: Agree,
  taken: readonly ScoredPiece[],
): boolean {
  const [rule, ...others] = rules
  if (!rule) return true
  return pieces.some(
    (piece) =>
      fits(rule, piece) &&
      taken.every((other) => slotOf(other) !== slotOf(piece) && agree(other, piece)) &&
      assign(others, pieces, agree, [...taken, piece]),
  )
}

export function fits(rule: PieceRule, piece: ScoredPiece): boolean {
  return (
    rule.evidence === piece.kind &&
    (rule.types?.includes(piece.type) ?? true) &&
    atLeast(piece.score, rule.minimumScore ?? 'LEVEL0') &&
    atLeast(piece.strength, rule.minimumStrength ?? 'LEVEL0') &&
    Object.entries(rule.marks ?? {}).every(([mark, value]) => (piece.marks[mark] ?? 0) >= value) &&
    (rule.requires ?? []).every((check) => piece.passed.includes(check))
  )
}

/** Two documents of one type are one piece of evidence (two images of one document, the old and the new passport). */
function slotOf({ kind, type }: ScoredPiece): string {
  return `${kind}:${type}`
}
