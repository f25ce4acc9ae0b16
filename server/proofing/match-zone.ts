/** A score between two faces → what follows from it: a match, no match, or a person who looks. */

/** Higher is more alike, or for a distance lower. */
export interface ScoredAgainst {
  readonly score: number
  readonly isDistance: boolean
  /** On its match side the machine says match. */
  readonly decision: number
  /** Laxer; null where nobody is to look. */
  readonly review: number | null
}

export const MATCH_ZONES = ['match', 'review', 'no-match'] as const
export type MatchZone = (typeof MATCH_ZONES)[number]

/** A threshold itself belongs to its match side. What is no number is no match. */
export function matchZone({ score, isDistance, decision, review }: ScoredAgainst): MatchZone {
  const reaches = (threshold: number): boolean => (isDistance ? score <= threshold : score >= threshold)
  if (reaches(decision)) return 'match'
  return review !== null && reaches(review) ? 'review' : 'no-match'
}
