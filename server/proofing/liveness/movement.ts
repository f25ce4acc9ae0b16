/** How far a head moved from where it rested, and whether that is what was asked. Knows one picture, never a course. */
import type { CourseLimits } from './limits.ts'
import type { Movement } from './plan.ts'
import type { LiveFace } from './types.ts'

/** How the head is held. */
export interface Pose {
  readonly leftDeg: number
  readonly upDeg: number
  readonly headWidthPx: number
}

export interface Change {
  readonly leftDeg: number
  readonly upDeg: number
  /** Times nearer. */
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

/** What one movement must at least be. */
export interface MovementNeed {
  readonly turnDeg: number
  readonly tiltDeg: number
  readonly nearerLog: number
}

export function askedNeed(course: CourseLimits, isWholeApproach: boolean): MovementNeed {
  return {
    turnDeg: course.turnAtLeastDeg,
    tiltDeg: course.tiltAtLeastDeg,
    nearerLog: isWholeApproach ? course.approachAtLeastLog : Math.log(course.nearerAtLeastTimes),
  }
}

/** How much of the movement was made: 1 is enough, below 0 is the other way. */
export function strengthOf(
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

/** Another movement than the one asked, made far enough to be meant. */
export function otherMovement(asked: Movement, change: Change, course: CourseLimits): Movement | null {
  const need: MovementNeed = {
    turnDeg: course.otherTurnAtMostDeg,
    tiltDeg: course.otherTiltAtMostDeg,
    nearerLog: Math.log(course.otherNearerAtMostTimes),
  }
  return MOVEMENTS.find((movement) => movement !== asked && strengthOf(movement, change, need) > 1) ?? null
}

/** Farther towards what was asked than a head sways and a measurement errs. */
export function isMoving(asked: Movement, change: Change, course: CourseLimits): boolean {
  const need = { turnDeg: course.noiseDeg, tiltDeg: course.noiseDeg, nearerLog: course.noiseLog }
  return strengthOf(asked, change, need) > 1
}

export function isWithin({ leftDeg, upDeg }: Change, deg: number): boolean {
  return Math.abs(leftDeg) < deg && Math.abs(upDeg) < deg
}

/** Between two pictures the face went farther than a head can: a cut, another picture, another person. */
export function isJump(from: LiveFace, to: LiveFace, elapsedMs: number, course: CourseLimits): boolean {
  const seconds = Math.max(0, elapsedMs) / 1000
  // Shares of the picture to head widths, by the width of the head itself.
  const width = Math.max(from.widthShare, to.widthShare)
  const way = Math.hypot(to.centre.x - from.centre.x, to.centre.y - from.centre.y) / width
  const turn = Math.max(Math.abs(to.leftDeg - from.leftDeg), Math.abs(to.upDeg - from.upDeg))
  const growth = Math.abs(Math.log(to.headWidthPx / from.headWidthPx))
  return (
    way > course.jumpHeadWidths + course.jumpHeadWidthsPerSecond * seconds ||
    turn > course.jumpDeg + course.jumpDegPerSecond * seconds ||
    growth > course.jumpLog + course.jumpLogPerSecond * seconds
  )
}

/** Numbers that are none, or a head without width, are no face: nothing can be compared with them. */
export function isUsable(face: LiveFace): boolean {
  const numbers = [face.leftDeg, face.upDeg, face.rollDeg, face.centre.x, face.centre.y, face.sharpness]
  const sizes = [face.headWidthPx, face.widthShare]
  return numbers.every(Number.isFinite) && sizes.every((size) => Number.isFinite(size) && size > 0)
}
