import { describe, expect, test } from 'vitest'
import { explain } from '../../../../server/proofing/assurance/explain.ts'
import type {
  AssuranceFacts,
  EvidenceFacts,
  FraudFacts,
} from '../../../../server/proofing/assurance/facts.ts'
import { NO_FACTS, someEvidence, somePolicy } from '../../../support/assurance.ts'

const policy = somePolicy({
  marks: [{ mark: 'validity', value: 2, evidence: 'ID_DOCUMENT', requires: ['PRINT'] }],
  scales: [{ scale: 'fraud', value: 1, evidence: 'ANTIFRAUD', requires: ['CLEAN'] }],
  profiles: [
    {
      name: 'high',
      levelOfAssurance: 'LOA2',
      pieces: [
        {
          evidence: 'ID_DOCUMENT',
          types: ['PASSPORT', 'IDENTITY_CARD'],
          minimumScore: 'LEVEL4',
          minimumStrength: 'LEVEL5',
          marks: { validity: 3 },
          requires: ['CHIP', 'HOLDER_MATCH'],
        },
        { evidence: 'PORTRAIT' },
      ],
      scales: { fraud: 1 },
    },
    { name: 'low', levelOfAssurance: 'LOA1', pieces: [{ evidence: 'ID_DOCUMENT', minimumScore: 'LEVEL2' }] },
  ],
  caps: { CLOCK_UNVERIFIED: 'LOA0', WATCHLIST_FAILED: 'LOA0', CAMERA_UNVERIFIED: 'LOA1' },
})

const facts = (
  evidences: readonly EvidenceFacts[],
  fraudChecks: readonly FraudFacts[] = [],
): AssuranceFacts => ({
  evidences,
  fraudChecks,
})
const passport = someEvidence({ passed: ['PRINT'] })
const profilesOf = (given: AssuranceFacts) => explain(policy, given).profiles

describe('an explanation', () => {
  test('names the policy and what was assessed', () => {
    expect(explain(policy, NO_FACTS)).toMatchObject({
      policy: { id: 'some', version: '1', title: 'some policy' },
      assessment: { levelOfAssurance: 'LOA0', countedIds: [] },
      evidences: [],
    })
    expect(explain(policy, NO_FACTS).assessment).not.toHaveProperty('upgradePaths')
  })

  test('says of every piece of evidence what it is worth and why it is left out', () => {
    const stranger = someEvidence({
      id: 'z',
      score: 'LEVEL1',
      disagreements: [{ evidenceId: 'document', attributes: ['surname'] }],
    })
    const given = facts([
      stranger,
      someEvidence({ id: 'b', status: 'INVALID', passed: ['PRINT'] }),
      someEvidence({ id: 'a', mayBeUsed: false, status: 'VERIFIED' }),
      passport,
    ])
    expect(explain(policy, given).evidences).toEqual([
      { id: 'a', type: 'PASSPORT', marks: {}, counted: false, leftOut: 'CONSENT' },
      { id: 'b', type: 'PASSPORT', marks: {}, counted: false, leftOut: 'NOT_VERIFIED' },
      { id: 'document', type: 'PASSPORT', marks: { validity: 2 }, counted: true, leftOut: null },
      { id: 'z', type: 'PASSPORT', marks: {}, counted: false, leftOut: 'DISAGREES' },
    ])
  })
})

describe('of a profile it says', () => {
  test('that it is met, and by which evidence; the lowest level first', () => {
    expect(profilesOf(facts([passport]))[0]).toEqual({
      name: 'low',
      levelOfAssurance: 'LOA1',
      met: true,
      pieces: ['document'],
      missing: [],
    })
  })

  test('which pieces there are none for', () => {
    expect(profilesOf(NO_FACTS)).toEqual([
      {
        name: 'low',
        levelOfAssurance: 'LOA1',
        met: false,
        pieces: [null],
        missing: [{ what: 'PIECE', piece: 0, evidence: 'ID_DOCUMENT' }],
      },
      {
        name: 'high',
        levelOfAssurance: 'LOA2',
        met: false,
        pieces: [null, null],
        missing: [
          { what: 'PIECE', piece: 0, evidence: 'ID_DOCUMENT' },
          { what: 'PIECE', piece: 1, evidence: 'PORTRAIT' },
          { what: 'SCALE', scale: 'fraud', needed: 1, reached: 0 },
        ],
      },
    ])
  })

  test('what the evidence lacks that comes closest', () => {
    const worse = someEvidence({
      id: 'card',
      type: 'IDENTITY_CARD',
      strength: 'LEVEL1',
      score: 'LEVEL1',
      passed: ['PRINT'],
    })
    const portrait = someEvidence({ id: 'portrait', kind: 'PORTRAIT', matches: ['document'] })
    const better = { ...passport, score: 'LEVEL4' as const }
    expect(profilesOf(facts([worse, better, portrait]))[1]).toMatchObject({
      met: false,
      pieces: ['document', 'portrait'],
      missing: [
        { what: 'STRENGTH', piece: 0, needed: 'LEVEL5', reached: 'LEVEL4' },
        { what: 'MARK', piece: 0, mark: 'validity', needed: 3, reached: 2 },
        { what: 'CHECK', piece: 0, check: 'CHIP' },
        { what: 'SCALE', scale: 'fraud', needed: 1, reached: 0 },
      ],
    })
    const [{ missing, pieces }] = profilesOf(facts([worse]))
    expect(pieces).toEqual(['card'])
    expect(missing).toEqual([{ what: 'SCORE', piece: 0, needed: 'LEVEL2', reached: 'LEVEL1' }])
  })

  test('nothing about evidence of another type or without any of the marks', () => {
    const visa = someEvidence({ type: 'VISA', passed: ['PRINT'] })
    expect(profilesOf(facts([visa]))[1].pieces).toEqual([null, null])
    expect(profilesOf(facts([{ ...passport, passed: [] }]))[1].pieces).toEqual([null, null])
  })

  test('which indicators alone keep it from being met', () => {
    const held = { ...passport, raised: ['CLOCK_UNVERIFIED', 'CAMERA_UNVERIFIED', 'OTHER_WARNING'] }
    expect(profilesOf(facts([held]))[0]).toEqual({
      name: 'low',
      levelOfAssurance: 'LOA1',
      met: false,
      pieces: ['document'],
      missing: [{ what: 'CAP', indicator: 'CLOCK_UNVERIFIED', maximum: 'LOA0' }],
    })
    const check = { type: 'WATCHLIST' as const, passed: [], raised: ['WATCHLIST_FAILED'], subjects: [] }
    expect(profilesOf(facts([passport], [check]))[0].missing).toEqual([
      { what: 'CAP', indicator: 'WATCHLIST_FAILED', maximum: 'LOA0' },
    ])
  })

  test('what is missing besides an indicator', () => {
    const held = someEvidence({ score: 'LEVEL1', raised: ['CLOCK_UNVERIFIED'] })
    expect(profilesOf(facts([held]))[0].missing).toEqual([
      { what: 'SCORE', piece: 0, needed: 'LEVEL2', reached: 'LEVEL1' },
      { what: 'CAP', indicator: 'CLOCK_UNVERIFIED', maximum: 'LOA0' },
    ])
  })
})
