import { expect, test } from 'vitest'
import {
  bootstrap95,
  chooseThreshold,
  computeRates,
  countPairs,
  drawSets,
  groupByPerson,
  splitHalves,
  averageHeldOutRates,
  worstHalf,
  type Compared,
} from '../../../../server/tools/bench/by-person.ts'

/** Four people; genuine pairs score 9, strangers 1, but for the one pair that is named. */
function fourPeople(alike?: { probe: string; reference: string; score: number }): Compared[] {
  const names = ['a', 'b', 'c', 'd']
  return names.flatMap((probe) =>
    names.map((reference) => ({
      probe,
      reference,
      score:
        alike?.probe === probe && alike.reference === reference ? alike.score : probe === reference ? 9 : 1,
    })),
  )
}

test('pairs of one person are genuine, all others impostor, and people can be left out', () => {
  const all = groupByPerson(fourPeople())
  expect(countPairs(all)).toEqual({ genuine: 4, impostor: 12 })
  expect(countPairs(all, Uint8Array.of(1, 0, 1, 0))).toEqual({ genuine: 2, impostor: 2 })
})

/** Comparisons of two people with these scores. */
const pairs = (genuine: readonly number[], impostor: readonly number[]) =>
  groupByPerson([
    ...genuine.map((score) => ({ probe: 'a', reference: 'a', score })),
    ...impostor.map((score) => ({ probe: 'a', reference: 'b', score })),
  ])

test('FMR counts impostors on the threshold as matches, FNMR genuine below it as misses', () => {
  const rates = computeRates(pairs([0.4, 0.5, 0.9, 0.8], [0.1, 0.5, 0.9, 0.3]), 0.5)
  expect(rates).toEqual({ genuine: 4, impostor: 4, fmr: 0.5, fnmr: 0.25 })
  expect(computeRates(pairs([0.4], []), 0.5)).toMatchObject({ fmr: null, fnmr: 1 })
  expect(computeRates(pairs([], [0.4]), 0.5)).toMatchObject({ fmr: 0, fnmr: null })
})

test('FNMR at an FMR lets through just so many impostors', () => {
  const impostor = Array.from({ length: 100 }, (_, i) => i / 100) // 0 … 0.99
  const all = pairs([0.985, 0.995, 0.5, 2], impostor)
  expect(chooseThreshold(all, 0.01)).toEqual({ fnmr: 0.25, threshold: 0.985 })
  expect(chooseThreshold(all, 0.001)?.fnmr).toBe(0.5)
  expect(computeRates(all, 0.985).fmr).toBeLessThanOrEqual(0.01)
})

test('impostors that tie with the threshold are all kept out', () => {
  expect(chooseThreshold(pairs([0.5, 0.6], [0.5, 0.5, 0.5, 0.1]), 0.25)).toEqual({
    fnmr: 0.5,
    threshold: 0.6,
  })
})

test('no threshold is chosen without genuine or without impostor pairs', () => {
  expect(chooseThreshold(pairs([], [0.1]), 0.01)).toBeNull()
  expect(chooseThreshold(pairs([0.1], []), 0.01)).toBeNull()
})

test('few people are halved in every possible way, many by a seed: the same again for the same seed', () => {
  expect(splitHalves(10, 1)).toHaveLength(252)
  expect(new Set(splitHalves(10, 1).map((half) => half.join())).size).toBe(252)
  expect(splitHalves(60, 1)).toHaveLength(252)
  expect(splitHalves(60, 1)).toEqual(splitHalves(60, 1))
  expect(splitHalves(60, 1)).not.toEqual(splitHalves(60, 2))
  for (const half of splitHalves(60, 1)) expect(new Set(half).size).toBe(30)
})

test('a threshold chosen on persons who do not look alike fails on persons who do', () => {
  const all = groupByPerson(fourPeople({ probe: 'a', reference: 'b', score: 10 }))
  const { splits, fmr } = averageHeldOutRates(all, 0, 1)
  expect(splits).toBe(6)
  // One of six halves holds both of them: its other half is strict enough, the reverse is not.
  expect(fmr.mean).toBeCloseTo(0.5 / 6)
  expect(worstHalf(all, 9.5, 1)).toBe(0.5)
  expect(worstHalf(all, 10.5, 1)).toBe(0)
})

test('an interval by people drawn again holds the rate, is the same for the same seed, and is unknown without errors', () => {
  const all = groupByPerson(fourPeople({ probe: 'a', reference: 'b', score: 5 }))
  const { fmr, fnmr } = bootstrap95(all, 4, 1)
  expect(fmr?.[0]).toBe(0)
  expect(fmr?.[1]).toBeGreaterThan(1 / 12)
  expect(fnmr).toBeNull()
  expect(bootstrap95(all, 4, 1)).toEqual({ fmr, fnmr })
})

test('sets of pictures hold none twice, and a person with too few pictures is not drawn', () => {
  const half = () => 0.5
  for (const set of drawSets(['p', 'q', 'r'], 2, 5, half)) expect(new Set(set).size).toBe(2)
  expect(drawSets(['p'], 2, 5, half)).toEqual([])
  expect(drawSets(['p', 'q', 'r'], 2, 5, half)).toHaveLength(3)
  expect(drawSets(['p', 'q', 'r', 's'], 2, 5, half)).toHaveLength(5)
})
