/** In which order the search looks at sets of submissions, and at which it never looks: those that cannot lead there. */
import { describe, expect, test } from 'vitest'
import { ABILITIES, type EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import { findGrounds } from '../../../../server/proofing/assurance/grounds.ts'
import { listOffers, type Offer } from '../../../../server/proofing/assurance/offers.ts'
import { groupPaths } from '../../../../server/proofing/assurance/path-groups.ts'
import {
  sortOffers,
  isOpenOffer,
  nameOffers,
  searchPaths,
} from '../../../../server/proofing/assurance/path-search.ts'
import type { Policy, Profile, SubmissionRule } from '../../../../server/proofing/assurance/policy.ts'
import { NO_FACTS, someEvidence, somePolicy } from '../../../support/assurance.ts'

const rule = (name: string, over: Partial<SubmissionRule> = {}): SubmissionRule => ({
  name,
  evidence: 'ID_DOCUMENT',
  types: ['PASSPORT'],
  checks: [name],
  needs: [],
  ...over,
})
const fraud = (name: string, ...checks: readonly string[]) =>
  rule(name, { evidence: 'ANTIFRAUD', types: undefined, checks: checks.length > 0 ? checks : [name] })

const names = (offers: readonly Offer[]): string => offers.map((offer) => offer.rule.name).join('+')

/** Returns the sets that the search examined and found, by the names of the rules. */
function searched(
  submissions: readonly SubmissionRule[],
  asked: Pick<Profile, 'pieces' | 'scales'>,
  {
    longest = 3,
    evidences = [],
    knows = () => false,
    ...over
  }: Partial<Policy> & {
    longest?: number
    evidences?: readonly EvidenceFacts[]
    knows?: (set: string) => boolean
  } = {},
) {
  const policy = somePolicy({
    submissions,
    scales: ['A', 'B', 'C', 'D'].map((scale) => ({
      scale,
      value: 1,
      evidence: 'ANTIFRAUD',
      requires: [scale],
    })),
    ...over,
  })
  const facts = { ...NO_FACTS, evidences }
  const [ground] = findGrounds(policy, facts, listOffers(policy, facts, ABILITIES))(1)
  const looked: string[] = []
  const found: string[] = []
  searchPaths(
    ground,
    { name: 'p', levelOfAssurance: 'LOA1', ...asked },
    longest,
    (chosen) => {
      looked.push(names(chosen))
      return knows(names(chosen))
    },
    (set) => found.push(names(set)),
  )
  return { looked, found }
}

const [A, B, C, D] = ['A', 'B', 'C', 'D'].map((name) => fraud(name))
const asks = (...scales: readonly string[]) => ({
  pieces: [],
  scales: Object.fromEntries(scales.map((scale) => [scale, 1])),
})

describe('the search', () => {
  test('ends where nothing is lacking', () => {
    expect(searched([A], asks())).toEqual({ looked: [''], found: [''] })
  })

  test('ends where nothing can help', () => {
    expect(searched([A], asks('B'))).toEqual({ looked: [''], found: [] })
  })

  test('adds only what helps, one by one', () => {
    expect(searched([A, B, C], asks('B'))).toEqual({ looked: ['', 'B'], found: ['B'] })
    expect(searched([A, B, C], asks('A', 'C'))).toEqual({ looked: ['', 'A', 'A+C'], found: ['A+C'] })
  })

  test('names a set in the order of the offers, however it came about', () => {
    expect(searched([A, B, C], asks('C', 'A')).found).toEqual(['A+C'])
  })

  test('does not begin where more is lacking than may be added', () => {
    expect(searched([A, B, C, D], asks('A', 'B', 'C'), { longest: 2 })).toEqual({ looked: [''], found: [] })
    expect(searched([A, B, C, D], asks('A', 'B', 'C'), { longest: 3 }).found).toEqual(['A+B+C'])
    expect(searched([A], asks('A'), { longest: 0 })).toEqual({ looked: [''], found: [] })
  })

  test('counts what is lacking of several by what none of them have in common', () => {
    // Either of two for A, and one for both: two are enough, though three are asked for.
    const both = fraud('both', 'A', 'B')
    expect(searched([A, both, C], asks('A', 'B', 'C'), { longest: 2 }).found).toEqual(['both+C'])
  })

  test('counts first what few can help with: what many could help with may still need each of them', () => {
    const each = ['A', 'B', 'C'].map((name) => fraud(name, name, 'D'))
    expect(searched(each, asks('D', 'A', 'B', 'C'), { longest: 2 })).toEqual({ looked: [''], found: [] })
    expect(searched(each, asks('D', 'A', 'B', 'C'), { longest: 3 }).found).toEqual(['A+B+C'])
  })

  test('begins with what the fewest can help with', () => {
    const other = fraud('other', 'A', 'X')
    // A by two, B by one: B is the first.
    expect(searched([A, other, B], asks('A', 'B')).looked).toEqual(['', 'B', 'A+B', 'other+B'])
    expect(searched([B, A, other], asks('B', 'A')).looked).toEqual(['', 'B', 'B+A', 'B+other'])
  })

  test('takes the first of what as few can help with', () => {
    expect(searched([B, A], asks('A', 'B')).looked).toEqual(['', 'A', 'B+A'])
  })

  test('adds as the last one only what helps with all that is lacking', () => {
    const both = fraud('both', 'A', 'B')
    expect(searched([A, B, both], asks('A', 'B'), { longest: 1 })).toEqual({
      looked: ['', 'both'],
      found: ['both'],
    })
  })

  test('looks first at those that ask for fewer checks', () => {
    const [large, small] = [fraud('large', 'A', 'X', 'Y'), fraud('small', 'A', 'X')]
    expect(searched([large, A, small], asks('A')).looked).toEqual(['', 'A', 'small', 'large'])
  })

  test('goes no further from what is known', () => {
    const { looked, found } = searched([A, B, fraud('other', 'A', 'X')], asks('A', 'B'), {
      knows: (set) => set === 'A+B',
    })
    expect(looked).toEqual(['', 'B', 'A+B', 'B+other'])
    expect(found).toEqual(['B+other'])
    expect(searched([A], asks('A'), { knows: () => true })).toEqual({ looked: [''], found: [] })
  })

  test('never comes to one set twice', () => {
    const submissions = [fraud('one', 'A', 'B'), fraud('two', 'A', 'B'), C]
    const { looked } = searched(submissions, asks('A', 'B', 'C'))
    expect(looked).toEqual([...new Set(looked)])
  })

  test('tells sets apart whose positions read alike when written together', () => {
    const many = Array.from({ length: 13 }, (_, index) => fraud(`f${index}`, `C${index}`))
    const offers = listOffers(somePolicy({ submissions: many }), NO_FACTS, ABILITIES)
    expect(nameOffers([offers[1], offers[2]])).not.toBe(nameOffers([offers[12]]))
    expect(nameOffers(sortOffers([offers[12], offers[1], offers[2]]))).toBe('1 2 12')
  })
})

describe('what helps with a piece', () => {
  const paper = rule('paper', { checks: ['PRINT'] })
  const portrait = rule('portrait', { evidence: 'PORTRAIT', types: undefined, checks: ['MATCH'] })
  const strength = { PASSPORT: 'LEVEL3', PORTRAIT: 'LEVEL3' } as const
  const documentScore = [{ name: 'print', score: 'LEVEL3' as const, requires: ['PRINT'] }]
  const known = someEvidence({ passed: ['PRINT'], score: 'LEVEL1' })

  test('is what fits it, and nothing else', () => {
    expect(searched([A, portrait, paper], { pieces: [{ evidence: 'ID_DOCUMENT' }] }).looked).toEqual([
      '',
      'paper',
    ])
  })

  test('is what gives it a check', () => {
    const pieces = [{ evidence: 'ID_DOCUMENT' as const, requires: ['HOLDER_MATCH'] }]
    expect(searched([A, paper, portrait], { pieces }, { evidences: [known] }).looked).toEqual([
      '',
      'portrait',
    ])
  })

  test('is a document, where the score of a portrait is too low, and no other submission', () => {
    const claim = rule('claim', { evidence: 'TRUSTED_ID_CLAIM', types: undefined })
    const pieces = [{ evidence: 'PORTRAIT' as const, minimumScore: 'LEVEL3' as const }]
    const face = someEvidence({ id: 'face', kind: 'PORTRAIT', score: 'LEVEL1' })
    const over = { evidences: [face], strength, documentScore }
    expect(searched([claim, paper, A], { pieces }, over)).toEqual({ looked: ['', 'paper'], found: ['paper'] })
  })

  test('is no document, where a portrait is asked for without a score', () => {
    expect(searched([paper, portrait], { pieces: [{ evidence: 'PORTRAIT' }] }).looked).toEqual([
      '',
      'portrait',
    ])
  })
})

describe('a submission is open', () => {
  const offers = listOffers(
    somePolicy({
      submissions: [
        rule('document', { types: ['PASSPORT', 'VISA'] }),
        rule('chip', { types: ['PASSPORT', 'VISA'] }),
        A,
        B,
      ],
    }),
    NO_FACTS,
    ABILITIES,
  )
  const [document, chip, checks, others] = offers

  test('as often as it has types, together with those of the same', () => {
    expect(
      [[], [document], [chip], [document, chip], [document, document]].map((chosen) =>
        isOpenOffer(document, chosen),
      ),
    ).toEqual([true, true, true, false, false])
  })

  test('once for each fraud check', () => {
    expect([[], [others], [checks], [document, checks]].map((chosen) => isOpenOffer(checks, chosen))).toEqual(
      [true, true, false, false],
    )
  })
})

describe('paths for a person', () => {
  const PAPER = rule('paper', { types: ['PASSPORT', 'VISA'] })
  const CLAIM = rule('claim', {
    evidence: 'ATTRIBUTES',
    types: ['TAX_CARD', 'VOTER_CARD'],
  })
  const offer = (position: number, of: SubmissionRule, type: number): Offer => ({
    position,
    rule: of,
    types: [(of.types ?? [])[type]],
    evidence: someEvidence(),
  })
  const [a, b, c, d] = [offer(0, PAPER, 0), offer(1, PAPER, 1), offer(2, CLAIM, 0), offer(3, CLAIM, 1)]
  const step = ({ evidence, checks }: SubmissionRule, ...types: readonly unknown[]) => ({
    evidence,
    types,
    checks,
  })

  test('leave the choice where every choice does', () => {
    const sets = [
      [a, c],
      [a, d],
      [b, c],
      [b, d],
    ]
    expect(groupPaths(sets, [a, b, c, d], 8)).toEqual([
      [step(PAPER, 'PASSPORT', 'VISA'), step(CLAIM, 'TAX_CARD', 'VOTER_CARD')],
    ])
  })

  test('leave no choice that would not do together with another', () => {
    expect(
      groupPaths(
        [
          [a, c],
          [a, d],
          [b, c],
        ],
        [a, b, c, d],
        8,
      ),
    ).toEqual([
      [step(PAPER, 'PASSPORT', 'VISA'), step(CLAIM, 'TAX_CARD')],
      [step(PAPER, 'PASSPORT'), step(CLAIM, 'TAX_CARD', 'VOTER_CARD')],
    ])
  })

  test('are as many as asked for, and the same however many', () => {
    const sets = [[a], [c], [b, d]]
    const all = [
      [step(PAPER, 'PASSPORT')],
      [step(CLAIM, 'TAX_CARD')],
      [step(PAPER, 'VISA'), step(CLAIM, 'VOTER_CARD')],
    ]
    expect([0, 1, 2, 3, 4].map((most) => groupPaths(sets, [a, b, c, d], most))).toEqual(
      [0, 1, 2, 3, 4].map((most) => all.slice(0, most)),
    )
  })

  test('name types as the rule does, and none for what has none', () => {
    expect(groupPaths([[b], [a]], [a, b], 8)).toEqual([[step(PAPER, 'PASSPORT', 'VISA')]])
    const check: Offer = { position: 0, rule: A, types: [], evidence: null }
    expect(groupPaths([[check]], [check], 8)).toEqual([[{ evidence: 'ANTIFRAUD', checks: ['A'] }]])
  })
})
