/** The automatic shutter releases when it was ready for long enough, and only with a picture that was found good. */
import { describe, expect, test } from 'vitest'
import { OPEN_SHUTTER, stepShutter, type Seen } from '../../../renderer/capture/document/shutter.ts'
import { CAPTURE_LIMITS } from '../../../renderer/capture/limits.ts'

const GOOD: Seen = { ready: true, moving: false, goodPictures: 3 }

function stepsOver(moments: readonly (readonly [atMs: number, seen: Seen])[]) {
  let shutter = OPEN_SHUTTER
  return moments.map(([atMs, seen]) => {
    const step = stepShutter(shutter, seen, atMs, CAPTURE_LIMITS.shutter)
    shutter = step.shutter
    return step
  })
}

describe('the automatic shutter', () => {
  test('fills its ring in 0.8 s and then releases', () => {
    const steps = stepsOver([0, 400, 799, 800].map((atMs) => [atMs, GOOD]))
    expect(steps.map(({ share }) => share)).toEqual([0, 0.5, 799 / 800, 1])
    expect(steps.map(({ releases }) => releases)).toEqual([false, false, false, true])
  })
  test('starts again if the hand moves, and counts a half-filled ring as a try', () => {
    const steps = stepsOver([[0, GOOD], [500, { ...GOOD, moving: true }], [600, GOOD], [1300, GOOD]]) // oxfmt-ignore
    expect(steps.map(({ share }) => share)).toEqual([0, 0, 0, 700 / 800])
    expect(steps.map(({ broke }) => broke)).toEqual([false, true, false, false])
  })
  test('does not count a ring that had hardly begun', () => {
    expect(stepsOver([[0, GOOD], [300, { ...GOOD, ready: false }]])[1].broke).toBe(false) // oxfmt-ignore
  })
  test('waits for a second good picture, but of a slow appliance not for ever', () => {
    const one = { ...GOOD, goodPictures: 1 }
    expect(stepsOver([[0, one], [900, one], [2000, one]]).map(({ releases }) => releases)).toEqual([false, false, true]) // oxfmt-ignore
    const none = { ...GOOD, goodPictures: 0 }
    expect(stepsOver([[0, none], [9000, none]])[1].releases).toBe(false) // oxfmt-ignore
  })
})
