/** Maps a comparison score to a result: match, no match, or review by a person. */

/** Higher is more similar; for a distance lower. */
interface ScoredAgainst {
  readonly score: number
  readonly isDistance: boolean
  /** Threshold for an automatic match. */
  readonly decision: number
  /** Looser threshold; null without reviewers. */
  readonly review: number | null
}

export type MatchZone = 'match' | 'review' | 'no-match'

/** A threshold belongs to its match side. NaN is no match. */
export function matchZone({ score, isDistance, decision, review }: ScoredAgainst): MatchZone {
  const reaches = (threshold: number): boolean => (isDistance ? score <= threshold : score >= threshold)
  if (reaches(decision)) return 'match'
  return review !== null && reaches(review) ? 'review' : 'no-match'
}
