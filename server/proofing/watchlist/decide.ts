/** Outcome of a watchlist search. A hit is checked by an officer and never rejects an applicant automatically. */
import type { ScreeningOutcome } from '../antifraud/watchlist.ts'
import type { MatchLimits } from './limits.ts'
import type { Match } from './score.ts'

/** Maximum number of entries shown; omitted ones have lower scores. */
const MAX_SHOWN = 5

export interface Decision {
  readonly outcome: ScreeningOutcome
  /** Score of the most similar entry. */
  readonly score: number
  /** Entries that reach the score for a check by an officer, most similar first. */
  readonly matches: readonly Match[]
}

/** @param canBeCleared true if the absence of a match is meaningful */
export function decideScreening(
  found: readonly Match[],
  canBeCleared: boolean,
  limits: Pick<MatchLimits, 'possible' | 'hit'>,
): Decision {
  const nearest = [...found].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
  const matches = nearest.filter(({ score }) => score >= limits.possible).slice(0, MAX_SHOWN)
  const score = nearest.at(0)?.score ?? 0
  if (matches.some((match) => match.score >= limits.hit && match.hasSecondFactor))
    return { outcome: 'HIT', score, matches }
  if (matches.length > 0) return { outcome: 'POSSIBLE', score, matches }
  return { outcome: canBeCleared ? 'CLEAR' : 'UNKNOWN', score, matches }
}
