/** The viewer of the desk: faces at one distance of the eyes, a field that is jumped to, keys that decide nothing. */
import { describe, expect, test } from 'vitest'
import {
  computeMatrix,
  moveView,
  STILL,
  rotateView,
  viewOfField,
  zoomView,
} from '../../../renderer/counter/pages/desk/geometry.ts'
import type { Eyes, Place, Size, View } from '../../../renderer/counter/pages/desk/geometry.ts'
import { actOfKey } from '../../../renderer/counter/pages/desk/keys.ts'

const GLASS = { width: 600, height: 500 }
const PICTURE = { width: 1600, height: 1200 }

/** Returns the place of a point of the picture in the viewer. */
function seen(point: Place, picture: Size, view: View, eyes: Eyes | null = null): Place {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = computeMatrix(picture, GLASS, view, eyes)
    .replace(/^matrix\(|\)$/g, '')
    .split(', ')
    .map(Number)
  return { x: a * point.x + c * point.y + e, y: b * point.x + d * point.y + f }
}

describe('a picture under the glass', () => {
  test.each([0, 90, 180, 270] as const)('is whole and in the middle, turned by %i', (turn) => {
    const view = { ...STILL, turn }
    const middle = seen({ x: 800, y: 600 }, PICTURE, view)
    expect(middle.x).toBeCloseTo(300, 0)
    expect(middle.y).toBeCloseTo(250, 0)
    for (const corner of [
      { x: 0, y: 0 },
      { x: 1600, y: 1200 },
    ]) {
      const { x, y } = seen(corner, PICTURE, view)
      expect(x).toBeGreaterThanOrEqual(-1)
      expect(x).toBeLessThanOrEqual(601)
      expect(y).toBeGreaterThanOrEqual(-1)
      expect(y).toBeLessThanOrEqual(501)
    }
  })

  test('that shows a face lies so that all eyes are equally far apart, at one height', () => {
    const small = { left: { x: 210, y: 300 }, right: { x: 250, y: 300 } }
    const large = { left: { x: 500, y: 420 }, right: { x: 900, y: 420 } }
    const apart = [small, large].map((eyes) => {
      const left = seen(eyes.left, PICTURE, STILL, eyes)
      const right = seen(eyes.right, PICTURE, STILL, eyes)
      return { apart: right.x - left.x, y: left.y }
    })
    expect(apart[0]?.apart).toBeCloseTo(apart[1]?.apart ?? 0, 0)
    expect(apart[0]?.y).toBeCloseTo(apart[1]?.y ?? 0, 0)
  })

  test('is enlarged about the pointer, at most eightfold, and never leaves the glass', () => {
    const about = { x: 0.2, y: -0.1 }
    const under = { x: 300 + 0.2 * 600, y: 250 - 0.1 * 500 }
    const before = computeMatrix(PICTURE, GLASS, STILL, null)
    const scale = Number(/\(([^,]+)/.exec(before)?.[1])
    const point = { x: 800 + (under.x - 300) / scale, y: 600 + (under.y - 250) / scale }
    const after = seen(point, PICTURE, zoomView(STILL, 3, about))
    expect(after.x).toBeCloseTo(under.x, 0)
    expect(after.y).toBeCloseTo(under.y, 0)
    expect(zoomView(STILL, 50).zoom).toBe(8)
    expect(moveView(STILL, 9, 9)).toMatchObject({ x: 0.5, y: 0.5 })
    expect(rotateView({ ...STILL, turn: 270 }).turn).toBe(0)
  })

  test.each([0, 90] as const)('jumps to a field, turned by %i', (turn) => {
    const box = { x: 200, y: 300, width: 300, height: 40 }
    const view = viewOfField(PICTURE, GLASS, { ...STILL, turn }, box)
    const middle = seen({ x: 350, y: 320 }, PICTURE, view)
    expect(view.zoom).toBeGreaterThan(2)
    expect(middle.x).toBeCloseTo(300, 0)
    expect(middle.y).toBeCloseTo(250, 0)
  })
})

describe('a key in the viewer', () => {
  const stroke = (key: string, more: object = {}) => ({
    key,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    ...more,
  })
  test('picks, turns and moves, and decides nothing', () => {
    expect(actOfKey(stroke('3'), true)).toEqual({ what: 'pick', image: 2 })
    expect(actOfKey(stroke('Z'), true)).toEqual({ what: 'zoom' })
    expect(actOfKey(stroke('Enter'), true)).toBeNull()
    expect(actOfKey(stroke('Enter', { ctrlKey: true }), true)).toBeNull()
    expect(actOfKey(stroke('r', { ctrlKey: true }), true)).toBeNull()
  })
  test('that is a letter can be switched off; arrows stay', () => {
    expect(actOfKey(stroke('z'), false)).toBeNull()
    expect(actOfKey(stroke('ArrowUp'), false)).toMatchObject({ what: 'move' })
  })
})
