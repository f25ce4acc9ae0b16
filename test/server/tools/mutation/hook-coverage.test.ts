import { expect, test } from 'vitest'
import { reachedByTests } from '../../../../server/tools/mutation/hook-coverage.ts'

test('code that the hooks of a suite reach counts for each test of the suite, and for no other', () => {
  const counted = { hooks: { m1: 1, m2: 2 }, first: { m2: 1 }, second: {}, apart: { m3: 4 } }
  const tests = [
    { id: 'first', hooks: ['hooks'] },
    { id: 'second', hooks: ['hooks'] },
    { id: 'apart', hooks: [] },
    { id: 'never counted', hooks: ['empty'] },
  ]
  expect(reachedByTests(counted, tests)).toEqual({
    first: { m1: 1, m2: 3 },
    second: { m1: 1, m2: 2 },
    apart: { m3: 4 },
    'never counted': {},
  })
})
