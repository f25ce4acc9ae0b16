/** Compares the empty scene with a picture of a person, on pictures that are painted here. */
import { describe, expect, test } from 'vitest'
import { measureSceneChange } from '../../../../server/vision/liveness/measure-scene.ts'
import type { Raster } from '../../../../server/vision/raster.ts'
import { painted, paintedFace, type Colour } from '../faces/painted-face.ts'

const [WIDTH, HEIGHT] = [640, 480]
const CENTRE = { x: 320, y: 260 }
const face = paintedFace(CENTRE, 150)

type Place = (x: number, y: number) => Colour
const room: Place = (x, y) => {
  if (x > 60 && x < 170 && y > 40 && y < 300) return [120, 80, 50]
  if (x > 450 && x < 600 && (x + y) % 40 < 20) return [60, 110, 90]
  return [170, 165, 155]
}
const otherRoom: Place = (x, y) => (Math.floor(x / 45 + y / 35) % 2 ? [70, 60, 110] : [150, 190, 200])
const person: Place = (x, y) => (Math.hypot(x - 320, (y - 260) / 1.4) < 75 ? [190, 140, 110] : [40, 40, 60])
const isPerson = (x: number, y: number) =>
  Math.hypot(x - 320, (y - 260) / 1.4) < 80 || (y > 360 && Math.abs(x - 320) < 200)
const lit = (place: Place, [r, g, b]: Colour): Place => {
  const dim = (value: number, times: number) => Math.min(255, value * times)
  return (x, y) => {
    const at = place(x, y)
    return [dim(at[0], r), dim(at[1], g), dim(at[2], b)]
  }
}
const before =
  (behind: Place): Place =>
  (x, y) =>
    isPerson(x, y) ? person(x, y) : behind(x, y)
const picture = (place: Place, width = WIDTH, height = HEIGHT): Raster => painted(width, height, place)
const empty = picture(room)

describe('the scene behind a person', () => {
  test('is the empty scene where nothing but the person came', () => {
    expect(measureSceneChange(picture(before(room)), face, empty)).toBeLessThan(0.05)
  })

  test('is the empty scene after the camera changed its exposure and white balance', () => {
    const warmer = picture(lit(before(room), [0.8, 0.72, 0.6]))
    expect(measureSceneChange(warmer, face, empty)).toBeLessThan(0.05)
  })

  test('is another one where a tablet or a print covers it', () => {
    expect(measureSceneChange(picture(before(otherRoom)), face, empty)).toBeGreaterThan(0.7)
  })

  test('differs in a part if a person passes by', () => {
    const passer: Place = (x, y) => (x > 520 && y > 100 ? [30, 30, 35] : before(room)(x, y))
    const change = measureSceneChange(picture(passer), face, empty) ?? 1
    expect(change).toBeGreaterThan(0.05)
    expect(change).toBeLessThan(0.4)
  })

  test('is not judged where the head fills the picture', () => {
    expect(measureSceneChange(picture(before(room)), paintedFace(CENTRE, 420), empty)).toBeNull()
  })

  test('is not judged against the picture of a camera of another shape', () => {
    expect(measureSceneChange(picture(before(room)), face, picture(room, 640, 360))).toBeNull()
  })

  test('is judged against a picture of another size and the same shape', () => {
    const small = painted(320, 240, (x, y) => room(2 * x, 2 * y))
    expect(measureSceneChange(picture(before(room)), face, small)).toBeLessThan(0.08)
  })
})
