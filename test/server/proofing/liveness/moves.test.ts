/** How a challenge continues, in time and out of it, and what is told of it on the way. */
import { describe, expect, test } from 'vitest'
import {
  restartSequence,
  promptStep,
  promptAfterLoss,
  endSequence,
  completeStep,
  checkTime,
} from '../../../../server/proofing/liveness/challenge-moves.ts'
import type { Asked, ChallengeSequence } from '../../../../server/proofing/liveness/challenge-state.ts'
import {
  advanceSession,
  beginChallenge,
  chooseHint,
  getProgress,
  getPrompt,
  getTrace,
} from '../../../../server/proofing/liveness/session.ts'
import type { LiveFace, LivenessStepKind } from '../../../../server/proofing/liveness/types.ts'
import { drawOf, LIMITS, REST_FACE, seeded, settingsOf } from './simulated-subject.ts'

const L = LIMITS.course
const REST = { leftDeg: 0, upDeg: 0, headWidthPx: 150 }
const AT = 1000
const faceOf = (over: Partial<LiveFace> = {}): LiveFace => ({ ...REST_FACE, leftDeg: 0, upDeg: 0, ...over })

/** Asked for this as the second of three, since a second after the beginning. */
function due(
  kind: LivenessStepKind,
  asked: Partial<Asked> = {},
  over: Partial<ChallengeSequence> = {},
): ChallengeSequence {
  const straight = { kind: 'LOOK_STRAIGHT', colour: null, holdMs: 500 } as const
  const colour = kind === 'SHOW_COLOUR' ? 'RED' : null
  return {
    ...beginChallenge(settingsOf('LIVENESS_ACTIVE', 'LOW', 1), drawOf(seeded(1)), LIMITS),
    plan: [straight, { kind, colour, holdMs: 500 }, straight],
    at: 1,
    restingPose: REST,
    firstRestingPose: REST,
    retriesLeft: 1,
    asked: { ...promptStep(AT, REST), ...asked },
    ...over,
  }
}

describe('the time for a step', () => {
  test.each<[string, ChallengeSequence, number]>([
    ['the first straight view', due('LOOK_STRAIGHT', {}, { restingPose: null }), L.firstStraightWithinMs],
    ['a later straight view', due('LOOK_STRAIGHT'), L.returnWithinMs],
    ['the way back between two tries', due('TURN_LEFT', { isReturning: true }), L.returnWithinMs],
    ['a movement that has not begun', due('TURN_LEFT'), L.onsetAtMostMs],
    ['a movement on its way', due('TURN_LEFT', { movingSinceMs: AT + 900 }), L.movementWithinMs],
    ['a movement that is held', due('TURN_LEFT', { onsetAtMs: AT + 900 }), L.movementWithinMs],
    ['a colour', due('SHOW_COLOUR'), L.returnWithinMs],
  ])('of %s lasts to the last millisecond', (_, challenge, withinMs) => {
    expect(checkTime(challenge, AT + withinMs)).toBeNull()
    expect(checkTime(challenge, AT + withinMs + 1)).not.toBeNull()
  })

  test('of a movement that is up is given once more, as long as there is a retry', () => {
    const late = AT + L.onsetAtMostMs + 1
    expect(checkTime(due('TURN_LEFT'), late)).toMatchObject({
      end: null,
      retriesLeft: 0,
      asked: { isReturning: true, attempt: 2, promptedAtMs: late },
    })
    const last = checkTime(due('TURN_LEFT', {}, { retriesLeft: 0 }), late)
    expect(last).toMatchObject({ end: 'TIMED_OUT', steps: [{ outcome: 'MISSED' }] })
  })

  test.each(['LOOK_STRAIGHT', 'SHOW_COLOUR'] as const)('of %s is given once', (kind) => {
    expect(checkTime(due(kind), AT + L.returnWithinMs + 1)).toMatchObject({
      end: 'TIMED_OUT',
      retriesLeft: 1,
    })
  })
})

describe('a face that was lost', () => {
  const after = (losses: number) => {
    const challenge = due('TURN_LEFT')
    return promptAfterLoss({ ...challenge, seen: { ...challenge.seen, losses } }, 5000)
  }

  test('is asked back as often as the limit says, and then no more', () => {
    expect(after(L.faceLossesAtMost - 1)).toMatchObject({
      end: null,
      retriesLeft: 1,
      seen: { losses: L.faceLossesAtMost },
      asked: { isReturning: true, from: null },
    })
    expect(after(L.faceLossesAtMost)).toMatchObject({
      end: 'TIMED_OUT',
      seen: { losses: L.faceLossesAtMost + 1 },
    })
  })
})

describe('a challenge that begins again', () => {
  const colour = { colour: 'RED', skin: { r: 1, g: 1, b: 1 }, surround: null, frames: 1 } as const
  const moved = { 1: [{ sequence: 1, strength: 1, sharpness: 1 }] }
  const before = due('TURN_LEFT', {}, { colours: [colour], kept: { reference: 7, rest: [], moved } })

  test('takes the other order and forgets all but where the head rests', () => {
    const again = restartSequence(
      { ...before, steps: endSequence(before, 'MISSED', 3000).steps },
      'WRONG_DIRECTION',
      4000,
    )
    expect(again).toMatchObject({
      plan: before.second,
      round: 2,
      at: 0,
      retriesLeft: 0,
      restingPose: REST,
      end: null,
      kept: { reference: 7, rest: [] },
      asked: { attempt: 2, promptedAtMs: 4000, from: null },
    })
    expect(again.steps).toEqual([])
    expect(again.colours).toEqual([])
    expect(again.kept.moved).toEqual({})
    expect(restartSequence({ ...before, retriesLeft: 0 }, 'WRONG_DIRECTION', 4000).end).toBe('FAILED')
  })
})

describe('what is told of a step', () => {
  test('holds its colour where it has one', () => {
    expect(completeStep(due('SHOW_COLOUR'), 3000, null).steps).toEqual([
      {
        kind: 'SHOW_COLOUR',
        colour: 'RED',
        promptedAtMs: AT,
        onsetAtMs: null,
        endedAtMs: 3000,
        holdMs: 500,
        attempts: 1,
        peak: { leftDeg: 0, upDeg: 0, nearer: 1 },
        outcome: 'MET',
      },
    ])
    expect(completeStep(due('TURN_LEFT'), 3000, null).steps[0]).not.toHaveProperty('colour')
  })

  test('the last one met completes the course', () => {
    expect(completeStep(due('TURN_LEFT'), 3000, REST)).toMatchObject({
      at: 2,
      end: null,
      asked: { from: REST },
    })
    expect(completeStep(due('TURN_LEFT', {}, { at: 2 }), 3000, REST)).toMatchObject({
      end: 'COMPLETE',
      at: 2,
    })
  })

  test('continues by thirds, and is whole only at the end', () => {
    expect(getProgress(due('TURN_LEFT'))).toBeCloseTo(1 / 3)
    expect(getProgress(due('TURN_LEFT', {}, { at: 2 }))).toBeCloseTo(2 / 3)
    expect(getProgress(due('TURN_LEFT', {}, { end: 'TIMED_OUT' }))).toBeCloseTo(1 / 3)
    expect(getProgress(due('TURN_LEFT', {}, { end: 'COMPLETE' }))).toBe(1)
  })
})

describe('what helps the person', () => {
  const hint = (challenge: ChallengeSequence, face: Partial<LiveFace> | null = {}) =>
    chooseHint(challenge, { sequence: 1, atMs: 2000, face: face && faceOf(face) })
  const far = { widthShare: 0.05 }
  const near = { headWidthPx: faceOf({}).headWidthPx * L.colourNearerAtLeastTimes }

  test('is to follow a movement, or to hold it', () => {
    expect(hint(due('TURN_LEFT'))).toBe('FOLLOW_PROMPT')
    expect(hint(due('TURN_LEFT', { heldSinceMs: 1500 }))).toBe('HOLD_STILL')
  })

  test('is to look straight, where that is asked or a colour is shown and the head is elsewhere', () => {
    const away = { leftDeg: L.returnWithinDeg }
    for (const challenge of [due('LOOK_STRAIGHT'), due('TURN_LEFT', { isReturning: true })]) {
      expect(hint(challenge)).toBeNull()
      expect(hint(challenge, far)).toBeNull()
      expect(hint(challenge, away)).toBe('LOOK_STRAIGHT')
    }
    expect(hint(due('SHOW_COLOUR'), near)).toBeNull()
    expect(hint(due('SHOW_COLOUR'), { ...near, ...away })).toBe('LOOK_STRAIGHT')
  })

  test('is to come closer while a colour is shown and the head is too far for its light', () => {
    const less = { headWidthPx: near.headWidthPx - 1 }
    expect(hint(due('SHOW_COLOUR'), less)).toBe('COME_CLOSER')
    expect(hint(due('LOOK_STRAIGHT'), less)).toBeNull()
  })

  test('before the first straight view is what keeps the picture from being one', () => {
    const first = due('LOOK_STRAIGHT', {}, { at: 0, restingPose: null })
    expect(hint(first)).toBeNull()
    expect(hint(first, far)).toBe('COME_CLOSER')
  })

  test('is nothing without a face, with numbers that are none, or when it is over', () => {
    expect(hint(due('TURN_LEFT'), null)).toBeNull()
    expect(hint(due('TURN_LEFT'), { leftDeg: NaN })).toBeNull()
    expect(hint(due('TURN_LEFT', {}, { end: 'TIMED_OUT' }))).toBeNull()
  })
})

describe('what is counted', () => {
  test('the pictures, those without a face, and the longest time between two', () => {
    const times: readonly [number, LiveFace | null][] = [
      [100, faceOf()],
      [150, null],
      [400, faceOf()],
      [500, faceOf({ headWidthPx: 0 })],
    ]
    let challenge = due('LOOK_STRAIGHT', {}, { at: 0, restingPose: null })
    for (const [atMs, face] of times)
      challenge = advanceSession(challenge, { sequence: atMs, atMs, face }, LIMITS)
    expect(getTrace(challenge)).toMatchObject({
      planned: 3,
      frames: 4,
      framesWithoutFace: 2,
      longestGapMs: 250,
      durationMs: 500,
      pad: { median: 0.95, frames: 2 },
    })
  })

  test('nothing of the surroundings where they were never seen, and nothing more once it is over', () => {
    expect(getTrace(due('TURN_LEFT')).pad).toBeNull()
    const over = due('TURN_LEFT', {}, { end: 'FAILED' })
    expect(advanceSession(over, { sequence: 1, atMs: 2000, face: faceOf() }, LIMITS)).toBe(over)
    expect(getPrompt(over)).toBeNull()
  })
})
