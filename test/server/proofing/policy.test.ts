import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { loadPolicies } from '../../../server/config/resources.ts'
import { NOT_YET_EVALUATED, type Evidence } from '../../../server/proofing/evidence.ts'
import { assess, documentScore, type Policy } from '../../../server/proofing/policy.ts'
import { EVIDENCE_STATUSES, LEVELS } from '../../../server/proofing/types.ts'
import { anEvidence } from '../../support/store.ts'

const policies = [...loadPolicies().values()]
const checksOf = (policy: Policy): string[] => [
  ...new Set([
    ...policy.documentScore.flatMap((rule) => rule.requires),
    ...policy.levels.flatMap((level) => [
      ...(level.document?.requires ?? []),
      ...(level.portrait?.requires ?? []),
    ]),
  ]),
]
const rank = (policy: Policy, levelOfAssurance: string): number =>
  policy.levels.findIndex((level) => level.levelOfAssurance === levelOfAssurance)

function evidenceOf(policy: Policy): fc.Arbitrary<Evidence> {
  return fc
    .record({
      family: fc.constantFrom('IDDOCUMENT' as const, 'PORTRAIT' as const),
      status: fc.constantFrom(...EVIDENCE_STATUSES),
      score: fc.constantFrom(...LEVELS),
      checks: fc.subarray(checksOf(policy)),
    })
    .map(({ family, status, score, checks }) =>
      anEvidence('identity', {
        family,
        status,
        score,
        evaluation: { ...NOT_YET_EVALUATED, positiveIndicators: checks.map((check) => `${check}_OK`) },
      }),
    )
}

describe.each(policies)('the policy $id', (policy) => {
  test('gives the lowest level to an identity without evidence', () => {
    expect(assess(policy, []).levelOfAssurance).toBe(policy.levels[0].levelOfAssurance)
  })

  test('never lowers the level when verified evidence is added', () => {
    fc.assert(
      fc.property(fc.array(evidenceOf(policy), { maxLength: 6 }), evidenceOf(policy), (present, added) => {
        const before = rank(policy, assess(policy, present).levelOfAssurance)
        const after = rank(policy, assess(policy, [...present, added]).levelOfAssurance)
        expect(after).toBeGreaterThanOrEqual(before)
      }),
    )
  })

  test('does not depend on the order of submission', () => {
    fc.assert(
      fc.property(fc.array(evidenceOf(policy), { maxLength: 6 }), (evidences) => {
        expect(assess(policy, [...evidences].reverse())).toEqual(assess(policy, evidences))
      }),
    )
  })

  test('counts nothing that is not verified', () => {
    fc.assert(
      fc.property(fc.array(evidenceOf(policy), { maxLength: 6 }), (evidences) => {
        const none = evidences.map((evidence) => ({ ...evidence, status: 'NOT_VERIFIED' as const }))
        expect(assess(policy, none).levelOfAssurance).toBe(policy.levels[0].levelOfAssurance)
      }),
    )
  })

  test('names what is missing for every level above the present one, and nothing for those reached', () => {
    fc.assert(
      fc.property(fc.array(evidenceOf(policy), { maxLength: 6 }), (evidences) => {
        const { levelOfAssurance, upgradePaths } = assess(policy, evidences)
        const above = policy.levels
          .slice(rank(policy, levelOfAssurance) + 1)
          .map((level) => level.levelOfAssurance)
        expect(Object.keys(upgradePaths)).toEqual(above)
        for (const paths of Object.values(upgradePaths)) expect(paths[0].length).toBeGreaterThan(0)
      }),
    )
  })

  test('scores no document above the strength of its type', () => {
    const all = checksOf(policy).map((check) => `${check}_OK`)
    for (const [type, strength] of Object.entries(policy.strength)) {
      const { level } = documentScore(policy, type as Evidence['type'], all)
      expect(LEVELS.indexOf(level)).toBeLessThanOrEqual(LEVELS.indexOf(strength))
    }
  })
})
