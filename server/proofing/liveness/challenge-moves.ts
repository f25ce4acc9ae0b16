/**
 * Transitions of a challenge sequence: next step, repeat the step, restart all steps, or end. steps.ts interprets the
 * frames.
 */
import type { Asked, ChallengeSequence } from './challenge-state.ts'
import { forgetMoved } from './kept-frames.ts'
import { changeFrom, isNear, NO_CHANGE, type Pose } from './movement.ts'
import { isMovement } from './plan.ts'
import { NO_LIGHT } from './shown-colour.ts'
import type { StepOutcome } from './types.ts'

export function promptFirstStep(): Asked {
  return promptStep(0, null)
}

export function promptStep(promptedAtMs: number, from: Pose | null): Asked {
  return {
    promptedAtMs,
    isTimerStarted: false,
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
export function startTimer(challenge: ChallengeSequence, ownMs: number): ChallengeSequence {
  const { asked, seen } = challenge
  if (asked.isTimerStarted) return challenge
  const promptedAtMs = asked.promptedAtMs + (ownMs - seen.ownMs)
  return { ...challenge, asked: { ...asked, promptedAtMs, isTimerStarted: true } }
}

/**
 * People who stayed near after an approach must go back before the next one: otherwise they have no way left, as in a second
 * round.
 */
export function isTooNearForApproach(
  { plan, at, firstRestingPose, limits }: ChallengeSequence,
  face: Pose,
): boolean {
  const isApproachDue = plan.slice(at).some(({ kind }) => kind === 'COME_CLOSER')
  return (
    isApproachDue && firstRestingPose !== null && isNear(changeFrom(firstRestingPose, face), limits.course)
  )
}

/** Returns null while there is time. */
export function checkTime(challenge: ChallengeSequence, atMs: number): ChallengeSequence | null {
  const { asked, limits, plan, at, restingPose } = challenge
  const elapsedMs = atMs - asked.promptedAtMs
  const { firstStraightWithinMs, returnWithinMs, movementWithinMs, onsetAtMostMs } = limits.course
  if (restingPose === null)
    return elapsedMs > firstStraightWithinMs ? endSequence(challenge, 'MISSED', atMs) : null
  // A person may first have to find the place where the screen lights the whole face.
  if (!isMovement(plan[at].kind) || asked.isReturning)
    return elapsedMs > returnWithinMs ? endSequence(challenge, 'MISSED', atMs) : null
  const isStill = asked.movingSinceMs === null && asked.onsetAtMs === null
  if (elapsedMs <= movementWithinMs && !(isStill && elapsedMs > onsetAtMostMs)) return null
  if (challenge.retriesLeft < 1) return endSequence(challenge, 'MISSED', atMs)
  return promptAgain({ ...challenge, retriesLeft: challenge.retriesLeft - 1 }, atMs)
}

export function promptAfterLoss(challenge: ChallengeSequence, atMs: number): ChallengeSequence {
  const losses = challenge.seen.losses + 1
  const counted = { ...challenge, seen: { ...challenge.seen, losses } }
  return losses > challenge.limits.course.faceLossesAtMost
    ? endSequence(counted, 'MISSED', atMs)
    : promptAgain(counted, atMs)
}

/** Discards frames of the failed attempt. */
function promptAgain(challenge: ChallengeSequence, atMs: number): ChallengeSequence {
  const again: Asked = { ...promptStep(atMs, null), attempt: challenge.asked.attempt + 1, isReturning: true }
  return { ...challenge, asked: again, kept: forgetMoved(challenge.kept, challenge.at) }
}

/** Restarts all steps in another order, keeping the known resting pose. Ends the sequence if that was already done. */
export function restartSequence(
  challenge: ChallengeSequence,
  fault: 'ANTICIPATED' | 'WRONG_DIRECTION',
  atMs: number,
): ChallengeSequence {
  if (challenge.retriesLeft < 1) return endSequence(challenge, fault, atMs)
  const round = challenge.round + 1
  return {
    ...challenge,
    plan: challenge.second,
    round,
    retriesLeft: challenge.retriesLeft - 1,
    at: 0,
    asked: { ...promptStep(atMs, null), attempt: round },
    steps: [],
    colours: [],
    kept: { ...challenge.kept, moved: {} },
  }
}

/** Completes the step and prompts the next one in the answer to this frame. */
export function completeStep(
  challenge: ChallengeSequence,
  atMs: number,
  from: Pose | null,
): ChallengeSequence {
  const met = withTrace(challenge, 'MET', atMs)
  const at = challenge.at + 1
  if (at === challenge.plan.length) return { ...met, end: 'COMPLETE' }
  return { ...met, at, asked: { ...promptStep(atMs, from), attempt: challenge.round } }
}

export function endSequence(
  challenge: ChallengeSequence,
  outcome: Exclude<StepOutcome, 'MET'>,
  atMs: number,
): ChallengeSequence {
  return { ...withTrace(challenge, outcome, atMs), end: outcome === 'MISSED' ? 'TIMED_OUT' : 'FAILED' }
}

function withTrace(challenge: ChallengeSequence, outcome: StepOutcome, endedAtMs: number): ChallengeSequence {
  const { asked, plan, at, steps } = challenge
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
  return { ...challenge, steps: [...steps, trace] }
}
