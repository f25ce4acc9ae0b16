/** Tests what a series of bench:quality promises, compared with counts made up for the purpose. */
import { describe, expect, test } from 'vitest'
import { brokenWords } from '../../../../server/tools/bench/quality-measure.ts'
import { SERIES } from '../../../../server/tools/bench/quality-series.ts'

const PROMISE = { code: '1531', neverUpTo: 1, alwaysFrom: 3 } as const
const step = (number: number, first: Readonly<Record<string, number>>) => ({
  step: number,
  pictures: 4,
  refused: Object.values(first).reduce((sum, count) => sum + count, 0),
  first,
})

describe('the promise of a series', () => {
  test('is kept where the steps between may be refused or not', () => {
    expect(brokenWords(PROMISE, [step(1, {}), step(2, { '1531': 2 }), step(3, { '1531': 4 })])).toEqual([])
  })

  test('is broken by one refusal before its step, whatever the code', () => {
    expect(brokenWords(PROMISE, [step(1, { '1541': 1 })])).toEqual(['step 1: 1 refused, none may be'])
  })

  test('is broken by one picture that passes from its step on', () => {
    expect(brokenWords(PROMISE, [step(3, { '1531': 3 })])).toEqual(['step 3: 3 of 4 refused with 1531 first'])
  })

  test('is broken by another code that comes first', () => {
    expect(brokenWords(PROMISE, [step(3, { '1531': 3, '1533': 1 })])).toHaveLength(1)
  })

  test.each(SERIES)('of $name has ten steps, the first harmless and more than the last refused', (series) => {
    expect(series.steps).toHaveLength(10)
    expect(series.neverUpTo).toBeGreaterThanOrEqual(1)
    expect(series.alwaysFrom).toBeGreaterThan(series.neverUpTo)
    expect(series.alwaysFrom).toBeLessThan(10)
  })
})
