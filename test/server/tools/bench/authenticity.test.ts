import { describe, expect, test } from 'vitest'
import { countRates } from '../../../../server/tools/bench/authenticity/rates.ts'

const scores = (species: string, ...values: (number | null)[]) => values.map((score) => ({ species, score }))

describe('the rates of a signal', () => {
  const counted = countRates(
    [
      ...scores('genuine', 0.1, 0.2, 0.5, null),
      ...scores('font', 0.9, 0.5, 0.4, null),
      ...scores('patch', 0.9, 0.9),
      ...scores('copy', 0.1),
    ],
    0.5,
    ['font', 'patch'],
  )

  test('count a false alarm among the genuine that were measured', () => {
    expect(counted.falseAlarms).toMatchObject({ errors: 1, trials: 3 })
  })

  test('count a forgery that could not be measured as missed', () => {
    expect(counted.misses).toMatchObject([
      { species: 'font', errors: 2, trials: 4, rate: 0.5 },
      { species: 'patch', errors: 0, trials: 2, rate: 0 },
    ])
  })

  test('are worth what the worst species is, and leave other signals’ species out', () => {
    expect(counted.worst).toMatchObject({ species: 'font' })
    expect(counted.nullShare).toBe(0.2)
  })

  test('come with Wilson’s interval', () => {
    expect(counted.falseAlarms.ci95).toEqual([0.0615, 0.7923])
  })
})
