/** Measures how close agreeing evidence comes to a profile: which evidence fits which rule, and what each lacks. */
import type { DatedPiece } from './marks.ts'
import type { PieceRule, Profile } from './policy.ts'
import { doesFit, nameSlot } from './profiles.ts'
import { isAtLeast } from './scores.ts'
import type { LevelCandidate } from './level-candidates.ts'

/** Rules are identified by their index in the profile; `pieces` names the closest evidence for each. */
export type Missing =
  | { readonly what: 'PIECE'; readonly piece: number; readonly evidence: string }
  | {
      readonly what: 'MARK'
      readonly piece: number
      readonly mark: string
      readonly needed: number
      readonly reached: number
    }
  | {
      readonly what: 'SCORE' | 'STRENGTH'
      readonly piece: number
      readonly needed: string
      readonly reached: string
    }
  | { readonly what: 'CHECK'; readonly piece: number; readonly check: string }
  | { readonly what: 'SCALE'; readonly scale: string; readonly needed: number; readonly reached: number }
  | { readonly what: 'CAP'; readonly indicator: string; readonly maximum: string }

export interface Closest {
  /** Evidence ids, one per rule; null if there is none. */
  readonly pieces: readonly (string | null)[]
  readonly missing: readonly Missing[]
}

interface Assignment {
  readonly pieces: readonly (DatedPiece | null)[]
  readonly missing: readonly Missing[]
  readonly cost: number
}

/** Missing evidence costs more than any deficit of existing evidence. */
const COST_OF_A_PIECE = 1_000

const NOTHING_YET: Assignment = { pieces: [], missing: [], cost: 0 }

export function findClosest(profile: Profile, { pieces, scales }: LevelCandidate): Closest {
  const assigned = assign(profile.pieces, pieces, NOTHING_YET, { ...NOTHING_YET, cost: Infinity })
  const lacking = Object.entries(profile.scales ?? {})
    .map(([scale, needed]) => ({ what: 'SCALE' as const, scale, needed, reached: scales[scale] ?? 0 }))
    .filter(({ needed, reached }) => reached < needed)
  return {
    pieces: assigned.pieces.map((piece) => piece?.id ?? null),
    missing: [...assigned.missing, ...lacking],
  }
}

/** Cheapest assignment of evidence to the remaining rules; prunes branches that cannot improve. */
function assign(
  rules: readonly PieceRule[],
  pieces: readonly DatedPiece[],
  soFar: Assignment,
  best: Assignment,
): Assignment {
  if (soFar.cost >= best.cost) return best
  const index = soFar.pieces.length
  if (index === rules.length) return soFar
  const rule = rules[index]
  const taken = soFar.pieces.map((piece) => piece && nameSlot(piece))
  const options = pieces
    .filter((piece) => !taken.includes(nameSlot(piece)))
    .flatMap((piece) => option(rule, index, piece))
    .sort((a, b) => a.cost - b.cost)
  const none = {
    piece: null,
    missing: [{ what: 'PIECE' as const, piece: index, evidence: rule.evidence }],
    cost: COST_OF_A_PIECE,
  }
  return [...options, none].reduce((found, { piece, missing, cost }) => {
    const next = {
      pieces: [...soFar.pieces, piece],
      missing: [...soFar.missing, ...missing],
      cost: soFar.cost + cost,
    }
    return assign(rules, pieces, next, found)
  }, best)
}

/** Evidence of another kind or type, or without any of the marks, cannot fit. */
function option(
  rule: PieceRule,
  index: number,
  piece: DatedPiece,
): readonly { readonly piece: DatedPiece; readonly missing: readonly Missing[]; readonly cost: number }[] {
  if (doesFit(rule, piece)) return [{ piece, missing: [], cost: 0 }]
  const isOfKind = rule.evidence === 'ANY' || rule.evidence === piece.kind
  const isOfType = rule.types?.includes(piece.type) ?? true
  const asked = Object.keys(rule.marks ?? {})
  const hasSome = asked.length === 0 || asked.some((mark) => (piece.marks[mark] ?? 0) > 0)
  if (!(isOfKind && isOfType && hasSome)) return []
  const missing = lacks(rule, index, piece)
  return [{ piece, missing, cost: missing.length }]
}

function lacks(rule: PieceRule, index: number, piece: DatedPiece): readonly Missing[] {
  const { minimumScore = 'LEVEL0', minimumStrength = 'LEVEL0', marks = {}, requires = [] } = rule
  const { score, strength, passed } = piece
  return [
    ...(isAtLeast(score, minimumScore)
      ? []
      : [{ what: 'SCORE' as const, piece: index, needed: minimumScore, reached: score }]),
    ...(isAtLeast(strength, minimumStrength)
      ? []
      : [{ what: 'STRENGTH' as const, piece: index, needed: minimumStrength, reached: strength }]),
    ...Object.entries(marks)
      .map(([mark, needed]) => ({
        what: 'MARK' as const,
        piece: index,
        mark,
        needed,
        reached: piece.marks[mark] ?? 0,
      }))
      .filter(({ needed, reached }) => reached < needed),
    ...requires
      .filter((check) => !passed.includes(check))
      .map((check) => ({ what: 'CHECK' as const, piece: index, check })),
  ]
}
