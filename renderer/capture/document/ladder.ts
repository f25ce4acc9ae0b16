/** Increases the help while a side is not captured. Pure: time is an argument; it captures nothing. */
import type { DocumentSide, LadderDetail } from '../events.ts'

interface LadderLimits {
  readonly highlightAfterMs: number
  readonly tipsAfterMs: number
  readonly automaticTries: number
  readonly manualTries: number
}

export interface Ladder {
  readonly side: DocumentSide
  /** Measured from the request for the side, or from the last good picture. */
  readonly withoutGoodSinceMs: number
  readonly automaticTries: number
  readonly manualTries: number
}

export function startLadder(side: DocumentSide, nowMs: number, triedBefore = 0): Ladder {
  return { side, withoutGoodSinceMs: nowMs, automaticTries: triedBefore, manualTries: 0 }
}

export const noteGoodPicture = (ladder: Ladder, nowMs: number): Ladder => ({
  ...ladder,
  withoutGoodSinceMs: nowMs,
})
export const countAutomaticFailure = (ladder: Ladder): Ladder => ({
  ...ladder,
  automaticTries: ladder.automaticTries + 1,
})
export const manualBelowQuality = (ladder: Ladder): Ladder => ({
  ...ladder,
  manualTries: ladder.manualTries + 1,
})

/** After this many tries the best picture is kept, and the applicant is told. */
export const keepsBestTry = ({ manualTries }: Ladder, limits: LadderLimits): boolean =>
  manualTries >= limits.manualTries

export function ladderDetail(ladder: Ladder, nowMs: number, limits: LadderLimits): LadderDetail {
  const rung = chooseRung(ladder, nowMs, limits)
  return {
    side: ladder.side,
    rung,
    manualHighlighted: rung >= 1,
    showTips: rung === 2,
    manualFirst: rung === 3,
    automaticTries: ladder.automaticTries,
    manualTries: ladder.manualTries,
  }
}

function chooseRung(ladder: Ladder, nowMs: number, limits: LadderLimits): LadderDetail['rung'] {
  if (ladder.automaticTries >= limits.automaticTries) return 3
  const withoutMs = nowMs - ladder.withoutGoodSinceMs
  if (withoutMs >= limits.tipsAfterMs) return 2
  return withoutMs >= limits.highlightAfterMs ? 1 : 0
}
