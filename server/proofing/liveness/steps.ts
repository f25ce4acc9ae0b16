/** Evaluates one frame for the current step: completed, missed or repeated. Pure; session.ts owns the sequence. */
import { extendCalm, isCalmFor, restOf, stillOf, straightHint } from './calm.ts'
import { ask, askAfterLoss, anew, end, meet, outOfTime } from './course-moves.ts'
import type { Course } from './course-state.ts'
import { forgetMoved, forgetRestBut, keepMoved, keepReference, keepRest, movedFrame } from './kept-frames.ts'
import {
  askedNeed,
  changeFrom,
  isMoving,
  isWithin,
  otherMovement,
  strengthOf,
  type Pose,
} from './movement.ts'
import { BEGINNING, isOutOfSight, momentOf, personsMs } from './own-time.ts'
import { isMovement, type Movement } from './plan.ts'
import { colourTrace, withLight } from './shown-colour.ts'
import type { LiveFace, LiveObservation } from './types.ts'

/** Tolerates a short loss of the face, repeats the step after a longer one, and ends the session after a long one. */
export function takeNoFace(course: Course, seen: LiveObservation): Course {
  const { atMs } = seen
  if (course.rest === null) return outOfTime(course, atMs) ?? course
  const limits = course.limits.course
  const [from, now] = [course.seen.lastFace ?? BEGINNING, momentOf(seen)]
  if (personsMs(from, now) > limits.faceLostAtMostMs) return end(course, 'MISSED', atMs)
  const isLost = isOutOfSight(from, now, limits) && isAskedToMove(course)
  return outOfTime(course, atMs) ?? (isLost ? askAfterLoss(course, atMs) : course)
}

function isAskedToMove({ plan, at, asked }: Course): boolean {
  return isMovement(plan[at].kind) && !asked.isReturning
}

export function takeFace(course: Course, seen: LiveObservation, face: LiveFace): Course {
  const taken = takeStep(course, seen, face)
  return { ...taken, seen: { ...taken.seen, lastFace: { ...momentOf(seen), face } } }
}

function takeStep(course: Course, seen: LiveObservation, face: LiveFace): Course {
  const { kind } = course.plan[course.at]
  const { rest } = course
  if (rest === null) return takeFirst(course, seen, face)
  const late = outOfTime(course, seen.atMs)
  if (late) return late
  if (kind === 'LOOK_STRAIGHT' || course.asked.isReturning) return takeReturn(course, rest, seen, face)
  if (!isMovement(kind)) return takeColour(course, rest, seen, face)
  const now = momentOf(seen)
  const isLost = isOutOfSight(course.seen.lastFace ?? now, now, course.limits.course)
  if (isLost) return askAfterLoss(course, seen.atMs)
  return takeMovement(course, kind, rest, seen, face)
}

/** The first straight view defines the resting pose, so all its frames must be good. */
function takeFirst(course: Course, seen: LiveObservation, face: LiveFace): Course {
  const late = outOfTime(course, seen.atMs)
  if (late) return late
  const { limits, settings, plan, at } = course
  if (!face.isGood || straightHint(face, limits.course) !== null) {
    return { ...course, asked: { ...course.asked, calm: [] }, kept: forgetRestBut(course.kept, []) }
  }
  const still = stillOf(seen, face)
  const calm = extendCalm(course.asked.calm, still, limits.course)
  const kept = keepRest(forgetRestBut(course.kept, calm), still, awayFrom(restOf(calm), face))
  const next = withPad({ ...course, kept, asked: { ...course.asked, calm } }, face)
  const frames =
    settings.livenessType === 'LIVENESS_PASSIVE'
      ? limits.course.stillFramesAtLeast
      : limits.course.calmFramesAtLeast
  if (!isCalmFor(calm, plan[at].holdMs, frames)) return next
  const rest = restOf(calm)
  return meet({ ...next, rest, home: rest, kept: keepReference(kept, calm) }, seen.atMs, rest)
}

/** Waits for the return to the resting pose before the next or repeated prompt. */
function takeReturn(course: Course, rest: Pose, seen: LiveObservation, face: LiveFace): Course {
  const { limits, asked, plan, at } = course
  const isNearHome = isWithin(changeFrom(course.home ?? rest, face), limits.course.settledWithinDeg)
  if (!isNearHome && !isWithin(changeFrom(rest, face), limits.course.returnWithinDeg))
    return { ...course, asked: { ...asked, calm: [] } }
  const still = stillOf(seen, face)
  const calm = extendCalm(asked.calm, still, limits.course)
  const kept = keepRest(course.kept, still, awayFrom(rest, face))
  const next = withPad({ ...course, kept, asked: { ...asked, calm } }, face)
  const held = restOf(calm)
  const isBack = isWithin(changeFrom(rest, held), limits.course.returnWithinDeg)
  const holdMs = asked.isReturning ? limits.course.holdAtLeastMs : plan[at].holdMs
  const neededMs = isBack ? holdMs : Math.max(holdMs, limits.course.settledMs)
  if (!isCalmFor(calm, neededMs, limits.course.returnFramesAtLeast)) return next
  // People do not return to the exact distance; the resting pose changes only if the head settled there.
  const resting = { ...next, rest: isBack ? { ...rest, headWidthPx: held.headWidthPx } : held }
  if (!asked.isReturning) return meet(resting, seen.atMs, held)
  const again = { ...ask(seen.atMs, held), attempt: asked.attempt }
  return { ...resting, asked: again, kept: forgetMoved(resting.kept, at) }
}

function takeMovement(
  course: Course,
  kind: Movement,
  rest: Pose,
  seen: LiveObservation,
  face: LiveFace,
): Course {
  const { limits, asked, settings, at } = course
  const change = changeFrom(rest, face)
  const isWhole = kind === 'COME_CLOSER' && settings.livenessType !== 'LIVENESS_ACTIVE'
  const strength = strengthOf(kind, change, askedNeed(limits.course, isWhole))
  const moving = isMoving(kind, changeFrom(asked.from ?? rest, face), limits.course)
  const movingSinceMs = moving ? (asked.movingSinceMs ?? seen.atMs) : null
  const peak = asked.peak && asked.peak.strength >= strength ? asked.peak : { strength, change }
  const isOnly = settings.livenessType === 'LIVENESS_PASSIVE_VIDEO'
  const next: Course = {
    ...(kind === 'COME_CLOSER' ? withPad(course, face) : course),
    asked: { ...asked, movingSinceMs, peak },
    kept: keepMoved(course.kept, at, movedFrame(seen.sequence, strength, face), isOnly),
  }
  if (asked.onsetAtMs !== null) return hold(next, seen.atMs, strength)
  if (strength >= 1) return begin(next, movingSinceMs ?? seen.atMs, seen.atMs, strength)
  return watchForOther(next, otherMovement(kind, change, limits.course), seen.atMs)
}

/** A movement this early did not react to the prompt, so it was anticipated. */
function begin(course: Course, onsetAtMs: number, atMs: number, strength: number): Course {
  const { asked, limits } = course
  if (atMs - asked.promptedAtMs < limits.course.anticipatedWithinMs) return end(course, 'ANTICIPATED', atMs)
  // A head that drifted by chance at the prompt gets another attempt in another order.
  if (onsetAtMs - asked.promptedAtMs < limits.course.onsetAtLeastMs) return anew(course, 'ANTICIPATED', atMs)
  return hold({ ...course, asked: { ...asked, onsetAtMs, other: null } }, atMs, strength)
}

/** Leaving the pose early restarts the hold. */
function hold(course: Course, atMs: number, strength: number): Course {
  const { asked, plan, at, limits } = course
  if (strength < limits.course.holdShare)
    return { ...course, asked: { ...asked, heldSinceMs: null, heldFrames: 0 } }
  const heldSinceMs = asked.heldSinceMs ?? atMs
  const heldFrames = asked.heldFrames + 1
  const held = { ...course, asked: { ...asked, heldSinceMs, heldFrames } }
  const isEnough = atMs - heldSinceMs >= plan[at].holdMs && heldFrames >= limits.course.holdFramesAtLeast
  return isEnough ? meet(held, atMs, null) : held
}

function watchForOther(course: Course, movement: Movement | null, atMs: number): Course {
  const { asked, limits } = course
  if (movement === null) return { ...course, asked: { ...asked, other: null } }
  const frames = asked.other?.movement === movement ? asked.other.frames + 1 : 1
  const watched = { ...course, asked: { ...asked, other: { movement, frames } } }
  return frames < limits.course.otherFrames ? watched : anew(watched, 'WRONG_DIRECTION', atMs)
}

/** The applicant need not look straight meanwhile; without looking at the screen the face gets no light. */
function takeColour(course: Course, rest: Pose, seen: LiveObservation, face: LiveFace): Course {
  const { asked, limits, plan, at } = course
  const { colour, holdMs } = plan[at]
  const settledMs = seen.atMs - asked.promptedAtMs - limits.course.colourSettlesMs
  const isFacing = isWithin(changeFrom(rest, face), limits.course.colourWithinDeg)
  if (colour === null || settledMs < 0 || !isFacing) return course
  const light = withLight(asked.light, face)
  const next = { ...course, asked: { ...asked, light } }
  if (light.frames < limits.course.colourFramesAtLeast || settledMs < holdMs) return next
  const trace = colourTrace(colour, light)
  return meet({ ...next, colours: trace ? [...course.colours, trace] : course.colours }, seen.atMs, null)
}

/** The PAD networks need enough background around the face. */
function withPad(course: Course, { pad, widthShare }: LiveFace): Course {
  const isUsable =
    pad !== null && Number.isFinite(pad) && widthShare <= course.limits.course.headWidthShareAtMost
  return isUsable ? { ...course, seen: { ...course.seen, pad: [...course.seen.pad, pad] } } : course
}

function awayFrom(rest: Pose, face: LiveFace): number {
  return Math.hypot(face.leftDeg - rest.leftDeg, face.upDeg - rest.upDeg)
}
