/** The light on the skin and beside the head, on pictures that are painted here. */
import { describe, expect, test } from 'vitest'
import { measureSkinLight } from '../../../../server/vision/faces/skin-light.ts'
import type { Raster } from '../../../../server/vision/raster.ts'
import { paintedFace, painted, type Colour } from './painted-face.ts'

const [WIDTH, HEIGHT] = [640, 480]
const SKIN: Colour = [190, 140, 110]
const WALL: Colour = [90, 100, 120]
const linear = (step: number): number => ((step / 255 + 0.055) / 1.055) ** 2.4

const face = paintedFace({ x: 320, y: 250 }, 160)
const scene = (skin: Colour, wall: Colour): Raster =>
  painted(WIDTH, HEIGHT, (x, y) => (Math.hypot((x - 320) / 80, (y - 250) / 110) <= 1 ? skin : wall))

describe('the light on a face', () => {
  test('is that of forehead and cheeks, and the surround is that of the wall, as linear light', () => {
    const { skin, surround } = measureSkinLight(scene(SKIN, WALL), face)
    expect(skin?.r).toBeCloseTo(linear(190), 3)
    expect(skin?.b).toBeCloseTo(linear(110), 3)
    expect(surround?.g).toBeCloseTo(linear(100), 3)
  })

  test('is not changed by a gleam on the forehead or a strand of hair across it', () => {
    const plain = scene(SKIN, WALL)
    const spoiled = painted(WIDTH, HEIGHT, (x, y) => {
      if (y > 190 && y < 193) return [20, 15, 10]
      if (Math.hypot(x - 320, y - 185) < 6) return [255, 255, 255]
      const at = (y * WIDTH + x) * 3
      return [plain.data[at], plain.data[at + 1], plain.data[at + 2]]
    })
    expect(measureSkinLight(spoiled, face).skin?.r).toBeCloseTo(linear(190), 2)
  })

  test('keeps its colour when the shading on it changes', () => {
    const lit = (cheeks: number) =>
      measureSkinLight(
        painted(WIDTH, HEIGHT, (_, y) => (y > 235 ? scaled([190, 110, 90], cheeks) : [150, 130, 110])),
        face,
      ).skin
    const dimmed = (step: number, by: number) =>
      Math.round(255 * (1.055 * (linear(step) * by) ** (1 / 2.4) - 0.055))
    const scaled = ([r, g, b]: Colour, by: number): Colour => [dimmed(r, by), dimmed(g, by), dimmed(b, by)]
    const chroma = (cheeks: number) => Math.log((lit(cheeks)?.r ?? 0) / (lit(cheeks)?.g ?? 1))
    expect(chroma(0.6)).toBeCloseTo(chroma(1), 2)
  })

  test('at the edges of the picture comes from the same places wherever the head is, without the head', () => {
    const striped = (x: number): Colour => (x < 60 || x >= 580 ? WALL : x < 200 ? [200, 40, 40] : SKIN)
    const [left, right] = [270, 370].map((x) =>
      measureSkinLight(painted(WIDTH, HEIGHT, striped), paintedFace({ x, y: 250 }, 160)),
    )
    expect(left.edges).toEqual(right.edges)
    expect(left.edges?.g).toBeCloseTo(linear(100), 3)
    expect(left.surround).not.toEqual(right.surround)
    const filling = paintedFace({ x: 320, y: 250 }, 900)
    expect(measureSkinLight(scene(SKIN, WALL), filling).edges).toBeNull()
  })

  test('is unknown where the skin is blown out in one colour', () => {
    expect(measureSkinLight(scene([255, 200, 190], WALL), face).skin).toBeNull()
  })

  test('is unknown where the face lies outside the picture, and so is a surround that the head fills', () => {
    const outside = paintedFace({ x: 3000, y: 250 }, 160)
    expect(measureSkinLight(scene(SKIN, WALL), outside).skin).toBeNull()
    const filling = paintedFace({ x: 320, y: 250 }, 900)
    expect(measureSkinLight(scene(SKIN, WALL), filling).surround).toBeNull()
  })

  test('of a forehead that is cut by the edge of the picture is unknown, and the skin is that of the cheeks', () => {
    const rows = (brow: Colour) => painted(WIDTH, HEIGHT, (_, y) => (y < 12 ? brow : SKIN))
    const cut = [150, 60, 40].map((y) =>
      measureSkinLight(rows([20, 15, 10]), paintedFace({ x: 320, y }, 160)),
    )
    expect(cut.map(({ forehead }) => forehead !== null)).toEqual([true, false, false])
    expect(cut[1].skin?.r).toBeCloseTo(linear(190), 3)
  })

  test('is unknown for a face that is a million pictures tall', () => {
    const tall = face.map(({ x, y }) => ({ x: 320 + (x - 320) / 1e6, y: y * 1e6 }))
    expect(measureSkinLight(scene(SKIN, WALL), tall).skin).toBeNull()
  })

  test('is unknown for points that are no numbers', () => {
    const broken = face.map(() => ({ x: NaN, y: NaN }))
    expect(measureSkinLight(scene(SKIN, WALL), broken)).toEqual({
      skin: null,
      forehead: null,
      surround: null,
      edges: null,
    })
  })
})
