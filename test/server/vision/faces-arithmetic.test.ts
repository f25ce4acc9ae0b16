import { expect, test } from 'vitest'
import { applyAffine, chipToPhoto, DLIB_CHIP_150, fitSimilarity } from '../../../server/vision/faces/align.ts'
import type { FourPoints } from '../../../server/vision/faces/align.ts'
import { decodeBlazeface } from '../../../server/vision/faces/blazeface.ts'
import { listTiles } from '../../../server/vision/faces/detect.ts'
import { normalise } from '../../../server/vision/faces/embed.ts'
import {
  intersectionOverSmaller,
  intersectionOverUnion,
  suppressOverlaps,
} from '../../../server/vision/faces/nms.ts'
import { padCrop, padInput, softmax } from '../../../server/vision/faces/pad.ts'
import type { MeshPoint } from '../../../server/vision/faces/pose.ts'
import { alignmentPoints, stateOfMesh } from '../../../server/vision/faces/pose.ts'
import { measureQuality } from '../../../server/vision/faces/quality.ts'
import { cosineSimilarity, fuseScores, isAtOrBeyond } from '../../../server/vision/faces/scores.ts'
import type { Raster } from '../../../server/vision/raster.ts'

const close = (actual: readonly number[], expected: readonly number[]): void => {
  expect(actual).toHaveLength(expected.length)
  actual.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 9))
}
const square = [
  { x: 0, y: 0 },
  { x: 10, y: 0 },
  { x: 10, y: 10 },
  { x: 0, y: 10 },
]

test('Umeyama recovers a known turn, scale and shift', () => {
  const angle = 0.7
  const known = [
    3 * Math.cos(angle),
    -3 * Math.sin(angle),
    40,
    3 * Math.sin(angle),
    3 * Math.cos(angle),
    -7,
  ] as const
  close(
    fitSimilarity(
      square,
      square.map((point) => applyAffine(known, point)),
    ),
    known,
  )
})

test('Umeyama never answers a mirror image, even where it would fit exactly', () => {
  const mirrored = square.map(({ x, y }) => ({ x: -x, y }))
  const [a, b, , d, e] = fitSimilarity(square, mirrored)
  expect(a * e - b * d).toBeGreaterThanOrEqual(0)
})

test('Umeyama spreads the error of a displaced point over all: the centre of mass stays', () => {
  const displaced = square.map((point, i) => (i === 2 ? { x: 12, y: 14 } : point))
  const centre = applyAffine(fitSimilarity(square, displaced), { x: 5, y: 5 })
  close([centre.x, centre.y], [5.5, 6])
})

test('points that coincide cannot be aligned', () => {
  expect(() => fitSimilarity([square[0], square[0]], [square[0], square[1]])).toThrow(TypeError)
})

test('a face that already lies like the template is taken as it is', () => {
  close(chipToPhoto(DLIB_CHIP_150.points, DLIB_CHIP_150), [1, 0, 0, 0, 1, 0])
  const doubled = DLIB_CHIP_150.points.map(({ x, y }) => ({
    x: 2 * x + 5,
    y: 2 * y,
  })) as unknown as FourPoints
  close(chipToPhoto(doubled, DLIB_CHIP_150), [2, 0, 5, 0, 2, 0])
})

const box = (x: number, y: number, width: number, height: number) => ({ x, y, width, height })

test('overlap of boxes: none, half, inside', () => {
  expect(intersectionOverUnion(box(0, 0, 10, 10), box(10, 0, 10, 10))).toBe(0)
  expect(intersectionOverUnion(box(0, 0, 10, 10), box(5, 0, 10, 10))).toBeCloseTo(1 / 3)
  expect(intersectionOverUnion(box(0, 0, 10, 10), box(2, 2, 5, 5))).toBeCloseTo(0.25)
  expect(intersectionOverSmaller(box(0, 0, 10, 10), box(2, 2, 5, 5))).toBe(1)
})

test('of overlapping detections the best stays, a distant one stays too', () => {
  const detections = [
    { id: 'weak', box: box(1, 1, 10, 10), score: 0.8 },
    { id: 'best', box: box(0, 0, 10, 10), score: 0.9 },
    { id: 'far', box: box(50, 50, 10, 10), score: 0.7 },
  ]
  expect(suppressOverlaps(detections, 0.3).map(({ id }) => id)).toEqual(['best', 'far'])
})

test('BlazeFace: an anchor of the fine grid and one of the coarse grid become boxes and points', () => {
  const logits: [Float32Array, Float32Array] = [
    new Float32Array(512).fill(-9),
    new Float32Array(384).fill(-9),
  ]
  const regressions: [Float32Array, Float32Array] = [new Float32Array(512 * 16), new Float32Array(384 * 16)]
  logits[0][2 * 17] = 3 // first anchor of cell (1, 1) of 16 × 16
  regressions[0].set([16, 0, 64, 32, -8, 4], 2 * 17 * 16)
  logits[1][6 * 63 + 5] = 0 // last anchor of the last cell of 8 × 8
  const [fine, coarse, ...rest] = decodeBlazeface(logits, regressions, 0.4)
  expect(rest).toEqual([])
  expect(fine.score).toBeCloseTo(1 / (1 + Math.exp(-3)))
  const centre = 1.5 / 16
  close([fine.box.x, fine.box.y], [centre + 16 / 256 - 0.125, centre - 0.0625])
  close([fine.landmarks.rightEye.x, fine.landmarks.rightEye.y], [centre - 8 / 256, centre + 4 / 256])
  expect(coarse.score).toBe(0.5)
  close([coarse.box.x, coarse.box.y], [7.5 / 8, 7.5 / 8])
})

test('tiles cover the picture to its edges and overlap by half', () => {
  const tiles = listTiles(1200, 800, 2)
  expect(tiles.every(({ side }) => side === 600)).toBe(true)
  expect(Math.max(...tiles.map(({ x, side }) => x + side))).toBe(1200)
  expect(Math.max(...tiles.map(({ y, side }) => y + side))).toBe(800)
  expect(new Set(tiles.map(({ x }) => x))).toEqual(new Set([0, 300, 600]))
  expect(listTiles(200, 200, 2)).toEqual([])
})

test('the fused score is 0 for an average stranger by both networks, and dlib weighs more than MobileFaceNet', () => {
  expect(fuseScores(0.0124, 0.841)).toBeCloseTo(0)
  expect(fuseScores(0.0124 + 0.1027, 0.841 + 0.0338)).toBeCloseTo(1)
  expect(fuseScores(0.0124 + 0.1027, 0.841)).toBeCloseTo(0.4)
})

test('cosines of known vectors', () => {
  const [a, b] = [normalise(Float32Array.of(3, 4)), normalise(Float32Array.of(4, 3))]
  expect(cosineSimilarity(a, b)).toBeCloseTo(24 / 25)
})

test('a distance matches at or below its threshold, a similarity at or above; what is no number never matches', () => {
  expect(isAtOrBeyond('euclidean-distance', 0.6, 0.6)).toBe(true)
  expect(isAtOrBeyond('euclidean-distance', 0.61, 0.6)).toBe(false)
  expect(isAtOrBeyond('fused-z', 2.82, 2.82)).toBe(true)
  expect(isAtOrBeyond('fused-z', 2.81, 2.82)).toBe(false)
  for (const measure of ['euclidean-distance', 'cosine-similarity', 'fused-z'] as const)
    expect(isAtOrBeyond(measure, NaN, 0.6)).toBe(false)
})

/** A mesh of which only the points that are read matter: a frontal face turned about its centre. */
function mesh(turn: { yaw?: number; pitch?: number; roll?: number; eye?: number }): MeshPoint[] {
  const points: MeshPoint[] = Array.from({ length: 468 }, () => ({ x: 0, y: 0, z: 0 }))
  const set = (index: number, x: number, y: number, z = 0) => void (points[index] = { x, y, z })
  set(234, -70, 0)
  set(454, 70, 0)
  set(10, 0, -90)
  set(152, 0, 90)
  const eye = ([outer, a, b, inner, c, d]: number[], centre: number, side: number) => {
    const open = turn.eye ?? 4
    set(outer, centre - 15 * side, -20)
    set(inner, centre + 15 * side, -20)
    set(a, centre - 5 * side, -20 - open)
    set(b, centre + 5 * side, -20 - open)
    set(c, centre + 5 * side, -20 + open)
    set(d, centre - 5 * side, -20 + open)
  }
  eye([33, 160, 158, 133, 153, 144], -30, 1)
  eye([362, 385, 387, 263, 373, 380], 30, 1)
  set(13, 0, 38)
  set(14, 0, 42)
  set(78, -20, 40)
  set(308, 20, 40)
  set(61, -22, 40)
  set(291, 22, 40)
  set(4, 0, 10)
  const [yaw, pitch, roll] = [turn.yaw ?? 0, turn.pitch ?? 0, turn.roll ?? 0].map(
    (deg) => (deg * Math.PI) / 180,
  )
  return points.map(({ x, y, z }) => {
    // pitch down about the x axis, yaw to the image's left about the y axis, roll clockwise in the image
    const [y1, z1] = [y * Math.cos(pitch) - z * Math.sin(pitch), z * Math.cos(pitch) + y * Math.sin(pitch)]
    const [x2, z2] = [x * Math.cos(yaw) + z1 * Math.sin(yaw), z1 * Math.cos(yaw) - x * Math.sin(yaw)]
    return {
      x: x2 * Math.cos(roll) - y1 * Math.sin(roll),
      y: y1 * Math.cos(roll) + x2 * Math.sin(roll),
      z: z2,
    }
  })
}
/** The mesh's own lean of a frontal face, taken off by the code under test. */
const FRONTAL = 10

test('pose signs: to the image left, down, and clockwise are positive', () => {
  expect(stateOfMesh(mesh({}))).toMatchObject({ yawDeg: -0, rollDeg: 0 })
  expect(stateOfMesh(mesh({})).pitchDeg).toBeCloseTo(-FRONTAL)
  expect(stateOfMesh(mesh({ yaw: 25 })).yawDeg).toBeCloseTo(25)
  expect(stateOfMesh(mesh({ roll: 12 })).rollDeg).toBeCloseTo(12)
  expect(stateOfMesh(mesh({ pitch: 15 })).pitchDeg).toBeCloseTo(15 - FRONTAL)
})

test('a face that looks to the image left has its far side on that side', () => {
  // On that side the head turns away from the camera, so it has the larger depth.
  const turned = mesh({ yaw: 30 })
  expect(turned[234].z).toBeGreaterThan(turned[454].z)
})

test('eyes and mouth: closing the lids lowers the ratio in proportion', () => {
  const open = stateOfMesh(mesh({ eye: 4 }))
  const half = stateOfMesh(mesh({ eye: 2 }))
  expect(open.eyeOpenness).toBeCloseTo(8 / 30)
  expect(half.eyeOpenness / open.eyeOpenness).toBeCloseTo(0.5)
  expect(open.mouthOpenness).toBeCloseTo(0.1)
})

test('alignment points are the eye centres, the nose tip and the middle of the mouth', () => {
  const points = alignmentPoints(mesh({}))
  close(
    points.flatMap(({ x, y }) => [x, y]),
    [-30, -20, 30, -20, 0, 10, 0, 40],
  )
})

test('the attack detector gets its whole surrounding where there is room', () => {
  expect(padCrop(box(400, 400, 100, 100), 2.7, 1000, 1000)).toEqual(box(315, 315, 271, 271))
})

test('near an edge the surrounding is shifted inside, never padded; a large face shrinks it', () => {
  const corner = padCrop(box(0, 0, 100, 100), 2.7, 1000, 1000)
  expect([corner.x, corner.y]).toEqual([0, 0])
  expect(corner.width).toBe(271)
  const right = padCrop(box(900, 450, 100, 100), 4, 1000, 1000)
  expect(right.x + right.width).toBe(1000)
  const large = padCrop(box(100, 100, 400, 400), 4, 600, 500)
  expect(large.x + large.width).toBeLessThanOrEqual(600)
  expect(large.y + large.height).toBeLessThanOrEqual(500)
})

test('the attack detector sees blue, green, red planes of unscaled values', () => {
  const raster: Raster = { width: 80, height: 80, data: new Uint8Array(80 * 80 * 3) }
  for (let i = 0; i < raster.data.length; i += 3) raster.data.set([200, 100, 50], i)
  const planes = padInput(raster, box(0, 0, 80, 80))
  expect([planes[0], planes[6400], planes[12800]]).toEqual([50, 100, 200])
})

test('softmax adds up to one and survives large numbers', () => {
  const shares = softmax(Float32Array.of(1000, 1000, -1000))
  close(shares, [0.5, 0.5, 0])
})

const filled = (value: (x: number, y: number) => number): Raster => ({
  width: 60,
  height: 60,
  data: Uint8Array.from({ length: 60 * 60 * 3 }, (_, i) =>
    value(Math.floor(i / 3) % 60, Math.floor(i / 180)),
  ),
})

test('quality: a grey sheet is flat, a white one is clipped', () => {
  expect(
    measureQuality(
      filled(() => 90),
      box(0, 0, 60, 60),
    ),
  ).toEqual({
    luminanceMean: 90,
    clippedShare: 0,
    sharpness: 0,
  })
  expect(
    measureQuality(
      filled(() => 255),
      box(0, 0, 60, 60),
    ).clippedShare,
  ).toBe(1)
})

test('quality: hard stripes are sharp, the same stripes blurred less, and contrast does not count', () => {
  const whole = box(0, 0, 60, 60)
  const hard = measureQuality(
    filled((x) => (x % 12 < 6 ? 40 : 200)),
    whole,
  ).sharpness
  const pale = measureQuality(
    filled((x) => (x % 12 < 6 ? 90 : 130)),
    whole,
  ).sharpness
  const soft = measureQuality(
    filled((x) => 120 + 80 * Math.sin((x * Math.PI) / 6)),
    whole,
  ).sharpness
  expect(hard).toBeCloseTo(4, 1)
  expect(pale).toBeCloseTo(hard, 1)
  expect(soft).toBeLessThan(hard * 0.7)
})
