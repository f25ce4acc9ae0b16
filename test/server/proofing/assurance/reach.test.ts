/** The most that a proof can reach on one installation. */
import { expect, test } from 'vitest'
import { loadPolicies } from '../../../../server/config/policies.ts'
import { highestReach } from '../../../../server/proofing/assurance/reach.ts'
import type { Policy } from '../../../../server/proofing/assurance/policy.ts'

const policy = loadPolicies().get('default') as Policy
const rank = (level: string) => policy.levels.findIndex(({ levelOfAssurance }) => levelOfAssurance === level)
const ALL = ['DOCUMENTS', 'FACES', 'LIVENESS', 'ATTENDED', 'ADJUDICATION', 'ANTIFRAUD'] as const

test('without anything that reads documents or sees faces, nothing is reached', () => {
  expect(highestReach(policy, [], () => [])).toBe(policy.levels[0].levelOfAssurance)
})

test('a fault on every portrait holds down what needs a face, as far as the policy says', () => {
  const without = highestReach(policy, ALL, () => [])
  const [indicator, cap] = Object.entries(policy.caps).find(
    ([name, level]) => name === 'LIVENESS_MODELS_UNVERIFIED' && rank(level) < rank(without),
  ) ?? ['', '']
  expect(indicator).toBe('LIVENESS_MODELS_UNVERIFIED')
  const held = highestReach(policy, ALL, ({ evidence }) => (evidence === 'PORTRAIT' ? [indicator] : []))
  expect(rank(held)).toBeLessThan(rank(without))
  expect(rank(held)).toBeGreaterThanOrEqual(rank(cap))
})
