/**
 * Measures how far a head moved from its resting pose and whether the movement is the prompted one. Works on single
 * frames.
 */
import type { ChallengeLimits } from './limits.ts'
import type { Movement } from './plan.ts'
import type { LiveFace } from './types.ts'

/** Pose of the head. */
export interface Pose {
  readonly leftDeg: number
  readonly upDeg: number
  readonly headWidthPx: number
}

export interface Change {
  readonly leftDeg: number
  readonly upDeg: number
  /** Factor of approach. */
  readonly nearer: number
}

export const NO_CHANGE: Change = { leftDeg: 0, upDeg: 0, nearer: 1 }

export function changeFrom(rest: Pose, face: Pose): Change {
  return {
    leftDeg: face.leftDeg - rest.leftDeg,
    upDeg: face.upDeg - rest.upDeg,
    nearer: face.headWidthPx / rest.headWidthPx,
  }
}

/** Minimum size of a movement. */
interface MovementNeed {
  readonly turnDeg: number
  readonly tiltDeg: number
  readonly nearerLog: number
}

export function getMovementNeed(challenge: ChallengeLimits, isWholeApproach: boolean): MovementNeed {
  return {
    turnDeg: challenge.turnAtLeastDeg,
    tiltDeg: challenge.tiltAtLeastDeg,
    nearerLog: isWholeApproach ? challenge.approachAtLeastLog : Math.log(challenge.nearerAtLeastTimes),
  }
}

/** Share of the movement that was made: 1 is sufficient, negative is the opposite direction. */
export function measureStrength(
  movement: Movement,
  { leftDeg, upDeg, nearer }: Change,
  need: MovementNeed,
): number {
  switch (movement) {
    case 'TURN_LEFT':
      return leftDeg / need.turnDeg
    case 'TURN_RIGHT':
      return -leftDeg / need.turnDeg
    case 'LOOK_UP':
      return upDeg / need.tiltDeg
    case 'LOOK_DOWN':
      return -upDeg / need.tiltDeg
    case 'COME_CLOSER':
      return Math.log(nearer) / need.nearerLog
  }
}

const MOVEMENTS: readonly Movement[] = ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP', 'LOOK_DOWN', 'COME_CLOSER']

/** A clear movement other than the prompted one. */
export function otherMovement(asked: Movement, change: Change, challenge: ChallengeLimits): Movement | null {
  const need: MovementNeed = {
    turnDeg: challenge.otherTurnAtMostDeg,
    tiltDeg: challenge.otherTiltAtMostDeg,
    nearerLog: Math.log(challenge.otherNearerAtMostTimes),
  }
  return (
    MOVEMENTS.find((movement) => movement !== asked && measureStrength(movement, change, need) > 1) ?? null
  )
}

/** True if the prompted movement exceeds natural sway and measurement error. */
export function isMoving(asked: Movement, change: Change, challenge: ChallengeLimits): boolean {
  const need = { turnDeg: challenge.noiseDeg, tiltDeg: challenge.noiseDeg, nearerLog: challenge.noiseLog }
  return measureStrength(asked, change, need) > 1
}

/** True if the head is already so near that it cannot come clearly nearer. */
export function isNear({ nearer }: Change, challenge: ChallengeLimits): boolean {
  return nearer > challenge.nearerAtLeastTimes
}

export function isWithin({ leftDeg, upDeg }: Change, deg: number): boolean {
  return Math.abs(leftDeg) < deg && Math.abs(upDeg) < deg
}

/** True if the face moved faster between two frames than a head can: a cut, another picture or another person. */
export function isJump(from: LiveFace, to: LiveFace, elapsedMs: number, challenge: ChallengeLimits): boolean {
  const seconds = Math.max(0, elapsedMs) / 1000
  // Converts shares of the picture to head widths.
  const width = Math.max(from.widthShare, to.widthShare)
  const way = Math.hypot(to.centre.x - from.centre.x, to.centre.y - from.centre.y) / width
  const turn = Math.max(Math.abs(to.leftDeg - from.leftDeg), Math.abs(to.upDeg - from.upDeg))
  const growth = Math.abs(Math.log(to.headWidthPx / from.headWidthPx))
  return (
    way > challenge.jumpHeadWidths + challenge.jumpHeadWidthsPerSecond * seconds ||
    turn > challenge.jumpDeg + challenge.jumpDegPerSecond * seconds ||
    growth > challenge.jumpLog + challenge.jumpLogPerSecond * seconds
  )
}

/** A face with non-finite numbers or without width cannot be compared. */
export function isUsable(face: LiveFace): boolean {
  const numbers = [face.leftDeg, face.upDeg, face.rollDeg, face.centre.x, face.centre.y, face.sharpness]
  const sizes = [face.headWidthPx, face.widthShare]
  return numbers.every(Number.isFinite) && sizes.every((size) => Number.isFinite(size) && size > 0)
}
