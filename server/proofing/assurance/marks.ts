/** Numbers that a standard assigns to an evidence (marks) and to the whole identity (scales). Knows no profile. */
import type { MarkRule, ScaleRule } from './policy.ts'
import type { ScoredPiece } from './profiles.ts'
import { isAtLeast } from './scores.ts'

export type Marks = Readonly<Record<string, number>>

/** Issuer of a document that does not exist yet: matches any issuer that a rule names. */
export const ANY_ISSUER = '*'

/** Evidence with the additional facts that scales need. */
export interface DatedPiece extends ScoredPiece {
  readonly heldForDays: number | null
}

export function computeMarks(
  rules: readonly MarkRule[],
  { kind, type, score, passed }: Pick<ScoredPiece, 'kind' | 'type' | 'score' | 'passed'>,
  issuer = '',
): Marks {
  const applying = rules.filter(
    ({ evidence, types, issuers, minimumScore, requires }) =>
      evidence === kind &&
      (types?.includes(type) ?? true) &&
      (issuers === undefined || issuer === ANY_ISSUER || issuers.includes(issuer)) &&
      isAtLeast(score, minimumScore ?? 'LEVEL0') &&
      allIn(requires, passed),
  )
  return highest(applying.map(({ mark, value }) => [mark, value]))
}

/** True if all required marks are reached; a mark without a rule is 0. */
export function reaches(reached: Marks, needed: Marks = {}): boolean {
  return Object.entries(needed).every(([name, value]) => (reached[name] ?? 0) >= value)
}

/** Contribution of this evidence to the scales. */
export function scalesOfPiece(rules: readonly ScaleRule[], piece: DatedPiece): Marks {
  const applying = rules.filter(
    ({ evidence, types, requires, marks, heldForDays }) =>
      evidence === piece.kind &&
      (types?.includes(piece.type) ?? true) &&
      allIn(requires, piece.passed) &&
      reaches(piece.marks, marks) &&
      (heldForDays === undefined || (piece.heldForDays !== null && piece.heldForDays >= heldForDays)),
  )
  return highest(applying.map(({ scale, value }) => [scale, value]))
}

/** @param passed checks of all fraud checks about the identity */
export function scalesOfFraudChecks(rules: readonly ScaleRule[], passed: readonly string[]): Marks {
  const applying = rules.filter(
    ({ evidence, requires }) => evidence === 'ANTIFRAUD' && allIn(requires, passed),
  )
  return highest(applying.map(({ scale, value }) => [scale, value]))
}

/** Every scale of the policy in its order, with the maximum over the parts. */
export function combinedScales(rules: readonly ScaleRule[], parts: readonly Marks[]): Marks {
  const none = rules.map(({ scale }) => [scale, 0] as const)
  return highest([...none, ...parts.flatMap((part) => Object.entries(part))])
}

function highest(parts: readonly (readonly [name: string, value: number])[]): Marks {
  const reached: Record<string, number> = {}
  for (const [name, value] of parts) reached[name] = Math.max(reached[name] ?? 0, value)
  return reached
}

function allIn(needed: readonly string[] = [], passed: readonly string[]): boolean {
  return needed.every((check) => passed.includes(check))
}
