/** The capacity that bench:central computes from the costs of a proof, and how it is checked. */
import { expect, test } from 'vitest'
import {
  checkCapacity,
  computeCapacity,
  describeCapacity,
  SHARES,
} from '../../../../server/tools/bench/central/capacity.ts'
import type { Cost } from '../../../../server/tools/bench/central/costs.ts'

const cost = (instanceMs: number, databaseMs: number): Cost => ({
  instanceMs,
  databaseMs,
  verifierMs: 1,
  generatorMs: 99,
  walBytes: 1_000,
  walFullPages: 0,
  commits: 1,
  writes: 1,
})
const COSTS = {
  receive: cost(7, 2),
  store: cost(7, 2),
  feed: cost(1, 0),
  archive: cost(1, 1),
  storedBefore: 0,
  proofs: 1,
  rowBytes: 1_000,
}

test('a proof of 20 ms of instances and 5 ms of PostgreSQL: 5 000 and 20 000 kiosks a core at 0.01 proofs a second each', () => {
  expect(computeCapacity(COSTS, 199_000)).toEqual({
    instanceMs: 20,
    databaseMs: 5,
    kiosksPerInstanceCore: 5_000,
    kiosksPerDatabaseCore: 20_000,
    bytesAYear: 36_500 * 200_000,
    walBytesADay: 400_000,
  })
})

test('a point between two measured ones is predicted before it is measured, and the second instance is compared with it', async () => {
  const asked: (readonly [number, number])[] = []
  const check = await checkCapacity(async (instances, cores) => {
    asked.push([instances, cores])
    return instances === 2 ? 18 : cores * 40
  })
  expect(asked).toEqual([
    [1, SHARES.least],
    [1, SHARES.most],
    [1, SHARES.between],
    [2, SHARES.between],
  ])
  expect(check.predictedPerSecond).toBeCloseTo(SHARES.between * 40)
  expect(check.gain).toBeCloseTo(18 / (SHARES.between * 40))
  const words = describeCapacity(computeCapacity(COSTS, 199_000), null)
  expect(words.at(-1)).toMatch(/^not checked: only root/)
})
