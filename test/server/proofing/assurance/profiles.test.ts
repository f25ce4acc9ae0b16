import { describe, expect, test } from 'vitest'
import { highestRank, findRank } from '../../../../server/proofing/assurance/caps.ts'
import {
  combinedScales,
  computeMarks,
  reaches,
  scalesOfFraudChecks,
  scalesOfPiece,
  type DatedPiece,
} from '../../../../server/proofing/assurance/marks.ts'
import {
  listFraudChecks,
  listHolderChecks,
  holderShownBy,
  buildPiece,
} from '../../../../server/proofing/assurance/pieces.ts'
import type { MarkRule, PieceRule, Profile, ScaleRule } from '../../../../server/proofing/assurance/policy.ts'
import {
  doesFit,
  meetsProfile,
  listProfiles,
  findUnmatchedRules,
} from '../../../../server/proofing/assurance/profiles.ts'
import { someEvidence, somePolicy } from '../../../support/assurance.ts'

const piece = (over: Partial<DatedPiece> = {}): DatedPiece => ({
  id: 'a',
  kind: 'ID_DOCUMENT',
  type: 'PASSPORT',
  strength: 'LEVEL3',
  score: 'LEVEL2',
  marks: { validity: 2 },
  passed: ['PRINT'],
  heldForDays: 180,
  ...over,
})

describe('a piece fits a rule', () => {
  test.each<[string, Omit<PieceRule, 'evidence'>, boolean]>([
    ['that asks for nothing more', {}, true],
    ['of its type', { types: ['VISA', 'PASSPORT'] }, true],
    ['of no other type', { types: ['VISA'] }, false],
    ['with its score', { minimumScore: 'LEVEL2' }, true],
    ['with no more than its score', { minimumScore: 'LEVEL3' }, false],
    ['with its strength', { minimumStrength: 'LEVEL3' }, true],
    ['with no more than its strength', { minimumStrength: 'LEVEL4' }, false],
    ['with its marks', { marks: { validity: 2 } }, true],
    ['with no more than its marks', { marks: { validity: 3 } }, false],
    ['with no mark that it has not', { marks: { validity: 1, strength: 1 } }, false],
    ['with a mark of 0', { marks: { strength: 0 } }, true],
    ['with its checks', { requires: ['PRINT'] }, true],
    ['with no check that it did not pass', { requires: ['PRINT', 'CHIP'] }, false],
  ])('%s', (_, rule, expected) => {
    expect(doesFit({ evidence: 'ID_DOCUMENT', ...rule }, piece())).toBe(expected)
    expect(doesFit({ evidence: 'ANY', ...rule }, piece())).toBe(expected)
    expect(doesFit({ evidence: 'PORTRAIT', ...rule }, piece())).toBe(false)
  })
})

describe('a profile', () => {
  const two: Profile = {
    name: 'two',
    levelOfAssurance: 'LOA1',
    pieces: [{ evidence: 'ID_DOCUMENT' }, { evidence: 'ID_DOCUMENT', types: ['PASSPORT'] }],
    scales: { fraud: 1 },
  }
  const licence = piece({ id: 'b', type: 'DRIVING_LICENSE' })

  test('is met by another piece for each rule, in whatever order they come', () => {
    expect(meetsProfile(two, [piece(), licence], { fraud: 1 })).toBe(true)
    expect(meetsProfile(two, [licence, piece()], { fraud: 2 })).toBe(true)
  })

  test('is not met by one piece for two rules, nor by two documents of one type', () => {
    expect(meetsProfile(two, [piece()], { fraud: 1 })).toBe(false)
    expect(meetsProfile(two, [piece(), piece({ id: 'c' })], { fraud: 1 })).toBe(false)
    expect(meetsProfile(two, [licence, piece({ id: 'd', type: 'VISA' })], { fraud: 1 })).toBe(false)
  })

  test('is not met below a scale of it', () => {
    expect(meetsProfile(two, [piece(), licence], { fraud: 0 })).toBe(false)
    expect(meetsProfile(two, [piece(), licence], {})).toBe(false)
  })

  test('takes of two documents of one type the one that fits', () => {
    const better = piece({ id: 'c', score: 'LEVEL4' })
    const asked: Profile = {
      name: 'one',
      levelOfAssurance: 'LOA1',
      pieces: [{ evidence: 'ID_DOCUMENT', minimumScore: 'LEVEL4' }],
    }
    expect(meetsProfile(asked, [piece(), better], {})).toBe(true)
    expect(meetsProfile(asked, [better, piece()], {})).toBe(true)
    expect(meetsProfile(asked, [piece()], {})).toBe(false)
  })

  test('belongs to the level that it names', () => {
    const policy = somePolicy({ profiles: [two, { ...two, name: 'other', levelOfAssurance: 'LOA2' }] })
    expect([0, 1, 2].map((rank) => listProfiles(policy, rank).map(({ name }) => name))).toEqual([
      [],
      ['two'],
      ['other'],
    ])
  })
})

describe('rules and slots', () => {
  test.each([
    [[], []],
    [[['a']], []],
    [[[]], [0]],
    [
      [['a'], ['a']],
      [1, 0],
    ],
    [[['a', 'b'], ['a']], []],
    [
      [
        ['a', 'b'],
        ['a', 'b'],
        ['b', 'c'],
      ],
      [],
    ],
    [
      [['a', 'b'], ['c'], ['a', 'b'], ['a', 'b']],
      [0, 2, 3],
    ],
  ])('%j leave %j without one', (fitting, short) => {
    expect([...findUnmatchedRules(fitting)].sort()).toEqual([...short].sort())
  })
})

describe('marks', () => {
  const rules: readonly MarkRule[] = [
    { mark: 'validity', value: 2, evidence: 'ID_DOCUMENT', requires: ['PRINT'] },
    { mark: 'validity', value: 1, evidence: 'ID_DOCUMENT' },
    { mark: 'validity', value: 3, evidence: 'ID_DOCUMENT', requires: ['PRINT', 'CHIP'] },
    { mark: 'strength', value: 3, evidence: 'ID_DOCUMENT', types: ['PASSPORT'] },
    { mark: 'strength', value: 4, evidence: 'ID_DOCUMENT', issuers: ['UTO'] },
    { mark: 'worth', value: 1, evidence: 'ID_DOCUMENT', minimumScore: 'LEVEL2' },
    { mark: 'strength', value: 9, evidence: 'PORTRAIT' },
  ]

  test('of a piece are the highest that its rules give', () => {
    expect(computeMarks(rules, piece())).toEqual({ validity: 2, strength: 3, worth: 1 })
    expect(computeMarks(rules, piece({ passed: [], score: 'LEVEL1' }))).toEqual({ validity: 1, strength: 3 })
    expect(computeMarks(rules, piece({ type: 'VISA' }))).toEqual({ validity: 2, worth: 1 })
    expect(computeMarks(rules, piece({ passed: ['PRINT', 'CHIP'] })).validity).toBe(3)
  })

  test('may depend on the issuer of a document, and ignore it for a document that is still to come', () => {
    expect(computeMarks(rules, piece(), 'UTO').strength).toBe(4)
    expect(computeMarks(rules, piece(), 'GBR').strength).toBe(3)
    expect(computeMarks(rules, piece(), '*').strength).toBe(4)
  })

  test('reach others that are no higher', () => {
    expect(reaches({ a: 1 })).toBe(true)
    expect(reaches({ a: 1 }, { a: 1 })).toBe(true)
    expect(reaches({ a: 1 }, { a: 2 })).toBe(false)
    expect(reaches({ a: 1 }, { a: 1, b: 1 })).toBe(false)
    expect(reaches({}, { b: 0 })).toBe(true)
  })
})

describe('scales', () => {
  const rules: readonly ScaleRule[] = [
    { scale: 'activity', value: 1, evidence: 'ID_DOCUMENT', heldForDays: 180 },
    { scale: 'activity', value: 2, evidence: 'ID_DOCUMENT', heldForDays: 405 },
    {
      scale: 'verification',
      value: 1,
      evidence: 'ID_DOCUMENT',
      requires: ['HOLDER_MATCH'],
      marks: { validity: 2 },
    },
    { scale: 'verification', value: 2, evidence: 'ID_DOCUMENT', types: ['VISA'] },
    { scale: 'fraud', value: 1, evidence: 'ANTIFRAUD', requires: ['A'] },
    { scale: 'fraud', value: 2, evidence: 'ANTIFRAUD', requires: ['A', 'B'] },
    { scale: 'other', value: 1, evidence: 'PORTRAIT' },
  ]

  test.each([
    [null, undefined],
    [179, undefined],
    [180, 1],
    [404, 1],
    [405, 2],
  ])('of a record of %s days', (heldForDays, activity) => {
    expect(scalesOfPiece(rules, piece({ heldForDays })).activity).toBe(activity)
  })

  test('ask for checks, marks and types of one piece', () => {
    expect(scalesOfPiece(rules, piece())).toEqual({ activity: 1 })
    expect(scalesOfPiece(rules, piece({ passed: ['HOLDER_MATCH'] }))).toEqual({
      activity: 1,
      verification: 1,
    })
    expect(scalesOfPiece(rules, piece({ passed: ['HOLDER_MATCH'], marks: { validity: 1 } }))).toEqual({
      activity: 1,
    })
    expect(scalesOfPiece(rules, piece({ type: 'VISA' }))).toEqual({ activity: 1, verification: 2 })
  })

  test('by fraud checks take all of them together', () => {
    expect(scalesOfFraudChecks(rules, [])).toEqual({})
    expect(scalesOfFraudChecks(rules, ['B'])).toEqual({})
    expect(scalesOfFraudChecks(rules, ['A'])).toEqual({ fraud: 1 })
    expect(scalesOfFraudChecks(rules, ['B', 'A'])).toEqual({ fraud: 2 })
  })

  test('of an identity are all there, in the order of the policy, each the highest', () => {
    const combined = combinedScales(rules, [{ fraud: 1 }, { fraud: 2, activity: 1 }, { fraud: 1 }])
    expect(Object.entries(combined)).toEqual([
      ['activity', 1],
      ['verification', 0],
      ['fraud', 2],
      ['other', 0],
    ])
  })
})

describe('caps', () => {
  const policy = somePolicy({
    caps: { CLOCK_UNVERIFIED: 'LOA1', TAMPER_FAILED: 'LOA0', ODD_WARNING: 'LOA9' },
  })
  test.each([
    [[], 3],
    [['UNKNOWN_WARNING', 'toString'], 3],
    [['CLOCK_UNVERIFIED'], 1],
    [['CLOCK_UNVERIFIED', 'TAMPER_FAILED'], 0],
    [['ODD_WARNING'], -1],
  ])('%j leave open rank %i at most', (raised, rank) => {
    expect(highestRank(policy, raised)).toBe(rank)
  })

  test('name levels of the policy', () => {
    expect(['LOA0', 'LOA3', 'LOA4'].map((level) => findRank(policy, level))).toEqual([0, 3, -1])
  })
})

describe('what other evidence gives a document', () => {
  const portrait = (id: string, passed: readonly string[], matches = ['document']) =>
    someEvidence({ id, kind: 'PORTRAIT', passed, matches })

  test('by a portrait that matches it: each check by one portrait alone', () => {
    expect(holderShownBy(portrait('p', []))).toEqual(['HOLDER_MATCH'])
    expect(holderShownBy(portrait('p', ['BIOMETRIC_LIVENESS']))).toEqual(['HOLDER_MATCH', 'HOLDER_LIVE'])
    const live = portrait('p', ['BIOMETRIC_LIVENESS'])
    const chip = portrait('q', ['NFC_PORTRAIT_MATCH'])
    expect(listHolderChecks(someEvidence(), [live, chip])).toEqual(['HOLDER_MATCH', 'HOLDER_LIVE'])
  })

  test('not by a portrait of another person, and not by other kinds of evidence', () => {
    expect(listHolderChecks(someEvidence(), [portrait('p', [], ['other'])])).toEqual([])
    expect(listHolderChecks(someEvidence(), [someEvidence({ id: 'q', matches: ['document'] })])).toEqual([])
  })

  test('by fraud checks that looked at it', () => {
    const check = {
      type: 'DOCUMENT_STATUS',
      passed: ['DOCUMENT_STATUS'],
      raised: [],
      subjects: ['document'],
    } as const
    expect(
      listFraudChecks(someEvidence(), [check, { ...check, subjects: ['other'], passed: ['B'] }]),
    ).toEqual(['DOCUMENT_STATUS'])
  })

  test('counts for its marks as its own checks do', () => {
    const policy = somePolicy({
      marks: [
        {
          mark: 'm',
          value: 2,
          evidence: 'ID_DOCUMENT',
          issuers: ['UTO'],
          requires: ['HOLDER_MATCH', 'PRINT'],
        },
      ],
    })
    const evidence = someEvidence({ passed: ['PRINT'], issuer: 'UTO', heldForDays: 3 })
    expect(buildPiece(policy, evidence, ['HOLDER_MATCH', 'PRINT'])).toEqual({
      id: 'document',
      kind: 'ID_DOCUMENT',
      type: 'PASSPORT',
      strength: 'LEVEL4',
      score: 'LEVEL3',
      passed: ['PRINT', 'HOLDER_MATCH'],
      marks: { m: 2 },
      heldForDays: 3,
    })
    expect(buildPiece(policy, evidence, [], 'LEVEL5')).toMatchObject({ score: 'LEVEL5', marks: {} })
  })
})
