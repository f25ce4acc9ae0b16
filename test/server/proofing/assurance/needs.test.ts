/** Tests what a profile still lacks, and by which checks or scores that could change: all of it, and nothing that cannot. */
import { describe, expect, test } from 'vitest'
import type { EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import { needsIn } from '../../../../server/proofing/assurance/needs.ts'
import type { MarkRule, PieceRule, Policy, Profile } from '../../../../server/proofing/assurance/policy.ts'
import { buildMember, sceneWith } from '../../../../server/proofing/assurance/scene.ts'
import { someEvidence, somePolicy } from '../../../support/assurance.ts'

interface Lacking {
  readonly checks: readonly string[]
  readonly byScore: boolean
}

/** What is lacking of it, in short: checks sorted, and whether the score of a portrait may do. */
function lacking(
  policy: Policy,
  asked: Pick<Profile, 'pieces' | 'scales'>,
  evidences: readonly EvidenceFacts[] = [],
  fraudPassed: readonly string[] = [],
): readonly Lacking[] {
  const known = evidences.map((evidence) => buildMember(evidence, [], true, 'LEVEL0'))
  const scene = sceneWith({ policy, offers: [], known, offered: [], fraudPassed }, [])
  const profile: Profile = { name: 'p', levelOfAssurance: 'LOA1', ...asked }
  return needsIn(
    policy,
    profile,
  )(scene).map(({ checks, byScore }) => ({ checks: [...checks].sort(), byScore }))
}

const DOCUMENT = { evidence: 'ID_DOCUMENT' } as const
const none = { checks: [], byScore: false }
const by = (...checks: readonly string[]) => ({ checks, byScore: false })

describe('a piece that is asked for', () => {
  test.each<[string, PieceRule, Lacking]>([
    ['without more', DOCUMENT, none],
    ['with checks: by these', { ...DOCUMENT, requires: ['PRINT', 'CHIP'] }, by('CHIP', 'PRINT')],
    ['with a score: of a document by no other', { ...DOCUMENT, minimumScore: 'LEVEL2' }, none],
    ['of a portrait: by nothing else', { evidence: 'PORTRAIT' }, none],
    [
      'of a portrait with a score: by a document',
      { evidence: 'PORTRAIT', minimumScore: 'LEVEL2' },
      { checks: [], byScore: true },
    ],
    ['of any kind: by nothing else', { evidence: 'ANY' }, none],
    [
      'of any kind with a score: by a document',
      { evidence: 'ANY', minimumScore: 'LEVEL2' },
      { checks: [], byScore: true },
    ],
    [
      'of a portrait with a strength: by nothing else',
      { evidence: 'PORTRAIT', minimumStrength: 'LEVEL2' },
      none,
    ],
  ])('%s', (_, rule, expected) => {
    expect(lacking(somePolicy(), { pieces: [rule] })).toEqual([expected])
  })

  test('is not lacking once it is there', () => {
    expect(lacking(somePolicy(), { pieces: [DOCUMENT] }, [someEvidence()])).toEqual([])
    expect(lacking(somePolicy(), { pieces: [] })).toEqual([])
  })

  test('is one need together with the others that want the same', () => {
    const pieces = [
      { ...DOCUMENT, requires: ['A'] },
      { ...DOCUMENT, requires: ['B'] },
    ]
    const both = someEvidence({ passed: ['A', 'B'] })
    expect(lacking(somePolicy(), { pieces }, [both])).toEqual([by('A', 'B')])
    // Another document has one of them: only the other is short.
    const card = someEvidence({ id: 'card', type: 'IDENTITY_CARD', passed: ['A'] })
    expect(lacking(somePolicy(), { pieces }, [card])).toEqual([by('B')])
    expect(lacking(somePolicy(), { pieces }, [card, both])).toEqual([])
  })

  test('is found by score where one of several is a portrait with a score', () => {
    const pieces = [
      { evidence: 'ANY' as const, minimumScore: 'LEVEL5' as const },
      { evidence: 'ANY' as const },
    ]
    // One slot for two rules: the group has both.
    expect(lacking(somePolicy(), { pieces }, [someEvidence({ score: 'LEVEL5' })])).toEqual([
      { checks: [], byScore: true },
    ])
  })
})

describe('a mark that is asked for', () => {
  const asking = (marks: readonly MarkRule[], needed: Readonly<Record<string, number>> = { m: 2 }) =>
    lacking(somePolicy({ marks }), { pieces: [{ ...DOCUMENT, marks: needed }] })
  const gives = (over: Partial<MarkRule> = {}): MarkRule => ({
    mark: 'm',
    value: 2,
    evidence: 'ID_DOCUMENT',
    ...over,
  })

  test.each<[string, readonly MarkRule[], readonly string[]]>([
    [
      'by the checks of the rules that give it',
      [gives({ requires: ['A'] }), gives({ requires: ['B', 'C'] })],
      ['A', 'B', 'C'],
    ],
    ['by those that give more', [gives({ value: 3, requires: ['A'] })], ['A']],
    [
      'not by those that give less',
      [gives({ value: 1, requires: ['A'] }), gives({ requires: ['B'] })],
      ['B'],
    ],
    [
      'not by those of another mark',
      [gives({ mark: 'n', value: 4, requires: ['A'] }), gives({ requires: ['B'] })],
      ['B'],
    ],
    ['by none where none is asked for', [gives()], []],
    [
      'not by further checks where fewer do',
      [gives({ requires: ['A'] }), gives({ value: 4, requires: ['A', 'B'] })],
      ['A'],
    ],
    ['by nothing where a rule asks for no check', [gives(), gives({ requires: ['A'] })], []],
    [
      'by either, where neither list holds the other',
      [gives({ requires: ['A'] }), gives({ requires: ['B', 'C'] })],
      ['A', 'B', 'C'],
    ],
    [
      'by either, where one check is common to both',
      [gives({ requires: ['A', 'D'] }), gives({ requires: ['A', 'B', 'C'] })],
      ['A', 'B', 'C', 'D'],
    ],
    [
      'by both of two rules that ask for the same',
      [gives({ requires: ['A'] }), gives({ value: 3, requires: ['A'] })],
      ['A'],
    ],
    [
      'by further checks, where fewer do for another kind',
      [gives({ evidence: 'PORTRAIT', requires: ['A'] }), gives({ requires: ['A', 'B'] })],
      ['A', 'B'],
    ],
    [
      'by further checks, where fewer do with a score alone',
      [gives({ minimumScore: 'LEVEL1', requires: ['A'] }), gives({ requires: ['A', 'B'] })],
      ['A', 'B'],
    ],
    [
      'by further checks, where fewer do for some types',
      [gives({ types: ['VISA'], requires: ['A'] }), gives({ requires: ['A', 'B'] })],
      ['A', 'B'],
    ],
    [
      'by further checks, where fewer do for other types',
      [
        gives({ types: ['VISA'], requires: ['A'] }),
        gives({ types: ['VISA', 'PASSPORT'], requires: ['A', 'B'] }),
      ],
      ['A', 'B'],
    ],
    [
      'not by further checks, where fewer do for these types and more',
      [
        gives({ types: ['VISA', 'PASSPORT'], requires: ['A'] }),
        gives({ types: ['VISA'], requires: ['A', 'B'] }),
      ],
      ['A'],
    ],
    [
      'not by further checks, where fewer do for all types',
      [gives({ requires: ['A'] }), gives({ types: ['VISA'], requires: ['A', 'B'] })],
      ['A'],
    ],
    [
      'by further checks, where fewer do for one issuer',
      [gives({ issuers: ['UTO'], requires: ['A'] }), gives({ requires: ['A', 'B'] })],
      ['A', 'B'],
    ],
    [
      'by further checks, where fewer do for some of the issuers',
      [
        gives({ issuers: ['UTO'], requires: ['A'] }),
        gives({ issuers: ['UTO', 'GBR'], requires: ['A', 'B'] }),
      ],
      ['A', 'B'],
    ],
    [
      'not by further checks, where fewer do for the same issuer',
      [gives({ issuers: ['UTO'], requires: ['A'] }), gives({ issuers: ['UTO'], requires: ['A', 'B'] })],
      ['A'],
    ],
  ])('is lacking %s', (_, marks, checks) => {
    expect(asking(marks)).toEqual([by(...checks)])
  })

  test('adds its checks to those of the other marks that are asked for', () => {
    const marks = [gives({ requires: ['A'] }), gives({ mark: 'n', value: 1, requires: ['B'] })]
    expect(asking(marks, { m: 2, n: 1 })).toEqual([by('A', 'B')])
    expect(asking(marks, { n: 1 })).toEqual([by('B')])
  })

  test.each<[string, readonly MarkRule[], boolean]>([
    ['of a portrait with a score', [gives({ evidence: 'PORTRAIT', minimumScore: 'LEVEL2' })], true],
    [
      'of a portrait with a score, among others',
      [gives({ evidence: 'PORTRAIT', minimumScore: 'LEVEL2' }), gives({ requires: ['A'] })],
      true,
    ],
    ['of a portrait without a score', [gives({ evidence: 'PORTRAIT' })], false],
    ['of a document with a score', [gives({ minimumScore: 'LEVEL2' })], false],
    ['of nothing', [], false],
  ])('may turn on the score of a portrait: %s', (_, marks, byScore) => {
    expect(asking(marks).map((need) => need.byScore)).toEqual([byScore])
  })
})

describe('a scale that is asked for', () => {
  const policy = somePolicy({
    marks: [
      { mark: 'm', value: 1, evidence: 'ID_DOCUMENT', requires: ['OF_MARK'] },
      { mark: 'm', value: 1, evidence: 'PORTRAIT', minimumScore: 'LEVEL2' },
      { mark: 'unused', value: 1, evidence: 'ID_DOCUMENT', requires: ['OF_ANOTHER_MARK'] },
    ],
    scales: [
      { scale: 'fraud', value: 1, evidence: 'ANTIFRAUD', requires: ['CLEAN'] },
      { scale: 'fraud', value: 2, evidence: 'ANTIFRAUD', requires: ['CLEAN', 'ALIVE'] },
      { scale: 'activity', value: 1, evidence: 'ID_DOCUMENT', heldForDays: 180 },
      { scale: 'activity', value: 2, evidence: 'ID_DOCUMENT', requires: ['OLD'], marks: { m: 1 } },
      { scale: 'verification', value: 1, evidence: 'ID_DOCUMENT', requires: ['HOLDER_MATCH'] },
    ],
  })
  const of = (scales: Profile['scales'], ...more: readonly [EvidenceFacts[]?, string[]?]) =>
    lacking(policy, { pieces: [], scales }, ...more)

  test.each<[string, Readonly<Record<string, number>>, readonly Lacking[]]>([
    ['0: is there', { fraud: 0 }, []],
    ['by the checks of all rules that reach it', { fraud: 1 }, [by('ALIVE', 'CLEAN')]],
    ['not by those of other scales', { verification: 1 }, [by('HOLDER_MATCH')]],
    [
      'by those of the marks that its rules ask for',
      { activity: 1 },
      [{ checks: ['OF_MARK', 'OLD'], byScore: true }],
    ],
    ['each for itself', { verification: 1, fraud: 2 }, [by('HOLDER_MATCH'), by('ALIVE', 'CLEAN')]],
    ['that no rule gives: by nothing', { other: 1 }, [none]],
  ])('%s', (_, scales, expected) => {
    expect(of(scales)).toEqual(expected)
  })

  test('not by rules that give too little', () => {
    const scales = [
      { scale: 's', value: 1, evidence: 'ANTIFRAUD' as const, requires: ['A'] },
      { scale: 's', value: 2, evidence: 'ANTIFRAUD' as const, requires: ['B'] },
    ]
    expect(lacking(somePolicy({ scales }), { pieces: [], scales: { s: 2 } })).toEqual([by('B')])
  })

  test('is not lacking once fraud checks or a piece reach it', () => {
    expect(of({ fraud: 1 }, [], ['CLEAN'])).toEqual([])
    expect(of({ fraud: 2 }, [], ['CLEAN'])).toEqual([by('ALIVE', 'CLEAN')])
    expect(of({ fraud: 2 }, [], ['CLEAN', 'ALIVE'])).toEqual([])
    expect(of({ activity: 1 }, [someEvidence({ heldForDays: 180 })])).toEqual([])
    expect(of({ activity: 2 }, [someEvidence({ heldForDays: 180 })])).toHaveLength(1)
    expect(of({ activity: 1, verification: 1 }, [someEvidence({ heldForDays: 180 })])).toEqual([
      by('HOLDER_MATCH'),
    ])
  })

  test('is lacking beside pieces that are', () => {
    const asked = { pieces: [{ ...DOCUMENT, requires: ['PRINT'] }], scales: { fraud: 2 } }
    expect(lacking(policy, asked)).toEqual([by('ALIVE', 'CLEAN'), by('PRINT')])
  })
})
