/** Tests what each method finds, at the edges of its limits. The record is a live person's, changed in one thing at a time. */
import { describe, expect, test } from 'vitest'
import {
  approachFinding,
  continuityFinding,
  challengeFinding,
  depthFinding,
  padFinding,
  reflectionFinding,
  sceneFinding,
  screenFinding,
} from '../../../../server/proofing/liveness/findings.ts'
import { recordChallenge } from '../../../../server/proofing/liveness/record.ts'
import { getTrace } from '../../../../server/proofing/liveness/session.ts'
import type {
  OwnLivenessRecord,
  SessionTrace,
  StepTrace,
} from '../../../../server/proofing/liveness/types.ts'
import type { LivenessType } from '../../../../server/proofing/types.ts'
import { CONTINUITY, liveRecord } from './records.ts'
import { LIMITS, play, settingsOf } from './simulated-subject.ts'

const RECORDS = {
  LIVENESS_PASSIVE: liveRecord('LIVENESS_PASSIVE'),
  LIVENESS_PASSIVE_VIDEO: liveRecord('LIVENESS_PASSIVE_VIDEO'),
  LIVENESS_ACTIVE: liveRecord('LIVENESS_ACTIVE'),
  LIVENESS_MLC: liveRecord('LIVENESS_MLC'),
} as const
const record = (type: LivenessType, over: Partial<OwnLivenessRecord> = {}) => ({ ...RECORDS[type], ...over })
const withTrace = (type: LivenessType, over: Partial<SessionTrace>) =>
  record(type, { trace: { ...RECORDS[type].trace, ...over } })
const withSteps = (type: LivenessType, change: (step: StepTrace) => Partial<StepTrace>) =>
  withTrace(type, { steps: RECORDS[type].trace.steps.map((step) => ({ ...step, ...change(step) })) })
const { course: challenge } = LIMITS

describe('the course', () => {
  const reason = (of: OwnLivenessRecord) => challengeFinding(of, LIMITS).reason
  const movements = (of: OwnLivenessRecord) => of.trace.steps.filter(({ kind }) => kind !== 'LOOK_STRAIGHT')

  test('says what was met, and when the movements began', () => {
    const active = withSteps('LIVENESS_ACTIVE', ({ kind, promptedAtMs }) => ({
      onsetAtMs: kind === 'LOOK_STRAIGHT' ? null : promptedAtMs + (kind === 'COME_CLOSER' ? 900 : 700),
      attempts: kind === 'COME_CLOSER' ? 2 : 1,
    }))
    const { steps, planned, durationMs } = active.trace
    expect(challengeFinding(active, LIMITS)).toEqual({
      method: 'COURSE',
      outcome: 'passed',
      reason: null,
      measured: {
        courseEnd: 'COMPLETE',
        stepsMet: steps.length,
        stepsPlanned: planned,
        stepsRetried: 1,
        onsetEarliestMs: 700,
        onsetLatestMs: 900,
        onsetAtLeastMs: challenge.onsetAtLeastMs,
        onsetAtMostMs: challenge.onsetAtMostMs,
        courseMs: durationMs,
      },
    })
  })

  test('without a movement has no onset, and a broken one says so', () => {
    const { measured } = challengeFinding(record('LIVENESS_PASSIVE'), LIMITS)
    expect(measured).not.toHaveProperty('onsetEarliestMs')
    expect(challengeFinding(withTrace('LIVENESS_PASSIVE', { end: null }), LIMITS)).toMatchObject({
      outcome: 'failed',
      reason: 'COURSE_TIMED_OUT',
      measured: { courseEnd: 'BROKEN_OFF' },
    })
    const [first, ...others] = RECORDS.LIVENESS_ACTIVE.trace.steps
    const missed = withTrace('LIVENESS_ACTIVE', { steps: [{ ...first, outcome: 'MISSED' }, ...others] })
    expect(challengeFinding(missed, LIMITS)).toMatchObject({
      reason: 'COURSE_INCOMPLETE',
      measured: { stepsMet: others.length },
    })
  })

  test.each([
    ['ANTICIPATED', 'COURSE_ANTICIPATED'],
    ['WRONG_DIRECTION', 'COURSE_WRONG_DIRECTION'],
  ] as const)('with one step %s ends for %s, whatever else', (outcome, expected) => {
    const [first, ...others] = RECORDS.LIVENESS_ACTIVE.trace.steps
    const steps = [...others, { ...first, outcome }]
    expect(reason(withTrace('LIVENESS_ACTIVE', { steps, end: 'FAILED' }))).toBe(expected)
  })

  test('ends as failed, out of time or incomplete', () => {
    expect(reason(withTrace('LIVENESS_ACTIVE', { end: 'FAILED' }))).toBe('COURSE_FAILED')
    expect(reason(withTrace('LIVENESS_ACTIVE', { end: 'TIMED_OUT' }))).toBe('COURSE_TIMED_OUT')
    expect(reason(withTrace('LIVENESS_ACTIVE', { planned: 99 }))).toBe('COURSE_INCOMPLETE')
  })

  test.each([
    ['LIVENESS_PASSIVE', 'LOOK_STRAIGHT'],
    ['LIVENESS_PASSIVE_VIDEO', 'LOOK_STRAIGHT'],
    ['LIVENESS_PASSIVE_VIDEO', 'COME_CLOSER'],
    ['LIVENESS_ACTIVE', 'LOOK_STRAIGHT'],
    ['LIVENESS_ACTIVE', 'COME_CLOSER'],
    ['LIVENESS_MLC', 'LOOK_STRAIGHT'],
    ['LIVENESS_MLC', 'COME_CLOSER'],
    ['LIVENESS_MLC', 'SHOW_COLOUR'],
  ] as const)('of %s proves nothing without %s', (type, missing) => {
    const steps = RECORDS[type].trace.steps.filter(({ kind }) => kind !== missing)
    expect(reason(withTrace(type, { steps, planned: steps.length }))).toBe('COURSE_INCOMPLETE')
  })

  test('asks for a turn to the side, and nearer but at the lowest level', () => {
    const sideways = (kind: StepTrace['kind']) => kind === 'TURN_LEFT' || kind === 'TURN_RIGHT'
    for (const type of ['LIVENESS_ACTIVE', 'LIVENESS_MLC'] as const) {
      const steps = RECORDS[type].trace.steps.filter(({ kind }) => !sideways(kind))
      expect(reason(withTrace(type, { steps, planned: steps.length })), type).toBe('COURSE_INCOMPLETE')
    }
    const far = RECORDS.LIVENESS_ACTIVE.trace.steps.filter(({ kind }) => kind !== 'COME_CLOSER')
    const low = { ...withTrace('LIVENESS_ACTIVE', { steps: far, planned: far.length }), securityLevel: 'LOW' }
    expect(reason(low as OwnLivenessRecord)).toBeNull()
  })

  test('has movements that began in their time, its edges included, and none that never began', () => {
    const began = (ms: number | null) =>
      reason(
        withSteps('LIVENESS_ACTIVE', ({ kind, promptedAtMs }) =>
          kind === 'LOOK_STRAIGHT' ? {} : { onsetAtMs: ms === null ? null : promptedAtMs + ms },
        ),
      )
    expect(began(challenge.onsetAtLeastMs)).toBeNull()
    expect(began(challenge.onsetAtLeastMs - 1)).toBe('COURSE_ANTICIPATED')
    expect(began(challenge.onsetAtMostMs)).toBeNull()
    expect(began(challenge.onsetAtMostMs + 1)).toBe('COURSE_LATE_ONSET')
    expect(began(null)).toBe('COURSE_INCOMPLETE')
  })

  test('has movements that were just large enough', () => {
    const exact = (share: number) =>
      withSteps('LIVENESS_ACTIVE', ({ kind, peak }) => {
        const sides = { TURN_LEFT: 1, TURN_RIGHT: -1, LOOK_UP: 1, LOOK_DOWN: -1 } as const
        if (kind === 'TURN_LEFT' || kind === 'TURN_RIGHT')
          return { peak: { ...peak, leftDeg: sides[kind] * challenge.turnAtLeastDeg * share } }
        if (kind === 'LOOK_UP' || kind === 'LOOK_DOWN')
          return { peak: { ...peak, upDeg: sides[kind] * challenge.tiltAtLeastDeg * share } }
        return {}
      })
    expect(movements(exact(1)).length).toBeGreaterThan(1)
    expect(reason(exact(1))).toBeNull()
    expect(reason(exact(0.99))).toBe('COURSE_TOO_LITTLE_MOVEMENT')
  })
})

describe('the depth', () => {
  const limits = LIMITS.depth.LIVENESS_ACTIVE.core
  const GOOD = {
    depth: limits.depthAtLeast + 0.3,
    explainedShare: 0.9,
    residualPx: 0.4,
    views: limits.viewsAtLeast,
    points: limits.pointsAtLeast,
    approach: 0.5,
  }
  const found = (over: Partial<typeof GOOD> | null, type: LivenessType = 'LIVENESS_ACTIVE') =>
    depthFinding(record(type, { depth: over && { ...GOOD, ...over } }), LIMITS, 'core')

  test('is shown by enough views and points, the least included', () => {
    expect(found({})).toMatchObject({ method: 'DEPTH', outcome: 'passed', reason: null })
    expect(found({ views: limits.viewsAtLeast - 1 }).reason).toBe('DEPTH_NOT_MEASURED')
    expect(found({ points: limits.pointsAtLeast - 1 }).reason).toBe('DEPTH_NOT_MEASURED')
    expect(found({ points: NaN }).reason).toBe('DEPTH_NOT_MEASURED')
  })

  test('lies within its bounds, the bounds included', () => {
    expect(found({ depth: limits.depthAtMost }).reason).toBeNull()
    expect(found({ depth: limits.depthAtMost + 0.001 }).reason).toBe('DEPTH_TOO_DEEP')
    expect(found({ depth: limits.depthAtLeast }).reason).not.toBe('DEPTH_TOO_FLAT')
    expect(found({ depth: limits.depthAtLeast - 0.001 }).reason).toBe('DEPTH_TOO_FLAT')
    expect(found({ explainedShare: limits.explainedShareAtLeast - 0.001 }).reason).toBe('DEPTH_NOT_SHOWN')
    expect(found({ explainedShare: limits.explainedShareAtLeast }).reason).not.toBe('DEPTH_NOT_SHOWN')
  })

  test('of a face that could not be followed is a failed capture, but where methods are combined', () => {
    expect(found(null)).toMatchObject({ outcome: 'failed', reason: 'DEPTH_NOT_MEASURED' })
    expect(found(null, 'LIVENESS_MLC')).toMatchObject({
      outcome: 'inconclusive',
      reason: 'DEPTH_NOT_MEASURED',
    })
    expect(found({ depth: NaN })).toMatchObject({ outcome: 'inconclusive', reason: 'DEPTH_NOT_MEASURED' })
    expect(found(null).measured).toEqual({
      depthAtLeast: limits.depthAtLeast,
      depthAtMost: limits.depthAtMost,
      explainedShareAtLeast: limits.explainedShareAtLeast,
      depthEvidenceAtLeast: limits.evidenceAtLeast,
    })
  })
})

describe('the approach', () => {
  const least = LIMITS.approachAtLeastLog
  const video = (approach: number) =>
    approachFinding(
      record('LIVENESS_PASSIVE_VIDEO', {
        depth: { depth: 0.85, explainedShare: 0.65, residualPx: 0.4, views: 4, points: 300, approach },
      }),
      LIMITS,
    )

  test('is measured on the pictures where it is the only movement', () => {
    expect(video(least)).toEqual({
      method: 'APPROACH',
      outcome: 'passed',
      reason: null,
      measured: { approachAtLeast: least, approach: least },
    })
    expect(video(least - 0.001)).toMatchObject({ outcome: 'failed', reason: 'APPROACH_TOO_SMALL' })
    expect(video(NaN)).toMatchObject({ outcome: 'inconclusive', reason: 'APPROACH_NOT_MEASURED' })
    expect(approachFinding(record('LIVENESS_PASSIVE_VIDEO', { depth: null }), LIMITS)).toMatchObject({
      outcome: 'inconclusive',
      measured: { approachAtLeast: least },
    })
  })

  test('is the smallest that the challenge sequence saw, and none without a prompt to come closer', () => {
    const [step] = RECORDS.LIVENESS_ACTIVE.trace.steps.filter(({ kind }) => kind === 'COME_CLOSER')
    const nearer = (...times: readonly number[]) =>
      approachFinding(
        withTrace('LIVENESS_ACTIVE', {
          steps: times.map((one) => ({ ...step, peak: { ...step.peak, nearer: one } })),
        }),
        LIMITS,
      )
    expect(nearer(3, Math.exp(least + 0.01), 2.5)?.measured.approach).toBeCloseTo(least + 0.01)
    expect(nearer(3, Math.exp(least - 0.01))?.reason).toBe('APPROACH_TOO_SMALL')
    expect(approachFinding(record('LIVENESS_PASSIVE'), LIMITS)).toBeNull()
  })
})

describe('continuity', () => {
  const { point, comparedAtLeast, jumpsAtMost } = LIMITS.continuity
  const found = (over: Partial<OwnLivenessRecord>) =>
    continuityFinding(record('LIVENESS_ACTIVE', over), LIMITS)
  const compared = (worst: number, count = comparedAtLeast) =>
    found({ continuity: { ...CONTINUITY, worst, compared: count } })
  const { decision, review } = CONTINUITY.thresholds

  test('is one face: a similarity at least, a distance at most, the limit included', () => {
    expect(compared(review).reason).toBeNull()
    expect(compared(review - 0.001).reason).toBe('CONTINUITY_ANOTHER_FACE')
    expect(compared(review)).toMatchObject({
      outcome: 'passed',
      measured: {
        jumps: 0,
        jumpsAtMost,
        continuityMeasure: 'cosine-similarity',
        continuityWorst: review,
        continuityLimit: review,
        continuityCompared: comparedAtLeast,
      },
    })
    const byDistance = (worst: number) =>
      found({
        continuity: {
          measure: 'euclidean-distance',
          worst,
          compared: comparedAtLeast,
          thresholds: { decision: 0.5, review: 0.57 },
        },
      })
    expect(byDistance(0.57).reason).toBeNull()
    expect(byDistance(0.571).reason).toBe('CONTINUITY_ANOTHER_FACE')
  })

  test('must reach the decision point where every view is straight, and the review point where heads turn', () => {
    expect(point).toEqual({
      LIVENESS_PASSIVE: 'decision',
      LIVENESS_PASSIVE_VIDEO: 'decision',
      LIVENESS_ACTIVE: 'review',
      LIVENESS_MLC: 'review',
    })
    const still = record('LIVENESS_PASSIVE', {
      continuity: { ...CONTINUITY, worst: (decision + review) / 2, compared: comparedAtLeast },
    })
    expect(continuityFinding(still, LIMITS).reason).toBe('CONTINUITY_ANOTHER_FACE')
  })

  test('is not known by too few pictures, none, or a record without thresholds', () => {
    expect(compared(1, comparedAtLeast - 1)).toMatchObject({
      outcome: 'inconclusive',
      reason: 'CONTINUITY_NOT_MEASURED',
    })
    const unknown = { outcome: 'inconclusive', measured: { jumps: 0, jumpsAtMost } }
    expect(found({ continuity: null })).toMatchObject(unknown)
    expect(compared(NaN)).toMatchObject(unknown)
    const { measure } = CONTINUITY
    expect(found({ continuity: { measure, worst: 1, compared: comparedAtLeast } })).toMatchObject(unknown)
  })

  test('is broken by a jump too many', () => {
    const jumped = (jumps: number) => continuityFinding(withTrace('LIVENESS_ACTIVE', { jumps }), LIMITS)
    expect(jumped(jumpsAtMost).reason).toBeNull()
    expect(jumped(jumpsAtMost + 1)).toMatchObject({ outcome: 'failed', reason: 'CONTINUITY_JUMPED' })
  })
})

describe('the networks against presentation attacks', () => {
  const least = LIMITS.pad.atLeast.LIVENESS_ACTIVE
  const frames = LIMITS.pad.framesAtLeast
  const thresholds = { padAtLeast: least, padFramesAtLeast: frames }
  const found = (pad: SessionTrace['pad'], pack: 'core' | 'extended' = 'extended') =>
    padFinding(withTrace('LIVENESS_ACTIVE', { pad }), LIMITS, pack)

  test('let pass from their limit on, by pictures enough', () => {
    expect(found({ median: least, frames })).toEqual({
      method: 'PAD',
      outcome: 'passed',
      reason: null,
      measured: { ...thresholds, pad: least, padFrames: frames },
    })
    expect(found({ median: least - 0.001, frames })?.reason).toBe('PAD_BELOW_LIMIT')
    expect(found({ median: least, frames: frames - 1 })).toMatchObject({
      outcome: 'inconclusive',
      reason: 'PAD_NOT_MEASURED',
    })
  })

  test('that are installed and say nothing leave it open; that are not installed are not asked', () => {
    for (const nothing of [null, { median: NaN, frames }]) {
      expect(found(nothing)).toEqual({
        method: 'PAD',
        outcome: 'inconclusive',
        reason: 'PAD_NOT_MEASURED',
        measured: thresholds,
      })
      expect(found(nothing, 'core')).toBeNull()
    }
  })
})

describe('what only some sessions have', () => {
  test('the screen’s light is looked for where methods are combined', () => {
    const found = reflectionFinding(record('LIVENESS_MLC'), LIMITS)
    expect(found).toMatchObject({ method: 'REFLECTION', outcome: 'passed', reason: null })
    expect(found?.measured.reflectionColours).toBe('FULL')
    expect(Object.keys(found?.measured ?? {})).toEqual([
      'reflectionColours',
      'reflectionAtLeast',
      'reflectionStrengthAtLeast',
      'reflection',
      'reflectionStrength',
      'reflectionBesideShare',
      'reflectionEvenness',
    ])
    expect(reflectionFinding(withTrace('LIVENESS_MLC', { colours: [] }), LIMITS)).toEqual({
      method: 'REFLECTION',
      outcome: 'inconclusive',
      reason: 'REFLECTION_NOT_SEEN',
      measured: {
        reflectionColours: 'FULL',
        reflectionAtLeast: LIMITS.reflection.leastScore,
        reflectionStrengthAtLeast: LIMITS.reflection.leastStrength,
      },
    })
    expect(reflectionFinding(record('LIVENESS_ACTIVE'), LIMITS)).toBeNull()
  })

  test('the scene is compared with the empty one where that is known', () => {
    expect(sceneFinding(record('LIVENESS_ACTIVE'), LIMITS)).toBeNull()
    expect(sceneFinding(record('LIVENESS_ACTIVE', { sceneChange: 0 }), LIMITS)).toEqual({
      method: 'SCENE',
      outcome: 'passed',
      reason: null,
      measured: { sceneChange: 0, sceneChangeBelow: LIMITS.scene.failFromChange },
    })
  })
})

describe('signs of a display', () => {
  const { failFromMoved, failFromEdge } = LIMITS.screen

  test('are judged where the pictures were compared', () => {
    expect(screenFinding(record('LIVENESS_ACTIVE', { screen: null }), LIMITS)).toBeNull()
    const { screen, ...older } = record('LIVENESS_ACTIVE')
    expect(screen).toBeDefined()
    expect(screenFinding(older, LIMITS)).toBeNull()
    expect(screenFinding(record('LIVENESS_ACTIVE'), LIMITS)).toEqual({
      method: 'SCREEN',
      outcome: 'passed',
      reason: null,
      measured: {
        sceneMoved: 0,
        sceneMovedBelow: failFromMoved,
        frontEdge: 0.1,
        frontEdgeBelow: failFromEdge,
      },
    })
  })

  test('that could not be measured are not named', () => {
    const screen = { sceneMoved: null, frontEdge: null }
    expect(screenFinding(record('LIVENESS_ACTIVE', { screen }), LIMITS)).toEqual({
      method: 'SCREEN',
      outcome: 'inconclusive',
      reason: 'SCREEN_NOT_MEASURED',
      measured: {},
    })
  })
})

describe('the record of a session', () => {
  const settings = settingsOf('LIVENESS_PASSIVE', 'HIGH')
  const { challenge: played } = play(settings)
  const rest = { breach: null, models: [] } as const

  test('has what was drawn, asked and measured', () => {
    const continuity = { ...CONTINUITY, worst: 0.95, compared: 8 }
    const screen = { sceneMoved: 0.2, frontEdge: null }
    const measured = { depth: null, continuity, sceneChange: 0.1, screen }
    expect(recordChallenge(settings, played, measured, rest)).toEqual({
      source: 'appliance',
      livenessType: 'LIVENESS_PASSIVE',
      securityLevel: 'HIGH',
      trace: getTrace(played),
      breach: null,
      depth: null,
      continuity,
      sceneChange: 0.1,
      screen,
      models: [],
    })
  })

  test('has nothing measured where the pictures were not compared with each other', () => {
    expect(recordChallenge(settings, played, null, { ...rest, breach: 'LATE_FRAME' })).toMatchObject({
      breach: 'LATE_FRAME',
      depth: null,
      continuity: null,
      sceneChange: null,
      screen: null,
    })
  })
})
