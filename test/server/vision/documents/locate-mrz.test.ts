/** Tests the directions in which an MRZ is searched. */
import { expect, test } from 'vitest'
import { buildPyramid } from '../../../../server/vision/documents/grey.ts'
import { locateBands } from '../../../../server/vision/documents/locate-mrz.ts'

const WIDTH = 400
const HEIGHT = 300
const blank = buildPyramid({ data: new Uint8Array(WIDTH * HEIGHT).fill(200), width: WIDTH, height: HEIGHT })

/** Two looks per direction and size of copy. */
const looksAlong = (slopesDeg: readonly number[] | null) => [...locateBands(blank, slopesDeg)].length

test('without a page the MRZ is looked for in all directions', () => {
  expect(looksAlong(null)).toBe(14)
})

test.each([
  ['along the picture', [0, 90, 180, -90], 6],
  ['turned by eighteen degrees', [18, 108, -162, -72], 4],
  ['turned by eight degrees, between two directions', [8, 98, -172, -82], 10],
  ['seen askew, its sides not parallel', [3, 93, -175, -80], 8],
])('on a page %s it is looked for along the sides of the page only', (_, slopes, looks) => {
  expect(looksAlong(slopes)).toBe(looks)
})
