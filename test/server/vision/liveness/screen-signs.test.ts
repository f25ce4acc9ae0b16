/** Signs of a display: a scene that moves, and an edge before the person. Painted pictures, no person. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../server/tools/specimen/head/noise.ts'
import type { FaceView } from '../../../../server/vision/liveness/face-depth.ts'
import { measureFrontEdge } from '../../../../server/vision/liveness/measure-front-edge.ts'
import { measureMovedScene } from '../../../../server/vision/liveness/measure-moved-scene.ts'

const [WIDTH, HEIGHT] = [640, 480]
const FACE = { left: 270, right: 370, top: 150, bottom: 280 }
const BODY = { left: 190, right: 450, top: 300 }

type Paint = (x: number, y: number) => number

/** A wall with things on it whose edges are as soft as a camera's. */
const wall: Paint = (x, y) => 120 + 50 * clip(Math.sin(x / 23) * 4) + 30 * clip(Math.sin(y / 31 + x / 90) * 4)
const clip = (value: number): number => Math.max(-1, Math.min(1, value))
const plain: Paint = () => 120

function view(paint: Paint, { noise = 3, seed = 1, size = 1 } = {}): FaceView {
  const random = createRandom(seed)
  const [width, height] = [WIDTH * size, HEIGHT * size]
  const data = new Uint8Array(width * height * 3)
  for (let y = 0, o = 0; y < height; y++)
    for (let x = 0; x < width; x++, o += 3) {
      const value = paint(x / size, y / size) + (random() + random() - 1) * 2.4 * noise
      data[o] = data[o + 1] = data[o + 2] = Math.max(0, Math.min(255, value))
    }
  const points = [
    { x: FACE.left * size, y: FACE.top * size, z: 0 },
    { x: FACE.right * size, y: FACE.bottom * size, z: 0 },
  ]
  return { picture: { data, width, height }, mesh: { confidence: 1, points } }
}

const shifted =
  (paint: Paint, byX: number, byY: number): Paint =>
  (x, y) =>
    paint(x - byX, y - byY)
const series = (paints: readonly Paint[], options = {}) =>
  paints.map((paint, i) => view(paint, { seed: i + 2, ...options }))

describe('the scene behind the person', () => {
  test('stands still before a fixed camera, whatever its noise', () => {
    expect(measureMovedScene(view(wall), series([wall, wall, wall]))).toBeLessThan(0.05)
    const noisy = { noise: 9 }
    expect(measureMovedScene(view(wall, noisy), series([wall, wall, wall], noisy))).toBeLessThan(0.1)
  })

  test('stands still while exposure and contrast change', () => {
    const darker: Paint = (x, y) => 20 + wall(x, y) * 0.6
    expect(measureMovedScene(view(wall), series([darker, darker, darker]))).toBeLessThan(0.05)
  })

  test('moves with a hand, by two pixels or by twenty', () => {
    for (const by of [2, 20]) {
      const paints = [shifted(wall, by, 0), shifted(wall, -by, by / 2), shifted(wall, by / 2, -by)]
      expect(measureMovedScene(view(wall), series(paints))).toBeGreaterThan(0.5)
    }
  })

  test('may be crossed by a person in one picture of three', () => {
    const crossed: Paint = (x, y) => (x < 260 ? 200 : wall(x, y))
    expect(measureMovedScene(view(wall), series([wall, crossed, wall]))).toBeLessThan(0.05)
  })

  test('is not known before a plain wall, from two views, or from pictures of another size', () => {
    expect(measureMovedScene(view(plain), series([plain, plain, plain]))).toBeNull()
    expect(measureMovedScene(view(wall), series([wall, wall]))).toBeNull()
    expect(measureMovedScene(view(wall), series([wall, wall, wall], { size: 1.5 }))).toBeNull()
  })

  test('is measured alike in a picture of twice the size', () => {
    const large = { size: 2 }
    expect(measureMovedScene(view(wall, large), series([wall, wall, wall], large))).toBeLessThan(0.05)
    const paints = [shifted(wall, 4, 0), shifted(wall, -4, 2), shifted(wall, 2, -4)]
    expect(measureMovedScene(view(wall, large), series(paints, large))).toBeGreaterThan(0.7)
  })
})

describe('an edge before the person', () => {
  const isBody = (x: number, y: number) => y > BODY.top && x > BODY.left && x < BODY.right
  const person: Paint = (x, y) => (isBody(x, y) ? 90 : 150)
  const framed: Paint = (x, y) => (y > 430 + 0.03 * (x - 320) || x < 30 ? 20 : person(x, y))

  test('runs across the body at the lower edge of a display', () => {
    expect(measureFrontEdge(view(framed))).toBeGreaterThan(0.92)
    expect(measureFrontEdge(view(framed, { size: 2 }))).toBeGreaterThan(0.92)
  })

  test('ends at the body where a desk, a frame or a monitor is behind the person', () => {
    const behind: Paint = (x, y) => (isBody(x, y) ? 90 : y > 430 || x < 30 || x > 600 || y < 40 ? 20 : 150)
    expect(measureFrontEdge(view(behind))).toBeLessThan(0.6)
  })

  test('is not seen in striped clothes before blinds', () => {
    const striped: Paint = (_, y) => (y % 24 < 12 ? 60 : 160)
    expect(measureFrontEdge(view(striped))).toBeLessThan(0.6)
  })

  test('is not taken from a counter that meets no upright edge', () => {
    expect(measureFrontEdge(view((x, y) => (y > 430 ? 20 : person(x, y))))).toBeLessThan(0.6)
  })

  test('is not looked for where the face leaves no place', () => {
    const near = view(person)
    const points = [
      { x: 150, y: 20, z: 0 },
      { x: 490, y: 460, z: 0 },
    ]
    expect(measureFrontEdge({ ...near, mesh: { ...near.mesh, points } })).toBeNull()
  })
})
