/** Flat, bent and folded sheets have no depth, heads have: on points whose places are computed, with errors of tracking. */
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../server/tools/specimen/head/noise.ts'
import { fitDepth, type DepthProblem } from '../../../../server/vision/liveness/depth-fit.ts'
import { rotationAbout, type Rotation } from '../../../../server/vision/liveness/rotation.ts'
import type { Point } from '../../../../server/vision/protocol.ts'

const CAMERA = { focalLengthPx: 640, centre: { x: 320, y: 240 } }
/** Centimetres. */
const DISTANCE = 45
const TRACKING_ERROR_PX = 0.3

interface Place extends Point {
  readonly z: number
}

/** Points of a face 14 cm wide and 18 high, with the depth of a skull and a nose. */
const GRID: readonly Point[] = Array.from({ length: 18 * 18 }, (_, i) => ({
  x: ((i % 18) / 17 - 0.5) * 13,
  y: (Math.floor(i / 18) / 17 - 0.5) * 16,
})).filter(({ x, y }) => Math.hypot(x / 6.5, y / 8) <= 1)
const headDepth = ({ x, y }: Point): number =>
  4 * (1 - Math.sqrt(Math.max(0, 1 - (x / 8) ** 2 - (y / 11) ** 2))) -
  2.2 * Math.exp(-((x / 1.3) ** 2) - ((y - 1) / 2.2) ** 2)

/** Views that a session of turns and one approach gives: turn about x and y in degrees, metres nearer. */
const MOTIONS = [
  { yaw: 25, pitch: 0, nearer: 0 },
  { yaw: -22, pitch: 2, nearer: 0 },
  { yaw: 1, pitch: 17, nearer: 1 },
  { yaw: 0, pitch: -3, nearer: 15 },
] as const

const radians = (degrees: number) => (degrees * Math.PI) / 180
const turnOf = ({ yaw, pitch }: (typeof MOTIONS)[number]): Rotation =>
  rotationAbout(radians(pitch), radians(yaw), 0)

function seenFrom({ x, y, z }: Place, r: Rotation, nearer: number): Point {
  const tx = r[0] * x + r[1] * y + r[2] * z
  const ty = r[3] * x + r[4] * y + r[5] * z
  const tz = r[6] * x + r[7] * y + r[8] * z + DISTANCE - nearer
  return { x: (640 * tx) / tz + 320, y: (640 * ty) / tz + 240 }
}

/** `surface`: what is really there; the mesh sees a head in anything. `view` counts from 0, the first view. */
function sessionOf(surface: (place: Point, view: number) => Place, seed: number): DepthProblem {
  const random = createRandom(seed)
  const error = () => (random() + random() + random() - 1.5) * 2 * TRACKING_ERROR_PX
  const straight = rotationAbout(0, 0, 0)
  return {
    points: GRID.map((place) => seenFrom(surface(place, 0), straight, 0)),
    depths: GRID.map((place) => (headDepth(place) * 640) / DISTANCE),
    nose: seenFrom(surface({ x: 0, y: 1 }, 0), straight, 0),
    camera: CAMERA,
    views: MOTIONS.map((motion, k) => ({
      rotation: turnOf(motion),
      scale: DISTANCE / (DISTANCE - motion.nearer),
      points: GRID.map((place) => {
        const { x, y } = seenFrom(surface(place, k + 1), turnOf(motion), motion.nearer)
        return random() < 0.1 ? null : { x: x + error(), y: y + error() }
      }),
    })),
  }
}

const SHEETS: readonly (readonly [string, (place: Point, view: number) => Place])[] = [
  ['a flat print', ({ x, y }) => ({ x, y, z: 0 })],
  ['a print held aslant', ({ x, y }) => ({ x, y, z: 0.3 * x - 0.2 * y })],
  [
    'a print rolled around an upright axis',
    ({ x, y }) => ({ x: 12 * Math.sin(x / 12), y, z: 12 * (1 - Math.cos(x / 12)) }),
  ],
  [
    'a print rolled around a level axis',
    ({ x, y }) => ({ x, y: 15 * Math.sin(y / 15), z: 15 * (1 - Math.cos(y / 15)) }),
  ],
  [
    'a print folded along the nose',
    ({ x, y }) => ({ x: x * Math.cos(0.5), y, z: Math.abs(x) * Math.sin(0.5) }),
  ],
]

test.each(SHEETS)('%s has no depth of a face', (_, surface) => {
  for (const seed of [1, 2, 3]) {
    const fit = fitDepth(sessionOf(surface, seed))
    expect(Math.abs(fit?.depth ?? 9)).toBeLessThan(0.15)
    expect(fit?.explainedShare).toBeLessThan(0.2)
  }
})

describe('a head', () => {
  const head = (place: Point): Place => ({ ...place, z: headDepth(place) })

  test('has the depth that the mesh sees', () => {
    for (const seed of [1, 2, 3]) {
      const fit = fitDepth(sessionOf(head, seed))
      expect(fit?.depth).toBeGreaterThan(0.8)
      expect(fit?.depth).toBeLessThan(1.25)
      expect(fit?.explainedShare).toBeGreaterThan(0.6)
    }
  })

  test('half as deep as the mesh sees has half its depth', () => {
    const fit = fitDepth(sessionOf((place) => ({ ...place, z: headDepth(place) / 2 }), 4))
    expect(fit?.depth).toBeGreaterThan(0.35)
    expect(fit?.depth).toBeLessThan(0.65)
  })

  test('through a camera of another focal length still has depth', () => {
    const problem = sessionOf(head, 5)
    const fit = fitDepth({ ...problem, camera: { ...CAMERA, focalLengthPx: 760 } })
    expect(fit?.depth).toBeGreaterThan(0.6)
    expect(fit?.explainedShare).toBeGreaterThan(0.6)
  })

  test('a fifth of whose points are followed wrongly still has depth', () => {
    const problem = sessionOf(head, 6)
    const views = problem.views.map((view) => ({
      ...view,
      points: view.points.map((point, i) =>
        point && i % 5 === 0 ? { x: point.x + 9, y: point.y - 7 } : point,
      ),
    }))
    expect(fitDepth({ ...problem, views })?.depth).toBeGreaterThan(0.7)
  })
})

test('a head that does not move proves no depth', () => {
  const problem = sessionOf((place) => ({ ...place, z: headDepth(place) }), 7)
  const [first] = problem.views
  const random = createRandom(8)
  const still = problem.points.map(({ x, y }) => ({ x: x + random() - 0.5, y: y + random() - 0.5 }))
  const views = [1, 2, 3].map(() => ({ ...first, rotation: rotationAbout(0, 0, 0), scale: 1, points: still }))
  expect(fitDepth({ ...problem, views })?.explainedShare).toBeLessThan(0.15)
})
