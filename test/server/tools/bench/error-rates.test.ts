import { expect, test } from 'vitest'
import { median, wilson95 } from '../../../../server/tools/bench/error-rates.ts'
import { parseFaceList } from '../../../../server/tools/bench/faces.ts'

// @clause 30107-3/sample
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
    { file: 'a/1.jpg', person: 'A', sha256: null },
    { file: 'b/1.jpg', person: 'B', sha256: null },
  ])
  expect(() => parseFaceList('file\tname\n')).toThrow(TypeError)
})
