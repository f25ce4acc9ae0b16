/**
 * Tests whether the background is the camera's usual scene. Inconclusive without a picture of the empty scene, or if the
 * applicant covers too much of it. Pure.
 */
import type { CheckOutcome } from '../judge.ts'

/** Member names of "scene" in resources/liveness.json. */
export const SCENE_LIMITS = ['mostChange', 'failFromChange'] as const
export type SceneLimits = Readonly<Record<(typeof SCENE_LIMITS)[number], number>>

interface SceneFinding {
  readonly outcome: CheckOutcome
  readonly reason: 'SCENE_NOT_KNOWN' | 'SCENE_PARTLY_OTHER' | 'SCENE_OTHER' | null
}

/** `change`: share (0–1) of the scene beside and above the person that differs from the empty one; null if unknown. */
export function judgeScene(change: number | null, limits: SceneLimits): SceneFinding {
  if (change === null || !Number.isFinite(change))
    return { outcome: 'inconclusive', reason: 'SCENE_NOT_KNOWN' }
  if (change >= limits.failFromChange) return { outcome: 'failed', reason: 'SCENE_OTHER' }
  if (change > limits.mostChange) return { outcome: 'inconclusive', reason: 'SCENE_PARTLY_OTHER' }
  return { outcome: 'passed', reason: null }
}
