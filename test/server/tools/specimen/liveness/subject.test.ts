/** Tests that the simulated subject reacts as people do: after the prompt and never before it. */
import { describe, expect, test } from 'vitest'
import type { LivenessPrompt, LivenessStepKind } from '../../../../../server/proofing/liveness/types.ts'
import { createRandom } from '../../../../../server/tools/specimen/head/noise.ts'
import type { HeadPose } from '../../../../../server/tools/specimen/liveness/camera.ts'
import {
  createSubject,
  drawHabits,
  operatorHabits,
  type Screen,
} from '../../../../../server/tools/specimen/liveness/subject.ts'
import { createSway } from '../../../../../server/tools/specimen/liveness/sway.ts'

const FRAME_MS = 90
const SUBJECTS = Array.from({ length: 40 }, (_, i) => i + 1)

function screen(kind: LivenessStepKind, index: number, more: Partial<LivenessPrompt> = {}): Screen {
  return {
    prompt: { kind, index, of: 5, colour: null, isHolding: false, attempt: 1, ...more },
    hint: 'FOLLOW_PROMPT',
  }
}

/** Stands straight for a while, is then asked, and is looked at from there on. */
function asked(seed: number, screens: readonly Screen[], forMs = 4000): readonly (readonly HeadPose[])[] {
  const random = createRandom(seed)
  const subject = createSubject(drawHabits(random), random)
  let atMs = 0
  return screens.map((shown) => {
    subject.see(shown, atMs)
    const poses: HeadPose[] = []
    for (const endMs = atMs + forMs; atMs < endMs; atMs += FRAME_MS) poses.push(subject.poseAt(atMs))
    return poses
  })
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
const last = (poses: readonly HeadPose[], of: (pose: HeadPose) => number): number =>
  mean(poses.slice(-15).map(of))

describe('a subject', () => {
  const straight = screen('LOOK_STRAIGHT', 1)

  test.each([
    ['TURN_LEFT', (pose: HeadPose) => pose.yawDeg, 21, 38],
    ['TURN_RIGHT', (pose: HeadPose) => -pose.yawDeg, 21, 38],
    ['LOOK_UP', (pose: HeadPose) => pose.pitchDeg, 14, 30],
    ['LOOK_DOWN', (pose: HeadPose) => -pose.pitchDeg, 14, 30],
  ] as const)('that is asked to %s turns there, and nowhere before', (kind, along, least, most) => {
    for (const seed of SUBJECTS) {
      const [before, after] = asked(seed, [straight, screen(kind, 2)])
      expect(Math.abs(last(before, along))).toBeLessThan(8)
      expect(last(after, along)).toBeGreaterThan(least - 7)
      expect(last(after, along)).toBeLessThan(most)
      // A person does not react within the first third of a second, so only sway is visible.
      expect(Math.abs(mean(after.slice(0, 3).map(along)) - last(before, along))).toBeLessThan(9)
    }
  })

  test('comes near when it is asked, and only then', () => {
    for (const seed of SUBJECTS) {
      const [before, after] = asked(seed, [straight, screen('COME_CLOSER', 2)], 5000)
      const nearest = (poses: readonly HeadPose[]) => Math.min(...poses.map(({ distance }) => distance))
      expect(nearest(before)).toBeGreaterThan(48)
      expect(nearest(after.slice(0, 3))).toBeGreaterThan(48)
      expect(last(after, ({ distance }) => distance)).toBeLessThan(36)
      expect(nearest(after)).toBeGreaterThan(22)
    }
  })

  test('stays near for the colours, or comes back when the screen says so', () => {
    const colour: Screen = screen('SHOW_COLOUR', 3)
    let left = 0
    for (const seed of SUBJECTS) {
      const near = screen('COME_CLOSER', 2)
      const [, , first, back] = asked(
        seed,
        [straight, near, colour, { ...colour, hint: 'COME_CLOSER' }],
        5000,
      )
      const distance = (pose: HeadPose) => pose.distance
      if (last(first, distance) > 45) left++
      expect(last(back, distance)).toBeLessThan(37)
    }
    expect(left).toBeLessThan(SUBJECTS.length / 2)
  })

  test('holds what it was asked for until it is asked for something else, and then goes back', () => {
    for (const seed of SUBJECTS) {
      const holding = screen('TURN_LEFT', 2, { isHolding: true })
      const [, turned, held, back] = asked(seed, [
        straight,
        screen('TURN_LEFT', 2),
        holding,
        screen('LOOK_STRAIGHT', 3),
      ])
      expect(
        Math.abs(last(held, ({ yawDeg }) => yawDeg) - last(turned, ({ yawDeg }) => yawDeg)),
      ).toBeLessThan(7)
      expect(Math.abs(last(back, ({ yawDeg }) => yawDeg))).toBeLessThan(8)
    }
  })

  test('that is asked again does more of it', () => {
    const more = SUBJECTS.map((seed) => {
      const again = screen('LOOK_UP', 2, { attempt: 2 })
      const [, first, second] = asked(seed, [straight, screen('LOOK_UP', 2), again])
      return last(second, ({ pitchDeg }) => pitchDeg) - last(first, ({ pitchDeg }) => pitchDeg)
    })
    expect(mean(more)).toBeGreaterThan(2)
  })

  test('steps back when the screen says so', () => {
    const hint: Screen = { ...screen('LOOK_STRAIGHT', 1), hint: 'MOVE_BACK' }
    const [before, after] = asked(3, [straight, hint])
    expect(last(after, ({ distance }) => distance)).toBeGreaterThan(
      last(before, ({ distance }) => distance) + 5,
    )
  })

  test('reacts between a third of a second and 1.2 seconds after the prompt', () => {
    const random = createRandom(5)
    const reactions = Array.from({ length: 300 }, () => drawHabits(random).reactionMs())
    expect(Math.min(...reactions)).toBeGreaterThanOrEqual(350)
    expect(Math.max(...reactions)).toBeLessThanOrEqual(1200)
    expect(new Set(reactions).size).toBeGreaterThan(200)
  })

  test('is slower where it has to choose and start a recording', () => {
    const random = createRandom(5)
    const of = (habits: typeof drawHabits) =>
      mean(Array.from({ length: 200 }, () => habits(random).reactionMs()))
    expect(of(operatorHabits)).toBeGreaterThan(of(drawHabits) + 200)
  })

  test('is the same again with the same seed', () => {
    expect(asked(9, [straight, screen('LOOK_DOWN', 2)])).toEqual(asked(9, [straight, screen('LOOK_DOWN', 2)]))
  })
})

test('sway is small, continues without leaps, and is another one after a cut', () => {
  const sway = createSway(createRandom(4))
  const yaws = Array.from({ length: 2000 }, (_, i) => sway.at(i * 20).yawDeg)
  const deviation = Math.sqrt(mean(yaws.map((yaw) => yaw * yaw)))
  expect(deviation).toBeGreaterThan(1.4)
  expect(deviation).toBeLessThan(2.6)
  const steps = yaws.slice(1).map((yaw, i) => Math.abs(yaw - yaws[i]))
  expect(mean(steps)).toBeLessThan(0.7)
  const cuts = Array.from({ length: 200 }, () => {
    const before = sway.at(40_000).yawDeg
    sway.cut()
    return Math.abs(sway.at(40_000).yawDeg - before)
  })
  expect(mean(cuts)).toBeGreaterThan(1.4)
})
