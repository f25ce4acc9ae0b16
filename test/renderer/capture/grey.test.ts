/** The page's own measurements: movement, sharpness, the side that was shown before, glare. */
import { describe, expect, test } from 'vitest'
import { isTooBright, shinySpot } from '../../../renderer/capture/document/shiny-spot.ts'
import {
  flattenDocument,
  toGrey,
  compareFlattened,
  movementBetween,
  measureSharpness,
  type Grey,
} from '../../../renderer/capture/grey.ts'
import { CAPTURE_LIMITS } from '../../../renderer/capture/limits.ts'

const { motion: MOTION, sides: SIDES, shiny: SHINY } = CAPTURE_LIMITS
const drawn = (width: number, height: number, value: (x: number, y: number) => number): Grey => ({
  width,
  height,
  values: Uint8Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width))),
})
const WHOLE = [{ x: 0, y: 0 }, { x: 1, y: 0 }, { x: 1, y: 1 }, { x: 0, y: 1 }] // oxfmt-ignore
const card = (seed: number, shift = 0) =>
  drawn(64, 48, (x, y) => 128 + 90 * Math.sin((x + shift) * 0.31 * seed + Math.cos(y * 0.17 * seed) * 3))

describe('movement', () => {
  test('is seen when the picture shifts, and not in a lamp that brightens all of it', () => {
    const brighter = { ...card(1), values: card(1).values.map((value) => value + 30) }
    expect(movementBetween(card(1), card(1, 3))).toBeGreaterThan(MOTION.movingAbove)
    expect(movementBetween(card(1), brighter)).toBeLessThan(1)
  })
})

test('the sharper of two pictures of the same thing measures the higher sharpness', () => {
  const sharp = drawn(32, 32, (x) => (x % 4 < 2 ? 30 : 220))
  const soft = drawn(32, 32, (x) => 125 + 60 * Math.sin((x * Math.PI) / 2))
  expect(measureSharpness(sharp)).toBeGreaterThan(measureSharpness(soft))
})

describe('the side that was taken already', () => {
  const front = flattenDocument(card(1), WHOLE)
  test('is known again, upright and upside down, at another place in the picture', () => {
    const turned = { ...card(1), values: card(1).values.toReversed() }
    expect(compareFlattened(front, flattenDocument(turned, WHOLE))).toBeGreaterThan(SIDES.sameFrom)
    const { values } = card(1)
    const half = drawn(128, 96, (x, y) => (x < 64 && y < 48 ? values[(y % 48) * 64 + (x % 64)] : 20))
    const corners = WHOLE.map(({ x, y }) => ({ x: x / 2, y: y / 2 }))
    expect(compareFlattened(front, flattenDocument(half, corners))).toBeGreaterThan(SIDES.sameFrom)
  })
  test('is not taken for the other one', () => {
    expect(compareFlattened(front, flattenDocument(card(2.3), WHOLE))).toBeLessThan(SIDES.sameFrom)
  })
})

describe('a shiny spot', () => {
  const withSpot = drawn(100, 80, (x, y) => (Math.hypot(x - 60, y - 30) < 9 ? 252 : 140))
  test('is found where it is', () => {
    const spot = shinySpot(withSpot, WHOLE, SHINY)
    expect(spot?.x).toBeCloseTo(0.605, 2)
    expect(spot?.y).toBeCloseTo(0.381, 2)
    expect(spot?.radius).toBeCloseTo(0.09, 1)
  })
  test('beside the document is not counted', () => {
    const corners = WHOLE.map(({ x, y }) => ({ x: x * 0.4, y }))
    expect(shinySpot(withSpot, corners, SHINY)).toBeNull()
  })
  test('is no white strip of paper, and nothing as small as a letter', () => {
    expect(
      shinySpot(
        drawn(100, 80, (_, y) => (y > 65 ? 252 : 140)),
        WHOLE,
        SHINY,
      ),
    ).toBeNull()
    expect(
      shinySpot(
        drawn(100, 80, (x, y) => (x < 3 && y < 3 ? 252 : 140)),
        WHOLE,
        SHINY,
      ),
    ).toBeNull()
  })
  test('over more than a fifth is too much light', () => {
    expect(
      isTooBright(
        drawn(100, 80, (_, y) => (y > 60 ? 255 : 140)),
        null,
        SHINY,
      ),
    ).toBe(true)
    expect(isTooBright(withSpot, WHOLE, SHINY)).toBe(false)
  })
})

test('a colour picture becomes grey by the eye’s weights', () => {
  const rgba = Uint8ClampedArray.from([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255])
  expect([...toGrey(rgba, 3, 1).values]).toEqual([76, 149, 29])
})
