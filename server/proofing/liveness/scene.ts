/**
 * Whether around the person stands what always stands before this camera. Says nothing where no picture of the empty scene
 * was given, or where the person leaves too little of it. Pure.
 */
import type { CheckOutcome } from '../judge.ts'

/** Names of resources/liveness.json "scene". */
export const SCENE_LIMITS = ['mostChange', 'failFromChange'] as const
export type SceneLimits = Readonly<Record<(typeof SCENE_LIMITS)[number], number>>

export interface SceneFinding {
  readonly outcome: CheckOutcome
  readonly reason: 'SCENE_NOT_KNOWN' | 'SCENE_PARTLY_OTHER' | 'SCENE_OTHER' | null
}

/** `change`: share of the scene beside and above the person that differs from the empty one, 0–1; null where unknown. */
export function judgeScene(change: number | null, limits: SceneLimits): SceneFinding {
  if (change === null || !Number.isFinite(change))
    return { outcome: 'inconclusive', reason: 'SCENE_NOT_KNOWN' }
  if (change >= limits.failFromChange) return { outcome: 'failed', reason: 'SCENE_OTHER' }
  if (change > limits.mostChange) return { outcome: 'inconclusive', reason: 'SCENE_PARTLY_OTHER' }
  return { outcome: 'passed', reason: null }
}
