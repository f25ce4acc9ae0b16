/** Grades of a liveness session: the attacks that its type was measured to stop. */
import { describe, expect, test } from 'vitest'
import { gradeSession } from '../../../../server/proofing/liveness/grade.ts'
import type { LivenessLimits, MeasuredErrors } from '../../../../server/proofing/liveness/limits.ts'
import { LIVENESS_GRADES, type LivenessRecord } from '../../../../server/proofing/liveness/types.ts'
import { CORE_MODELS, externalRecord, liveRecord } from './records.ts'
import { LIMITS } from './simulated-subject.ts'

const rateUpTo = (upper: number) => ({ rate: 0, errors: 0, trials: 20, ci95: [0, upper] as const })
const ALL_STOPPED = { flat: 0.1, mask: 0.1, replayRecorded: 0.1, replayOperator: 0.1, replayStand: 0.1 }

/** Limits under which the core pack's active session was measured with these upper ends of the intervals. */
function measuredWith(
  upperEnds: Readonly<Record<string, number>>,
  over: Partial<MeasuredErrors> = {},
): LivenessLimits {
  const apcer = Object.fromEntries(Object.entries(upperEnds).map(([name, to]) => [name, rateUpTo(to)]))
  const core = {
    securityLevel: 'MEDIUM',
    steps: 6,
    bpcer: rateUpTo(0.1),
    apcer,
    source: 'a test',
    date: '2026-11-28',
    ...over,
  } as const
  return { ...LIMITS, measured: { LIVENESS_ACTIVE: { core } } }
}

function passedGrades(record: LivenessRecord, limits: LivenessLimits): readonly string[] {
  return gradeSession(record, limits)
    .filter(({ outcome }) => outcome === 'passed')
    .map(({ check }) => check)
}

const ACTIVE = liveRecord('LIVENESS_ACTIVE', { models: CORE_MODELS })

describe('a session on this appliance', () => {
  // @clause 30107-3/grades
  test('has every grade whose attacks its type was measured to stop', () => {
    expect(passedGrades(ACTIVE, measuredWith(ALL_STOPPED))).toEqual(LIVENESS_GRADES)
    expect(passedGrades(ACTIVE, measuredWith({ ...ALL_STOPPED, replayOperator: 1 }))).toEqual([
      'LIVENESS_STOPS_PRINTS',
      'LIVENESS_STOPS_REPLAYS',
    ])
  })

  test('stops no operators if it was measured on displays in a hand alone', () => {
    const inAHand = { flat: 0.1, mask: 0.1, replayRecorded: 0.1, replayOperator: 0.1 }
    expect(passedGrades(ACTIVE, measuredWith(inAHand))).not.toContain('LIVENESS_STOPS_OPERATORS')
    const { species } = LIMITS.grades.LIVENESS_STOPS_OPERATORS
    expect(species).toEqual(['replayOperator', 'replayStand'])
  })

  test.each(['flat', 'mask'])(
    'has no grade at all if %s prints pass: a grade includes those below it',
    (species) => {
      expect(passedGrades(ACTIVE, measuredWith({ ...ALL_STOPPED, [species]: 0.5 }))).toEqual([])
    },
  )

  test('states each grade with the rates behind it, and a grade that it does not have not at all', () => {
    const findings = gradeSession(ACTIVE, measuredWith({ ...ALL_STOPPED, replayOperator: 0.9 }))
    expect(findings).toHaveLength(2)
    expect(findings[1].measured).toEqual({
      'apcer.replayRecordedCi95To': 0.1,
      apcerCi95AtMost: LIMITS.grades.LIVENESS_STOPS_REPLAYS.apcerCi95AtMost,
      ratesFrom: 'a test, 2026-11-28',
    })
  })

  // @clause 30107-3/grades
  test('has no grade without a measurement of its type, or of each species', () => {
    const withoutMask = { flat: 0.1, replayRecorded: 0.1, replayOperator: 0.1, replayStand: 0.1 }
    const video = liveRecord('LIVENESS_PASSIVE_VIDEO', { models: CORE_MODELS })
    expect(passedGrades(video, measuredWith(ALL_STOPPED))).toEqual([])
    expect(passedGrades(ACTIVE, measuredWith(withoutMask))).toEqual([])
  })

  test('with the extended pack has the grades of the core pack, unless its limits differ', () => {
    const limits = measuredWith(ALL_STOPPED)
    const extended = liveRecord('LIVENESS_ACTIVE')
    expect(passedGrades(extended, limits)).toEqual(LIVENESS_GRADES)
    const { core } = limits.depth.LIVENESS_ACTIVE
    const looser = { core, extended: { ...core, depthAtLeast: 0.3 } }
    const otherLimits = { ...limits, depth: { ...limits.depth, LIVENESS_ACTIVE: looser } }
    expect(passedGrades(extended, otherLimits)).toEqual([])
  })

  test('has no grade if it was less strict than the measured sessions', () => {
    const limits = measuredWith(ALL_STOPPED)
    expect(passedGrades({ ...ACTIVE, securityLevel: 'LOW' }, limits)).toEqual([])
    expect(passedGrades({ ...ACTIVE, trace: { ...ACTIVE.trace, planned: 5 } }, limits)).toEqual([])
    expect(passedGrades({ ...ACTIVE, securityLevel: 'HIGH' }, limits)).toEqual(LIVENESS_GRADES)
  })
})

describe('a session on an external biometric server', () => {
  test('has the grades that the configuration states, and only with those below them', () => {
    const limits = measuredWith(ALL_STOPPED)
    const graded = (stops?: readonly (typeof LIVENESS_GRADES)[number][]) =>
      passedGrades(externalRecord(stops ? { stops } : {}), limits)
    expect(graded()).toEqual([])
    expect(graded(['LIVENESS_STOPS_PRINTS'])).toEqual(['LIVENESS_STOPS_PRINTS'])
    expect(graded(['LIVENESS_STOPS_PRINTS', 'LIVENESS_STOPS_OPERATORS'])).toEqual(['LIVENESS_STOPS_PRINTS'])
  })
})

describe('with the shipped measurements', () => {
  const graded = (type: Parameters<typeof liveRecord>[0]) =>
    passedGrades(liveRecord(type, { models: CORE_MODELS }), LIMITS)

  test('a still picture and an approach stop no replay, however live the person is', () => {
    expect(graded('LIVENESS_PASSIVE')).toEqual([])
    expect(graded('LIVENESS_PASSIVE_VIDEO')).toEqual(['LIVENESS_STOPS_PRINTS'])
  })

  test('prompted movements stop a recording, but not an operator who has one of each movement', () => {
    expect(graded('LIVENESS_ACTIVE')).toEqual(['LIVENESS_STOPS_PRINTS', 'LIVENESS_STOPS_REPLAYS'])
  })

  test('coloured light stops an operator, too', () => {
    expect(graded('LIVENESS_MLC')).toEqual(LIVENESS_GRADES)
  })
})
