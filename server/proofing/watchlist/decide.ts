/** What a search of the lists says. A hit is for a person to look at: nothing here turns anybody away. */
import type { ScreeningOutcome } from '../antifraud/watchlist.ts'
import type { MatchLimits } from './limits.ts'
import type { Match } from './score.ts'

/** More would not be looked at; all of them are nearer than any that is left out. */
const MAX_SHOWN = 5

export interface Decision {
  readonly outcome: ScreeningOutcome
  /** Of the nearest entry. */
  readonly score: number
  /** That reach the score from which on a person looks, nearest first. */
  readonly matches: readonly Match[]
}

/** @param canBeCleared not to be found means something */
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
