import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decideLiveness } from '../../../../server/proofing/liveness/decide.ts'
import type { LivenessLimits } from '../../../../server/proofing/liveness/limits.ts'
import {
  SESSION_BREACHES,
  type LivenessRecord,
  type OwnLivenessRecord,
  type SessionTrace,
  type StepTrace,
} from '../../../../server/proofing/liveness/types.ts'
import { LIVENESS_TYPES } from '../../../../server/proofing/types.ts'
import { CONTINUITY, CORE_MODELS, externalRecord, liveRecord } from './records.ts'
import { LIMITS } from './simulated-subject.ts'

const decide = (record: LivenessRecord) => decideLiveness(record, LIMITS)
const withTrace = (record: OwnLivenessRecord, over: Partial<SessionTrace>): OwnLivenessRecord => ({
  ...record,
  trace: { ...record.trace, ...over },
})
const withMovement = (
  record: OwnLivenessRecord,
  over: (step: StepTrace) => Partial<StepTrace>,
): OwnLivenessRecord =>
  withTrace(record, {
    steps: record.trace.steps.map((step) => (step.onsetAtMs === null ? step : { ...step, ...over(step) })),
  })
const withDepth = (record: OwnLivenessRecord, over: Partial<NonNullable<OwnLivenessRecord['depth']>>) => ({
  ...record,
  depth: record.depth && { ...record.depth, ...over },
})

const [STILL, VIDEO, ACTIVE, COMBINED] = LIVENESS_TYPES.map((type) => liveRecord(type))

describe('a live person', () => {
  test.each(LIVENESS_TYPES)('passes %s, with the methods that spoke for it', (type) => {
    const { outcome, code, reasons, diagnostic } = decide(liveRecord(type))
    expect({ outcome, code, diagnostic }).toEqual({ outcome: 'passed', code: null, diagnostic: null })
    expect(reasons).toEqual(expect.arrayContaining([...LIMITS.methods[type].require]))
  })

  test.each(['LIVENESS_PASSIVE_VIDEO', 'LIVENESS_ACTIVE', 'LIVENESS_MLC'] as const)(
    'passes %s without the networks against presentation attacks',
    (type) => {
      const record = withTrace(liveRecord(type, { models: CORE_MODELS }), { pad: null })
      expect(decide(record)).toMatchObject({ outcome: 'passed', measured: { pack: 'core' } })
    },
  )

  test('has scores beside thresholds in the verdict', () => {
    expect(decide(VIDEO).measured).toMatchObject({
      courseEnd: 'COMPLETE',
      stepsMet: 2,
      stepsPlanned: 2,
      depth: 0.85,
      depthAtLeast: LIMITS.depth.LIVENESS_PASSIVE_VIDEO.extended.depthAtLeast,
      explainedShare: 0.65,
      explainedShareAtLeast: LIMITS.depth.LIVENESS_PASSIVE_VIDEO.extended.explainedShareAtLeast,
      approach: 0.55,
      approachAtLeast: LIMITS.approachAtLeastLog,
      continuityWorst: 0.95,
      continuityLimit: CONTINUITY.thresholds.decision,
      pack: 'extended',
    })
  })

  test('has the measured error rates of type and pack in the verdict, where there are any', () => {
    const rate = { rate: 0.05, errors: 3, trials: 60, ci95: [0.02, 0.14] } as const
    const apcer = { flat: { ...rate, rate: 0 } }
    const sessions = { securityLevel: 'MEDIUM', steps: 6 } as const
    const rates = { ...sessions, bpcer: rate, apcer, source: 'npm run bench:liveness', date: '2026-11-21' }
    const measured = { LIVENESS_ACTIVE: { extended: rates } }
    expect(decideLiveness(ACTIVE, { ...LIMITS, measured }).measured).toMatchObject({
      bpcer: 0.05,
      bpcerCi95From: 0.02,
      bpcerCi95To: 0.14,
      bpcerTrials: 60,
      'apcer.flat': 0,
      ratesFrom: 'npm run bench:liveness, 2026-11-21',
    })
    expect(decideLiveness(VIDEO, { ...LIMITS, measured }).measured).not.toHaveProperty('bpcer')
  })
})

const NOT_LIVE = { outcome: 'failed', code: '1611' }
const LATE = { outcome: 'failed', code: '1609' }
const UNMEASURED = { outcome: 'inconclusive', code: '1610' }

describe('each method', () => {
  const flat = { depth: 0.02, explainedShare: 0.5 }
  test.each<[string, OwnLivenessRecord, object, string]>([
    ['a sheet', withDepth(VIDEO, flat), NOT_LIVE, 'DEPTH_TOO_FLAT'],
    ['a sheet that is turned', withDepth(ACTIVE, flat), NOT_LIVE, 'DEPTH_TOO_FLAT'],
    ['too little parallax', withDepth(VIDEO, { explainedShare: 0.1 }), NOT_LIVE, 'DEPTH_NOT_SHOWN'],
    [
      'a little of both',
      withDepth(VIDEO, { depth: 0.45, explainedShare: 0.3 }),
      NOT_LIVE,
      'DEPTH_TOO_LITTLE',
    ],
    ['more depth than a head has', withDepth(VIDEO, { depth: 3 }), NOT_LIVE, 'DEPTH_TOO_DEEP'],
    ['no depth measured', { ...VIDEO, depth: null }, NOT_LIVE, 'DEPTH_NOT_MEASURED'],
    ['too few views', withDepth(ACTIVE, { views: 1 }), NOT_LIVE, 'DEPTH_NOT_MEASURED'],
    ['too few points', withDepth(ACTIVE, { points: 20 }), NOT_LIVE, 'DEPTH_NOT_MEASURED'],
    ['a number that is none', withDepth(ACTIVE, { depth: Number.NaN }), UNMEASURED, 'DEPTH_NOT_MEASURED'],
    ['hardly nearer', withDepth(VIDEO, { approach: 0.1 }), NOT_LIVE, 'APPROACH_TOO_SMALL'],
    [
      'another face',
      { ...ACTIVE, continuity: { ...CONTINUITY, worst: 0.6, compared: 8 } },
      NOT_LIVE,
      'CONTINUITY_ANOTHER_FACE',
    ],
    [
      'another face, by distance',
      {
        ...ACTIVE,
        continuity: {
          measure: 'euclidean-distance',
          worst: 0.7,
          compared: 8,
          thresholds: { decision: 0.5, review: 0.57 },
        },
      },
      NOT_LIVE,
      'CONTINUITY_ANOTHER_FACE',
    ],
    ['no face to compare', { ...ACTIVE, continuity: null }, UNMEASURED, 'CONTINUITY_NOT_MEASURED'],
    ['cuts', withTrace(ACTIVE, { jumps: 9 }), NOT_LIVE, 'CONTINUITY_JUMPED'],
    [
      'networks that know an attack',
      withTrace(STILL, { pad: { median: 0.2, frames: 9 } }),
      NOT_LIVE,
      'PAD_BELOW_LIMIT',
    ],
    [
      'too few pictures for the networks',
      withTrace(STILL, { pad: { median: 0.9, frames: 3 } }),
      UNMEASURED,
      'PAD_NOT_MEASURED',
    ],
    [
      'a face that the networks never saw whole',
      withTrace(ACTIVE, { pad: null }),
      UNMEASURED,
      'PAD_NOT_MEASURED',
    ],
    [
      'still pictures without the networks',
      withTrace({ ...STILL, models: CORE_MODELS }, { pad: null }),
      UNMEASURED,
      'PAD_NOT_MEASURED',
    ],
    ['another room', { ...ACTIVE, sceneChange: 1 }, NOT_LIVE, 'SCENE_OTHER'],
    ...[STILL, VIDEO, ACTIVE, COMBINED].flatMap(
      (record): [string, OwnLivenessRecord, typeof NOT_LIVE, string][] => [
        [
          `a display in a hand: ${record.livenessType}`,
          { ...record, screen: { sceneMoved: 1, frontEdge: 0 } },
          NOT_LIVE,
          'SCREEN_SCENE_MOVES',
        ],
        [
          `a display whose edge is seen: ${record.livenessType}`,
          { ...record, screen: { sceneMoved: 0, frontEdge: 1 } },
          NOT_LIVE,
          'SCREEN_EDGE_IN_FRONT',
        ],
      ],
    ),
    ['a challenge that is not whole', withTrace(ACTIVE, { planned: 20 }), NOT_LIVE, 'COURSE_INCOMPLETE'],
    [
      'a challenge of another type',
      { ...VIDEO, livenessType: 'LIVENESS_ACTIVE' },
      NOT_LIVE,
      'COURSE_INCOMPLETE',
    ],
    [
      'no approach where one is due',
      withTrace(ACTIVE, dropped('COME_CLOSER')),
      NOT_LIVE,
      'COURSE_INCOMPLETE',
    ],
    [
      'no colours where they are due',
      withTrace(COMBINED, dropped('SHOW_COLOUR')),
      NOT_LIVE,
      'COURSE_INCOMPLETE',
    ],
    ['a movement before its time', withMovement(ACTIVE, onset(100)), NOT_LIVE, 'COURSE_ANTICIPATED'],
    ['a movement after its time', withMovement(ACTIVE, onset(5000)), NOT_LIVE, 'COURSE_LATE_ONSET'],
    [
      'too small a movement',
      withMovement(ACTIVE, () => ({ peak: { leftDeg: 2, upDeg: 2, nearer: 1.1 } })),
      NOT_LIVE,
      'COURSE_TOO_LITTLE_MOVEMENT',
    ],
    [
      'a wrong direction',
      withTrace(ACTIVE, { end: 'FAILED', steps: ending('WRONG_DIRECTION') }),
      NOT_LIVE,
      'COURSE_WRONG_DIRECTION',
    ],
    [
      'a missed step',
      withTrace(ACTIVE, { end: 'TIMED_OUT', steps: ending('MISSED') }),
      LATE,
      'COURSE_TIMED_OUT',
    ],
    ['a session broken off', withTrace(ACTIVE, { end: null }), LATE, 'COURSE_TIMED_OUT'],
  ])('%s', (_, record, ending, reason) => {
    const verdict = decide(record)
    expect(verdict).toMatchObject(ending)
    expect(verdict.reasons).toContain(reason)
  })

  function dropped(kind: StepTrace['kind']): Partial<SessionTrace> {
    const steps = (kind === 'SHOW_COLOUR' ? COMBINED : ACTIVE).trace.steps.filter(
      (step) => step.kind !== kind,
    )
    return { steps, planned: steps.length }
  }
  function onset(ms: number): (step: StepTrace) => Partial<StepTrace> {
    return ({ promptedAtMs }) => ({ onsetAtMs: promptedAtMs + ms })
  }
  function ending(outcome: StepTrace['outcome']): readonly StepTrace[] {
    return ACTIVE.trace.steps.slice(0, 2).map((step, i) => (i === 1 ? { ...step, outcome } : step))
  }

  test('a little less of one proof of depth is made up by the other', () => {
    expect(decide(withDepth(VIDEO, { depth: 0.9, explainedShare: 0.25 }))).toMatchObject({
      outcome: 'passed',
    })
    expect(decide(withDepth(VIDEO, { depth: 0.5, explainedShare: 0.6 }))).toMatchObject({ outcome: 'passed' })
  })

  test('who ran out of time has not shown depth: that alone is no attack', () => {
    const late = withTrace(ACTIVE, { end: 'TIMED_OUT', steps: ending('MISSED') })
    expect(decide(withDepth(late, { explainedShare: 0 }))).toMatchObject(LATE)
    expect(decide({ ...late, continuity: { ...CONTINUITY, worst: 0.1, compared: 5 } })).toMatchObject(
      NOT_LIVE,
    )
  })

  test('a still picture without depth does not count against the applicant', () => {
    expect(decide({ ...STILL, depth: null })).toMatchObject({ outcome: 'passed' })
    expect(decide(withDepth(STILL, { depth: 0 }))).toMatchObject({ outcome: 'passed' })
  })

  test('a scene that is not known says nothing', () => {
    expect(decide({ ...ACTIVE, sceneChange: null })).toMatchObject({ outcome: 'passed' })
    expect(decide({ ...ACTIVE, sceneChange: 0 })).toMatchObject({
      outcome: 'passed',
      measured: { sceneChange: 0 },
    })
  })
})

describe('combined methods', () => {
  test('colours that did not come back are not proven, and the diagnostic says so', () => {
    const colours = COMBINED.trace.colours.map((trace) => ({ ...trace, skin: { r: 0.4, g: 0.3, b: 0.25 } }))
    const verdict = decide(withTrace(COMBINED, { colours }))
    expect(verdict).toMatchObject(UNMEASURED)
    expect(verdict.diagnostic).toMatch(/^REFLECTION_/)
  })

  test('colours of another session speak of a recording', () => {
    const { colours } = COMBINED.trace
    const turned = colours.map((trace, i) => ({ ...trace, colour: colours[(i + 1) % colours.length].colour }))
    expect(decide(withTrace(COMBINED, { colours: turned })).outcome).not.toBe('passed')
  })

  test('no other type has a diagnostic', () => {
    expect(decide({ ...COMBINED, depth: null }).diagnostic).toBe('DEPTH_NOT_MEASURED')
    expect(decide({ ...ACTIVE, depth: null }).diagnostic).toBeNull()
  })
})

describe('what the protocol found', () => {
  test.each(SESSION_BREACHES)('%s counts alone, however live the pictures are', (breach) => {
    const of = { LATE_FRAME: LATE, TECHNICAL: UNMEASURED } as const
    const ending = breach in of ? of[breach as keyof typeof of] : NOT_LIVE
    expect(decide({ ...ACTIVE, breach })).toMatchObject({ ...ending, reasons: [`SESSION_${breach}`] })
  })
})

describe('an external server', () => {
  test.each([
    ['passed', 'passed', null],
    ['failed', 'failed', '1611'],
    ['inconclusive', 'inconclusive', '1610'],
    ['timeout', 'failed', '1609'],
    ['technical', 'inconclusive', '1610'],
  ] as const)('%s → %s %s', (outcome, expected, code) => {
    expect(decide(externalRecord({ outcome }))).toMatchObject({
      outcome: expected,
      code,
      measured: { service: 'biometrics', serviceVersion: '4.2', score: 0.97, scoreThreshold: 0.8 },
    })
  })
})

describe('success is earned', () => {
  const anyRecord = fc.record({
    type: fc.constantFrom(...LIVENESS_TYPES),
    depth: fc.option(
      fc.record({
        depth: fc.double({ min: 0.3, max: 2.6, noNaN: true }),
        explainedShare: fc.double({ min: 0.2, max: 1, noNaN: true }),
        residualPx: fc.constant(0.5),
        views: fc.integer({ min: 1, max: 6 }),
        points: fc.integer({ min: 40, max: 352 }),
        approach: fc.double({ min: 0.2, max: 1, noNaN: true }),
      }),
    ),
    worst: fc.option(fc.double({ min: 0.91, max: 1, noNaN: true })),
    compared: fc.integer({ min: 1, max: 9 }),
    pad: fc.option(
      fc.record({
        median: fc.double({ min: 0.5, max: 1, noNaN: true }),
        frames: fc.integer({ min: 3, max: 20 }),
      }),
    ),
    isExtended: fc.boolean(),
    jumps: fc.integer({ min: 0, max: 3 }),
    onset: fc.integer({ min: 200, max: 4200 }),
  })
  type Any = typeof anyRecord extends fc.Arbitrary<infer T> ? T : never
  const base = Object.fromEntries(LIVENESS_TYPES.map((type) => [type, liveRecord(type)]))

  function built({ type, depth, worst, compared, pad, isExtended, jumps, onset }: Any): OwnLivenessRecord {
    const moved = withMovement(base[type], ({ promptedAtMs }) => ({ onsetAtMs: promptedAtMs + onset }))
    return {
      ...withTrace(moved, { pad: isExtended ? pad : null, jumps }),
      depth,
      continuity: worst === null ? null : { ...CONTINUITY, worst, compared },
      models: isExtended ? moved.models : CORE_MODELS,
    }
  }

  /** Each makes one measurement worse. */
  const WORSE: readonly ((record: OwnLivenessRecord, by: number) => OwnLivenessRecord)[] = [
    (record, by) => withDepth(record, { depth: (record.depth?.depth ?? 0) - by }),
    (record, by) => withDepth(record, { explainedShare: (record.depth?.explainedShare ?? 0) - by }),
    (record, by) => withDepth(record, { approach: (record.depth?.approach ?? 0) - by }),
    (record, by) => withDepth(record, { views: (record.depth?.views ?? 0) - Math.ceil(by * 5) }),
    (record, by) => withDepth(record, { points: (record.depth?.points ?? 0) - Math.ceil(by * 300) }),
    (record, by) => ({
      ...record,
      continuity: record.continuity && { ...record.continuity, worst: record.continuity.worst - by },
    }),
    (record, by) => ({
      ...record,
      continuity: record.continuity && {
        ...record.continuity,
        compared: record.continuity.compared - Math.ceil(by * 5),
      },
    }),
    (record, by) => withTrace(record, { jumps: record.trace.jumps + Math.ceil(by * 5) }),
    (record, by) =>
      withTrace(record, {
        pad: record.trace.pad && { ...record.trace.pad, median: record.trace.pad.median - by },
      }),
    (record, by) =>
      withTrace(record, {
        pad: record.trace.pad && { ...record.trace.pad, frames: record.trace.pad.frames - Math.ceil(by * 9) },
      }),
    (record, by) => ({ ...record, sceneChange: by }),
    (record, by) => ({ ...record, screen: { sceneMoved: by, frontEdge: by } }),
    (record, by) =>
      withMovement(record, ({ peak }) => ({
        peak: {
          leftDeg: peak.leftDeg * (1 - by),
          upDeg: peak.upDeg * (1 - by),
          nearer: peak.nearer ** (1 - by),
        },
      })),
    (record) => ({ ...record, breach: 'REPLAYED' }),
    (record) => withTrace(record, { end: 'FAILED' }),
  ]
  /** Each takes one measurement away. */
  const MISSING: readonly ((record: OwnLivenessRecord) => OwnLivenessRecord)[] = [
    (record) => ({ ...record, depth: null }),
    (record) => ({ ...record, continuity: null }),
    (record) => ({
      ...record,
      continuity: record.continuity && { ...record.continuity, thresholds: undefined },
    }),
    (record) => withTrace(record, { pad: null }),
    (record) => withTrace(record, { colours: [] }),
    (record) => withTrace(record, { end: null }),
    (record) => withTrace(record, { steps: record.trace.steps.slice(1) }),
    (record) => withTrace(record, { steps: [] }),
    (record) => withMovement(record, () => ({ onsetAtMs: null })),
  ]

  test('no worse measurement makes a session pass that did not', () => {
    let passed = 0
    fc.assert(
      fc.property(
        anyRecord,
        fc.nat(WORSE.length - 1),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (any, which, by) => {
          const before = built(any)
          const isPassed = decide(before).outcome === 'passed'
          passed += isPassed ? 1 : 0
          return isPassed || decide(WORSE[which](before, by)).outcome !== 'passed'
        },
      ),
      { numRuns: 5000, seed: 2026 },
    )
    expect(passed).toBeGreaterThan(100)
  })

  test('no measurement taken away makes a session pass that did not', () => {
    fc.assert(
      fc.property(anyRecord, fc.nat(MISSING.length - 1), (any, which) => {
        const before = built(any)
        return decide(before).outcome === 'passed' || decide(MISSING[which](before)).outcome !== 'passed'
      }),
      { numRuns: 5000, seed: 2026 },
    )
  })

  test('no verdict passes without what its type requires', () => {
    fc.assert(
      fc.property(anyRecord, (any) => {
        const record = built(any)
        const { outcome, code, reasons } = decide(record)
        if (outcome !== 'passed') return code !== null && reasons.length > 0
        return code === null && LIMITS.methods[any.type].require.every((method) => reasons.includes(method))
      }),
      { numRuns: 5000, seed: 2027 },
    )
  })

  test('nor by any number that is none', () => {
    const odd: readonly number[] = [Number.NaN, -Infinity]
    for (const value of odd) {
      const records: readonly OwnLivenessRecord[] = [
        withDepth(VIDEO, { depth: value }),
        withDepth(VIDEO, { explainedShare: value }),
        withDepth(VIDEO, { approach: value }),
        withDepth(VIDEO, { views: value }),
        { ...VIDEO, continuity: { measure: 'fused-z', worst: value, compared: 5 } },
        withTrace(STILL, { pad: { median: value, frames: 9 } }),
        withMovement(VIDEO, () => ({ peak: { leftDeg: value, upDeg: value, nearer: value } })),
        withMovement(VIDEO, () => ({ onsetAtMs: value })),
      ]
      for (const record of records) expect(decide(record).outcome).not.toBe('passed')
    }
  })

  test('every type requires its challenge, one person all along, and depth or the networks', () => {
    const needed: LivenessLimits['methods'] = LIMITS.methods
    for (const type of LIVENESS_TYPES) {
      expect(needed[type].require).toContain('COURSE')
      expect(needed[type].require).toContain('CONTINUITY')
      expect(needed[type].require.some((method) => method === 'DEPTH' || method === 'PAD')).toBe(true)
    }
  })
})
