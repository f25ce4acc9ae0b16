/**
 * A liveness session's challenge sequence as a pure state machine: drawn steps, current prompt, observed frames, end.
 * Time comes with each observation; this file reads no clock, draws no random number and holds no picture.
 */
import type { LivenessSettings } from '../capture-session.ts'
import type { PortraitHint } from '../portrait-quality.ts'
import { computeMedian, straightHint } from './calm.ts'
import { isTooNearForApproach, promptFirstStep, startTimer } from './challenge-moves.ts'
import type { ChallengeSequence } from './challenge-state.ts'
import { keyFrames, NOTHING_KEPT, listSequences } from './kept-frames.ts'
import type { ChallengeLimits, LivenessLimits } from './limits.ts'
import { changeFrom, isWithin, isJump, isUsable, type Change } from './movement.ts'
import { toMoment } from './own-time.ts'
import { drawMoreColours, drawPlan, isMovement } from './plan.ts'
import { takeFace, takeNoFace } from './steps.ts'
import type {
  ColourSet,
  ChallengeEnd,
  Draw,
  KeyFrames,
  LiveFace,
  LiveObservation,
  LivenessPrompt,
  SessionTrace,
} from './types.ts'

export type { ChallengeSequence } from './challenge-state.ts'
export type { ChallengeEnd } from './types.ts'

export function beginChallenge(
  settings: LivenessSettings,
  draw: Draw,
  limits: LivenessLimits,
  colourSet: ColourSet = 'FULL',
): ChallengeSequence {
  return {
    settings,
    limits,
    plan: drawPlan(settings, draw, limits),
    second: drawPlan(settings, draw, limits),
    moreColours: drawMoreColours(settings, draw, limits),
    round: 1,
    at: 0,
    asked: promptFirstStep(),
    restingPose: null,
    firstRestingPose: null,
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

export function advanceSession(
  challenge: ChallengeSequence,
  seen: LiveObservation,
  limits: LivenessLimits,
): ChallengeSequence {
  if (challenge.end !== null) return challenge
  const face = seen.face && isUsable(seen.face) ? seen.face : null
  const { ownMs } = toMoment(seen)
  const counted = { ...startTimer(challenge, ownMs), limits, seen: count(challenge, seen, face, limits) }
  return face === null ? takeNoFace(counted, seen) : takeFace(counted, seen, face)
}

function count(
  { seen: before }: ChallengeSequence,
  seen: LiveObservation,
  face: LiveFace | null,
  { course: limits }: LivenessLimits,
): ChallengeSequence['seen'] {
  const jumped =
    face !== null &&
    before.lastFace !== null &&
    isJump(before.lastFace.face, face, seen.atMs - before.lastFace.atMs, limits)
  return {
    ...before,
    frames: before.frames + 1,
    lastAtMs: seen.atMs,
    ownMs: toMoment(seen).ownMs,
    longestGapMs: Math.max(before.longestGapMs, seen.atMs - before.lastAtMs),
    framesWithoutFace: before.framesWithoutFace + (face === null ? 1 : 0),
    jumps: before.jumps + (jumped ? 1 : 0),
  }
}

/** Returns null after the end. */
export function getPrompt({ plan, at, asked, end }: ChallengeSequence): LivenessPrompt | null {
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

/** 0–1, for a progress indicator. Colours that may follow count from the beginning: it never goes back. */
export function getProgress({ plan, moreColours, at, end }: ChallengeSequence): number {
  return end === 'COMPLETE' ? 1 : at / (plan.length + moreColours.length)
}

export function getEnd(challenge: ChallengeSequence): ChallengeEnd | null {
  return challenge.end
}

/** Hint for the applicant beyond the picture quality; null if there is none. */
export function chooseHint(challenge: ChallengeSequence, seen: LiveObservation): PortraitHint | null {
  const { plan, at, asked, restingPose, limits, end } = challenge
  if (end !== null || seen.face === null || !isUsable(seen.face)) return null
  const { kind } = plan[at]
  if (isMovement(kind) && !asked.isReturning)
    return asked.heldSinceMs === null ? 'FOLLOW_PROMPT' : 'HOLD_STILL'
  if (restingPose === null) return straightHint(seen.face, limits.course)
  const change = changeFrom(restingPose, seen.face)
  if (kind !== 'SHOW_COLOUR' && isTooNearForApproach(challenge, seen.face)) return 'MOVE_BACK'
  if (kind === 'SHOW_COLOUR') {
    if (change.nearer < limits.course.colourNearerAtLeastTimes) return 'COME_CLOSER'
    if (seen.face.forehead === null) return foreheadHint(change, limits.course)
  }
  return isWithin(change, limits.course.returnWithinDeg) ? null : 'LOOK_STRAIGHT'
}

/** A forehead that is outside the picture: a step back helps, and where this would be too far, a move to the middle. */
function foreheadHint({ nearer }: Change, challenge: ChallengeLimits): PortraitHint {
  const canGoBack = nearer > challenge.colourNearerAtLeastTimes * challenge.calmScaleAtMost
  return canGoBack ? 'MOVE_BACK' : 'CENTRE_FACE'
}

/** Sequence numbers of frames that may still be needed, at most 24: all others can be deleted. */
export function framesToKeep(challenge: ChallengeSequence): ReadonlySet<number> {
  return listSequences(challenge.kept)
}

/** Returns null if no straight view was seen. */
export function chooseKeyFrames(challenge: ChallengeSequence): KeyFrames | null {
  return keyFrames(challenge.kept)
}

export function getTrace({ plan, steps, colours, colourSet, seen, end }: ChallengeSequence): SessionTrace {
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
    pad: pad.length > 0 ? { median: computeMedian(pad), frames: pad.length } : null,
    colours,
    ...(colourSet === 'FULL' ? {} : { colourSet }),
  }
}
