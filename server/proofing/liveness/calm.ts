/**
 * Detects a head held straight and still: which frames count, for how long, and its resting pose. Never prompts for a
 * movement.
 */
import type { PortraitHint } from '../portrait-quality.ts'
import type { CourseLimits } from './limits.ts'
import type { Pose } from './movement.ts'
import { isOutOfSight, momentOf, type Moment } from './own-time.ts'
import type { LiveFace, LiveObservation } from './types.ts'

/** One frame of a calm stretch. */
export interface Still extends Pose, Moment {
  readonly sequence: number
  readonly sharpness: number
  readonly isGood: boolean
}

/** More frames than the longest hold at the highest frame rate. */
const MAX_STILLS = 250

export function stillOf(seen: LiveObservation, face: LiveFace): Still {
  const { leftDeg, upDeg, headWidthPx, sharpness, isGood } = face
  return { sequence: seen.sequence, ...momentOf(seen), leftDeg, upDeg, headWidthPx, sharpness, isGood }
}

/** Hint for a face that is not a valid first straight view; null if it is. */
export function straightHint(face: LiveFace, course: CourseLimits): PortraitHint | null {
  if (face.widthShare < course.headWidthShareAtLeast) return 'COME_CLOSER'
  if (face.widthShare > course.headWidthShareAtMost) return 'MOVE_BACK'
  const offset = Math.max(Math.abs(face.centre.x - 0.5), Math.abs(face.centre.y - 0.5))
  if (offset > course.centreOffsetAtMost) return 'CENTRE_FACE'
  if (Math.abs(face.leftDeg) > course.straightYawAtMostDeg) return 'LOOK_STRAIGHT'
  if (Math.abs(face.upDeg) > course.straightPitchAtMostDeg) return 'LOOK_STRAIGHT'
  if (Math.abs(face.rollDeg) > course.straightRollAtMostDeg) return 'HOLD_HEAD_UPRIGHT'
  return null
}

/** Most recent frames during which the head was calm. */
export function extendCalm(stretch: readonly Still[], still: Still, course: CourseLimits): readonly Still[] {
  const newest = stretch.at(-1)
  const isGap = newest !== undefined && isOutOfSight(newest, still, course)
  let calm = isGap ? [still] : [...stretch.slice(1 - MAX_STILLS), still]
  while (calm.length > 1 && !isCalm(calm, course)) calm = calm.slice(1)
  return calm
}

function isCalm(stretch: readonly Still[], course: CourseLimits): boolean {
  const rest = restOf(stretch)
  return stretch.every(
    (still) =>
      Math.abs(still.leftDeg - rest.leftDeg) <= course.calmSwayAtMostDeg &&
      Math.abs(still.upDeg - rest.upDeg) <= course.calmSwayAtMostDeg &&
      Math.abs(Math.log(still.headWidthPx / rest.headWidthPx)) <= Math.log(course.calmScaleAtMost),
  )
}

export function isCalmFor(stretch: readonly Still[], holdMs: number, framesAtLeast: number): boolean {
  const [oldest, newest] = [stretch.at(0), stretch.at(-1)]
  if (!oldest || !newest) return false
  return stretch.length >= framesAtLeast && newest.atMs - oldest.atMs >= holdMs
}

/** Resting pose; requires at least one frame. */
export function restOf(stretch: readonly Still[]): Pose {
  return {
    leftDeg: medianOf(stretch.map(({ leftDeg }) => leftDeg)),
    upDeg: medianOf(stretch.map(({ upDeg }) => upDeg)),
    headWidthPx: medianOf(stretch.map(({ headWidthPx }) => headWidthPx)),
  }
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
