/**
 * A liveness session's challenge sequence as a pure state machine: drawn steps, current prompt, observed frames, end.
 * Time comes with each observation; this file reads no clock, draws no random number and holds no picture.
 */
import type { LivenessSettings } from '../capture-session.ts'
import type { PortraitHint } from '../portrait-quality.ts'
import { medianOf, straightHint } from './calm.ts'
import { askFirst, tell } from './course-moves.ts'
import type { Course } from './course-state.ts'
import { keyFrames, NOTHING_KEPT, sequencesOf } from './kept-frames.ts'
import type { LivenessLimits } from './limits.ts'
import { changeFrom, isWithin, isJump, isUsable } from './movement.ts'
import { momentOf } from './own-time.ts'
import { drawPlan, isMovement } from './plan.ts'
import { takeFace, takeNoFace } from './steps.ts'
import type {
  ColourSet,
  CourseEnd,
  Draw,
  KeyFrames,
  LiveFace,
  LiveObservation,
  LivenessPrompt,
  SessionTrace,
} from './types.ts'

export type { Course } from './course-state.ts'
export type { CourseEnd } from './types.ts'

export function beginCourse(
  settings: LivenessSettings,
  draw: Draw,
  limits: LivenessLimits,
  colourSet: ColourSet = 'FULL',
): Course {
  return {
    settings,
    limits,
    plan: drawPlan(settings, draw, limits),
    second: drawPlan(settings, draw, limits),
    round: 1,
    at: 0,
    asked: askFirst(),
    rest: null,
    home: null,
    retriesLeft: limits.retries[settings.securityLevel],
    steps: [],
    colours: [],
    colourSet,
    kept: NOTHING_KEPT,
    seen: {
      frames: 0,
      lastAtMs: 0,
      ownMs: 0,
      longestGapMs: 0,
      framesWithoutFace: 0,
      jumps: 0,
      lastFace: null,
      losses: 0,
      pad: [],
    },
    end: null,
  }
}

export function advance(course: Course, seen: LiveObservation, limits: LivenessLimits): Course {
  if (course.end !== null) return course
  const face = seen.face && isUsable(seen.face) ? seen.face : null
  const { ownMs } = momentOf(seen)
  const counted = { ...tell(course, ownMs), limits, seen: count(course, seen, face, limits) }
  return face === null ? takeNoFace(counted, seen) : takeFace(counted, seen, face)
}

function count(
  { seen: before }: Course,
  seen: LiveObservation,
  face: LiveFace | null,
  { course: limits }: LivenessLimits,
): Course['seen'] {
  const jumped =
    face !== null &&
    before.lastFace !== null &&
    isJump(before.lastFace.face, face, seen.atMs - before.lastFace.atMs, limits)
  return {
    ...before,
    frames: before.frames + 1,
    lastAtMs: seen.atMs,
    ownMs: momentOf(seen).ownMs,
    longestGapMs: Math.max(before.longestGapMs, seen.atMs - before.lastAtMs),
    framesWithoutFace: before.framesWithoutFace + (face === null ? 1 : 0),
    jumps: before.jumps + (jumped ? 1 : 0),
  }
}

/** Returns null after the end. */
export function promptOf({ plan, at, asked, end }: Course): LivenessPrompt | null {
  if (end !== null) return null
  const { kind, colour } = plan[at]
  return {
    kind: asked.isReturning ? 'LOOK_STRAIGHT' : kind,
    index: at + 1,
    of: plan.length,
    colour,
    isHolding: asked.heldSinceMs !== null,
    attempt: asked.attempt,
  }
}

/** 0–1, for a progress indicator. */
export function progressOf({ plan, at, end }: Course): number {
  return end === 'COMPLETE' ? 1 : at / plan.length
}

export function endOf(course: Course): CourseEnd | null {
  return course.end
}

/** Hint for the applicant beyond the picture quality; null if there is none. */
export function courseHint(
  { plan, at, asked, rest, limits, end }: Course,
  seen: LiveObservation,
): PortraitHint | null {
  if (end !== null || seen.face === null || !isUsable(seen.face)) return null
  const { kind } = plan[at]
  if (isMovement(kind) && !asked.isReturning)
    return asked.heldSinceMs === null ? 'FOLLOW_PROMPT' : 'HOLD_STILL'
  if (rest === null) return straightHint(seen.face, limits.course)
  return isWithin(changeFrom(rest, seen.face), limits.course.returnWithinDeg) ? null : 'LOOK_STRAIGHT'
}

/** Sequence numbers of frames that may still be needed, at most 24: all others can be deleted. */
export function framesToKeep(course: Course): ReadonlySet<number> {
  return sequencesOf(course.kept)
}

/** Returns null if no straight view was seen. */
export function keyFramesOf(course: Course): KeyFrames | null {
  return keyFrames(course.kept)
}

export function traceOf({ plan, steps, colours, colourSet, seen, end }: Course): SessionTrace {
  const { frames, lastAtMs, longestGapMs, framesWithoutFace, jumps, pad } = seen
  return {
    planned: plan.length,
    steps,
    end,
    frames,
    durationMs: lastAtMs,
    longestGapMs,
    framesWithoutFace,
    jumps,
    pad: pad.length > 0 ? { median: medianOf(pad), frames: pad.length } : null,
    colours,
    ...(colourSet === 'FULL' ? {} : { colourSet }),
  }
}
