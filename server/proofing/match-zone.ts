/** Relates a comparison score to thresholds: match, no match, or review by a person. */

/** Scales of scores; server/vision has the same list, because it may import no rule. */
type ComparisonMeasure = 'euclidean-distance' | 'cosine-similarity' | 'fused-z' | 'engine-score'

/** True at the threshold and on its match side: distances match below it, other measures above it. NaN never matches. */
export function isAtOrBeyond(measure: ComparisonMeasure, score: number, threshold: number): boolean {
  return measure === 'euclidean-distance' ? score <= threshold : score >= threshold
}

interface MeasuredScore {
  readonly measure: ComparisonMeasure
  readonly score: number
  /** Threshold for an automatic match. */
  readonly decision: number
  /** Looser threshold; null without reviewers. */
  readonly review: number | null
}

export type MatchZone = 'match' | 'review' | 'no-match'

export function matchZone({ measure, score, decision, review }: MeasuredScore): MatchZone {
  if (isAtOrBeyond(measure, score, decision)) return 'match'
  return review !== null && isAtOrBeyond(measure, score, review) ? 'review' : 'no-match'
}
