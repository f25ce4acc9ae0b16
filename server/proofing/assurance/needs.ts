/** Lists the missing requirements of a profile and the submissions that could meet them, for the search of upgrade paths. */
import { scalesOfFraudChecks } from './marks.ts'
import type { MarkRule, PieceRule, Policy, Profile, ScaleRule } from './policy.ts'
import { findUnmatchedRules } from './profiles.ts'
import { fitsRule, type Piece, type Scene } from './scene.ts'

export interface Need {
  /** Tests whether an additional evidence meets the need. */
  readonly isMetBy: (piece: Piece) => boolean
  /** Checks that may decide whether an evidence meets it. */
  readonly checks: ReadonlySet<string>
  /** True if a portrait's score, which comes from a document, may decide. */
  readonly byScore: boolean
}

/** Empty if the profile is met. */
export function needsIn(policy: Policy, { pieces, scales = {} }: Profile): (scene: Scene) => readonly Need[] {
  const ofRules = pieces.map((rule) => pieceNeed(policy, rule))
  const ofScales = Object.entries(scales).map(([scale, needed]) => ({
    scale,
    needed,
    need: scaleNeed(policy, scale, needed),
  }))
  return (scene) => {
    const ofFraud = scalesOfFraudChecks(policy.scales, scene.fraudPassed)
    const lacking = ofScales
      .filter(({ scale, needed }) => (ofFraud[scale] ?? 0) < needed)
      .filter(({ need }) => !scene.pieces.some(({ piece }) => need.isMetBy(piece)))
      .map(({ need }) => need)
    const fitting = ofRules.map(({ isMetBy }) =>
      scene.pieces.filter(({ piece }) => isMetBy(piece)).map(({ slot }) => slot),
    )
    const short = findUnmatchedRules(fitting).map((index) => ofRules[index])
    return short.length > 0 ? [...lacking, requireAny(short)] : lacking
  }
}

function requireAny(needs: readonly Need[]): Need {
  return {
    isMetBy: (piece) => needs.some((need) => need.isMetBy(piece)),
    checks: new Set(needs.flatMap(({ checks }) => [...checks])),
    byScore: needs.some(({ byScore }) => byScore),
  }
}

function pieceNeed({ marks }: Policy, rule: PieceRule): Need {
  const asked = decisive(marks, rule.marks)
  const takesPortraits = rule.evidence === 'PORTRAIT' || rule.evidence === 'ANY'
  return {
    isMetBy: (piece) => fitsRule(rule, piece),
    checks: new Set([...(rule.requires ?? []), ...asked.flatMap(({ requires }) => requires ?? [])]),
    byScore: (takesPortraits && rule.minimumScore !== undefined) || asked.some(askForScoreOfPortrait),
  }
}

function scaleNeed({ scales, marks }: Policy, scale: string, needed: number): Need {
  const rules = scales.filter((rule: ScaleRule) => rule.scale === scale && rule.value >= needed)
  const asked = rules.flatMap((rule) => decisive(marks, rule.marks))
  return {
    isMetBy: (piece) => (piece.scales[scale] ?? 0) >= needed,
    checks: new Set([...rules, ...asked].flatMap(({ requires }) => requires ?? [])),
    byScore: asked.some(askForScoreOfPortrait),
  }
}

function askForScoreOfPortrait({ evidence, minimumScore }: MarkRule): boolean {
  return evidence === 'PORTRAIT' && minimumScore !== undefined
}

/** Rules that may decide about these marks: those that give enough and are not implied by another. */
function decisive(
  rules: readonly MarkRule[],
  needed: Readonly<Record<string, number>> = {},
): readonly MarkRule[] {
  return Object.entries(needed).flatMap(([mark, value]) => {
    const enough = rules.filter((rule) => rule.mark === mark && rule.value >= value)
    return enough.filter((rule) => !enough.some((other) => asksLess(other, rule)))
  })
}

/** True if `one` applies wherever `other` does, with fewer checks. */
function asksLess(one: MarkRule, other: MarkRule): boolean {
  const [few, many] = [one.requires ?? [], other.requires ?? []]
  return (
    one.evidence === other.evidence &&
    one.minimumScore === undefined &&
    includesAll(one.types, other.types) &&
    includesAll(one.issuers, other.issuers) &&
    few.length < many.length &&
    few.every((check) => many.includes(check))
  )
}

/** Absent means all. */
function includesAll<T>(all: readonly T[] | undefined, some: readonly T[] | undefined): boolean {
  return all === undefined || (some !== undefined && some.every((one) => all.includes(one)))
}
