/** Tests what each kind of submission would be as evidence, and which types of it are offered together. */
import { describe, expect, test } from 'vitest'
import { ABILITIES } from '../../../../server/proofing/assurance/facts.ts'
import { needsNoMoreChecks, listOffers } from '../../../../server/proofing/assurance/offers.ts'
import type { Policy, SubmissionRule } from '../../../../server/proofing/assurance/policy.ts'
import type { EvidenceType } from '../../../../server/proofing/types.ts'
import { NO_FACTS, somePolicy } from '../../../support/assurance.ts'

const document = (name: string, ...types: readonly EvidenceType[]): SubmissionRule => ({
  name,
  evidence: 'ID_DOCUMENT',
  types,
  checks: [name],
  needs: [],
})
const offers = (policy: Partial<Policy>) => listOffers(somePolicy(policy), NO_FACTS, ABILITIES)

describe('a submission as evidence', () => {
  test('is verified, agrees with all and has all that it can', () => {
    const [offer] = offers({
      strength: { PASSPORT: 'LEVEL3' },
      documentScore: [{ name: 's', score: 'LEVEL2', requires: ['PRINT'] }],
      submissions: [{ ...document('PRINT', 'PASSPORT'), checks: ['PRINT', 'CHIP'] }],
    })
    expect(offer.evidence).toEqual({
      id: 'new ID_DOCUMENT PASSPORT PRINT CHIP',
      kind: 'ID_DOCUMENT',
      type: 'PASSPORT',
      status: 'VERIFIED',
      strength: 'LEVEL3',
      score: 'LEVEL2',
      passed: ['PRINT', 'CHIP'],
      raised: [],
      mayBeUsed: true,
      matches: [],
      disagreements: [],
      statesName: true,
      codingQuality: 1,
      issuer: '*',
      submittedAt: 0,
      heldForDays: Number.MAX_SAFE_INTEGER,
    })
  })

  test.each<[SubmissionRule['evidence'], EvidenceType, string, boolean]>([
    ['ID_DOCUMENT', 'ID_DOCUMENT', 'LEVEL0', true],
    ['PORTRAIT', 'PORTRAIT', 'LEVEL0', false],
    ['ATTRIBUTES', 'ATTRIBUTES', 'LEVEL2', false],
    ['ADDRESS', 'ADDRESS', 'LEVEL2', false],
    ['TRUSTED_ID_CLAIM', 'TRUSTED_ID_CLAIM', 'LEVEL2', true],
    ['ID_CLAIM', 'ID_CLAIM', 'LEVEL2', false],
    ['CONTACT', 'MOBILE_OTP', 'LEVEL2', false],
  ])('of the kind %s is of the type %s and the score %s by itself', (evidence, type, score, statesName) => {
    const [offer] = offers({
      strength: { [type]: 'LEVEL2' },
      submissions: [{ name: 'it', evidence, checks: [], needs: [] }],
    })
    expect(offer.types).toEqual([type])
    expect(offer.evidence).toMatchObject({ kind: evidence, type, strength: 'LEVEL2', score, statesName })
  })
})

describe('types that are offered together', () => {
  const typesOf = (policy: Partial<Policy>) => offers(policy).map(({ types }) => types.join('+'))

  test('are the same in whatever order a rule names them', () => {
    const submissions = [document('A', 'VISA', 'PASSPORT', 'VISA'), document('B', 'PASSPORT', 'VISA')]
    expect(typesOf({ submissions })).toEqual(['PASSPORT+VISA', 'PASSPORT+VISA'])
  })

  test('are not those of which each is named by another rule', () => {
    const submissions = [document('A', 'VISA', 'PASSPORT')]
    const strengthRules = (['VISA', 'PASSPORT'] as const).map((type) => ({
      name: type,
      level: 'LEVEL2' as const,
      types: [type],
      requires: ['A'],
    }))
    expect(typesOf({ submissions, strengthRules })).toEqual(['VISA', 'PASSPORT'])
    expect(
      typesOf({ submissions, strengthRules: [{ ...strengthRules[0], types: ['VISA', 'PASSPORT'] }] }),
    ).toEqual(['PASSPORT+VISA'])
  })

  test('are those without a strength and with the lowest', () => {
    const submissions = [document('A', 'VISA', 'PASSPORT')]
    expect(typesOf({ submissions, strength: { VISA: 'LEVEL0' } })).toEqual(['PASSPORT+VISA'])
    expect(typesOf({ submissions, strength: { VISA: 'LEVEL1' } })).toEqual(['VISA', 'PASSPORT'])
  })
})

test('a submission asks for no more than another of its kind and type with all of its checks', () => {
  const offer = (rule: SubmissionRule) => ({ rule, types: rule.types ?? [], evidence: null })
  const one = offer({ ...document('A', 'VISA'), checks: ['A'] })
  const more = offer({ ...document('A', 'VISA'), checks: ['B', 'A'] })
  expect([needsNoMoreChecks(one, more), needsNoMoreChecks(more, one), needsNoMoreChecks(one, one)]).toEqual([
    true,
    false,
    true,
  ])
  expect(needsNoMoreChecks(one, offer({ ...more.rule, types: ['PASSPORT'] }))).toBe(false)
  expect(needsNoMoreChecks(one, offer({ ...more.rule, evidence: 'ATTRIBUTES' }))).toBe(false)
})
