/** Evaluates one frame for the current step: completed, missed or repeated. Pure; session.ts owns the sequence. */
import { extendCalm, isCalmFor, computeRest, toStill, straightHint } from './calm.ts'
import {
  promptStep,
  promptAfterLoss,
  restartSequence,
  endSequence,
  completeStep,
  checkTime,
  isTooNearForApproach,
} from './challenge-moves.ts'
import type { ChallengeSequence } from './challenge-state.ts'
import { forgetMoved, forgetRestBut, keepMoved, keepReference, keepRest, movedFrame } from './kept-frames.ts'
import {
  getMovementNeed,
  changeFrom,
  isMoving,
  isWithin,
  otherMovement,
  measureStrength,
  type Pose,
} from './movement.ts'
import { BEGINNING, isOutOfSight, toMoment, computePersonsMs } from './own-time.ts'
import { isMovement, type Movement } from './plan.ts'
import { judgeReflection } from './reflection.ts'
import { colourTrace, withLight } from './shown-colour.ts'
import type { LiveFace, LiveObservation } from './types.ts'

/** Tolerates a short loss of the face, repeats the step after a longer one, and ends the session after a long one. */
export function takeNoFace(challenge: ChallengeSequence, seen: LiveObservation): ChallengeSequence {
  const { atMs } = seen
  if (challenge.restingPose === null) return checkTime(challenge, atMs) ?? challenge
  const limits = challenge.limits.course
  const [from, now] = [challenge.seen.lastFace ?? BEGINNING, toMoment(seen)]
  if (computePersonsMs(from, now) > limits.faceLostAtMostMs) return endSequence(challenge, 'MISSED', atMs)
  const isLost = isOutOfSight(from, now, limits) && isAskedToMove(challenge)
  return checkTime(challenge, atMs) ?? (isLost ? promptAfterLoss(challenge, atMs) : challenge)
}

function isAskedToMove({ plan, at, asked }: ChallengeSequence): boolean {
  return isMovement(plan[at].kind) && !asked.isReturning
}

export function takeFace(
  challenge: ChallengeSequence,
  seen: LiveObservation,
  face: LiveFace,
): ChallengeSequence {
  const taken = takeStep(challenge, seen, face)
  return { ...taken, seen: { ...taken.seen, lastFace: { ...toMoment(seen), face } } }
}

function takeStep(challenge: ChallengeSequence, seen: LiveObservation, face: LiveFace): ChallengeSequence {
  const { kind } = challenge.plan[challenge.at]
  const { restingPose } = challenge
  if (restingPose === null) return takeFirst(challenge, seen, face)
  const late = checkTime(challenge, seen.atMs)
  if (late) return late
  if (kind === 'LOOK_STRAIGHT' || challenge.asked.isReturning)
    return takeReturn(challenge, restingPose, seen, face)
  if (!isMovement(kind)) return takeColour(challenge, restingPose, seen, face)
  const now = toMoment(seen)
  const isLost = isOutOfSight(challenge.seen.lastFace ?? now, now, challenge.limits.course)
  if (isLost) return promptAfterLoss(challenge, seen.atMs)
  return takeMovement(challenge, kind, restingPose, seen, face)
}

/** The first straight view defines the resting pose, so all its frames must be good. */
function takeFirst(challenge: ChallengeSequence, seen: LiveObservation, face: LiveFace): ChallengeSequence {
  const late = checkTime(challenge, seen.atMs)
  if (late) return late
  const { limits, settings, plan, at } = challenge
  if (!face.isGood || straightHint(face, limits.course) !== null) {
    return { ...challenge, asked: { ...challenge.asked, calm: [] }, kept: forgetRestBut(challenge.kept, []) }
  }
  const still = toStill(seen, face)
  const calm = extendCalm(challenge.asked.calm, still, limits.course)
  const kept = keepRest(forgetRestBut(challenge.kept, calm), still, awayFrom(computeRest(calm), face))
  const next = withPad({ ...challenge, kept, asked: { ...challenge.asked, calm } }, face)
  const frames =
    settings.livenessType === 'LIVENESS_PASSIVE'
      ? limits.course.stillFramesAtLeast
      : limits.course.calmFramesAtLeast
  if (!isCalmFor(calm, plan[at].holdMs, frames)) return next
  const restingPose = computeRest(calm)
  return completeStep(
    { ...next, restingPose, firstRestingPose: restingPose, kept: keepReference(kept, calm) },
    seen.atMs,
    restingPose,
  )
}

/** Waits for the return to the resting pose before the next or repeated prompt. */
function takeReturn(
  challenge: ChallengeSequence,
  rest: Pose,
  seen: LiveObservation,
  face: LiveFace,
): ChallengeSequence {
  const { limits, asked, plan, at } = challenge
  const isNearHome = isWithin(
    changeFrom(challenge.firstRestingPose ?? rest, face),
    limits.course.settledWithinDeg,
  )
  const isStraight = isNearHome || isWithin(changeFrom(rest, face), limits.course.returnWithinDeg)
  if (!isStraight || isTooNearForApproach(challenge, face))
    return { ...challenge, asked: { ...asked, calm: [] } }
  const still = toStill(seen, face)
  const calm = extendCalm(asked.calm, still, limits.course)
  const kept = keepRest(challenge.kept, still, awayFrom(rest, face))
  const next = withPad({ ...challenge, kept, asked: { ...asked, calm } }, face)
  const held = computeRest(calm)
  const isBack = isWithin(changeFrom(rest, held), limits.course.returnWithinDeg)
  const holdMs = asked.isReturning ? limits.course.holdAtLeastMs : plan[at].holdMs
  const neededMs = isBack ? holdMs : Math.max(holdMs, limits.course.settledMs)
  if (!isCalmFor(calm, neededMs, limits.course.returnFramesAtLeast)) return next
  // People do not return to the exact distance; the resting pose changes only if the head settled there.
  const resting = { ...next, restingPose: isBack ? { ...rest, headWidthPx: held.headWidthPx } : held }
  if (!asked.isReturning) return completeStep(resting, seen.atMs, held)
  const again = { ...promptStep(seen.atMs, held), attempt: asked.attempt }
  return { ...resting, asked: again, kept: forgetMoved(resting.kept, at) }
}

function takeMovement(
  challenge: ChallengeSequence,
  kind: Movement,
  rest: Pose,
  seen: LiveObservation,
  face: LiveFace,
): ChallengeSequence {
  const { limits, asked, settings, at } = challenge
  const change = changeFrom(rest, face)
  const isWhole = kind === 'COME_CLOSER' && settings.livenessType !== 'LIVENESS_ACTIVE'
  const strength = measureStrength(kind, change, getMovementNeed(limits.course, isWhole))
  const moving = isMoving(kind, changeFrom(asked.from ?? rest, face), limits.course)
  const movingSinceMs = moving ? (asked.movingSinceMs ?? seen.atMs) : null
  const peak = asked.peak && asked.peak.strength >= strength ? asked.peak : { strength, change }
  const isOnly = settings.livenessType === 'LIVENESS_PASSIVE_VIDEO'
  const next: ChallengeSequence = {
    ...(kind === 'COME_CLOSER' ? withPad(challenge, face) : challenge),
    asked: { ...asked, movingSinceMs, peak },
    kept: keepMoved(challenge.kept, at, movedFrame(seen.sequence, strength, face), isOnly),
  }
  if (asked.onsetAtMs !== null) return countHold(next, seen.atMs, strength)
  if (strength >= 1) return recordOnset(next, movingSinceMs ?? seen.atMs, seen.atMs, strength)
  return countOtherMovement(next, otherMovement(kind, change, limits.course), seen.atMs)
}

/** A movement this early did not react to the prompt, so it was anticipated. */
function recordOnset(
  challenge: ChallengeSequence,
  onsetAtMs: number,
  atMs: number,
  strength: number,
): ChallengeSequence {
  const { asked, limits } = challenge
  if (atMs - asked.promptedAtMs < limits.course.anticipatedWithinMs)
    return endSequence(challenge, 'ANTICIPATED', atMs)
  // A head that drifted by chance at the prompt gets another attempt in another order.
  if (onsetAtMs - asked.promptedAtMs < limits.course.onsetAtLeastMs)
    return restartSequence(challenge, 'ANTICIPATED', atMs)
  return countHold({ ...challenge, asked: { ...asked, onsetAtMs, other: null } }, atMs, strength)
}

/** Leaving the pose early restarts the hold. */
function countHold(challenge: ChallengeSequence, atMs: number, strength: number): ChallengeSequence {
  const { asked, plan, at, limits } = challenge
  if (strength < limits.course.holdShare)
    return { ...challenge, asked: { ...asked, heldSinceMs: null, heldFrames: 0 } }
  const heldSinceMs = asked.heldSinceMs ?? atMs
  const heldFrames = asked.heldFrames + 1
  const held = { ...challenge, asked: { ...asked, heldSinceMs, heldFrames } }
  const isEnough = atMs - heldSinceMs >= plan[at].holdMs && heldFrames >= limits.course.holdFramesAtLeast
  return isEnough ? completeStep(held, atMs, null) : held
}

function countOtherMovement(
  challenge: ChallengeSequence,
  movement: Movement | null,
  atMs: number,
): ChallengeSequence {
  const { asked, limits } = challenge
  if (movement === null) return { ...challenge, asked: { ...asked, other: null } }
  const frames = asked.other?.movement === movement ? asked.other.frames + 1 : 1
  const watched = { ...challenge, asked: { ...asked, other: { movement, frames } } }
  return frames < limits.course.otherFrames ? watched : restartSequence(watched, 'WRONG_DIRECTION', atMs)
}

/**
 * The applicant need not look straight meanwhile. A face that is turned away or far from the screen gets too little light, and a forehead
 * that is cut off shows none.
 */
function takeColour(
  challenge: ChallengeSequence,
  rest: Pose,
  seen: LiveObservation,
  face: LiveFace,
): ChallengeSequence {
  const { asked, limits, plan, at } = challenge
  const { colour, holdMs } = plan[at]
  const settledMs = seen.atMs - asked.promptedAtMs - limits.course.colourSettlesMs
  const change = changeFrom(rest, face)
  const isLit =
    isWithin(change, limits.course.colourWithinDeg) && change.nearer >= limits.course.colourNearerAtLeastTimes
  if (colour === null || settledMs < 0 || !isLit || face.forehead === null) return challenge
  const light = withLight(asked.light, face)
  const next = { ...challenge, asked: { ...asked, light } }
  if (light.frames < limits.course.colourFramesAtLeast || settledMs < holdMs) return next
  const trace = colourTrace(colour, light)
  const shown = { ...next, colours: trace ? [...challenge.colours, trace] : challenge.colours }
  return completeStep(withMoreColours(shown), seen.atMs, null)
}

/** Colours that gave no answer are followed by others, once in a session: all of them are then judged together. */
function withMoreColours(challenge: ChallengeSequence): ChallengeSequence {
  const { plan, at, colours, colourSet, moreColours, limits } = challenge
  if (moreColours.length === 0 || plan.at(at + 1)?.kind === 'SHOW_COLOUR') return challenge
  const { outcome, reason } = judgeReflection(colours, limits.reflection, colourSet)
  // A lamp that changes may look like light beside the face; with eight colours it does not.
  if (outcome !== 'inconclusive' && reason !== 'REFLECTION_BESIDE_FACE') return challenge
  return { ...challenge, plan: plan.toSpliced(at + 1, 0, ...moreColours), moreColours: [] }
}

/** The PAD networks need enough background around the face. */
function withPad(challenge: ChallengeSequence, { pad, widthShare }: LiveFace): ChallengeSequence {
  const isUsable =
    pad !== null && Number.isFinite(pad) && widthShare <= challenge.limits.course.headWidthShareAtMost
  return isUsable
    ? { ...challenge, seen: { ...challenge.seen, pad: [...challenge.seen.pad, pad] } }
    : challenge
}

function awayFrom(rest: Pose, face: LiveFace): number {
  return Math.hypot(face.leftDeg - rest.leftDeg, face.upDeg - rest.upDeg)
}
