/**
 * Tests for signs that the camera sees a display instead of a person. A sign refuses; no sign proves a person, because a display that
 * stands still and fills the view with a plain wall has none. Pure.
 */
import type { CheckOutcome } from '../judge.ts'
import type { ScreenMeasurement } from './types.ts'

/** Member names of "screen" in resources/liveness.json. */
export const SCREEN_LIMITS = ['failFromMoved', 'failFromEdge'] as const
export type ScreenLimits = Readonly<Record<(typeof SCREEN_LIMITS)[number], number>>

interface ScreenFinding {
  readonly outcome: CheckOutcome
  readonly reason: 'SCREEN_SCENE_MOVES' | 'SCREEN_EDGE_IN_FRONT' | 'SCREEN_NOT_MEASURED' | null
}

/** Passes only if the scene was seen to stand still: a missing edge says little. */
export function judgeScreen(
  { sceneMoved, frontEdge }: ScreenMeasurement,
  limits: ScreenLimits,
): ScreenFinding {
  if (isKnown(sceneMoved) && sceneMoved >= limits.failFromMoved)
    return { outcome: 'failed', reason: 'SCREEN_SCENE_MOVES' }
  if (isKnown(frontEdge) && frontEdge >= limits.failFromEdge)
    return { outcome: 'failed', reason: 'SCREEN_EDGE_IN_FRONT' }
  return isKnown(sceneMoved)
    ? { outcome: 'passed', reason: null }
    : { outcome: 'inconclusive', reason: 'SCREEN_NOT_MEASURED' }
}

function isKnown(measure: number | null): measure is number {
  return measure !== null && Number.isFinite(measure)
}
