/** The drawn display differs from a window onto the recorded scene as a real one does. Uniform recordings, no person. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../../server/tools/specimen/head/noise.ts'
import { drawCamera, FRAME, toRotation } from '../../../../../server/tools/specimen/liveness/camera.ts'
import {
  createHolder,
  drawDisplay,
  drawOnDisplay,
  FILL,
  MOUNTS,
  type Display,
  type Mount,
} from '../../../../../server/tools/specimen/liveness/display.ts'
import { emptyCanvas, type Canvas } from '../../../../../server/tools/specimen/liveness/rasterise.ts'

const CAMERA = { focalPx: FRAME.width, distortion: 0 }
const uniform = (value: number) => ({
  data: new Uint8Array(FRAME.width * FRAME.height * 3).fill(value),
  width: FRAME.width,
  height: FRAME.height,
})
const WALL = 90

/** Fills the view, shows its pixels to no camera, and shines like a perfect panel. */
const PLAIN: Display = {
  ...drawDisplay('STAND', [1.2, 1.2], CAMERA, createRandom(1)),
  panel: { width: 60, height: 45 },
  video: { width: 60, height: 45 },
  distanceCm: 50,
  pitchCm: 0.0055,
  black: 0,
  gamma: 2.2,
  white: [1, 1, 1],
  brightness: 1,
  flicker: { depth: 0, bands: 0 },
  gloss: [],
  sensor: { perPixel: 3, blur: 0.9, skips: false },
  defocusPx: 0,
  fingers: [],
}

function see(display: Display, shown: number): Canvas {
  const canvas = emptyCanvas(uniform(WALL))
  const straight = { x: 0, y: 0, distance: 0, yawDeg: 0, pitchDeg: 0, rollDeg: 0, jaw: 0 }
  const place = { rotation: toRotation(straight), centre: { x: 0, y: 0, z: display.distanceCm } }
  drawOnDisplay(canvas, uniform(shown), display, CAMERA, place, 0)
  return canvas
}

const at = ({ colour }: Canvas, x: number, y: number): readonly number[] => {
  const o = (y * FRAME.width + x) * 3
  return [colour[o], colour[o + 1], colour[o + 2]]
}
const [MIDDLE_X, MIDDLE_Y] = [FRAME.width / 2, FRAME.height / 2]

/** Deviation of a colour along a row or a column, in levels. */
function deviation(canvas: Canvas, channel: number, along: 'ROW' | 'COLUMN'): number {
  const values = Array.from(
    { length: 300 },
    (_, i) => at(canvas, along === 'ROW' ? 100 + i : MIDDLE_X, along === 'ROW' ? MIDDLE_Y : 60 + i)[channel],
  )
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
}

test('a perfect panel gives back what was recorded', () => {
  for (const value of at(see(PLAIN, 128), MIDDLE_X, MIDDLE_Y)) expect(value).toBeCloseTo(128, 0)
})

test('a panel raises black, bends the tones and shines bluish', () => {
  const panel = { ...PLAIN, black: 0.02, gamma: 2.5, white: [0.8, 1, 1.3] as const }
  expect(at(see(panel, 0), MIDDLE_X, MIDDLE_Y)[1]).toBeGreaterThan(35)
  const [red, green, blue] = at(see(panel, 128), MIDDLE_X, MIDDLE_Y)
  expect(green).not.toBeCloseTo(128, 0)
  expect(red).toBeLessThan(green)
  expect(blue).toBeGreaterThan(green)
})

describe('pixels of the panel', () => {
  const coarse = { ...PLAIN, pitchCm: 0.12, sensor: { perPixel: 1, blur: 0.35, skips: true } }

  test('show as stripes that differ by colour where the camera resolves them', () => {
    const canvas = see(coarse, 128)
    expect(deviation(canvas, 0, 'ROW')).toBeGreaterThan(4)
    expect(Math.abs(at(canvas, 101, MIDDLE_Y)[0] - at(canvas, 101, MIDDLE_Y)[2])).toBeGreaterThan(0.5)
  })

  test('show less through a lens that is focused elsewhere', () => {
    expect(deviation(see({ ...coarse, defocusPx: 1.2 }, 128), 0, 'ROW')).toBeLessThan(1)
  })

  test('of a dense phone do not show', () => {
    expect(deviation(see(PLAIN, 128), 0, 'ROW')).toBeLessThan(0.5)
  })
})

test('a dimmed panel shows bands across the rows of a rolling shutter', () => {
  const canvas = see({ ...PLAIN, flicker: { depth: 0.1, bands: 5 } }, 128)
  expect(deviation(canvas, 1, 'COLUMN')).toBeGreaterThan(2)
  expect(deviation(canvas, 1, 'ROW')).toBeLessThan(0.5)
})

test('glass mirrors a lamp', () => {
  const lit = { ...PLAIN, gloss: [{ x: 0, y: 0, size: 0.05, light: 1 }] }
  expect(at(see(lit, 64), MIDDLE_X, MIDDLE_Y)[1]).toBeGreaterThan(
    at(see(PLAIN, 64), MIDDLE_X, MIDDLE_Y)[1] + 50,
  )
})

test('a small display shows its frame, the wall around it and the fingers that hold it; one that fills the view does not', () => {
  const small: Display = {
    ...PLAIN,
    panel: { width: 32, height: 24 },
    video: { width: 32, height: 24 },
    bezelCm: 1,
    bezel: [20, 20, 20],
    fingers: [{ side: 1, at: 0, skin: [200, 150, 120] }],
  }
  const canvas = see(small, 128)
  expect(at(canvas, 10, 10)).toEqual([WALL, WALL, WALL])
  const upperFrame = Math.round(MIDDLE_Y - (12.5 * FRAME.width) / PLAIN.distanceCm)
  expect(at(canvas, MIDDLE_X, upperFrame)).toEqual([20, 20, 20])
  const rightFrame = Math.round(MIDDLE_X + (16.5 * FRAME.width) / PLAIN.distanceCm)
  expect(at(canvas, rightFrame, MIDDLE_Y)[0]).toBeGreaterThan(150)
  expect(see(PLAIN, 128).nearness.every((near) => near > 0)).toBe(true)
})

describe('displays that are drawn', () => {
  const draw = (mount: Mount) =>
    Array.from({ length: 60 }, (_, i) => {
      const random = createRandom(i)
      return drawDisplay(mount, FILL, drawCamera(random), random)
    })

  test.each(MOUNTS)('differ in device, surface and pixels: %s', (mount) => {
    const drawn = draw(mount)
    expect(new Set(drawn.map(({ device }) => device)).size).toBeGreaterThan(2)
    expect(new Set(drawn.map(({ isMatt }) => isMatt)).size).toBe(2)
    expect(Math.max(...drawn.map(({ pitchCm }) => pitchCm))).toBeGreaterThan(
      3 * Math.min(...drawn.map(({ pitchCm }) => pitchCm)),
    )
  })

  test('tremble in a hand, which holds no monitor, and stand still on a stand', () => {
    expect(draw('HAND').every(({ device, tremble }) => device !== 'monitor' && tremble > 0)).toBe(true)
    const places = (display: Display) => {
      const hold = createHolder(display, createRandom(3))
      return [hold(), hold()]
    }
    const [held, heldLater] = places(draw('HAND')[0])
    const [stood, stoodLater] = places(draw('STAND')[0])
    expect(heldLater).not.toEqual(held)
    expect(stoodLater).toEqual(stood)
  })
})
