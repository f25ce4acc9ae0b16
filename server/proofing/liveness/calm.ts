/**
 * Detects a head held straight and still: which frames count, for how long, and its resting pose. Never prompts for a
 * movement.
 */
import type { PortraitHint } from '../portrait-quality.ts'
import type { ChallengeLimits } from './limits.ts'
import type { Pose } from './movement.ts'
import { isOutOfSight, toMoment, type Moment } from './own-time.ts'
import type { LiveFace, LiveObservation } from './types.ts'

/** One frame of a calm stretch. */
export interface Still extends Pose, Moment {
  readonly sequence: number
  readonly sharpness: number
  readonly isGood: boolean
}

/** More frames than the longest hold at the highest frame rate. */
const MAX_STILLS = 250

export function toStill(seen: LiveObservation, face: LiveFace): Still {
  const { leftDeg, upDeg, headWidthPx, sharpness, isGood } = face
  return { sequence: seen.sequence, ...toMoment(seen), leftDeg, upDeg, headWidthPx, sharpness, isGood }
}

/** Hint for a face that is not a valid first straight view; null if it is. */
export function straightHint(face: LiveFace, challenge: ChallengeLimits): PortraitHint | null {
  if (face.widthShare < challenge.headWidthShareAtLeast) return 'COME_CLOSER'
  if (face.widthShare > challenge.headWidthShareAtMost) return 'MOVE_BACK'
  const offset = Math.max(Math.abs(face.centre.x - 0.5), Math.abs(face.centre.y - 0.5))
  if (offset > challenge.centreOffsetAtMost) return 'CENTRE_FACE'
  if (Math.abs(face.leftDeg) > challenge.straightYawAtMostDeg) return 'LOOK_STRAIGHT'
  if (Math.abs(face.upDeg) > challenge.straightPitchAtMostDeg) return 'LOOK_STRAIGHT'
  if (Math.abs(face.rollDeg) > challenge.straightRollAtMostDeg) return 'HOLD_HEAD_UPRIGHT'
  return null
}

/** Most recent frames during which the head was calm. */
export function extendCalm(
  stretch: readonly Still[],
  still: Still,
  challenge: ChallengeLimits,
): readonly Still[] {
  const newest = stretch.at(-1)
  const isGap = newest !== undefined && isOutOfSight(newest, still, challenge)
  let calm = isGap ? [still] : [...stretch.slice(1 - MAX_STILLS), still]
  while (calm.length > 1 && !isCalm(calm, challenge)) calm = calm.slice(1)
  return calm
}

function isCalm(stretch: readonly Still[], challenge: ChallengeLimits): boolean {
  const rest = computeRest(stretch)
  return stretch.every(
    (still) =>
      Math.abs(still.leftDeg - rest.leftDeg) <= challenge.calmSwayAtMostDeg &&
      Math.abs(still.upDeg - rest.upDeg) <= challenge.calmSwayAtMostDeg &&
      Math.abs(Math.log(still.headWidthPx / rest.headWidthPx)) <= Math.log(challenge.calmScaleAtMost),
  )
}

export function isCalmFor(stretch: readonly Still[], holdMs: number, framesAtLeast: number): boolean {
  const [oldest, newest] = [stretch.at(0), stretch.at(-1)]
  if (!oldest || !newest) return false
  return stretch.length >= framesAtLeast && newest.atMs - oldest.atMs >= holdMs
}

/** Resting pose; requires at least one frame. */
export function computeRest(stretch: readonly Still[]): Pose {
  return {
    leftDeg: computeMedian(stretch.map(({ leftDeg }) => leftDeg)),
    upDeg: computeMedian(stretch.map(({ upDeg }) => upDeg)),
    headWidthPx: computeMedian(stretch.map(({ headWidthPx }) => headWidthPx)),
  }
}

export function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
