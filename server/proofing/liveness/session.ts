/**
 * The course of a liveness session as a pure machine: what was drawn, what is asked now, what the pictures showed, when it
 * is over. Time comes in with each observation; nothing here looks at a clock, draws by itself or holds a picture.
 */
import type { LivenessSettings } from '../capture-session.ts'
import type { LivenessLimits } from './limits.ts'
import type { Draw, KeyFrames, LiveObservation, LivenessPrompt, SessionTrace } from './types.ts'

/** COMPLETE: every step was met. Else why it ended: the decision says what that means. */
export type CourseEnd = 'COMPLETE' | 'TIMED_OUT' | 'FAILED'

/** Opaque to all but this folder. */
export interface Course {
  readonly settings: LivenessSettings
}

export function beginCourse(settings: LivenessSettings, _draw: Draw, _limits: LivenessLimits): Course {
  return { settings }
}

export function advance(_course: Course, _seen: LiveObservation, _limits: LivenessLimits): Course {
  throw new TypeError('not written yet')
}

/** Null when it is over. */
export function promptOf(_course: Course): LivenessPrompt | null {
  throw new TypeError('not written yet')
}

/** 0–1, for a progress indicator. */
export function progressOf(_course: Course): number {
  throw new TypeError('not written yet')
}

export function endOf(_course: Course): CourseEnd | null {
  throw new TypeError('not written yet')
}

/** Pictures that may still be needed, by sequence number: all others can be forgotten. At most 24. */
export function framesToKeep(_course: Course): ReadonlySet<number> {
  throw new TypeError('not written yet')
}

/** Null where no straight view was seen. */
export function keyFramesOf(_course: Course): KeyFrames | null {
  throw new TypeError('not written yet')
}

export function traceOf(_course: Course): SessionTrace {
  throw new TypeError('not written yet')
}
