/** The arithmetic under the geometry of liveness, against results that are known beforehand. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../server/tools/specimen/head/noise.ts'
import { mapPoint, type Homography } from '../../../../server/vision/documents/outline/warp.ts'
import { followPoints } from '../../../../server/vision/liveness/follow-points.ts'
import { fitHomography } from '../../../../server/vision/liveness/homography-fit.ts'
import { product, solveSymmetric } from '../../../../server/vision/liveness/linear.ts'
import { evenLight, buildPyramid } from '../../../../server/vision/liveness/patch.ts'
import { rotationAbout, rotationBetween } from '../../../../server/vision/liveness/rotation.ts'

describe('a symmetric system', () => {
  test('is solved', () => {
    const a = Float64Array.from([4, 0, 0, 2, 5, 0, -1, 1, 6])
    const x = solveSymmetric(a, Float64Array.from([5, 15, 19]), 3)
    const [p, q, r] = x ?? []
    expect(4 * p + 2 * q - r).toBeCloseTo(5)
    expect(2 * p + 5 * q + r).toBeCloseTo(15)
    expect(-p + q + 6 * r).toBeCloseTo(19)
  })

  test('that determines nothing has no solution', () => {
    expect(solveSymmetric(Float64Array.from([1, 0, 2, 4]), Float64Array.from([1, 2]), 2)).toBeNull()
  })
})

describe('a rotation', () => {
  const random = createRandom(11)
  const cloud = Array.from({ length: 60 }, () => ({ x: random() * 10, y: random() * 8, z: random() * 3 }))

  test.each([5, 40, 120, 178])('of %d degrees is found again from the points it moved', (degrees) => {
    const angle = (degrees * Math.PI) / 180
    const turn = product(rotationAbout(angle * 0.6, 0, 0), rotationAbout(0, angle * 0.6, angle * 0.3))
    const moved = cloud.map(({ x, y, z }) => ({
      x: turn[0] * x + turn[1] * y + turn[2] * z + 4,
      y: turn[3] * x + turn[4] * y + turn[5] * z - 7,
      z: turn[6] * x + turn[7] * y + turn[8] * z + 1,
    }))
    rotationBetween(cloud, moved).forEach((value, i) => expect(value).toBeCloseTo(turn[i], 3))
  })

  test('of points that all coincide is the identity', () => {
    const point = { x: 1, y: 2, z: 3 }
    expect(rotationBetween([point, point], [point, point])).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1])
  })
})

describe('a homography', () => {
  const MAP: Homography = [1.2, 0.1, 30, -0.05, 0.9, 12, 0.0004, -0.0002, 1]
  const random = createRandom(3)
  const points = Array.from({ length: 50 }, () => ({ x: random() * 640, y: random() * 480 }))

  test('is found from the points that it moved', () => {
    const fitted = fitHomography(
      points,
      points.map((point) => mapPoint(MAP, point)),
    )
    for (const point of points) {
      const [expected, found] = [mapPoint(MAP, point), mapPoint(fitted ?? MAP, point)]
      expect(found.x).toBeCloseTo(expected.x, 4)
      expect(found.y).toBeCloseTo(expected.y, 4)
    }
    expect(fitted).not.toBeNull()
  })

  test('of points on one line is not determined', () => {
    const line = points.map(({ x }) => ({ x, y: 2 * x }))
    expect(fitHomography(line, line)).toBeNull()
  })

  test('after another is their chain', () => {
    const shift: Homography = [1, 0, 5, 0, 1, -3, 0, 0, 1]
    const chained = mapPoint(product(MAP, shift), { x: 10, y: 20 })
    const expected = mapPoint(MAP, { x: 15, y: 17 })
    expect(chained.x).toBeCloseTo(expected.x, 9)
    expect(chained.y).toBeCloseTo(expected.y, 9)
  })
})

describe('points that are followed', () => {
  const [WIDTH, HEIGHT] = [160, 140]
  const random = createRandom(21)
  const waves = Array.from({ length: 14 }, () => ({
    x: (random() - 0.5) * 0.5,
    y: (random() - 0.5) * 0.5,
    phase: random() * 7,
  }))
  /** The same texture, shifted and lit otherwise. */
  const textureAt = (dx: number, dy: number, gain = 1) =>
    buildPyramid(
      evenLight(
        Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
          const [x, y] = [(i % WIDTH) - dx, Math.floor(i / WIDTH) - dy]
          return gain * (120 + waves.reduce((sum, w) => sum + 9 * Math.sin(w.x * x + w.y * y + w.phase), 0))
        }),
        WIDTH,
        HEIGHT,
      ),
      WIDTH,
      HEIGHT,
      2,
    )
  const POINTS = [50, 70, 90, 110].flatMap((x) => [50, 70, 90].map((y) => ({ x, y })))

  test.each([
    [0.4, -0.3],
    [3.2, 2.7],
    [-9.5, 6.25],
  ])('are found where the picture was shifted by %d, %d', (dx, dy) => {
    const found = followPoints(textureAt(0, 0), textureAt(dx, dy, 0.7), POINTS)
    expect(found.filter((point) => point !== null).length).toBeGreaterThanOrEqual(10)
    found.forEach((point, i) => {
      if (point === null) return
      expect(Math.abs(point.x - POINTS[i].x - dx)).toBeLessThan(0.3)
      expect(Math.abs(point.y - POINTS[i].y - dy)).toBeLessThan(0.3)
    })
  })

  test('are lost where there is no texture, and where there is another one', () => {
    const blank = buildPyramid(new Float32Array(WIDTH * HEIGHT).fill(128), WIDTH, HEIGHT, 2)
    expect(followPoints(blank, blank, POINTS).every((point) => point === null)).toBe(true)
    const elsewhere = followPoints(textureAt(0, 0), textureAt(300, 170), POINTS)
    expect(elsewhere.filter((point) => point !== null).length).toBeLessThan(6)
  })
})
