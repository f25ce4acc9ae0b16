/** One advice out of many: what must be done first, and which way the hand has to go. */
import { describe, expect, test } from 'vitest'
import type { CaptureGuidance } from '../../../server/api/contract/capture.ts'
import {
  chooseAdvice,
  isGlareAlone,
  wayBack,
  type Seeing,
} from '../../../renderer/capture/document/advice.ts'
import { documentMessage } from '../../../renderer/capture/messages.ts'
import { hasText, getTexts } from '../../../renderer/capture/texts.ts'

const OUTLINE = [
  { x: 0.2, y: 0.2 },
  { x: 0.8, y: 0.2 },
  { x: 0.8, y: 0.7 },
  { x: 0.2, y: 0.7 },
]
const GOOD: CaptureGuidance = { codes: [], hint: 'TAKE_PICTURE', outline: OUTLINE, ready: true }
const bad = (...codes: CaptureGuidance['codes']): CaptureGuidance => ({
  ...GOOD,
  codes,
  hint: 'HOLD_STILL',
  ready: false,
})
const seeing = (guidance: CaptureGuidance, more: Partial<Seeing> = {}): Seeing => ({
  guidance,
  moving: false,
  sameSide: false,
  tooBright: false,
  tiltSeries: false,
  waitsForChange: false,
  facesPerson: true,
  ...more,
})
const codeOf = (guidance: CaptureGuidance, more?: Partial<Seeing>) =>
  chooseAdvice(seeing(guidance, more)).code
const moved = (by: { x?: number; y?: number }) =>
  OUTLINE.map(({ x, y }) => ({ x: x + (by.x ?? 0), y: y + (by.y ?? 0) }))

describe('the advice', () => {
  test.each([
    [bad('1531'), 'DARK'],
    [bad('1532'), 'GLARE'],
    [bad('1533'), 'BLUR'],
    [bad('1535'), 'CUT'],
    [bad('1539'), 'KEYSTONE'],
    [bad('1540'), 'NEAR'],
    [bad('1541'), 'FAR'],
    [GOOD, 'READY'],
  ] as const)('says of each finding what to do', (guidance, code) => {
    expect(codeOf(guidance)).toBe(code)
  })
  test('names what must be done first when several things are wrong', () => {
    expect(codeOf(bad('1533', '1532', '1541'))).toBe('FAR')
    expect(codeOf(bad('1533', '1540', '1535'))).toBe('NEAR')
    expect(codeOf(bad('1533', '1532'))).toBe('GLARE')
  })
  test('asks for the document before anything else, and then for its other side', () => {
    expect(codeOf({ ...bad('1535', '1541'), hint: 'SHOW_DOCUMENT', outline: null })).toBe('NO_DOC')
    expect(codeOf({ ...bad('1541'), hint: 'SHOW_DOCUMENT_NOT_FACE', outline: null })).toBe('FACE')
    expect(codeOf(GOOD, { sameSide: true })).toBe('WRONG_SIDE')
  })
  test('calls a document that is white all over too bright, since tilting would not help', () => {
    expect(codeOf(bad('1532'), { tooBright: true })).toBe('BRIGHT')
  })
  test('stops nagging about a shiny spot once a series of tilted pictures is taken', () => {
    expect(codeOf(bad('1532'), { tiltSeries: true })).toBe('TILT_SLOWLY')
    expect([isGlareAlone(bad('1532')), isGlareAlone(bad('1532', '1533')), isGlareAlone(GOOD)]).toEqual([true, false, false]) // oxfmt-ignore
  })
  test('asks for a change where a refused document still lies well', () => {
    expect(codeOf(GOOD, { waitsForChange: true })).toBe('CHANGE')
    expect(codeOf(bad('1532'), { waitsForChange: true })).toBe('GLARE')
  })
  test('asks for a still hand before it calls a picture blurred', () => {
    expect(codeOf(bad('1533'), { moving: true })).toBe('MOVING')
  })
  test('has words for every direction', () => {
    const t = getTexts('en')
    const { text, icon } = documentMessage({ code: 'CUT', direction: 'up' }, t, hasText)
    expect([text, icon]).toEqual(['Show all four corners. Move it up', 'up'])
    expect(documentMessage({ code: 'CUT', direction: null }, t, hasText).text).toBe('Show all four corners')
  })
})

describe('the way back into the picture', () => {
  test('is the hand’s: before a camera that faces the person left and right are the other way round', () => {
    expect(wayBack(moved({ x: -0.25 }), false)).toBe('right')
    expect(wayBack(moved({ x: -0.25 }), true)).toBe('left')
    expect(wayBack(moved({ x: 0.25 }), true)).toBe('right')
  })
  test('is up and down as seen', () => {
    expect([wayBack(moved({ y: -0.25 }), true), wayBack(moved({ y: 0.4 }), true)]).toEqual(['down', 'up'])
  })
  test('is not told where nothing is cut, opposite sides are, or no outline was found', () => {
    const wide = [{ x: 0, y: 0.2 }, { x: 1, y: 0.2 }, { x: 1, y: 0.8 }, { x: 0, y: 0.8 }] // oxfmt-ignore
    expect([wayBack(OUTLINE, true), wayBack(wide, true), wayBack(null, true)]).toEqual([null, null, null])
  })
})
