/** The drawings and texts for a portrait's answers. */
import { describe, expect, test } from 'vitest'
import { SHINE_OF_SET } from '../../../server/proofing/liveness/types.ts'
import type { PortraitGuidance } from '../../../server/api/contract/capture.ts'
import { portraitMessage } from '../../../renderer/capture/messages.ts'
import {
  getColour,
  guidanceFor,
  getScreenSide,
  wayToMiddle,
} from '../../../renderer/capture/portrait/prompts.ts'
import { hasText, getTexts } from '../../../renderer/capture/texts.ts'

type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>
const prompt = (kind: Capturing['prompt']['kind'], more: Partial<Capturing['prompt']> = {}) => ({
  kind,
  index: 2,
  of: 4,
  colour: null,
  isHolding: false,
  attempt: 1,
  ...more,
})

describe('what is said', () => {
  test('is what stands in the way, before the task', () => {
    expect(guidanceFor({ prompt: prompt('TURN_LEFT'), hint: 'ONE_PERSON_ONLY' })).toBe('SEVERAL')
    expect(guidanceFor({ prompt: prompt('TURN_LEFT'), hint: 'FOLLOW_PROMPT' })).toBe('TURN_TO_DOT')
  })
  test('is nothing about light while the screen changes its own', () => {
    expect(guidanceFor({ prompt: prompt('SHOW_COLOUR', { colour: 'RED' }), hint: 'MORE_LIGHT' })).toBe(
      'COLOURS',
    )
    expect(guidanceFor({ prompt: prompt('SHOW_COLOUR', { colour: 'RED' }), hint: 'SHOW_FACE' })).toBe(
      'NO_FACE',
    )
  })
  test('is to stay, once the head is far enough', () => {
    expect(guidanceFor({ prompt: prompt('LOOK_UP', { isHolding: true }), hint: 'FOLLOW_PROMPT' })).toBe(
      'HOLD_THERE',
    )
  })
  test('is to come nearer in the task’s own words', () => {
    expect(guidanceFor({ prompt: prompt('COME_CLOSER'), hint: 'COME_CLOSER' })).toBe('COME_CLOSER')
    expect(guidanceFor({ prompt: prompt('LOOK_STRAIGHT'), hint: 'COME_CLOSER' })).toBe('FAR')
  })
  test('is to come nearer again when the head went back before the colours', () => {
    expect(guidanceFor({ prompt: prompt('SHOW_COLOUR'), hint: 'COME_CLOSER' })).toBe('FAR')
    expect(guidanceFor({ prompt: prompt('SHOW_COLOUR'), hint: 'ALL_GOOD' })).toBe('COLOURS')
  })
})

test('the dot is on the person’s own side, as in a mirror; the words name no side, the spoken ones do', () => {
  expect([getScreenSide('TURN_LEFT'), getScreenSide('TURN_RIGHT'), getScreenSide('LOOK_STRAIGHT')]).toEqual(['left', 'right', null]) // oxfmt-ignore
  const { text, spoken, icon } = portraitMessage('TURN_TO_DOT', 'left', getTexts('en'), hasText)
  expect([text, spoken, icon]).toEqual(['Turn your head to the dot', 'Turn your head to your left', 'left'])
})

test('the arrow to the middle is the mirror’s: who stands at the left of the picture goes to the left of the screen', () => {
  const at = (x: number, y: number) => wayToMiddle({ x: x - 0.1, y: y - 0.1, width: 0.2, height: 0.2 })
  expect([at(0.2, 0.5), at(0.8, 0.6), at(0.5, 0.2), at(0.45, 0.8)]).toEqual(['left', 'right', 'down', 'up'])
  expect([at(0.55, 0.45), wayToMiddle(null)]).toEqual([null, null])
})

describe('the calm colours', () => {
  const NAMES = ['RED', 'GREEN', 'BLUE', 'YELLOW', 'CYAN', 'MAGENTA'] as const
  const linear = (hex: string) =>
    [1, 3, 5].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
  const luminance = ([r, g, b]: readonly number[]) => 0.2126 * r + 0.7152 * g + 0.0722 * b

  test('differ by less than 0.02 in luminance, a fifth of what makes a flash (WCAG 2.3.1)', () => {
    const all = NAMES.map((name) => luminance(linear(getColour(name, 'calm'))))
    expect(Math.max(...all) - Math.min(...all)).toBeLessThan(0.02)
  })
  test.each([
    ['calm', 'CALM'],
    ['full', 'FULL'],
  ] as const)('of the %s set are those that the appliance judges by', (painted, told) => {
    for (const name of NAMES)
      for (const [k, value] of linear(getColour(name, painted)).entries())
        expect(value).toBeCloseTo(SHINE_OF_SET[told][name][k], 3)
  })
  test('are never a saturated red: R / (R + G + B) stays below 0.8', () => {
    const shares = NAMES.map((name) => linear(getColour(name, 'calm'))).map(([r, g, b]) => r / (r + g + b))
    expect(Math.max(...shares)).toBeLessThan(0.8)
  })
})
