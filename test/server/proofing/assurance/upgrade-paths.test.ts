import { describe, expect, test } from 'vitest'
import { assess } from '../../../../server/proofing/assurance/assess.ts'
import {
  ABILITIES,
  type Ability,
  type AssuranceFacts,
  type EvidenceFacts,
} from '../../../../server/proofing/assurance/facts.ts'
import { needsNoMoreChecks, listOffers } from '../../../../server/proofing/assurance/offers.ts'
import type { Policy, SubmissionRule } from '../../../../server/proofing/assurance/policy.ts'
import { findUpgradePaths } from '../../../../server/proofing/assurance/upgrade-paths.ts'
import { NO_FACTS, someEvidence, somePolicy } from '../../../support/assurance.ts'

const CARDS = ['IDENTITY_CARD', 'RESIDENT_CARD'] as const
const DOCUMENTS = ['PASSPORT', ...CARDS] as const

const document: SubmissionRule = {
  name: 'document',
  evidence: 'ID_DOCUMENT',
  types: DOCUMENTS,
  checks: ['PRINT'],
  needs: ['DOCUMENTS'],
}
const chip: SubmissionRule = {
  ...document,
  name: 'chip',
  checks: ['PRINT', 'CHIP'],
  needs: ['DOCUMENTS', 'NFC'],
}
const portrait: SubmissionRule = {
  name: 'portrait',
  evidence: 'PORTRAIT',
  checks: ['MATCH'],
  needs: ['FACES'],
}
const live: SubmissionRule = { ...portrait, name: 'live', checks: ['MATCH', 'BIOMETRIC_LIVENESS'] }
const fraud: SubmissionRule = {
  name: 'fraud',
  evidence: 'ANTIFRAUD',
  checks: ['CLEAN'],
  needs: ['ANTIFRAUD'],
}

const base = somePolicy({
  strength: { PASSPORT: 'LEVEL4', IDENTITY_CARD: 'LEVEL3', RESIDENT_CARD: 'LEVEL3', PORTRAIT: 'LEVEL4' },
  documentScore: [
    { name: 'print', score: 'LEVEL2', requires: ['PRINT'] },
    { name: 'chip', score: 'LEVEL4', requires: ['PRINT', 'CHIP'] },
  ],
  scales: [{ scale: 'fraud', value: 1, evidence: 'ANTIFRAUD', requires: ['CLEAN'] }],
  levels: ['LOA0', 'LOA1', 'LOA2'].map((levelOfAssurance) => ({ levelOfAssurance, label: levelOfAssurance })),
  profiles: [
    {
      name: 'face',
      levelOfAssurance: 'LOA1',
      pieces: [
        { evidence: 'ID_DOCUMENT', minimumScore: 'LEVEL2', requires: ['HOLDER_MATCH'] },
        { evidence: 'PORTRAIT', minimumScore: 'LEVEL2' },
      ],
    },
    {
      name: 'live-face-and-chip',
      levelOfAssurance: 'LOA2',
      pieces: [{ evidence: 'ID_DOCUMENT', minimumScore: 'LEVEL4', requires: ['HOLDER_LIVE'] }],
      scales: { fraud: 1 },
    },
  ],
  caps: { CLOCK_UNVERIFIED: 'LOA1', WATCHLIST_FAILED: 'LOA0', WATCHLIST_WARNING: 'LOA1' },
  submissions: [document, chip, portrait, live, fraud],
})

const pathsOf = (facts: AssuranceFacts, policy: Policy = base, abilities: readonly Ability[] = ABILITIES) =>
  assess(policy, facts, abilities).upgradePaths
const having = (...evidences: readonly EvidenceFacts[]): AssuranceFacts => ({ evidences, fraudChecks: [] })

const step = ({ evidence, checks }: SubmissionRule, types?: readonly string[]) =>
  types ? { evidence, types, checks } : { evidence, checks }

const aPassport = someEvidence({ passed: ['PRINT'], score: 'LEVEL2' })
const aPortrait = someEvidence({
  id: 'portrait',
  kind: 'PORTRAIT',
  passed: ['MATCH'],
  score: 'LEVEL2',
  matches: ['document'],
})

describe('the ways up', () => {
  test('from nothing are whole sets, by any of the types that do', () => {
    expect(pathsOf(NO_FACTS)).toEqual({
      LOA1: [[step(document, DOCUMENTS), step(portrait)]],
      // Of all types a passport alone reaches the score.
      LOA2: [[step(chip, ['PASSPORT']), step(live), step(fraud)]],
    })
  })

  test('name nothing that is there and good enough', () => {
    expect(pathsOf(having(aPassport)).LOA1).toEqual([[step(portrait)]])
    expect(pathsOf(having(aPortrait)).LOA1).toEqual([[step(document, DOCUMENTS)]])
  })

  test('take what is there and too weak again, as an ordinary step', () => {
    const invalid = someEvidence({ status: 'INVALID', score: 'LEVEL0' })
    expect(pathsOf(having(invalid)).LOA1).toEqual([[step(document, DOCUMENTS), step(portrait)]])
    // The portrait that is there was not live.
    expect(pathsOf(having(aPassport, aPortrait))).toEqual({
      LOA2: [[step(chip, ['PASSPORT']), step(live), step(fraud)]],
    })
    const isLive = { ...aPortrait, passed: ['MATCH', 'BIOMETRIC_LIVENESS'] }
    expect(pathsOf(having(aPassport, isLive)).LOA2).toEqual([[step(chip, ['PASSPORT']), step(fraud)]])
    const withChip = { ...aPassport, score: 'LEVEL4' as const }
    expect(pathsOf(having(withChip, isLive)).LOA2).toEqual([[step(fraud)]])
  })

  test('lead past a document without a portrait to compare with', () => {
    expect(pathsOf(having({ ...aPassport, codingQuality: 0 })).LOA1).toEqual([
      [step(document, DOCUMENTS), step(portrait)],
    ])
  })

  test('lead past evidence that an indicator keeps below', () => {
    const held = { ...aPassport, score: 'LEVEL4' as const, raised: ['CLOCK_UNVERIFIED'] }
    expect(pathsOf(having(held))).toEqual({
      LOA1: [[step(portrait)]],
      LOA2: [[step(chip, ['PASSPORT']), step(live), step(fraud)]],
    })
  })

  test('end where a fraud check holds the whole identity', () => {
    const check = { type: 'WATCHLIST' as const, passed: [], subjects: [] }
    const held = (raised: readonly string[]) =>
      pathsOf({ evidences: [], fraudChecks: [{ ...check, raised }] })
    expect(held(['WATCHLIST_FAILED'])).toEqual({ LOA1: [], LOA2: [] })
    expect(held(['WATCHLIST_WARNING'])).toEqual({
      LOA1: [[step(document, DOCUMENTS), step(portrait)]],
      LOA2: [],
    })
  })

  test('name nothing that this installation cannot do', () => {
    expect(pathsOf(NO_FACTS, base, ['DOCUMENTS', 'FACES', 'ANTIFRAUD'])).toEqual({
      LOA1: [[step(document, DOCUMENTS), step(portrait)]],
      LOA2: [],
    })
    expect(pathsOf(NO_FACTS, base, ['DOCUMENTS', 'ANTIFRAUD'])).toEqual({ LOA1: [], LOA2: [] })
  })

  test('are no longer and no more than the policy says', () => {
    const limited = (longest: number, most: number) => ({ ...base, upgradePaths: { longest, most } })
    expect(pathsOf(NO_FACTS, limited(2, 8)).LOA2).toEqual([])
    expect(pathsOf(NO_FACTS, limited(1, 8)).LOA1).toEqual([])
    expect(pathsOf(NO_FACTS, limited(3, 8)).LOA2).toHaveLength(1)
  })

  test('to a level are those to the levels above it, where nothing less does', () => {
    const policy = { ...base, profiles: base.profiles.slice(1) }
    const paths = [[step(chip, ['PASSPORT']), step(live), step(fraud)]]
    expect(pathsOf(NO_FACTS, policy)).toEqual({ LOA1: paths, LOA2: paths })
  })

  test('start above the level that the caller names', () => {
    expect(Object.keys(findUpgradePaths(base, NO_FACTS, 'LOA1', ABILITIES))).toEqual(['LOA2'])
  })
})

describe('several submissions of one rule', () => {
  const two = (minimumStrength?: 'LEVEL4'): Policy => ({
    ...base,
    profiles: [
      {
        name: 'two',
        levelOfAssurance: 'LOA1',
        pieces: [{ evidence: 'ID_DOCUMENT', minimumStrength }, { evidence: 'ID_DOCUMENT' }],
      },
    ],
    submissions: [document],
  })

  test('are of several types', () => {
    expect(pathsOf(NO_FACTS, two()).LOA1).toEqual([[step(document, DOCUMENTS), step(document, DOCUMENTS)]])
    expect(pathsOf(NO_FACTS, two('LEVEL4')).LOA1).toEqual([
      [step(document, ['PASSPORT']), step(document, CARDS)],
    ])
  })

  test('are fewer where one is there, and of another type than that', () => {
    expect(pathsOf(having(aPassport), two()).LOA1).toEqual([[step(document, CARDS)]])
  })

  test('come to nothing where the rule has one type', () => {
    const one = { ...two(), submissions: [{ ...document, types: ['PASSPORT' as const] }] }
    expect(pathsOf(NO_FACTS, one).LOA1).toEqual([])
  })
})

describe('several paths', () => {
  const claim: SubmissionRule = { name: 'claim', evidence: 'TRUSTED_ID_CLAIM', checks: ['TOKEN'], needs: [] }
  const policy: Policy = {
    ...base,
    profiles: [
      {
        name: 'claimed',
        levelOfAssurance: 'LOA1',
        pieces: [{ evidence: 'TRUSTED_ID_CLAIM' }, { evidence: 'PORTRAIT' }],
      },
      { name: 'shown', levelOfAssurance: 'LOA1', pieces: [{ evidence: 'ID_DOCUMENT', types: CARDS }] },
      { name: 'read', levelOfAssurance: 'LOA1', pieces: [{ evidence: 'ID_DOCUMENT', requires: ['CHIP'] }] },
    ],
    submissions: [claim, chip, portrait, document],
  }

  test('are listed by their length, then as the policy names them', () => {
    const all = [[step(chip, ['PASSPORT'])], [step(document, CARDS)], [step(claim), step(portrait)]]
    expect(pathsOf(NO_FACTS, policy).LOA1).toEqual(all)
    const most = (count: number) => ({ ...policy, upgradePaths: { longest: 3, most: count } })
    expect(pathsOf(NO_FACTS, most(2)).LOA1).toEqual(all.slice(0, 2))
    expect(pathsOf(NO_FACTS, most(1)).LOA1).toEqual(all.slice(0, 1))
  })
})

describe('what could be submitted', () => {
  test('is put together by types that no rule tells apart, in the order of the policy', () => {
    const offers = listOffers(base, NO_FACTS, ABILITIES)
    expect(offers.map(({ position, rule, types }) => [position, rule.name, types])).toEqual([
      [0, 'document', ['PASSPORT']],
      [1, 'document', CARDS],
      [2, 'chip', ['PASSPORT']],
      [3, 'chip', CARDS],
      [4, 'portrait', ['PORTRAIT']],
      [5, 'live', ['PORTRAIT']],
      [6, 'fraud', []],
    ])
  })

  test('stands alone by a type that is there', () => {
    const card = someEvidence({ type: 'RESIDENT_CARD', status: 'INVALID' })
    const [, second, third] = listOffers(base, having(card), ABILITIES)
    expect([second.types, third.types]).toEqual([['IDENTITY_CARD'], ['RESIDENT_CARD']])
  })

  test.each<[string, Partial<Policy>]>([
    ['strength', { strength: { ...base.strength, RESIDENT_CARD: 'LEVEL2' } }],
    [
      'strength rule',
      { strengthRules: [{ name: 's', level: 'LEVEL5', types: ['RESIDENT_CARD'], requires: ['CHIP'] }] },
    ],
    [
      'score',
      { documentScore: [{ name: 's', score: 'LEVEL2', types: ['IDENTITY_CARD'], requires: ['PRINT'] }] },
    ],
    ['mark', { marks: [{ mark: 'm', value: 1, evidence: 'ID_DOCUMENT', types: ['IDENTITY_CARD'] }] }],
    ['scale', { scales: [{ scale: 's', value: 1, evidence: 'ID_DOCUMENT', types: ['IDENTITY_CARD'] }] }],
    [
      'profile',
      {
        profiles: [
          {
            name: 'p',
            levelOfAssurance: 'LOA1',
            pieces: [{ evidence: 'ID_DOCUMENT', types: ['IDENTITY_CARD'] }],
          },
        ],
      },
    ],
    ['submission', { submissions: [document, { ...chip, types: ['IDENTITY_CARD'] }] }],
  ])('is distinguished by a %s of its type', (_, over) => {
    const types = listOffers({ ...base, ...over }, NO_FACTS, ABILITIES).map((offer) => offer.types)
    expect(types).not.toContainEqual(CARDS)
    expect(types).toContainEqual(['IDENTITY_CARD'])
  })

  test('is offered once, however many rules offer the same', () => {
    const again = {
      ...base,
      submissions: [document, { ...document, name: 'again', checks: ['PRINT', 'PRINT'] }],
    }
    expect(listOffers(again, NO_FACTS, ABILITIES).map(({ position, rule }) => [position, rule.name])).toEqual(
      [
        [0, 'document'],
        [1, 'document'],
      ],
    )
  })

  test('asks for no more than another with the same checks and more, of the same type', () => {
    const [paper, , read, , plain, alive, checks] = listOffers(base, NO_FACTS, ABILITIES)
    expect([needsNoMoreChecks(paper, read), needsNoMoreChecks(read, paper)]).toEqual([true, false])
    expect([needsNoMoreChecks(plain, alive), needsNoMoreChecks(alive, plain)]).toEqual([true, false])
    expect([
      needsNoMoreChecks(paper, paper),
      needsNoMoreChecks(paper, alive),
      needsNoMoreChecks(checks, paper),
    ]).toEqual([true, false, false])
  })

  test('is as good as it can be', () => {
    const [paper, cards] = listOffers(base, NO_FACTS, ABILITIES)
    expect(paper.evidence).toMatchObject({
      strength: 'LEVEL4',
      score: 'LEVEL2',
      passed: ['PRINT'],
      statesName: true,
    })
    expect(cards.evidence).toMatchObject({
      strength: 'LEVEL3',
      type: 'IDENTITY_CARD',
      raised: [],
      mayBeUsed: true,
    })
  })
})

describe('what stands in the way of a piece', () => {
  const way = (
    over: Partial<Policy>,
    submissions: readonly SubmissionRule[],
    facts: AssuranceFacts = NO_FACTS,
  ) => pathsOf(facts, { ...base, ...over, submissions }).LOA1

  test('a mark that only a fraud check gives is found', () => {
    const marks = [{ mark: 'm', value: 1, evidence: 'ID_DOCUMENT' as const, requires: ['CLEAN'] }]
    const profiles = [
      {
        name: 'p',
        levelOfAssurance: 'LOA1',
        pieces: [{ evidence: 'ID_DOCUMENT' as const, marks: { m: 1 } }],
      },
    ]
    expect(way({ marks, profiles }, [document, fraud])).toEqual([[step(document, DOCUMENTS), step(fraud)]])
    expect(way({ marks, profiles }, [document, fraud], having(aPassport))).toEqual([[step(fraud)]])
  })

  test('a scale that a held document gives is reached by one that is old enough', () => {
    const scales = [{ scale: 'activity', value: 1, evidence: 'ID_DOCUMENT' as const, heldForDays: 180 }]
    const profiles = [{ name: 'p', levelOfAssurance: 'LOA1', pieces: [], scales: { activity: 1 } }]
    expect(way({ scales, profiles }, [document])).toEqual([[step(document, DOCUMENTS)]])
  })

  test('the score of a portrait comes from a better document', () => {
    const profiles = [
      {
        name: 'p',
        levelOfAssurance: 'LOA1',
        pieces: [{ evidence: 'PORTRAIT' as const, minimumScore: 'LEVEL4' as const }],
      },
    ]
    expect(way({ profiles }, [document, chip, portrait])).toEqual([
      [step(chip, ['PASSPORT']), step(portrait)],
    ])
    expect(way({ profiles }, [document, chip, portrait], having(aPortrait))).toEqual([
      [step(chip, ['PASSPORT'])],
    ])
    const strong = { ...aPassport, score: 'LEVEL4' as const }
    expect(way({ profiles }, [document, chip, portrait], having(strong))).toEqual([[step(portrait)]])
  })

  test('a mark by issuer is reached by a document of that issuer', () => {
    const marks = [{ mark: 'm', value: 1, evidence: 'ID_DOCUMENT' as const, issuers: ['UTO'] }]
    const profiles = [
      {
        name: 'p',
        levelOfAssurance: 'LOA1',
        pieces: [{ evidence: 'ID_DOCUMENT' as const, marks: { m: 1 } }],
      },
    ]
    expect(way({ marks, profiles }, [document])).toEqual([[step(document, DOCUMENTS)]])
  })
})
