/** Tests what the locator network's maps are turned into: maps drawn as the network was taught to draw them. */
import { expect, test } from 'vitest'
import { documentsIn, type Planes } from '../../../../../server/vision/documents/outline/network-maps.ts'

const WIDTH = 56
const HEIGHT = 44
/** As in models/document/render.py. */
const SIGMA = 1.3

type Corner = readonly [x: number, y: number]
interface Drawn {
  /** Top left, top right, bottom right, bottom left of the content. */
  readonly corners: readonly Corner[]
  readonly front?: boolean
  /** Heights of the corners' hills. */
  readonly hills?: readonly number[]
  /** The direction of the text is seen too. */
  readonly isTextSeen?: boolean
}

const isInside = (corners: readonly Corner[], x: number, y: number): boolean =>
  corners.every(([ax, ay], i) => {
    const [bx, by] = corners[(i + 1) % 4]
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
  })

function mapsOf(documents: readonly Drawn[]): Planes {
  const plane = WIDTH * HEIGHT
  const data = new Float32Array(8 * plane).fill(0.5, 6 * plane)
  for (const { corners, front = true, hills = [1, 1, 1, 1], isTextSeen = true } of documents)
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 0; x < WIDTH; x++) {
        const cell = y * WIDTH + x
        if (isInside(corners, x, y)) {
          data[cell] = 1
          data[plane + cell] = front ? 1 : 0
          const [dx, dy] = [corners[1][0] - corners[0][0], corners[1][1] - corners[0][1]]
          if (isTextSeen) data[6 * plane + cell] = (1 + dx / Math.hypot(dx, dy)) / 2
          if (isTextSeen) data[7 * plane + cell] = (1 + dy / Math.hypot(dx, dy)) / 2
        }
        for (const [k, [cx, cy]] of corners.entries()) {
          const hill = hills[k] * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * SIGMA ** 2))
          const at = (2 + k) * plane + cell
          data[at] = Math.max(data[at], hill)
        }
      }
  return { data, width: WIDTH, height: HEIGHT }
}

/** Leaning, so that no corner lies on a cell's centre. */
const CARD: readonly Corner[] = [
  [10.3, 9.8],
  [42.6, 12.1],
  [40.9, 33.4],
  [8.7, 30.2],
]
const turnedBy = (corners: readonly Corner[], first: number): Corner[] =>
  [0, 1, 2, 3].map((i) => corners[(i + first) % 4])

test.each([0, 1, 2, 3])(
  'corners are placed between the cells, in the order of the content turned by %i quarters',
  (first) => {
    const corners = turnedBy(CARD, first)
    const [found, ...others] = documentsIn(mapsOf([{ corners }]))
    expect(others).toEqual([])
    for (const [i, [x, y]] of corners.entries()) {
      expect(found.corners[i].x).toBeCloseTo(x, 1)
      expect(found.corners[i].y).toBeCloseTo(y, 1)
    }
    expect(found.score).toBeGreaterThan(0.95)
    expect(found.turnShare).toBeGreaterThan(0.95)
    expect(found.frontShare).toBeGreaterThan(0.95)
  },
)

test('a corner that the network does not see is put where a parallelogram has it', () => {
  const corners: Corner[] = [
    [10, 10],
    [40, 12],
    [38, 32],
    [8, 30],
  ]
  const [found] = documentsIn(mapsOf([{ corners, hills: [1, 1, 0.02, 1] }]))
  expect(found.corners[2].x).toBeCloseTo(38, 0)
  expect(found.corners[2].y).toBeCloseTo(32, 0)
  expect(found.score).toBeLessThan(0.95)
})

test('two documents in one picture are two, each with its own side', () => {
  const shifted = (by: number): Corner[] => [
    [6, 4 + by],
    [36, 4 + by],
    [36, 20 + by],
    [6, 20 + by],
  ]
  const found = documentsIn(mapsOf([{ corners: shifted(0) }, { corners: shifted(20), front: false }]))
  expect(found.map(({ frontShare }) => frontShare > 0.5).sort()).toEqual([false, true])
  expect(found.every(({ score }) => score > 0.9)).toBe(true)
})

/** A card whose corners look alike after half a turn. */
function ambiguousCorners(isTextSeen: boolean): Planes {
  const maps = mapsOf([{ corners: CARD, isTextSeen }])
  const plane = WIDTH * HEIGHT
  const corner = (k: number): Float32Array => maps.data.subarray((2 + k) * plane, (3 + k) * plane)
  for (const k of [0, 1])
    for (let cell = 0; cell < plane; cell++) {
      const mean = (corner(k)[cell] + corner(k + 2)[cell]) / 2
      corner(k)[cell] = mean
      corner(k + 2)[cell] = mean
    }
  return maps
}

test('corners alike in two orders leave the turn open', () => {
  const [found] = documentsIn(ambiguousCorners(false))
  expect(found.score).toBeGreaterThan(0.95)
  expect(found.turnShare).toBeCloseTo(0.5, 1)
})

test('where the corners do not tell the turn, the direction of the text does', () => {
  const [found] = documentsIn(ambiguousCorners(true))
  expect(found.turnShare).toBeGreaterThan(0.7)
  expect(found.corners[0].x).toBeCloseTo(CARD[0][0], 1)
})

test('maps without a document, a document without corners and a few stray cells are nothing', () => {
  expect(documentsIn(mapsOf([]))).toEqual([])
  expect(documentsIn(mapsOf([{ corners: CARD, hills: [0, 0, 0, 0] }]))).toEqual([])
  const speck: Corner[] = [
    [10, 10],
    [13, 10],
    [13, 13],
    [10, 13],
  ]
  expect(documentsIn(mapsOf([{ corners: speck }]))).toEqual([])
})
