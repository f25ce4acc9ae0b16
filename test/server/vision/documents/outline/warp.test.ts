import { describe, expect, test } from 'vitest'
import type { Point, Quad } from '../../../../../server/vision/protocol.ts'
import type { Raster } from '../../../../../server/vision/raster.ts'
import {
  homography,
  invert,
  mapPoint,
  estimatePose,
  quadAspect,
  turnQuad,
  warpQuad,
} from '../../../../../server/vision/documents/outline/warp.ts'

const PICTURE = { width: 1920, height: 1080 }
const radians = (deg: number) => (deg * Math.PI) / 180

/** A page of the given proportions, turned about both of its middle lines and seen by a camera. */
function photographed(aspect: number, pitchDeg: number, yawDeg: number, focalPerSide = 0.8): Quad {
  const focal = focalPerSide * PICTURE.width
  const [p, y] = [radians(pitchDeg), radians(yawDeg)]
  const corners = [
    [-aspect, -1],
    [aspect, -1],
    [aspect, 1],
    [-aspect, 1],
  ]
  return corners.map(([u, v]): Point => {
    const x = u * Math.cos(y)
    const z = u * Math.sin(y)
    const depth = 5 + z * Math.cos(p) + v * Math.sin(p)
    const down = v * Math.cos(p) - z * Math.sin(p)
    return { x: PICTURE.width / 2 + (focal * x) / depth, y: PICTURE.height / 2 + (focal * down) / depth }
  }) as unknown as Quad
}

/** The angle between the page's normal and the axis after both turns. */
const tiltOf = (pitchDeg: number, yawDeg: number) =>
  (Math.acos(Math.cos(radians(pitchDeg)) * Math.cos(radians(yawDeg))) * 180) / Math.PI

/** A smooth picture, so that resampling twice loses little. */
function waves(width: number, height: number): Raster {
  const data = new Uint8Array(width * height * 3)
  for (let y = 0, i = 0; y < height; y++)
    for (let x = 0; x < width; x++, i += 3) {
      data[i] = 128 + 90 * Math.sin(x / 17) * Math.cos(y / 23)
      data[i + 1] = 128 + 90 * Math.cos(x / 29)
      data[i + 2] = 128 + 90 * Math.sin(y / 31)
    }
  return { data, width, height }
}

describe('the homography of a quadrilateral', () => {
  const quad: Quad = [
    { x: 120, y: 80 },
    { x: 810, y: 130 },
    { x: 760, y: 560 },
    { x: 60, y: 470 },
  ]

  test('takes the corners of the unit square to the corners, and its inverse back', () => {
    const map = homography(quad)
    if (map === null) throw new Error('no map')
    const back = invert(map)
    if (back === null) throw new Error('no inverse')
    const square = [0, 1, 2, 3].map((i) => ({ x: i === 1 || i === 2 ? 1 : 0, y: i > 1 ? 1 : 0 }))
    square.forEach((corner, i) => {
      const there = mapPoint(map, corner)
      expect(there.x).toBeCloseTo(quad[i].x, 6)
      expect(there.y).toBeCloseTo(quad[i].y, 6)
      expect(mapPoint(back, there).x).toBeCloseTo(corner.x, 6)
      expect(mapPoint(back, there).y).toBeCloseTo(corner.y, 6)
    })
  })

  test('is null for corners on one line', () => {
    const flat = [0, 1, 2, 3].map((i) => ({ x: i * 10, y: i * 5 })) as unknown as Quad
    expect(homography(flat)).toBeNull()
    expect(estimatePose(flat, PICTURE)).toBeNull()
  })

  test('four turns of its content come back to where they began', () => {
    expect(turnQuad(quad, 1)[0]).toEqual(quad[3])
    expect(turnQuad(quad, 2)[0]).toEqual(quad[2])
    expect(turnQuad(turnQuad(quad, 3), 1)).toEqual(quad)
  })
})

describe('a page that is straightened', () => {
  test('shows what was there, pixel for pixel, where the quad is the picture', () => {
    const picture = waves(300, 200)
    const whole: Quad = [
      { x: 0, y: 0 },
      { x: 300, y: 0 },
      { x: 300, y: 200 },
      { x: 0, y: 200 },
    ]
    expect(warpQuad(picture, whole, 300, 200).data).toEqual(picture.data)
  })

  test('shows each place of the page where the homography puts it', () => {
    const picture = waves(900, 700)
    const quad: Quad = [
      { x: 140, y: 90 },
      { x: 800, y: 150 },
      { x: 770, y: 600 },
      { x: 90, y: 520 },
    ]
    const page = warpQuad(picture, quad, 680, 450)
    const map = homography(quad)
    if (map === null) throw new Error('no map')
    for (const [x, y] of [
      [10, 10],
      [340, 225],
      [670, 440],
      [50, 400],
    ]) {
      const place = mapPoint(map, { x: (x + 0.5) / 680, y: (y + 0.5) / 450 })
      const truth = 128 + 90 * Math.cos((place.x - 0.5) / 29)
      expect(Math.abs(page.data[(y * 680 + x) * 3 + 1] - truth)).toBeLessThan(2)
    }
  })

  test('is averaged where it shrinks: a fine chequerboard becomes grey, not a pattern', () => {
    const data = new Uint8Array(800 * 600 * 3)
    for (let y = 0, i = 0; y < 600; y++)
      for (let x = 0; x < 800; x++, i += 3) data.fill((x + y) % 2 ? 255 : 0, i, i + 3)
    const page = warpQuad(
      { data, width: 800, height: 600 },
      [
        { x: 0, y: 0 },
        { x: 800, y: 10 },
        { x: 790, y: 600 },
        { x: 10, y: 590 },
      ],
      133,
      97,
    )
    expect(Math.min(...page.data)).toBeGreaterThan(110)
    expect(Math.max(...page.data)).toBeLessThan(146)
  })

  test('repeats the border where the page leaves the picture', () => {
    const page = warpQuad(
      { data: new Uint8Array(100 * 100 * 3).fill(77), width: 100, height: 100 },
      [
        { x: -50, y: -50 },
        { x: 150, y: -50 },
        { x: 150, y: 150 },
        { x: -50, y: 150 },
      ],
      60,
      60,
    )
    expect(new Set(page.data)).toEqual(new Set([77]))
  })
})

describe('the pose of a page', () => {
  test.each([
    [0, 0],
    [25, 0],
    [0, 30],
    [20, 20],
    [-35, 15],
    [40, -25],
  ])('turned by %i and %i degrees gives its proportions and its tilt', (pitch, yaw) => {
    for (const aspect of [85.6 / 53.98, 105 / 74, 88 / 125]) {
      const pose = estimatePose(photographed(aspect, pitch, yaw), PICTURE)
      expect(Math.abs((pose?.aspect ?? 0) / aspect - 1)).toBeLessThan(0.02)
      expect(Math.abs((pose?.tiltDeg ?? 99) - tiltOf(pitch, yaw))).toBeLessThan(1)
    }
  })

  test('comes from another focal length too where both pairs of sides run together', () => {
    const pose = estimatePose(photographed(1.42, 30, 30, 1.6), PICTURE)
    expect(Math.abs((pose?.aspect ?? 0) / 1.42 - 1)).toBeLessThan(0.04)
    expect(quadAspect(photographed(1.42, 30, 30, 1.6), PICTURE)).toBe(pose?.aspect)
  })
})
