import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Policy } from '../../../../server/proofing/assurance/policy.ts'
import type { ConsentType } from '../../../../server/proofing/types.ts'
import { drawnIdentities, POLICIES } from '../../../support/drawn-identities.ts'
import { openBench, type Bench } from '../../../support/judged-identities.ts'

const RUNS = Number(process.env.PROPERTY_RUNS ?? 40)

let bench: Bench
beforeAll(() => {
  bench = openBench()
})
afterAll(() => bench.close())

const rankOf = (policy: Policy, reached: string): number =>
  policy.levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === reached)
const withdrawn = fc.constantFrom<ConsentType>('PORTRAIT', 'ID_DOCUMENT', 'ATTRIBUTES', 'ADDRESS')

describe.each(POLICIES)('an identity judged under the policy $id', (policy) => {
  test('never has a higher level after a consent was taken back, and counts nothing that stood on it', () => {
    let lowered = 0
    fc.assert(
      fc.property(drawnIdentities(policy), withdrawn, (drawn, type) => {
        const before = bench.make(policy, drawn)
        const after = bench.withdraw(policy, before, type)
        const change = rankOf(policy, after.levelOfAssurance) - rankOf(policy, before.levelOfAssurance)
        expect(change).toBeLessThanOrEqual(0)
        if (change < 0) lowered++
        const counted = bench.store.store.evidences
          .list(after.id)
          .filter(({ id }) => after.assessment?.countedIds.includes(id))
        if (type === 'PORTRAIT') expect(counted.map(({ family }) => family)).not.toContain('PORTRAIT')
        if (type === 'ID_DOCUMENT') expect(counted.map(({ family }) => family)).not.toContain('IDDOCUMENT')
      }),
      { numRuns: RUNS },
    )
    expect(lowered).toBeGreaterThan(0)
  })

  test('names the policy, and only evidence of its own', () => {
    fc.assert(
      fc.property(drawnIdentities(policy), (drawn) => {
        const { id, assessment, nameReferenceId } = bench.make(policy, drawn)
        const own = bench.store.store.evidences.list(id).map((evidence) => evidence.id)
        expect(assessment?.policy).toEqual({ id: policy.id, version: policy.version })
        expect(own).toEqual(expect.arrayContaining([...(assessment?.countedIds ?? [])]))
        if (nameReferenceId !== null) expect(assessment?.countedIds).toContain(nameReferenceId)
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    )
  })
})
