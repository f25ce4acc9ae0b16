/** The small rules beneath a session: one picture, one movement, one calm stretch, and which pictures are kept. */
import { describe, expect, test } from 'vitest'
import {
  extendCalm,
  isCalmFor,
  computeMedian,
  computeRest,
  toStill,
  straightHint,
  type Still,
} from '../../../../server/proofing/liveness/calm.ts'
import {
  forgetMoved,
  forgetRestBut,
  keepMoved,
  keepReference,
  keepRest,
  keyFrames,
  movedFrame,
  NOTHING_KEPT,
  listSequences,
  type KeptFrames,
} from '../../../../server/proofing/liveness/kept-frames.ts'
import {
  getMovementNeed,
  changeFrom,
  isJump,
  isMoving,
  isUsable,
  isWithin,
  NO_CHANGE,
  otherMovement,
  measureStrength,
} from '../../../../server/proofing/liveness/movement.ts'
import { isMovement } from '../../../../server/proofing/liveness/plan.ts'
import { colourTrace, NO_LIGHT, withLight } from '../../../../server/proofing/liveness/shown-colour.ts'
import { LIVENESS_STEPS, SCREEN_SHINE, type LiveFace } from '../../../../server/proofing/liveness/types.ts'
import { LIMITS, REST_FACE } from './simulated-subject.ts'

const STRAIGHT: LiveFace = { ...REST_FACE, leftDeg: 0, upDeg: 0, rollDeg: 0, widthShare: 0.3 }
const COURSE = {
  ...LIMITS.course,
  straightYawAtMostDeg: 10,
  straightPitchAtMostDeg: 20,
  straightRollAtMostDeg: 15,
  headWidthShareAtLeast: 0.2,
  headWidthShareAtMost: 0.4,
  centreOffsetAtMost: 0.25,
  calmSwayAtMostDeg: 3,
  calmScaleAtMost: 1.1,
  faceLostShortlyMs: 500,
  noiseDeg: 4,
  noiseLog: 0.05,
  otherTurnAtMostDeg: 12,
  otherTiltAtMostDeg: 10,
  otherNearerAtMostTimes: 1.3,
  jumpHeadWidths: 0.5,
  jumpHeadWidthsPerSecond: 2,
  jumpDeg: 20,
  jumpDegPerSecond: 100,
  jumpLog: 0.2,
  jumpLogPerSecond: 1,
}

describe('a first straight view', () => {
  const hint = (over: Partial<LiveFace>) => straightHint({ ...STRAIGHT, ...over }, COURSE)

  test('is one within all its limits, the limits themselves included', () => {
    expect(hint({})).toBeNull()
    expect(hint({ widthShare: 0.2, centre: { x: 0.25, y: 0.75 }, leftDeg: -10, upDeg: 20 })).toBeNull()
    expect(hint({ widthShare: 0.4, rollDeg: -15, leftDeg: 10, upDeg: -20 })).toBeNull()
  })

  test.each([
    [{ widthShare: 0.19 }, 'COME_CLOSER'],
    [{ widthShare: 0.41 }, 'MOVE_BACK'],
    [{ centre: { x: 0.24, y: 0.5 } }, 'CENTRE_FACE'],
    [{ centre: { x: 0.5, y: 0.76 } }, 'CENTRE_FACE'],
    [{ leftDeg: 10.1 }, 'LOOK_STRAIGHT'],
    [{ leftDeg: -10.1 }, 'LOOK_STRAIGHT'],
    [{ upDeg: 20.1 }, 'LOOK_STRAIGHT'],
    [{ upDeg: -20.1 }, 'LOOK_STRAIGHT'],
    [{ rollDeg: 15.1 }, 'HOLD_HEAD_UPRIGHT'],
    [{ rollDeg: -15.1 }, 'HOLD_HEAD_UPRIGHT'],
  ] as const)('with %j is told: %s', (over, expected) => {
    expect(hint(over)).toBe(expected)
  })
})

describe('a calm stretch', () => {
  const still = (atMs: number, over: Partial<Still> = {}): Still => ({
    sequence: atMs,
    atMs,
    ownMs: 0,
    leftDeg: 0,
    upDeg: 0,
    headWidthPx: 100,
    sharpness: 0.5,
    isGood: true,
    ...over,
  })
  const calm = (...stills: readonly Still[]) =>
    stills.reduce<readonly Still[]>((stretch, one) => extendCalm(stretch, one, COURSE), [])
  const times = (stretch: readonly Still[]) => stretch.map(({ atMs }) => atMs)

  test('is made of what one picture says of the head', () => {
    expect(toStill({ sequence: 7, atMs: 70, face: STRAIGHT }, { ...STRAIGHT, leftDeg: 1, upDeg: 2 })).toEqual(
      {
        sequence: 7,
        atMs: 70,
        ownMs: 0,
        leftDeg: 1,
        upDeg: 2,
        headWidthPx: 150,
        sharpness: 0.6,
        isGood: true,
      },
    )
  })

  test('grows while the head stays where it rests', () => {
    expect(times(calm(still(0), still(100, { leftDeg: 3 }), still(200, { upDeg: -3 })))).toEqual([
      0, 100, 200,
    ])
    expect(times(calm(still(0), still(100), still(200, { headWidthPx: 109 })))).toEqual([0, 100, 200])
  })

  test.each([
    { leftDeg: 8 },
    { leftDeg: -8 },
    { upDeg: 8 },
    { upDeg: -8 },
    { headWidthPx: 130 },
    { headWidthPx: 70 },
  ])('begins again with a head that moved: %j', (over) => {
    expect(times(calm(still(0), still(100), still(200, over)))).toEqual([200])
  })

  test('begins again after a gap, not after one that is just short enough', () => {
    expect(times(calm(still(0), still(500)))).toEqual([0, 500])
    expect(times(calm(still(0), still(501)))).toEqual([501])
  })

  test('holds 250 pictures at most, the newest', () => {
    const many = calm(...Array.from({ length: 300 }, (_, i) => still(i)))
    expect([many.length, many.at(0)?.atMs, many.at(-1)?.atMs]).toEqual([250, 50, 299])
  })

  test('is long enough by its time and by its pictures', () => {
    const stretch = [still(0), still(50), still(100)]
    expect(isCalmFor(stretch, 100, 3)).toBe(true)
    expect(isCalmFor(stretch, 101, 3)).toBe(false)
    expect(isCalmFor(stretch, 100, 4)).toBe(false)
    expect(isCalmFor([], 0, 0)).toBe(false)
  })

  test('rests at the middle of all its pictures', () => {
    const stretch = [
      still(0, { leftDeg: 1, upDeg: 10, headWidthPx: 90 }),
      still(1, { leftDeg: 9, upDeg: 30, headWidthPx: 110 }),
      still(2, { leftDeg: 2, upDeg: 20, headWidthPx: 100 }),
    ]
    expect(computeRest(stretch)).toEqual({ leftDeg: 2, upDeg: 20, headWidthPx: 100 })
  })

  test('has the mean of the two middle values where their number is even', () => {
    expect(computeMedian([10, 9, 1, 2])).toBe(5.5)
    expect(computeMedian([3, 100, 20])).toBe(20)
    expect(computeMedian([4])).toBe(4)
  })
})

describe('a movement', () => {
  const need = { turnDeg: 20, tiltDeg: 10, nearerLog: Math.log(2) }

  test('is counted from where the head rests', () => {
    const rest = { leftDeg: 2, upDeg: -5, headWidthPx: 100 }
    expect(changeFrom(rest, { leftDeg: 12, upDeg: 5, headWidthPx: 150 })).toEqual({
      leftDeg: 10,
      upDeg: 10,
      nearer: 1.5,
    })
    expect(changeFrom(rest, rest)).toEqual(NO_CHANGE)
  })

  test.each([
    ['TURN_LEFT', { leftDeg: 20 }],
    ['TURN_RIGHT', { leftDeg: -20 }],
    ['LOOK_UP', { upDeg: 10 }],
    ['LOOK_DOWN', { upDeg: -10 }],
    ['COME_CLOSER', { nearer: 2 }],
  ] as const)('%s is enough with %j, and less than nothing the other way', (movement, over) => {
    const change = { ...NO_CHANGE, ...over }
    expect(measureStrength(movement, change, need)).toBeCloseTo(1)
    const back = { leftDeg: -change.leftDeg, upDeg: -change.upDeg, nearer: 1 / change.nearer }
    expect(measureStrength(movement, back, need)).toBeCloseTo(-1)
  })

  test('must be so large: an approach alone is asked for whole where it is all that is measured', () => {
    const { turnAtLeastDeg, tiltAtLeastDeg, approachAtLeastLog, nearerAtLeastTimes } = COURSE
    const turns = { turnDeg: turnAtLeastDeg, tiltDeg: tiltAtLeastDeg }
    expect(getMovementNeed(COURSE, true)).toEqual({ ...turns, nearerLog: approachAtLeastLog })
    expect(getMovementNeed(COURSE, false)).toEqual({ ...turns, nearerLog: Math.log(nearerAtLeastTimes) })
  })

  test('that was not asked is another beyond its own limit', () => {
    const other = (change: Partial<typeof NO_CHANGE>) =>
      otherMovement('LOOK_UP', { ...NO_CHANGE, ...change }, COURSE)
    expect(other({ leftDeg: 12 })).toBeNull()
    expect(other({ leftDeg: 12.1 })).toBe('TURN_LEFT')
    expect(other({ leftDeg: -12.1 })).toBe('TURN_RIGHT')
    expect(other({ upDeg: -10.1 })).toBe('LOOK_DOWN')
    expect(other({ upDeg: 40 })).toBeNull()
    expect(other({ nearer: 1.29 })).toBeNull()
    expect(other({ nearer: 1.31 })).toBe('COME_CLOSER')
    expect(otherMovement('TURN_LEFT', { ...NO_CHANGE, upDeg: 10.1 }, COURSE)).toBe('LOOK_UP')
  })

  test('has begun beyond what a head sways', () => {
    const moving = (change: Partial<typeof NO_CHANGE>, asked: 'TURN_LEFT' | 'LOOK_DOWN' | 'COME_CLOSER') =>
      isMoving(asked, { ...NO_CHANGE, ...change }, COURSE)
    expect(moving({ leftDeg: 4 }, 'TURN_LEFT')).toBe(false)
    expect(moving({ leftDeg: 4.1 }, 'TURN_LEFT')).toBe(true)
    expect(moving({ upDeg: -4.1 }, 'LOOK_DOWN')).toBe(true)
    expect(moving({ nearer: Math.exp(0.051) }, 'COME_CLOSER')).toBe(true)
    expect(moving({ nearer: Math.exp(0.049) }, 'COME_CLOSER')).toBe(false)
  })

  test('is none within so many degrees in both directions', () => {
    expect(isWithin({ ...NO_CHANGE, leftDeg: -4.9, upDeg: 4.9 }, 5)).toBe(true)
    expect(isWithin({ ...NO_CHANGE, leftDeg: -5 }, 5)).toBe(false)
    expect(isWithin({ ...NO_CHANGE, upDeg: 5 }, 5)).toBe(false)
  })

  test('is asked by every step but looking straight and colours', () => {
    expect(LIVENESS_STEPS.filter((kind) => !isMovement(kind))).toEqual(['LOOK_STRAIGHT', 'SHOW_COLOUR'])
  })
})

describe('a jump', () => {
  const jumps = (over: Partial<LiveFace>, elapsedMs = 0) =>
    isJump(STRAIGHT, { ...STRAIGHT, ...over }, elapsedMs, COURSE)

  test('is a way of more head widths than a head goes in that time', () => {
    // A head is 0.3 of the picture wide.
    expect(jumps({ centre: { x: 0.64, y: 0.5 } })).toBe(false)
    expect(jumps({ centre: { x: 0.66, y: 0.5 } })).toBe(true)
    expect(jumps({ centre: { x: 0.5, y: 0.34 } })).toBe(true)
    expect(jumps({ centre: { x: 0.66, y: 0.5 } }, 100)).toBe(false)
    expect(jumps({ centre: { x: 0.72, y: 0.5 } }, 100)).toBe(true)
  })

  test('is counted in the wider of the two heads, and in no less than no time', () => {
    expect(jumps({ centre: { x: 0.66, y: 0.5 }, widthShare: 0.34 })).toBe(false)
    expect(jumps({ centre: { x: 0.66, y: 0.5 }, widthShare: 0.2 })).toBe(true)
    expect(jumps({}, -1000)).toBe(false)
    expect(jumps({ leftDeg: 19 }, -1000)).toBe(false)
  })

  test('is a turn or a growth faster than a head’s', () => {
    expect(jumps({ leftDeg: 20 })).toBe(false)
    expect(jumps({ leftDeg: -20.1 })).toBe(true)
    expect(jumps({ upDeg: 20.1 })).toBe(true)
    expect(jumps({ leftDeg: 29 }, 100)).toBe(false)
    expect(jumps({ leftDeg: 31 }, 100)).toBe(true)
    expect(jumps({ headWidthPx: 150 * Math.exp(0.19) })).toBe(false)
    expect(jumps({ headWidthPx: 150 * Math.exp(0.21) })).toBe(true)
    expect(jumps({ headWidthPx: 150 * Math.exp(-0.21) })).toBe(true)
    expect(jumps({ headWidthPx: 150 * Math.exp(0.21) }, 100)).toBe(false)
    expect(jumps({ headWidthPx: 150 * Math.exp(0.31) }, 100)).toBe(true)
  })
})

describe('a face that can be compared', () => {
  test('has numbers, and a size', () => {
    expect(isUsable(STRAIGHT)).toBe(true)
    for (const name of ['leftDeg', 'upDeg', 'rollDeg', 'sharpness', 'headWidthPx', 'widthShare'] as const)
      expect(isUsable({ ...STRAIGHT, [name]: NaN }), name).toBe(false)
    expect(isUsable({ ...STRAIGHT, centre: { x: NaN, y: 0 } })).toBe(false)
    expect(isUsable({ ...STRAIGHT, centre: { x: 0, y: Infinity } })).toBe(false)
    for (const name of ['headWidthPx', 'widthShare'] as const) {
      expect(isUsable({ ...STRAIGHT, [name]: 0 }), name).toBe(false)
      expect(isUsable({ ...STRAIGHT, [name]: Infinity }), name).toBe(false)
    }
  })
})

describe('the light of a colour', () => {
  const light = (value: number) => ({ r: value, g: value / 2, b: 0 })
  const face = (skin: LiveFace['skin'], surround: LiveFace['surround']) => ({ ...STRAIGHT, skin, surround })

  test('is the mean over the pictures in which it was seen', () => {
    const seen = [face(light(0.2), light(0.6)), face(light(0.4), null), face(null, light(0.8))]
    const collected = seen.reduce(withLight, NO_LIGHT)
    expect(collected.frames).toBe(3)
    const trace = colourTrace('RED', collected)
    expect(trace).toMatchObject({ colour: 'RED', frames: 2 })
    expect(trace?.skin.r).toBeCloseTo(0.3)
    expect(trace?.skin.g).toBeCloseTo(0.15)
    expect(trace?.skin.b).toBe(0)
    expect(trace?.surround?.r).toBeCloseTo(0.7)
  })

  test('is unknown where no skin was seen, or by no numbers', () => {
    expect(colourTrace('RED', withLight(NO_LIGHT, face(null, light(1))))).toBeNull()
    const odd = { r: 0.1, g: NaN, b: 0.1 }
    expect(colourTrace('RED', withLight(NO_LIGHT, face(odd, light(1))))).toBeNull()
    expect(colourTrace('RED', withLight(NO_LIGHT, face(light(1), odd)))?.surround).toBeNull()
  })

  test('is what the screen adds', () => {
    expect(SCREEN_SHINE).toEqual({
      RED: [1, 0, 0],
      GREEN: [0, 1, 0],
      BLUE: [0, 0, 1],
      YELLOW: [1, 1, 0],
      CYAN: [0, 1, 1],
      MAGENTA: [1, 0, 1],
    })
  })
})

describe('pictures of the head at rest', () => {
  const still = (sequence: number, sharpness = 0.5, isGood = true): Still => ({
    sequence,
    atMs: sequence * 100,
    ownMs: 0,
    leftDeg: 0,
    upDeg: 0,
    headWidthPx: 100,
    sharpness,
    isGood,
  })
  const kept = (...frames: readonly (readonly [still: Still, away: number])[]): KeptFrames =>
    frames.reduce((all, [one, away]) => keepRest(all, one, away), NOTHING_KEPT)
  const order = ({ rest }: KeptFrames) => rest.map(({ sequence }) => sequence)

  test('are kept by sharpness and by how straight they are, the good ones alone', () => {
    expect(order(kept([still(1, 0.3), 0], [still(2, 0.9), 0], [still(3, 0.6, false), 0]))).toEqual([2, 1])
    // Five degrees cost a third of the sharpness.
    expect(order(kept([still(1, 0.6), 5], [still(2, 0.41), 0]))).toEqual([2, 1])
    expect(order(kept([still(1, 0.6), 5], [still(2, 0.39), 0]))).toEqual([1, 2])
  })

  test('are seven at most, and of equals the first', () => {
    const many = kept(...Array.from({ length: 9 }, (_, i) => [still(i + 1), 0] as const))
    expect(order(many)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('have a reference of the stretch that says where the head rests', () => {
    const all = kept([still(1, 0.9), 0], [still(2, 0.5), 0], [still(3, 0.7), 0])
    expect(keepReference(all, [still(2), still(3)]).reference).toBe(3)
    expect(keepReference(all, [still(8), still(9)]).reference).toBe(9)
    expect(keepReference(all, []).reference).toBeNull()
  })

  test('of another stretch are forgotten', () => {
    const all = kept([still(1), 0], [still(2), 0], [still(3), 0])
    expect(order(forgetRestBut(all, [still(2), still(3), still(4)]))).toEqual([2, 3])
  })
})

describe('pictures of a movement', () => {
  const frame = (sequence: number, strength: number, sharpness = 0.5) => ({ sequence, strength, sharpness })
  const kept = (frames: readonly ReturnType<typeof frame>[], isOnly = false) =>
    frames.reduce((all, one) => keepMoved(all, 4, one, isOnly), NOTHING_KEPT)
  const order = ({ moved }: KeptFrames) => moved[4].map(({ sequence }) => sequence)

  test('are the three farthest and one on the way', () => {
    const frames = [frame(1, 0.5), frame(2, 0.8), frame(3, 1), frame(4, 1.1), frame(5, 1.2), frame(6, 1.3)]
    expect(order(kept(frames))).toEqual([6, 5, 4, 2])
  })

  test('are the six farthest where the movement is all that is measured', () => {
    const frames = Array.from({ length: 8 }, (_, i) => frame(i + 1, 0.4 + i / 10))
    expect(order(kept(frames, true))).toEqual([8, 7, 6, 5, 4, 3])
  })

  test('have on the way only what is neither at its beginning nor at its end', () => {
    const far = [frame(7, 1.1), frame(8, 1.2), frame(9, 1.3)]
    expect(order(kept([...far, frame(1, 0.39), frame(2, 0.96)]))).toEqual([9, 8, 7])
    expect(order(kept([...far, frame(1, 0.4)]))).toEqual([9, 8, 7, 1])
    expect(order(kept([...far, frame(2, 0.95)]))).toEqual([9, 8, 7, 2])
    expect(order(kept([...far, frame(1, 0.6), frame(2, 0.85)]))).toEqual([9, 8, 7, 2])
  })

  test('that are blurred do not stand before sharp ones nearly as far', () => {
    expect(order(kept([frame(1, 1.1, 0.2), frame(2, 1, 0.6), frame(3, 0.98, 0.6)]))).toEqual([2, 3, 1])
    expect(order(kept([frame(1, 2, 0.2), frame(2, 1, 0.6), frame(3, 0.9, 0.6)]))[0]).toBe(1)
    expect(order(kept([frame(1, 1, 0), frame(2, 1.1, 0)]))).toEqual([2, 1])
  })

  test('of a step that is asked again are forgotten, of others not', () => {
    const two = keepMoved(kept([frame(1, 1)]), 6, frame(2, 1), false)
    expect(forgetMoved(two, 4).moved).toEqual({ 4: [], 6: [frame(2, 1)] })
  })

  test('are what one picture says', () => {
    expect(movedFrame(3, 1.5, STRAIGHT)).toEqual(frame(3, 1.5, 0.6))
  })
})

describe('the pictures that are measured at the end', () => {
  const rest = (sequence: number, away = 0) => ({ sequence, away, sharpness: 0.5 })
  const moved = (sequence: number, strength: number) => ({ sequence, strength, sharpness: 0.5 })

  test('are none without a straight view', () => {
    expect(keyFrames({ ...NOTHING_KEPT, rest: [rest(1)] })).toBeNull()
  })

  test('are those in which the head swayed most where it was asked for nothing', () => {
    const all = [rest(1), rest(2, 3), rest(3, 1), rest(4, 5), rest(5, 2), rest(6, 4), rest(7, 6)]
    expect(keyFrames({ reference: 7, rest: all, moved: {} })).toEqual({
      reference: 7,
      targets: [4, 6, 2, 5],
      portraits: [1, 2, 3, 4, 5, 6],
    })
    expect(keyFrames({ reference: 7, rest: [], moved: { 1: [] } })).toEqual({
      reference: 7,
      targets: [],
      portraits: [7],
    })
  })

  test('are of each movement the farthest, then the one on the way, then the others', () => {
    const one = {
      reference: 1,
      rest: [rest(1)],
      moved: { 1: [moved(10, 1.2), moved(11, 1.1), moved(12, 0.7)] },
    }
    expect(keyFrames(one)?.targets).toEqual([10, 12, 11])
    const other = { 3: [moved(20, 1.3), moved(21, 1.2), moved(22, 0.8)] }
    expect(keyFrames({ ...one, moved: { ...one.moved, ...other } })?.targets).toEqual([10, 20, 12, 22])
    const third = { 5: [moved(30, 1.3), moved(31, 1.2)], 7: [moved(40, 1), moved(41, 0.5)] }
    expect(keyFrames({ ...one, moved: { ...one.moved, ...other, ...third } })?.targets).toEqual([
      10, 20, 30, 40, 12, 22,
    ])
  })

  test('take 0.95 of a movement for the way, and more for its end', () => {
    const edges = { 1: [moved(10, 0.95), moved(11, 0.96), moved(12, 1.2)] }
    expect(keyFrames({ reference: 1, rest: [], moved: edges })?.targets).toEqual([12, 10, 11])
  })

  test('are all held until then', () => {
    const all = { reference: 1, rest: [rest(2)], moved: { 1: [moved(3, 1)], 2: [moved(4, 1)] } }
    expect([...listSequences(all)].sort()).toEqual([1, 2, 3, 4])
    expect([...listSequences({ ...all, reference: null })].sort()).toEqual([2, 3, 4])
  })
})
