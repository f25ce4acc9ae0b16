import { expect, test } from 'vitest'
import {
  falseMatchRate,
  falseNonMatchRate,
  fnmrAtFmr,
  median,
  wilson95,
} from '../../../../server/tools/bench/error-rates.ts'
import { parseFaceList } from '../../../../server/tools/bench/faces.ts'

test('FMR counts impostors on the threshold as matches, FNMR genuine below it as misses', () => {
  expect(falseMatchRate([0.1, 0.5, 0.9, 0.3], 0.5)).toBe(0.5)
  expect(falseNonMatchRate([0.4, 0.5, 0.9, 0.8], 0.5)).toBe(0.25)
  expect(falseMatchRate([], 0.5)).toBeNull()
})

test('FNMR at an FMR lets through just so many impostors', () => {
  const impostor = Array.from({ length: 100 }, (_, i) => i / 100) // 0 … 0.99
  expect(fnmrAtFmr([0.985, 0.995, 0.5, 2], impostor, 0.01)).toEqual({ fnmr: 0.25, threshold: 0.985 })
  expect(fnmrAtFmr([0.985, 0.995, 0.5, 2], impostor, 0.001)?.fnmr).toBe(0.5)
  const { threshold } = fnmrAtFmr([0.985, 0.995, 0.5, 2], impostor, 0.01) ?? { threshold: NaN }
  expect(falseMatchRate(impostor, threshold)).toBeLessThanOrEqual(0.01)
})

test('impostors that tie with the threshold are all kept out', () => {
  expect(fnmrAtFmr([0.5, 0.6], [0.5, 0.5, 0.5, 0.1], 0.25)).toEqual({ fnmr: 0.5, threshold: 0.6 })
})

test('without pairs there is no rate', () => {
  expect(fnmrAtFmr([], [0.1], 0.01)).toBeNull()
  expect(fnmrAtFmr([0.1], [], 0.01)).toBeNull()
})

test('the Wilson interval of no error in 43 reaches 8 %, of one in ten 2 to 40 %', () => {
  const [none, few] = [wilson95(0, 43), wilson95(1, 10)]
  expect(none[0]).toBe(0)
  expect(none[1]).toBeCloseTo(0.082, 3)
  expect(few[0]).toBeCloseTo(0.0179, 3)
  expect(few[1]).toBeCloseTo(0.4042, 3)
  expect(wilson95(0, 0)).toEqual([0, 1])
})

test('the median of an even number is the mean of the middle two', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, null])
})

test('a face list is read by its column names, in any order', () => {
  expect(parseFaceList('person\tnote\tfile\nA\tx\ta/1.jpg\r\nB\ty\tb/1.jpg\n')).toEqual([
    { file: 'a/1.jpg', person: 'A' },
    { file: 'b/1.jpg', person: 'B' },
  ])
  expect(() => parseFaceList('file\tname\n')).toThrow(TypeError)
})
