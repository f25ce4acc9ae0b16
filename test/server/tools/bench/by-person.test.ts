import { expect, test } from 'vitest'
import {
  bootstrap95,
  drawSets,
  groupByPerson,
  splitHalves,
  heldOut,
  collectScores,
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
  expect(collectScores(all).genuine).toEqual([9, 9, 9, 9])
  expect(collectScores(all).impostor).toHaveLength(12)
  expect(collectScores(all, [0, 2])).toEqual({ genuine: [9, 9], impostor: [1, 1] })
})

test('few people are halved in every possible way, many by a seed: the same again for the same seed', () => {
  expect(splitHalves(10, 1)).toHaveLength(252)
  expect(new Set(splitHalves(10, 1).map((half) => half.join())).size).toBe(252)
  expect(splitHalves(60, 1)).toHaveLength(252)
  expect(splitHalves(60, 1)).toEqual(splitHalves(60, 1))
  expect(splitHalves(60, 1)).not.toEqual(splitHalves(60, 2))
  for (const half of splitHalves(60, 1)) expect(new Set(half).size).toBe(30)
})

test('a threshold chosen where nobody is alike fails on those who are', () => {
  const all = groupByPerson(fourPeople({ probe: 'a', reference: 'b', score: 10 }))
  const { splits, fmr } = heldOut(all, 0, 1)
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

test('sets of pictures hold none twice, and nobody with too few is drawn', () => {
  const half = () => 0.5
  for (const set of drawSets(['p', 'q', 'r'], 2, 5, half)) expect(new Set(set).size).toBe(2)
  expect(drawSets(['p'], 2, 5, half)).toEqual([])
})
