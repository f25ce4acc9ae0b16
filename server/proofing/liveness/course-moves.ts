/**
 * Transitions of a challenge sequence: next step, repeat the step, restart all steps, or end. steps.ts interprets the
 * frames.
 */
import type { Asked, Course } from './course-state.ts'
import { forgetMoved } from './kept-frames.ts'
import { NO_CHANGE, type Pose } from './movement.ts'
import { isMovement } from './plan.ts'
import { NO_LIGHT } from './shown-colour.ts'
import type { StepOutcome } from './types.ts'

export function askFirst(): Asked {
  return ask(0, null)
}

export function ask(promptedAtMs: number, from: Pose | null): Asked {
  return {
    promptedAtMs,
    isTold: false,
    attempt: 1,
    isReturning: false,
    from,
    calm: [],
    movingSinceMs: null,
    onsetAtMs: null,
    heldSinceMs: null,
    heldFrames: 0,
    other: null,
    peak: null,
    light: NO_LIGHT,
  }
}

/** Starts the timer when the answer with the prompt is sent, because the applicant cannot react before. */
export function tell(course: Course, ownMs: number): Course {
  const { asked, seen } = course
  if (asked.isTold) return course
  const promptedAtMs = asked.promptedAtMs + (ownMs - seen.ownMs)
  return { ...course, asked: { ...asked, promptedAtMs, isTold: true } }
}

/** Returns null while there is time. */
export function outOfTime(course: Course, atMs: number): Course | null {
  const { asked, limits, plan, at, rest } = course
  const elapsedMs = atMs - asked.promptedAtMs
  const { firstStraightWithinMs, returnWithinMs, movementWithinMs, onsetAtMostMs } = limits.course
  if (rest === null) return elapsedMs > firstStraightWithinMs ? end(course, 'MISSED', atMs) : null
  if (plan[at].kind === 'LOOK_STRAIGHT' || asked.isReturning) {
    return elapsedMs > returnWithinMs ? end(course, 'MISSED', atMs) : null
  }
  const isStill = isMovement(plan[at].kind) && asked.movingSinceMs === null && asked.onsetAtMs === null
  if (elapsedMs <= movementWithinMs && !(isStill && elapsedMs > onsetAtMostMs)) return null
  if (course.retriesLeft < 1 || !isMovement(plan[at].kind)) return end(course, 'MISSED', atMs)
  return askAgain({ ...course, retriesLeft: course.retriesLeft - 1 }, atMs)
}

export function askAfterLoss(course: Course, atMs: number): Course {
  const losses = course.seen.losses + 1
  const counted = { ...course, seen: { ...course.seen, losses } }
  return losses > course.limits.course.faceLossesAtMost
    ? end(counted, 'MISSED', atMs)
    : askAgain(counted, atMs)
}

/** Discards frames of the failed attempt. */
export function askAgain(course: Course, atMs: number): Course {
  const again: Asked = { ...ask(atMs, null), attempt: course.asked.attempt + 1, isReturning: true }
  return { ...course, asked: again, kept: forgetMoved(course.kept, course.at) }
}

/** Restarts all steps in another order, keeping the known resting pose. Ends the sequence if that was already done. */
export function anew(course: Course, fault: 'ANTICIPATED' | 'WRONG_DIRECTION', atMs: number): Course {
  if (course.retriesLeft < 1) return end(course, fault, atMs)
  const round = course.round + 1
  return {
    ...course,
    plan: course.second,
    round,
    retriesLeft: course.retriesLeft - 1,
    at: 0,
    asked: { ...ask(atMs, null), attempt: round },
    steps: [],
    colours: [],
    kept: { ...course.kept, moved: {} },
  }
}

/** Completes the step and prompts the next one in the answer to this frame. */
export function meet(course: Course, atMs: number, from: Pose | null): Course {
  const met = withTrace(course, 'MET', atMs)
  const at = course.at + 1
  if (at === course.plan.length) return { ...met, end: 'COMPLETE' }
  return { ...met, at, asked: { ...ask(atMs, from), attempt: course.round } }
}

export function end(course: Course, outcome: Exclude<StepOutcome, 'MET'>, atMs: number): Course {
  return { ...withTrace(course, outcome, atMs), end: outcome === 'MISSED' ? 'TIMED_OUT' : 'FAILED' }
}

function withTrace(course: Course, outcome: StepOutcome, endedAtMs: number): Course {
  const { asked, plan, at, steps } = course
  const { kind, colour, holdMs } = plan[at]
  const trace = {
    kind,
    ...(colour === null ? {} : { colour }),
    promptedAtMs: asked.promptedAtMs,
    onsetAtMs: asked.onsetAtMs,
    endedAtMs,
    holdMs,
    attempts: asked.attempt,
    peak: asked.peak?.change ?? NO_CHANGE,
    outcome,
  }
  return { ...course, steps: [...steps, trace] }
}
