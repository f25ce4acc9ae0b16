/** Worked cases at the edges of an assessment: ties, lowest levels, names without worth, and paths of one length. */
import { describe, expect, test } from 'vitest'
import { assess } from '../../../../server/proofing/assurance/assess.ts'
import { ABILITIES, type EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import { scalesOfPiece } from '../../../../server/proofing/assurance/marks.ts'
import { buildPiece } from '../../../../server/proofing/assurance/pieces.ts'
import type { Policy, Profile } from '../../../../server/proofing/assurance/policy.ts'
import {
  isMet,
  listLevelCandidates,
  listUsableEvidence,
} from '../../../../server/proofing/assurance/level-candidates.ts'
import { NO_FACTS, someEvidence, somePolicy } from '../../../support/assurance.ts'

const DOCUMENT: Profile = {
  name: 'document',
  levelOfAssurance: 'LOA1',
  pieces: [{ evidence: 'ID_DOCUMENT' }],
}
const against = (...ids: readonly string[]) =>
  ids.map((evidenceId) => ({ evidenceId, attributes: ['surname'] }))
const assessed = (evidences: readonly EvidenceFacts[], over: Partial<Policy> = {}) =>
  assess(somePolicy({ profiles: [DOCUMENT], ...over }), { evidences, fraudChecks: [] }, [])

test('a name, of whatever worth, goes before more evidence without one', () => {
  const named = someEvidence({
    id: 'named',
    score: 'LEVEL0',
    codingQuality: 0,
    disagreements: against('x', 'y'),
  })
  const nameless = (id: string, type: EvidenceFacts['type']) => someEvidence({ id, type, statesName: false })
  expect(assessed([named, nameless('x', 'VISA'), nameless('y', 'TAX_CARD')])).toMatchObject({
    nameReferenceId: 'named',
    countedIds: ['named'],
  })
})

describe('the lowest level', () => {
  test('is reached by no profile', () => {
    const lowest = { ...DOCUMENT, levelOfAssurance: 'LOA0' }
    expect(assessed([someEvidence()], { profiles: [lowest] })).toMatchObject({
      levelOfAssurance: 'LOA0',
      profile: null,
    })
  })

  test('rests on evidence even where a cap names a level that does not exist', () => {
    const held = someEvidence({ raised: ['ODD_WARNING'] })
    expect(assessed([held], { caps: { ODD_WARNING: 'LOA9' } })).toMatchObject({
      levelOfAssurance: 'LOA0',
      countedIds: ['document'],
      nameReferenceId: 'document',
      heldDownBy: ['ODD_WARNING'],
    })
  })
})

test('indicators that hold the level down together are told sorted, whatever their order on the evidence', () => {
  const caps = { A_UNVERIFIED: 'LOA0', B_UNVERIFIED: 'LOA0', C_UNVERIFIED: 'LOA3' }
  const held = someEvidence({ raised: ['C_UNVERIFIED', 'B_UNVERIFIED', 'A_UNVERIFIED', 'B_UNVERIFIED'] })
  expect(assessed([held], { caps }).heldDownBy).toEqual(['A_UNVERIFIED', 'B_UNVERIFIED'])
})

test('of two ways to count the same, it makes no difference which is taken', () => {
  const one = someEvidence({ id: 'a', type: 'VISA', raised: ['X'], disagreements: against('b') })
  const other = someEvidence({ id: 'b', type: 'TAX_CARD', raised: ['X'] })
  expect(assessed([one, other, someEvidence()], { caps: { X: 'LOA0' } })).toMatchObject({
    levelOfAssurance: 'LOA1',
    countedIds: ['document'],
  })
})

describe('standings', () => {
  const facts = {
    evidences: [someEvidence({ id: 'b', disagreements: against('a') }), someEvidence({ id: 'a' })],
    fraudChecks: [],
  }

  test('come in the order of ids, in whatever order the evidence came', () => {
    expect(listUsableEvidence(facts).map(({ id }) => id)).toEqual(['a', 'b'])
    const references = listLevelCandidates(somePolicy(), facts, 1).map(({ reference }) => reference?.id)
    expect(references).toEqual(['a', 'b'])
  })

  test('meet a profile where any of them does and no cap is in the way', () => {
    const asking: Profile = { ...DOCUMENT, pieces: [{ evidence: 'ID_DOCUMENT', requires: ['CHIP'] }] }
    const [b, a] = facts.evidences
    const chip = { ...facts, evidences: [b, { ...a, passed: ['CHIP'] }] }
    const check = { type: 'WATCHLIST' as const, passed: [], raised: ['X'], subjects: [] }
    expect(isMet(somePolicy(), facts, asking)).toBe(false)
    expect(isMet(somePolicy(), chip, asking)).toBe(true)
    expect(isMet(somePolicy({ caps: { X: 'LOA1' } }), { ...chip, fraudChecks: [check] }, asking)).toBe(true)
    expect(isMet(somePolicy({ caps: { X: 'LOA0' } }), { ...chip, fraudChecks: [check] }, asking)).toBe(false)
  })
})

test('what is known for no time at all is no record of 0 days', () => {
  const rules = [{ scale: 'activity', value: 1, evidence: 'ID_DOCUMENT' as const, heldForDays: 0 }]
  const scalesWith = (heldForDays: number | null) =>
    scalesOfPiece(rules, buildPiece(somePolicy(), someEvidence({ heldForDays }), []))
  expect([scalesWith(null), scalesWith(0)]).toEqual([{}, { activity: 1 }])
})

describe('upgrade paths of one length', () => {
  const fraud = (name: string) => ({ name, evidence: 'ANTIFRAUD' as const, checks: [name], needs: [] })
  const [A, B, C, D] = ['A', 'B', 'C', 'D'].map(fraud)
  const clean = (...scales: readonly string[]): Profile => ({
    name: scales.join('+'),
    levelOfAssurance: 'LOA1',
    pieces: [],
    scales: Object.fromEntries(scales.map((scale) => [scale, 1])),
  })
  const pathsOf = (...profiles: readonly Profile[]) => {
    const policy = somePolicy({
      scales: ['A', 'B', 'C', 'D'].map((scale) => ({
        scale,
        value: 1,
        evidence: 'ANTIFRAUD',
        requires: [scale],
      })),
      submissions: [A, B, C, D],
      profiles,
    })
    return assess(policy, NO_FACTS, ABILITIES).upgradePaths.LOA1.map((path) =>
      path.flatMap(({ checks }) => checks).join(''),
    )
  }

  test.each<[readonly (readonly string[])[], readonly string[]]>([
    [
      [
        ['A', 'C'],
        ['A', 'B'],
      ],
      ['AB', 'AC'],
    ],
    [
      [
        ['B', 'C'],
        ['A', 'D'],
      ],
      ['AD', 'BC'],
    ],
    [
      [
        ['A', 'B', 'D'],
        ['A', 'B', 'C'],
      ],
      ['ABC', 'ABD'],
    ],
    [
      [['B', 'C'], ['D'], ['A', 'C']],
      ['D', 'AC', 'BC'],
    ],
    [
      [
        ['A', 'B', 'C'],
        ['A', 'B'],
      ],
      ['AB'],
    ],
    [
      [
        ['A', 'B'],
        ['A', 'B', 'C'],
        ['C', 'D'],
      ],
      ['AB', 'CD'],
    ],
  ])('by profiles %j stand as the policy names their steps: %j', (profiles, expected) => {
    expect(pathsOf(...profiles.map((scales) => clean(...scales)))).toEqual(expected)
  })
})
