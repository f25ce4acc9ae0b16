/** One picture at a time, at each limit and just beyond it: what a picture does to the step that is due. */
import { describe, expect, test } from 'vitest'
import { promptStep } from '../../../../server/proofing/liveness/challenge-moves.ts'
import type { Asked, ChallengeSequence } from '../../../../server/proofing/liveness/challenge-state.ts'
import type { Pose } from '../../../../server/proofing/liveness/movement.ts'
import { beginChallenge, chooseHint } from '../../../../server/proofing/liveness/session.ts'
import { takeFace, takeNoFace } from '../../../../server/proofing/liveness/steps.ts'
import type { LiveFace, LivenessStepKind, ScreenColour } from '../../../../server/proofing/liveness/types.ts'
import type { LivenessSettings } from '../../../../server/proofing/capture-session.ts'
import { drawOf, LIMITS, REST_FACE, seeded, settingsOf } from './simulated-subject.ts'

const L = LIMITS.course
const ACTIVE = settingsOf('LIVENESS_ACTIVE', 'LOW', 1)
const VIDEO = settingsOf('LIVENESS_PASSIVE_VIDEO')
const REST: Pose = { leftDeg: 0, upDeg: 0, headWidthPx: 150 }
const ASKED_AT = 1000
const HOLD_MS = 500

const faceOf = (over: Partial<LiveFace> = {}): LiveFace => ({ ...REST_FACE, leftDeg: 0, upDeg: 0, ...over })

interface Made extends Partial<Omit<ChallengeSequence, 'asked' | 'seen'>> {
  readonly asked?: Partial<Asked>
  readonly lastFaceMs?: number | null
  readonly colour?: ScreenColour | null
}

/** A challenge that asks for this as its second step of three, since a second after its beginning. */
function due(
  kind: LivenessStepKind,
  made: Made = {},
  settings: LivenessSettings = ACTIVE,
): ChallengeSequence {
  const { asked, lastFaceMs = ASKED_AT, colour = null, ...over } = made
  const begun = beginChallenge(settings, drawOf(seeded(1)), LIMITS)
  const straight = { kind: 'LOOK_STRAIGHT', colour: null, holdMs: HOLD_MS } as const
  return {
    ...begun,
    plan: [straight, { kind, colour, holdMs: HOLD_MS }, straight],
    at: 1,
    restingPose: REST,
    firstRestingPose: REST,
    retriesLeft: 1,
    asked: { ...promptStep(ASKED_AT, REST), ...asked },
    seen: {
      ...begun.seen,
      lastFace: lastFaceMs === null ? null : { atMs: lastFaceMs, ownMs: 0, face: faceOf() },
    },
    ...over,
  }
}
/** A challenge that asks for its first straight view. */
const first = (settings = ACTIVE): ChallengeSequence =>
  due(
    'TURN_LEFT',
    { at: 0, restingPose: null, firstRestingPose: null, asked: promptStep(0, null), lastFaceMs: null },
    settings,
  )

const see = (challenge: ChallengeSequence, atMs: number, face: Partial<LiveFace> = {}): ChallengeSequence =>
  takeFace(challenge, { sequence: atMs, atMs, face: faceOf(face) }, faceOf(face))
const seeAll = (
  challenge: ChallengeSequence,
  times: readonly number[],
  face: Partial<LiveFace> = {},
): ChallengeSequence => times.reduce((before, atMs) => see(before, atMs, face), challenge)
const seeNone = (challenge: ChallengeSequence, atMs: number): ChallengeSequence =>
  takeNoFace(challenge, { sequence: atMs, atMs, face: null })

describe('no face', () => {
  test('before the first straight view is waited for, until that is due no more', () => {
    const challenge = first()
    expect(seeNone(challenge, L.firstStraightWithinMs)).toBe(challenge)
    expect(seeNone(challenge, L.firstStraightWithinMs + 1).end).toBe('TIMED_OUT')
  })

  test.each<[string, ChallengeSequence, boolean]>([
    ['a movement', due('TURN_LEFT'), true],
    ['a movement before any face', due('TURN_LEFT', { lastFaceMs: null, asked: { promptedAtMs: 0 } }), true],
    ['the way back between two tries', due('TURN_LEFT', { asked: { isReturning: true } }), false],
    ['a straight view', due('LOOK_STRAIGHT'), false],
    ['a colour', due('SHOW_COLOUR', { colour: 'RED' }), false],
  ])('for longer than a moment, while %s is asked', (_, challenge, isAskedBack) => {
    const lastMs = challenge.seen.lastFace?.atMs ?? 0
    expect(seeNone(challenge, lastMs + L.faceLostShortlyMs)).toBe(challenge)
    const lost = seeNone(challenge, lastMs + L.faceLostShortlyMs + 1)
    if (!isAskedBack) expect(lost).toBe(challenge)
    else {
      expect(lost.seen.losses).toBe(1)
      expect(lost.asked).toMatchObject({ isReturning: true, attempt: 2 })
    }
    expect(seeNone(challenge, lastMs + L.faceLostAtMostMs).end).toBeNull()
    expect(seeNone(challenge, lastMs + L.faceLostAtMostMs + 1)).toMatchObject({
      end: 'TIMED_OUT',
      steps: [{ outcome: 'MISSED' }],
    })
  })

  test('where the time is up as well is not counted as a loss', () => {
    const challenge = due('TURN_LEFT', { lastFaceMs: ASKED_AT + L.onsetAtMostMs })
    const lost = seeNone(challenge, ASKED_AT + L.onsetAtMostMs + L.faceLostShortlyMs + 1)
    expect(lost).toMatchObject({ retriesLeft: 0, seen: { losses: 0 }, asked: { isReturning: true } })
  })
})

describe('any face', () => {
  test('is remembered with its time', () => {
    const seen = see(due('TURN_LEFT'), ASKED_AT + 100, { leftDeg: 3 }).seen
    expect(seen.lastFace).toEqual({ atMs: ASKED_AT + 100, ownMs: 0, face: faceOf({ leftDeg: 3 }) })
  })

  test('that comes too late ends or repeats the step', () => {
    expect(see(first(), L.firstStraightWithinMs + 1).end).toBe('TIMED_OUT')
    expect(see(first(), L.firstStraightWithinMs).end).toBeNull()
    expect(see(due('LOOK_STRAIGHT'), ASKED_AT + L.returnWithinMs + 1).end).toBe('TIMED_OUT')
    const late = ASKED_AT + L.onsetAtMostMs + 1
    expect(see(due('TURN_LEFT', { lastFaceMs: late - 100 }), late).asked.isReturning).toBe(true)
    expect(see(due('SHOW_COLOUR', { colour: 'RED' }), ASKED_AT + L.returnWithinMs + 1).end).toBe('TIMED_OUT')
  })

  test('after a loss in the middle of a movement is asked back first, and only then', () => {
    const backMs = ASKED_AT + L.faceLostShortlyMs
    expect(see(due('TURN_LEFT'), backMs).seen.losses).toBe(0)
    const lost = see(due('TURN_LEFT'), backMs + 1)
    expect(lost).toMatchObject({ seen: { losses: 1 }, asked: { isReturning: true } })
    expect(see(due('TURN_LEFT', { lastFaceMs: null }), backMs + 1).seen.losses).toBe(0)
    expect(see(due('LOOK_STRAIGHT'), backMs + 1).seen.losses).toBe(0)
    expect(see(due('SHOW_COLOUR', { colour: 'RED' }), backMs + 1).seen.losses).toBe(0)
  })
})

describe('the first straight view', () => {
  /** As many pictures as are needed, the last one when the time is over. */
  const times = (count: number, forMs = HOLD_MS): number[] =>
    Array.from({ length: count }, (_, i) => 100 + (forMs * i) / (count - 1))

  test.each([
    ['LIVENESS_ACTIVE', L.calmFramesAtLeast],
    ['LIVENESS_PASSIVE_VIDEO', L.calmFramesAtLeast],
    ['LIVENESS_PASSIVE', L.stillFramesAtLeast],
  ] as const)('of %s needs %i pictures, and the time that was drawn', (type, frames) => {
    const challenge = first(settingsOf(type))
    const met = seeAll(challenge, times(frames))
    expect(met).toMatchObject({
      at: 1,
      restingPose: REST,
      firstRestingPose: REST,
      asked: { promptedAtMs: 600, from: REST },
    })
    expect(met.kept.reference).not.toBeNull()
    expect(seeAll(challenge, times(frames - 1))).toMatchObject({ at: 0, restingPose: null })
    expect(seeAll(challenge, times(frames, HOLD_MS - 1)).at).toBe(0)
  })

  test.each<[string, Partial<LiveFace>]>([
    ['a bad picture', { isGood: false }],
    ['a head turned away', { leftDeg: L.straightYawAtMostDeg + 1 }],
  ])('begins again after %s: what was calm and kept before is forgotten', (_, face) => {
    const calm = seeAll(first(), [100, 200])
    expect(calm.asked.calm).toHaveLength(2)
    expect(calm.kept.rest).toHaveLength(2)
    const broken = see(calm, 300, face)
    expect(broken.asked.calm).toEqual([])
    expect(broken.kept.rest).toEqual([])
    expect(broken.seen.pad).toEqual(calm.seen.pad)
  })

  test('keeps pictures by how far the head is from where it rests', () => {
    const calm = see(see(first(), 100, { leftDeg: 0 }), 200, { leftDeg: 4, upDeg: 3 })
    expect(calm.kept.rest.map(({ away }) => away)).toEqual([0, 2.5])
    expect(calm.restingPose).toBeNull()
  })

  test('that sways forgets the pictures before', () => {
    const swayed = see(see(first(), 100), 200, { leftDeg: 11 })
    expect(swayed.asked.calm).toHaveLength(1)
    expect(swayed.kept.rest.map(({ sequence }) => sequence)).toEqual([200])
  })

  test('notes what the networks saw around the face, where there is enough of it', () => {
    expect(see(first(), 100).seen.pad).toEqual([REST_FACE.pad])
    expect(see(first(), 100, { widthShare: L.headWidthShareAtMost }).seen.pad).toEqual([REST_FACE.pad])
    expect(see(first(), 100, { pad: null }).seen.pad).toEqual([])
    expect(see(first(), 100, { pad: NaN }).seen.pad).toEqual([])
    expect(see(see(first(), 100, { pad: 0.2 }), 200, { pad: 0.4 }).seen.pad).toEqual([0.2, 0.4])
  })
})

describe('back to the straight view', () => {
  const back = (made: Made = {}) => due('LOOK_STRAIGHT', made)
  const start = ASKED_AT + 100

  test('is met after the time that was drawn with two pictures, and the distance may have changed', () => {
    const met = seeAll(back(), [start, start + HOLD_MS], { headWidthPx: 160, leftDeg: 3 })
    expect(met.at).toBe(2)
    expect(met.restingPose).toEqual({ ...REST, headWidthPx: 160 })
    expect(met.asked.from).toEqual({ leftDeg: 3, upDeg: 0, headWidthPx: 160 })
    expect(seeAll(back(), [start, start + HOLD_MS - 1]).at).toBe(1)
    expect(see(back(), start + HOLD_MS).at).toBe(1)
  })

  test('a head that settled aside is waited for longer, and rests there', () => {
    const aside = { leftDeg: L.returnWithinDeg, headWidthPx: 160 }
    expect(seeAll(back(), [start, start + HOLD_MS, start + L.settledMs - 1], aside).at).toBe(1)
    const met = seeAll(back(), [start, start + 600, start + L.settledMs], aside)
    expect(met).toMatchObject({ at: 2, restingPose: { leftDeg: L.returnWithinDeg, headWidthPx: 160 } })
  })

  test('where a longer time than that was drawn, that is what is waited for', () => {
    const plan = back().plan.map((step) => ({ ...step, holdMs: L.settledMs + 500 }))
    const aside = { leftDeg: L.returnWithinDeg }
    const times = [start, start + 500, start + L.settledMs]
    expect(seeAll(back({ plan }), times, aside).at).toBe(1)
    expect(seeAll(back({ plan }), [...times, start + L.settledMs + 500], aside).at).toBe(2)
  })

  test('looks at the first straight view as well as at where the head rests now', () => {
    const calmOf = (made: Made, leftDeg: number) => see(back(made), start, { leftDeg }).asked.calm.length
    const aside = { restingPose: { ...REST, leftDeg: 14 } }
    expect(calmOf({}, L.settledWithinDeg)).toBe(0)
    expect(calmOf({}, L.settledWithinDeg - 1)).toBe(1)
    expect(calmOf(aside, 16)).toBe(1)
    expect(calmOf(aside, 14 + L.returnWithinDeg)).toBe(0)
    expect(calmOf({ firstRestingPose: null, restingPose: { ...REST, leftDeg: 14 } }, 24)).toBe(1)
    expect(calmOf({ firstRestingPose: null }, 16)).toBe(0)
  })

  test('waits for a head that stayed near to go back while an approach is due, and says so', () => {
    const [straight] = back().plan
    const plan = [straight, straight, { ...straight, kind: 'COME_CLOSER' as const }]
    const near = { headWidthPx: REST.headWidthPx * 1.25 }
    const nearBefore = { restingPose: { ...REST, ...near } }
    const stayed = seeAll(
      back({ plan, ...nearBefore }),
      [start, start + 600, start + 1200, start + 1800],
      near,
    )
    expect(stayed.at).toBe(1)
    const seen = { sequence: 1, atMs: start, face: faceOf(near) }
    expect(chooseHint(stayed, seen)).toBe('MOVE_BACK')
    const wentBack = seeAll(stayed, [start + 2400, start + 2400 + HOLD_MS], { headWidthPx: 160 })
    expect(wentBack).toMatchObject({ at: 2, restingPose: { headWidthPx: 160 } })
    expect(seeAll(back(nearBefore), [start, start + HOLD_MS], near).at, 'no approach is due').toBe(2)
  })

  test('begins again where the head is elsewhere', () => {
    const calm = see(back(), start)
    expect(calm.asked.calm).toHaveLength(1)
    expect(calm.kept.rest).toMatchObject([{ sequence: start, away: 0 }])
    const away = see(calm, start + 100, { leftDeg: 20 })
    expect(away.asked.calm).toEqual([])
    expect(away.kept.rest).toHaveLength(1)
  })

  test('between two tries takes the shortest time, and then the same is asked once more', () => {
    const moved = { 1: [{ sequence: 1, strength: 1, sharpness: 1 }], 2: [] }
    const again = due('TURN_LEFT', {
      asked: { isReturning: true, attempt: 2 },
      kept: { reference: null, rest: [], moved },
    })
    expect(seeAll(again, [start, start + L.holdAtLeastMs - 1]).asked.isReturning).toBe(true)
    const asked = seeAll(again, [start, start + L.holdAtLeastMs], { headWidthPx: 160 })
    expect(asked).toMatchObject({
      at: 1,
      restingPose: { ...REST, headWidthPx: 160 },
      asked: { isReturning: false, attempt: 2, promptedAtMs: start + L.holdAtLeastMs, calm: [] },
      kept: { moved: { 1: [], 2: [] } },
    })
    expect(asked.steps).toEqual([])
  })

  test('notes what the networks saw around the face', () => {
    expect(see(back(), start).seen.pad).toEqual([REST_FACE.pad])
  })
})

describe('a movement', () => {
  const start = ASKED_AT + 500

  test.each<[LivenessStepKind, LivenessSettings, Partial<LiveFace>, boolean]>([
    ['TURN_LEFT', ACTIVE, { leftDeg: L.turnAtLeastDeg }, true],
    ['TURN_LEFT', ACTIVE, { leftDeg: L.turnAtLeastDeg - 0.1 }, false],
    ['LOOK_UP', ACTIVE, { upDeg: L.tiltAtLeastDeg }, true],
    ['COME_CLOSER', ACTIVE, { headWidthPx: 150 * 1.25 }, true],
    ['COME_CLOSER', VIDEO, { headWidthPx: 150 * 1.25 }, false],
    ['COME_CLOSER', VIDEO, { headWidthPx: 150 * 1.5 }, true],
    ['COME_CLOSER', settingsOf('LIVENESS_MLC'), { headWidthPx: 150 * 1.25 }, false],
  ])('%s begins once it is enough', (kind, settings, face, begins) => {
    expect(see(due(kind, {}, settings), start, face).asked.onsetAtMs).toBe(begins ? start : null)
  })

  test('that comes too early was known beforehand, or drifted as it was asked', () => {
    const at = (ms: number, made: Made = {}) => see(due('TURN_LEFT', made), ASKED_AT + ms, { leftDeg: 13 })
    expect(at(L.anticipatedWithinMs - 1)).toMatchObject({
      end: 'FAILED',
      steps: [{ outcome: 'ANTICIPATED' }],
    })
    expect(at(L.anticipatedWithinMs)).toMatchObject({ end: null, round: 2, at: 0 })
    expect(at(L.anticipatedWithinMs, { retriesLeft: 0 })).toMatchObject({ end: 'FAILED' })
    expect(at(L.onsetAtLeastMs - 1)).toMatchObject({ round: 2 })
    expect(at(L.onsetAtLeastMs)).toMatchObject({
      round: 1,
      at: 1,
      asked: { onsetAtMs: ASKED_AT + L.onsetAtLeastMs },
    })
    // It was on its way before.
    expect(at(400, { asked: { movingSinceMs: ASKED_AT + 249 } }).round).toBe(2)
    expect(at(400, { asked: { movingSinceMs: ASKED_AT + 250 } }).asked.onsetAtMs).toBe(ASKED_AT + 250)
  })

  test('is noted from where the head was held as it was asked', () => {
    const moving = (leftDeg: number, made: Made = {}) =>
      see(due('TURN_LEFT', made), start, { leftDeg }).asked.movingSinceMs
    expect(moving(L.noiseDeg + 0.1)).toBe(start)
    expect(moving(L.noiseDeg)).toBeNull()
    expect(moving(L.noiseDeg + 0.1, { asked: { from: { ...REST, leftDeg: 2 } } })).toBeNull()
    expect(moving(L.noiseDeg + 0.1, { asked: { from: null } })).toBe(start)
    expect(moving(L.noiseDeg + 0.1, { asked: { movingSinceMs: 1200 } })).toBe(1200)
    expect(moving(1, { asked: { movingSinceMs: 1200 } })).toBeNull()
  })

  test('is told by its farthest picture', () => {
    const far = see(due('TURN_LEFT'), start, { leftDeg: 9, upDeg: 1 })
    expect(far.asked.peak).toEqual({ strength: 0.75, change: { leftDeg: 9, upDeg: 1, nearer: 1 } })
    expect(see(far, start + 100, { leftDeg: 8 }).asked.peak).toEqual(far.asked.peak)
    expect(see(far, start + 100, { leftDeg: 9, upDeg: 2 }).asked.peak).toEqual(far.asked.peak)
    expect(see(far, start + 100, { leftDeg: 10 }).asked.peak?.change.leftDeg).toBe(10)
  })

  test('keeps three pictures of its end, six where it is the only one', () => {
    const kept = (settings: LivenessSettings) =>
      [1, 2, 3, 4, 5, 6, 7, 8].reduce(
        (challenge, i) => see(challenge, start + i * 50, { headWidthPx: 150 * 1.02 ** i }),
        due('COME_CLOSER', {}, settings),
      ).kept.moved[1]
    expect(kept(VIDEO)).toHaveLength(6)
    expect(kept(ACTIVE).length).toBeLessThanOrEqual(4)
    expect(kept(ACTIVE)[0].sequence).toBe(start + 400)
  })

  test('notes what the networks saw while the head comes nearer, and not while it turns', () => {
    expect(see(due('COME_CLOSER'), start).seen.pad).toEqual([REST_FACE.pad])
    expect(see(due('TURN_LEFT'), start).seen.pad).toEqual([])
    const near = { widthShare: L.headWidthShareAtMost + 0.01 }
    expect(see(due('COME_CLOSER'), start, near).seen.pad).toEqual([])
  })
})

describe('a movement that is held', () => {
  const since = ASKED_AT + 500
  const held = (over: Partial<Asked> = {}) =>
    due('TURN_LEFT', {
      lastFaceMs: since + 400,
      asked: { movingSinceMs: since, onsetAtMs: since, heldSinceMs: since, heldFrames: 1, ...over },
    })
  const [enough, tooLittle] = [L.turnAtLeastDeg * L.holdShare, L.turnAtLeastDeg * L.holdShare - 0.1]

  test('is met after the drawn time', () => {
    expect(see(held(), since + HOLD_MS, { leftDeg: 12 })).toMatchObject({
      at: 2,
      steps: [{ outcome: 'MET', onsetAtMs: since, endedAtMs: since + HOLD_MS }],
      asked: { from: null, promptedAtMs: since + HOLD_MS },
    })
    expect(see(held(), since + HOLD_MS - 1, { leftDeg: 12 })).toMatchObject({
      at: 1,
      asked: { heldSinceMs: since, heldFrames: 2, onsetAtMs: since },
    })
  })

  test('needs two pictures', () => {
    const once = held({ heldFrames: L.holdFramesAtLeast - 2 })
    expect(see(once, since + HOLD_MS, { leftDeg: 12 })).toMatchObject({ at: 1, asked: { heldFrames: 1 } })
  })

  test('may slip back a little; farther, the hold restarts', () => {
    expect(see(held(), since + 300, { leftDeg: enough }).asked.heldFrames).toBe(2)
    const left = see(held(), since + 300, { leftDeg: tooLittle })
    expect(left.asked).toMatchObject({ heldSinceMs: null, heldFrames: 0, onsetAtMs: since })
    const again = see(left, since + 400, { leftDeg: 12 })
    expect(again.asked).toMatchObject({ heldSinceMs: since + 400, heldFrames: 1 })
  })

  test('begins to be held with the picture in which it is enough, whatever was seen before', () => {
    const other = { movement: 'LOOK_UP', frames: 1 } as const
    const begun = see(due('TURN_LEFT', { asked: { other } }), since, { leftDeg: 12 })
    expect(begun.asked).toMatchObject({ heldSinceMs: since, heldFrames: 1, other: null, onsetAtMs: since })
  })
})

describe('another movement than the one asked', () => {
  const start = ASKED_AT + 500
  const up = { upDeg: L.otherTiltAtMostDeg + 0.1 }

  test('begins again from the start in the second picture running', () => {
    const once = see(due('TURN_LEFT'), start, up)
    expect(once).toMatchObject({ round: 1, asked: { other: { movement: 'LOOK_UP', frames: 1 } } })
    expect(see(once, start + 100, up)).toMatchObject({ round: 2, at: 0, retriesLeft: 0 })
    const last = see(due('TURN_LEFT', { retriesLeft: 0 }), start, up)
    expect(see(last, start + 100, up)).toMatchObject({
      end: 'FAILED',
      steps: [{ outcome: 'WRONG_DIRECTION' }],
    })
  })

  test('is forgotten by a picture without it, and counted again when it is yet another', () => {
    const once = see(due('TURN_LEFT'), start, up)
    expect(see(once, start + 100).asked.other).toBeNull()
    const right = see(once, start + 100, { leftDeg: -L.otherTurnAtMostDeg - 0.1 })
    expect(right.asked.other).toEqual({ movement: 'TURN_RIGHT', frames: 1 })
    expect(right.round).toBe(1)
  })
})

describe('a colour', () => {
  const shown = (made: Made = {}) => due('SHOW_COLOUR', { colour: 'RED', ...made })
  const near = { headWidthPx: REST.headWidthPx * L.colourNearerAtLeastTimes }
  const settled = ASKED_AT + L.colourSettlesMs
  const light = { r: 0.4, g: 0.3, b: 0.25 }
  const collected = (frames: number): Partial<Asked> => ({
    light: {
      frames,
      skin: Array.from({ length: frames }, () => light),
      forehead: [],
      surround: [],
      edges: [],
    },
  })

  test('counts once the screen has settled, while the face is near it and towards it', () => {
    const count = (face: Partial<LiveFace>, atMs = settled, made: Made = {}): number =>
      see(shown(made), atMs, { ...near, ...face }).asked.light.frames
    expect(count({})).toBe(1)
    expect(count({}, settled - 1)).toBe(0)
    expect(count({ headWidthPx: near.headWidthPx - 1 })).toBe(0)
    expect(count({ leftDeg: L.colourWithinDeg - 0.1 })).toBe(1)
    expect(count({ leftDeg: L.colourWithinDeg })).toBe(0)
    expect(count({}, settled, { colour: null })).toBe(0)
  })

  test('does not count while the forehead is outside the picture, and the screen asks to move back or to the middle', () => {
    const cut = { ...near, forehead: null }
    const seen = see(shown(), settled, cut)
    expect(seen.asked.light.frames).toBe(0)
    const hint = (face: Partial<LiveFace>) =>
      chooseHint(seen, { sequence: 1, atMs: settled, face: faceOf(face) })
    expect(hint({ ...cut, headWidthPx: near.headWidthPx * 1.2 })).toBe('MOVE_BACK')
    expect(hint(cut), 'a step back would be too far').toBe('CENTRE_FACE')
    expect(hint({ forehead: null })).toBe('COME_CLOSER')
    expect(hint(near)).toBeNull()
  })

  test('is met with enough pictures after the drawn time, and leaves what was seen of it', () => {
    const enough = L.colourFramesAtLeast
    const before = { colour: 'BLUE', skin: light, surround: null, frames: 3 } as const
    const met = see(shown({ asked: collected(enough - 1), colours: [before] }), settled + HOLD_MS, near)
    expect(met).toMatchObject({
      at: 2,
      asked: { from: null },
      steps: [{ kind: 'SHOW_COLOUR', outcome: 'MET' }],
    })
    expect(met.colours).toMatchObject([before, { colour: 'RED', frames: enough }])
    expect(see(shown({ asked: collected(enough - 2) }), settled + HOLD_MS, near)).toMatchObject({
      at: 1,
      asked: { light: { frames: enough - 1 } },
    })
    expect(see(shown({ asked: collected(enough - 1) }), settled + HOLD_MS - 1, near).at).toBe(1)
  })

  test('of which nothing was seen on the skin is met, and leaves nothing', () => {
    const blind = {
      light: { frames: L.colourFramesAtLeast, skin: [], forehead: [], surround: [], edges: [] },
    }
    const met = see(shown({ asked: blind }), settled + HOLD_MS, { ...near, skin: null })
    expect(met).toMatchObject({ at: 2, colours: [] })
  })
})
