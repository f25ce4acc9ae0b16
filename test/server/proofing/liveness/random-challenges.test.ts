import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LivenessSettings } from '../../../../server/proofing/capture-session.ts'
import { isMovement } from '../../../../server/proofing/liveness/plan.ts'
import {
  advanceSession,
  beginChallenge,
  chooseHint,
  getEnd,
  framesToKeep,
  chooseKeyFrames,
  getProgress,
  getPrompt,
  getTrace,
  type ChallengeSequence,
} from '../../../../server/proofing/liveness/session.ts'
import { decideLiveness } from '../../../../server/proofing/liveness/decide.ts'
import type { LiveFace, LiveObservation, StepTrace } from '../../../../server/proofing/liveness/types.ts'
import { LIVENESS_TYPES, SECURITY_LEVELS } from '../../../../server/proofing/types.ts'
import { liveRecord } from './records.ts'
import { DONE, drawOf, faceAt, LIMITS, play, seeded, settingsOf } from './simulated-subject.ts'

const anySettings = fc
  .tuple(
    fc.constantFrom(...LIVENESS_TYPES),
    fc.constantFrom(...SECURITY_LEVELS),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([type, level, challenges]) => settingsOf(type, level, challenges))

const anyNumber = fc.oneof(
  fc.double({ min: -60, max: 60, noNaN: true }),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, 0, -0, 1e300),
)
const anyLight = fc.option(fc.record({ r: anyNumber, g: anyNumber, b: anyNumber }))
const anyFace: fc.Arbitrary<LiveFace> = fc.record({
  leftDeg: anyNumber,
  upDeg: anyNumber,
  rollDeg: anyNumber,
  headWidthPx: anyNumber,
  widthShare: anyNumber,
  centre: fc.record({ x: anyNumber, y: anyNumber }),
  eyeOpenness: anyNumber,
  mouthOpenness: anyNumber,
  sharpness: anyNumber,
  pad: fc.option(anyNumber),
  skin: anyLight,
  forehead: anyLight,
  surround: anyLight,
  edges: anyLight,
  isGood: fc.boolean(),
})

function look(challenge: ChallengeSequence, seen: LiveObservation): void {
  chooseHint(challenge, seen)
  getPrompt(challenge)
  chooseKeyFrames(challenge)
  getTrace(challenge)
  expect(framesToKeep(challenge).size).toBeLessThanOrEqual(24)
  expect(getProgress(challenge)).toBeGreaterThanOrEqual(0)
  expect(getProgress(challenge)).toBeLessThanOrEqual(1)
}

test('no stream of numbers, however mad, breaks a challenge or completes it', () => {
  fc.assert(
    fc.property(
      anySettings,
      fc.nat(),
      fc.array(fc.option(anyFace), { maxLength: 60 }),
      (settings, seed, faces) => {
        let challenge = beginChallenge(settings, drawOf(seeded(seed)), LIMITS)
        faces.forEach((face, i) => {
          const seen = { sequence: i + 1, atMs: (i + 1) * 150, face }
          challenge = advanceSession(challenge, seen, LIMITS)
          look(challenge, seen)
        })
        return getEnd(challenge) !== 'COMPLETE'
      },
    ),
    { numRuns: 1000, seed: 2026 },
  )
})

test('clocks that stand still or run backwards complete nothing that was not shown', () => {
  fc.assert(
    fc.property(
      anySettings,
      fc.nat(),
      fc.array(fc.integer({ min: -500, max: 500 }), { maxLength: 80 }),
      (settings, seed, steps) => {
        let challenge = beginChallenge(settings, drawOf(seeded(seed)), LIMITS)
        let atMs = 0
        steps.forEach((step, i) => {
          atMs += step
          challenge = advanceSession(challenge, { sequence: i + 1, atMs, face: faceAt({}) }, LIMITS)
        })
        return settings.livenessType === 'LIVENESS_PASSIVE' || getEnd(challenge) !== 'COMPLETE'
      },
    ),
    { numRuns: 500, seed: 2026 },
  )
})

/** Does one thing or another whatever is asked, now and then what is asked; now and then is out of sight. */
function playWhimsically(settings: LivenessSettings, seed: number): ReturnType<typeof play> {
  const random = seeded(seed)
  const obedience = random()
  const kinds = Object.values(DONE)
  return play(
    settings,
    {
      framesPerSecond: 3 + 20 * random(),
      reactionMs: 1200 * random(),
      movementMs: 100 + 500 * random(),
      noiseDeg: 3 * random(),
      does: ({ kind }) =>
        random() < obedience ** 0.3 ? DONE[kind] : kinds[Math.floor(random() * kinds.length)],
      seen: (face) => (random() < 0.02 ? null : face),
    },
    seed,
  )
}

/** Whether pictures between the prompt and the step's end show the head where the step's peak says it was. */
function wasShown(
  { kind, promptedAtMs, endedAtMs, peak }: StepTrace,
  seen: readonly LiveObservation[],
): boolean {
  const during = seen.filter(({ atMs }) => atMs > promptedAtMs && atMs <= endedAtMs)
  const changes = during.flatMap(({ face }) => face ?? [])
  const least = { TURN_LEFT: 9, TURN_RIGHT: 9, LOOK_UP: 5, LOOK_DOWN: 5, COME_CLOSER: 0.1 }
  if (!isMovement(kind)) return true
  const ways = {
    TURN_LEFT: (face: LiveFace) => face.leftDeg - 1,
    TURN_RIGHT: (face: LiveFace) => 1 - face.leftDeg,
    LOOK_UP: (face: LiveFace) => face.upDeg + 9,
    LOOK_DOWN: (face: LiveFace) => -9 - face.upDeg,
    COME_CLOSER: (face: LiveFace) => Math.log(face.headWidthPx / 150),
  }
  return Number.isFinite(peak.nearer) && changes.some((face) => ways[kind](face) > least[kind])
}

test('of thousands of whimsical people only those complete a challenge who made every movement when it was asked', () => {
  const ends = { COMPLETE: 0, TIMED_OUT: 0, FAILED: 0 }
  for (let seed = 1; seed <= 3000; seed++) {
    const type = LIVENESS_TYPES[seed % 4]
    const settings = settingsOf(type, SECURITY_LEVELS[seed % 3], 1 + (seed % 3))
    const { challenge, observations } = playWhimsically(settings, seed)
    const end = getEnd(challenge)
    expect(end).not.toBeNull()
    if (end === null) continue
    ends[end]++
    const { steps, planned } = getTrace(challenge)
    if (end !== 'COMPLETE') {
      expect(steps.at(-1)?.outcome).not.toBe('MET')
      continue
    }
    expect(steps).toHaveLength(planned)
    expect(steps.map(({ kind }) => kind)).toEqual(challenge.plan.map(({ kind }) => kind))
    expect(steps.every((step) => step.outcome === 'MET' && wasShown(step, observations))).toBe(true)
    expect(steps.every((step, i) => i === 0 || step.promptedAtMs >= steps[i - 1].endedAtMs)).toBe(true)
  }
  expect(ends.COMPLETE).toBeGreaterThan(300)
  expect(ends.TIMED_OUT).toBeGreaterThan(100)
  expect(ends.FAILED).toBeGreaterThan(100)
})

test('the same pictures make the same challenge, and a challenge that is over stays as it is', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const settings = settingsOf(LIVENESS_TYPES[seed % 4])
    const first = playWhimsically(settings, seed)
    const again = first.observations.reduce(
      (challenge, seen) => advanceSession(challenge, seen, LIMITS),
      beginChallenge(settings, drawOf(seeded(seed)), LIMITS),
    )
    expect(getTrace(again)).toEqual(getTrace(first.challenge))
    const late = { sequence: 9999, atMs: 99_999, face: faceAt({}) }
    expect(advanceSession(again, late, LIMITS)).toBe(again)
  }
})

test('a challenge that is not complete is never decided as passed, however well the rest was measured', () => {
  for (let seed = 1; seed <= 400; seed++) {
    const settings = settingsOf(LIVENESS_TYPES[seed % 4])
    const { challenge } = playWhimsically(settings, seed)
    if (getEnd(challenge) === 'COMPLETE') continue
    const record = liveRecord(settings.livenessType, { trace: getTrace(challenge) })
    expect(decideLiveness(record, LIMITS).outcome).not.toBe('passed')
  }
})
