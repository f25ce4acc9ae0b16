/** Tests the start of the search for upgrade paths: what is there, what could be added, and what each has by the other. */
import { describe, expect, test } from 'vitest'
import type { EvidenceFacts, FraudFacts } from '../../../../server/proofing/assurance/facts.ts'
import { ABILITIES } from '../../../../server/proofing/assurance/facts.ts'
import { findGrounds } from '../../../../server/proofing/assurance/grounds.ts'
import { listOffers } from '../../../../server/proofing/assurance/offers.ts'
import { someEvidence, somePolicy } from '../../../support/assurance.ts'

const policy = somePolicy({
  submissions: [
    { name: 'document', evidence: 'ID_DOCUMENT', types: ['VISA'], checks: ['PRINT'], needs: [] },
    { name: 'portrait', evidence: 'PORTRAIT', checks: [], needs: [] },
    { name: 'claim', evidence: 'TRUSTED_ID_CLAIM', checks: [], needs: [] },
    { name: 'fraud', evidence: 'ANTIFRAUD', checks: ['CLEAN'], needs: [] },
  ],
  caps: { CLOCK_UNVERIFIED: 'LOA1' },
})

const grounds = (evidences: readonly EvidenceFacts[], fraudChecks: readonly FraudFacts[] = []) => {
  const facts = { evidences, fraudChecks }
  return findGrounds(policy, facts, listOffers(policy, facts, ABILITIES))
}
const passport = someEvidence({ id: 'passport', score: 'LEVEL3' })
const portrait = someEvidence({
  id: 'portrait',
  kind: 'PORTRAIT',
  matches: ['passport'],
  passed: ['BIOMETRIC_LIVENESS'],
  score: 'LEVEL5',
})
const check = (passed: readonly string[], ...subjects: readonly string[]): FraudFacts => ({
  type: 'DOCUMENT_STATUS',
  passed,
  raised: [],
  subjects,
})

describe('what is there', () => {
  const membersOf = (evidences: readonly EvidenceFacts[], fraudChecks: readonly FraudFacts[] = []) =>
    grounds(
      evidences,
      fraudChecks,
    )(1)[0].known.map(({ evidence, given, isComparable, leastScore }) => [
      evidence.id,
      given,
      isComparable,
      leastScore,
    ])

  test('has what portraits and fraud checks give it', () => {
    expect(membersOf([passport, portrait], [check(['STATUS'], 'passport')])).toEqual([
      ['passport', ['HOLDER_MATCH', 'HOLDER_LIVE', 'STATUS'], true, 'LEVEL0'],
      ['portrait', [], false, 'LEVEL0'],
    ])
  })

  test('can be compared with a new portrait where it is a document with one', () => {
    expect(membersOf([{ ...passport, codingQuality: 0 }])).toEqual([['passport', [], false, 'LEVEL0']])
    expect(membersOf([{ ...passport, codingQuality: 1 }])).toEqual([['passport', [], true, 'LEVEL0']])
    expect(membersOf([{ ...portrait, codingQuality: 5 }])).toEqual([['portrait', [], false, 'LEVEL0']])
  })
})

describe('what could be added', () => {
  const offeredWith = (...evidences: readonly EvidenceFacts[]) =>
    grounds(evidences)(1)[0].offered.map(
      (member) => member && [member.evidence.kind, member.given, member.isComparable, member.leastScore],
    )

  test('has nothing by what is not there', () => {
    expect(offeredWith()).toEqual([
      ['ID_DOCUMENT', [], true, 'LEVEL0'],
      ['PORTRAIT', [], false, 'LEVEL0'],
      ['TRUSTED_ID_CLAIM', [], false, 'LEVEL0'],
      null,
    ])
  })

  test('is shown to be the holder’s by a portrait that is there, if it is a document', () => {
    expect(offeredWith(portrait).map((member) => member?.[1])).toEqual([
      ['HOLDER_MATCH', 'HOLDER_LIVE'],
      [],
      [],
      undefined,
    ])
    // A document that is there shows no holder of another one.
    expect(offeredWith(passport)[0]?.[1]).toEqual([])
  })

  test('takes the best score of the documents that are there and can be compared', () => {
    const card = someEvidence({ id: 'card', type: 'IDENTITY_CARD', score: 'LEVEL4' })
    expect(offeredWith(passport, card)[1]?.[3]).toBe('LEVEL4')
    expect(offeredWith(card, passport)[1]?.[3]).toBe('LEVEL4')
    expect(offeredWith(passport, { ...card, codingQuality: 0 })[1]?.[3]).toBe('LEVEL3')
    expect(offeredWith(passport, portrait)[1]?.[3]).toBe('LEVEL3')
    expect(offeredWith(passport, { ...card, mayBeUsed: false })[1]?.[3]).toBe('LEVEL3')
  })
})

describe('the search starts', () => {
  const against = (...ids: readonly string[]) =>
    ids.map((evidenceId) => ({ evidenceId, attributes: ['surname'] }))
  const knownIn = (at: ReturnType<typeof grounds>, rank: number) =>
    at(rank).map(({ known }) => known.map(({ evidence }) => evidence.id).join('+'))

  test('from each set that agrees, without what an indicator keeps below', () => {
    const held = { ...passport, raised: ['CLOCK_UNVERIFIED'] }
    const other = someEvidence({ id: 'other', type: 'VISA', disagreements: against('passport') })
    const at = grounds([held, other, portrait])
    expect(knownIn(at, 1)).toEqual(['other+portrait', 'passport+portrait'])
    expect(knownIn(at, 2)).toEqual(['other+portrait', 'portrait'])
  })

  test('from the same grounds at each level at which the same evidence counts', () => {
    const at = grounds([passport, portrait])
    expect(at(2)[0]).toBe(at(1)[0])
    const held = grounds([{ ...passport, raised: ['CLOCK_UNVERIFIED'] }, portrait])
    expect(held(2)[0]).not.toBe(held(1)[0])
  })

  test('and takes no set for another whose ids read alike when written together', () => {
    const [a, b] = [someEvidence({ id: 'a' }), someEvidence({ id: 'b', type: 'VISA' })]
    const ab = someEvidence({ id: 'ab', type: 'IDENTITY_CARD', disagreements: against('a', 'b') })
    expect(knownIn(grounds([a, b, ab]), 1).toSorted()).toEqual(['a+b', 'ab'])
  })
})

describe('what fraud checks passed', () => {
  const [a, b] = [someEvidence({ id: 'a' }), someEvidence({ id: 'b', type: 'VISA' })]
  const passedWith = (...checks: readonly FraudFacts[]) =>
    grounds([a, b], checks)(1).map(({ fraudPassed }) => fraudPassed)

  test.each<[string, readonly FraudFacts[], readonly (readonly string[])[]]>([
    ['nothing: once', [], [[]]],
    ['about the first name', [check(['X'], 'a')], [['X']]],
    ['about the second name: beside nothing about the first', [check(['X'], 'b')], [[], ['X']]],
    ['about both the same: once', [check(['X'], 'a', 'b')], [['X']]],
    [
      'about the second less than about the first: once',
      [check(['X'], 'a', 'b'), check(['Y'], 'a')],
      [['X', 'Y']],
    ],
    ['about each something else: twice', [check(['X'], 'a'), check(['Y'], 'b')], [['X'], ['Y']]],
    [
      'about the second more than about the first',
      [check(['X'], 'a', 'b'), check(['Y'], 'b')],
      [['X'], ['X', 'Y']],
    ],
  ])('is looked at under each name that adds to it: %s', (_, checks, expected) => {
    expect(passedWith(...checks)).toEqual(expected)
  })
})
