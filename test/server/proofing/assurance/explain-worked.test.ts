/** Worked cases of what an explanation says where several persons, several documents or several indicators are in play. */
import { describe, expect, test } from 'vitest'
import { explain } from '../../../../server/proofing/assurance/explain.ts'
import type { EvidenceFacts, FraudFacts } from '../../../../server/proofing/assurance/facts.ts'
import type { Profile } from '../../../../server/proofing/assurance/policy.ts'
import { someEvidence, somePolicy } from '../../../support/assurance.ts'

const CHIP: Profile = {
  name: 'chip',
  levelOfAssurance: 'LOA2',
  pieces: [{ evidence: 'ID_DOCUMENT', requires: ['CHIP'] }],
}
const PAPER: Profile = { name: 'paper', levelOfAssurance: 'LOA1', pieces: [{ evidence: 'ID_DOCUMENT' }] }
const CAPS = { A_UNVERIFIED: 'LOA0', B_UNVERIFIED: 'LOA0', MIDDLE_UNVERIFIED: 'LOA1', TOP_UNVERIFIED: 'LOA2' }

const against = (...ids: readonly string[]) =>
  ids.map((evidenceId) => ({ evidenceId, attributes: ['surname'] }))
const watchlist = (...raised: readonly string[]): FraudFacts => ({
  type: 'WATCHLIST',
  passed: [],
  raised,
  subjects: [],
})

function explained(
  profiles: readonly Profile[],
  evidences: readonly EvidenceFacts[],
  fraudChecks: readonly FraudFacts[] = [],
) {
  const policy = somePolicy({
    profiles,
    caps: CAPS,
    marks: [{ mark: 'verified', value: 2, evidence: 'ID_DOCUMENT', requires: ['HOLDER_MATCH', 'STATUS'] }],
  })
  return explain(policy, { evidences, fraudChecks })
}

describe('of persons who come equally close to a profile', () => {
  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('%s is spoken of and not %s, whom the assessment does not rest on', (better, worse) => {
    const evidences = [
      someEvidence({ id: better, score: 'LEVEL4', disagreements: against(worse) }),
      someEvidence({ id: worse, score: 'LEVEL1' }),
    ]
    const { assessment, profiles } = explained([PAPER, CHIP], evidences)
    expect(assessment.nameReferenceId).toBe(better)
    expect(profiles.map(({ pieces, missing }) => [pieces, missing])).toEqual([
      [[better], []],
      [[better], [{ what: 'CHECK', piece: 0, check: 'CHIP' }]],
    ])
  })

  test('the closer one is explained, even if the assessment rests on the other', () => {
    const evidences = [
      someEvidence({ id: 'a', score: 'LEVEL4', disagreements: against('b') }),
      someEvidence({ id: 'b', score: 'LEVEL1', passed: ['CHIP'], raised: ['MIDDLE_UNVERIFIED'] }),
    ]
    const { assessment, profiles } = explained([PAPER, CHIP], evidences)
    expect(assessment.nameReferenceId).toBe('a')
    expect(profiles[1]).toMatchObject({
      met: false,
      pieces: ['b'],
      missing: [{ what: 'CAP', indicator: 'MIDDLE_UNVERIFIED', maximum: 'LOA1' }],
    })
  })

  test('with one name, that set is spoken of which the level rests on', () => {
    const contact = (id: string, ...others: readonly string[]) =>
      someEvidence({ id, kind: 'ADDRESS', strength: 'LEVEL1', disagreements: against(...others) })
    const evidences = [someEvidence({ id: 'p' }), contact('x', 'y', 'z'), contact('y', 'z'), contact('z')]
    const asked: Profile = {
      name: 'address',
      levelOfAssurance: 'LOA1',
      pieces: [{ evidence: 'ADDRESS', minimumStrength: 'LEVEL3' }],
    }
    const { assessment, profiles } = explained([asked], evidences)
    expect(assessment).toMatchObject({ nameReferenceId: 'p', countedIds: ['p', 'z'] })
    expect(profiles[0].pieces).toEqual(['z'])
  })

  test('without any name, that set is spoken of which the level rests on', () => {
    const contact = (id: string, ...others: readonly string[]) =>
      someEvidence({ id, kind: 'CONTACT', disagreements: against(...others) })
    const asked: Profile = {
      name: 'c',
      levelOfAssurance: 'LOA1',
      pieces: [{ evidence: 'CONTACT', requires: ['OTP'] }],
    }
    const { assessment, profiles } = explained([asked], [contact('x', 'y'), contact('y')])
    expect(assessment).toMatchObject({ nameReferenceId: null, countedIds: ['y'] })
    expect(profiles[0].pieces).toEqual(['y'])
  })
})

describe('of a piece of evidence', () => {
  test('the marks are told that it has by a portrait and by fraud checks', () => {
    const portrait = someEvidence({ id: 'portrait', kind: 'PORTRAIT', matches: ['document'] })
    const status: FraudFacts = {
      type: 'DOCUMENT_STATUS',
      passed: ['STATUS'],
      raised: [],
      subjects: ['document'],
    }
    const marksWith = (evidences: readonly EvidenceFacts[], ...checks: readonly FraudFacts[]) =>
      explained([PAPER], evidences, checks).evidences[0].marks
    expect(marksWith([someEvidence(), portrait], status)).toEqual({ verified: 2 })
    expect(marksWith([someEvidence()], status)).toEqual({})
    expect(marksWith([someEvidence(), portrait])).toEqual({})
    expect(marksWith([someEvidence(), { ...portrait, mayBeUsed: false }], status)).toEqual({})
  })

  test('nothing speaks against it where an indicator alone keeps it below the level', () => {
    const held = someEvidence({ id: 'held', raised: ['A_UNVERIFIED'] })
    const { evidences } = explained([PAPER], [held, someEvidence({ id: 'good', type: 'VISA' })])
    expect(evidences).toEqual([
      { id: 'good', type: 'VISA', marks: {}, counted: true, leftOut: null },
      { id: 'held', type: 'PASSPORT', marks: {}, counted: false, leftOut: null },
    ])
  })
})

describe('indicators that stand in the way', () => {
  const missingOf = (
    profile: Profile,
    evidences: readonly EvidenceFacts[],
    fraudChecks: readonly FraudFacts[] = [],
  ) => explained([profile], evidences, fraudChecks).profiles[0].missing
  const cap = (indicator: keyof typeof CAPS) => ({ what: 'CAP', indicator, maximum: CAPS[indicator] })
  const NO_CHIP = { what: 'CHECK', piece: 0, check: 'CHIP' }

  test('are named besides what is missing: of the evidence that is spoken of and of fraud checks, sorted', () => {
    const held = someEvidence({
      raised: ['MIDDLE_UNVERIFIED', 'B_UNVERIFIED', 'TOP_UNVERIFIED', 'OTHER_WARNING'],
    })
    const portrait = someEvidence({ id: 'portrait', kind: 'PORTRAIT', raised: ['A_UNVERIFIED'] })
    expect(missingOf(CHIP, [held, portrait])).toEqual([
      NO_CHIP,
      cap('B_UNVERIFIED'),
      cap('MIDDLE_UNVERIFIED'),
    ])
    expect(missingOf(CHIP, [held, portrait], [watchlist('A_UNVERIFIED')])).toEqual([
      NO_CHIP,
      cap('A_UNVERIFIED'),
      cap('B_UNVERIFIED'),
      cap('MIDDLE_UNVERIFIED'),
    ])
  })

  test('are named only where it would be met without them', () => {
    const held = someEvidence({
      id: 'a',
      passed: ['CHIP'],
      raised: ['MIDDLE_UNVERIFIED', 'TOP_UNVERIFIED', 'A_UNVERIFIED'],
    })
    expect(missingOf(CHIP, [held])).toEqual([cap('A_UNVERIFIED'), cap('MIDDLE_UNVERIFIED')])
    // Another document would do: it is the watchlist alone.
    const other = someEvidence({ id: 'b', type: 'VISA', passed: ['CHIP'] })
    expect(missingOf(CHIP, [held, other], [watchlist('B_UNVERIFIED')])).toEqual([cap('B_UNVERIFIED')])
    expect(missingOf(CHIP, [held, other])).toEqual([])
  })

  test('are not named where the level is reached anyway', () => {
    const held = someEvidence({ raised: ['MIDDLE_UNVERIFIED'] })
    expect(explained([PAPER], [held]).profiles[0]).toMatchObject({ met: true, missing: [] })
  })
})

test('profiles are told from the lowest level up, those of one level as the policy names them', () => {
  const profiles = [CHIP, PAPER, { ...CHIP, name: 'chip again' }, { ...PAPER, name: 'paper again' }]
  const { profiles: told } = explained(profiles, [])
  expect(told.map(({ name }) => name)).toEqual(['paper', 'paper again', 'chip', 'chip again'])
})
