/** The bench of the watchlists on a small list: its rates are counted right and the same people are drawn again. */
import { expect, test } from 'vitest'
import { seeded } from '../../../../server/tools/bench/crash/random.ts'
import { bench } from '../../../../server/tools/bench/watchlist.ts'
import { DISTORTIONS, drawEntry, presentListed } from '../../../../server/tools/bench/watchlist/people.ts'
import { loadMatchLimits } from '../../../../server/watchlists/limits.ts'

const LIMITS = loadMatchLimits()

test('the same seed draws the same people and tells the same rates', () => {
  const rates = () => {
    // All but the times.
    return { ...bench(200, 24, 5, LIMITS), cost: null }
  }
  const told = rates()
  expect(rates()).toEqual(told)
  expect(told.inForce.misses.trials).toBe(24)
  expect(told.inForce.falseAlarms.trials).toBe(24)
  const { errors } = told.inForce.misses
  const byKind = Object.values(told.byDistortion)
  expect(byKind.reduce((sum, rate) => sum + rate.errors, 0)).toBe(errors)
  expect(Object.values(told.byOrigin).reduce((sum, { misses }) => sum + misses.trials, 0)).toBe(24)
  // A higher threshold misses no fewer and alarms no more.
  for (const [i, row] of told.byThreshold.entries()) {
    if (i === 0) continue
    expect(row.misses.errors).toBeGreaterThanOrEqual(told.byThreshold[i - 1].misses.errors)
    expect(row.falseAlarms.errors).toBeLessThanOrEqual(told.byThreshold[i - 1].falseAlarms.errors)
  }
})

test('a person with the listed spelling is found at a low threshold; a strict threshold misses most', () => {
  const strict = { ...LIMITS, possible: 0.99, hit: 0.99 }
  const { byDistortion } = bench(50, 80, 3, { ...strict, possible: 0.3 })
  expect(byDistortion['as listed'].errors).toBe(0)
  expect(bench(50, 80, 3, strict).inForce.misses.errors).toBeGreaterThan(40)
})

test('every kind of distortion is drawn, and none leaves a name empty', () => {
  const random = seeded(9)
  for (const distortion of DISTORTIONS)
    for (let i = 0; i < 50; i++) {
      const { asked, id } = presentListed(random, drawEntry(random, i), distortion)
      expect(id).toBe(String(i))
      expect([...asked.givenNames, asked.surname].join('').length).toBeGreaterThan(1)
    }
})
