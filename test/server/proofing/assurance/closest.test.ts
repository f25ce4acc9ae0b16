/** How close evidence comes to a profile, piece by piece: which one stands for which rule, and all that it lacks. */
import { describe, expect, test } from 'vitest'
import { findClosest, type Closest } from '../../../../server/proofing/assurance/closest.ts'
import type { DatedPiece } from '../../../../server/proofing/assurance/marks.ts'
import type { PieceRule, Profile } from '../../../../server/proofing/assurance/policy.ts'

const piece = (id: string, over: Partial<DatedPiece> = {}): DatedPiece => ({
  id,
  kind: 'ID_DOCUMENT',
  type: 'PASSPORT',
  strength: 'LEVEL3',
  score: 'LEVEL2',
  marks: {},
  passed: [],
  heldForDays: null,
  ...over,
})
const card = (id: string, over: Partial<DatedPiece> = {}) => piece(id, { type: 'IDENTITY_CARD', ...over })

function closest(
  rules: readonly PieceRule[],
  pieces: readonly DatedPiece[],
  scales: { readonly asked?: Profile['scales']; readonly reached?: Readonly<Record<string, number>> } = {},
): Closest {
  const profile: Profile = { name: 'p', levelOfAssurance: 'LOA1', pieces: rules, scales: scales.asked }
  return findClosest(profile, {
    rank: 1,
    agreeing: [],
    counted: [],
    pieces,
    reference: null,
    scales: scales.reached ?? {},
  })
}

const DOCUMENT: PieceRule = { evidence: 'ID_DOCUMENT' }
const asking = (...requires: readonly string[]): PieceRule => ({ evidence: 'ID_DOCUMENT', requires })

describe('what one piece lacks of a rule', () => {
  test.each<[string, PieceRule, Partial<DatedPiece>, Closest['missing']]>([
    ['nothing that is not asked for', DOCUMENT, {}, []],
    ['nothing of any kind', { evidence: 'ANY' }, {}, []],
    [
      'a score',
      { ...DOCUMENT, minimumScore: 'LEVEL3' },
      {},
      [{ what: 'SCORE', piece: 0, needed: 'LEVEL3', reached: 'LEVEL2' }],
    ],
    [
      'a strength',
      { ...DOCUMENT, minimumStrength: 'LEVEL4' },
      {},
      [{ what: 'STRENGTH', piece: 0, needed: 'LEVEL4', reached: 'LEVEL3' }],
    ],
    [
      'a check, but none that it passed',
      asking('PRINT', 'CHIP', 'MRZ'),
      { passed: ['PRINT'] },
      [
        { what: 'CHECK', piece: 0, check: 'CHIP' },
        { what: 'CHECK', piece: 0, check: 'MRZ' },
      ],
    ],
    [
      'a mark that is too low, or not there, but none that is as high as it has to be',
      { ...DOCUMENT, marks: { low: 3, even: 2, absent: 1, high: 1 } },
      { marks: { low: 2, even: 2, high: 4 } },
      [
        { what: 'MARK', piece: 0, mark: 'low', needed: 3, reached: 2 },
        { what: 'MARK', piece: 0, mark: 'absent', needed: 1, reached: 0 },
      ],
    ],
    ['no mark of 0', { ...DOCUMENT, marks: { strength: 0 } }, {}, []],
    [
      'a check, whatever kind it is of',
      { evidence: 'ANY', requires: ['CHIP'] },
      {},
      [{ what: 'CHECK', piece: 0, check: 'CHIP' }],
    ],
    [
      'only what is still missing, with score and strength at what is asked for',
      { ...asking('CHIP'), minimumScore: 'LEVEL2', minimumStrength: 'LEVEL3' },
      {},
      [{ what: 'CHECK', piece: 0, check: 'CHIP' }],
    ],
  ])('%s', (_, rule, over, missing) => {
    expect(closest([rule], [piece('a', over)])).toEqual({ pieces: ['a'], missing })
  })

  test.each<[string, PieceRule]>([
    ['of another kind', { evidence: 'PORTRAIT' }],
    ['of another type', { ...DOCUMENT, types: ['VISA'] }],
    ['without any of the marks', { ...DOCUMENT, marks: { strength: 1, validity: 1 } }],
  ])('is not said of a piece %s', (_, rule) => {
    expect(closest([rule], [piece('a')])).toEqual({
      pieces: [null],
      missing: [{ what: 'PIECE', piece: 0, evidence: rule.evidence }],
    })
  })
})

describe('which piece stands for which rule', () => {
  test('is the one that lacks the least, wherever it stands', () => {
    const rule = asking('PRINT', 'CHIP')
    const [poor, fair, good] = [
      piece('a'),
      card('b', { passed: ['PRINT'] }),
      piece('c', { passed: rule.requires }),
    ]
    expect(closest([rule], [poor, fair]).pieces).toEqual(['b'])
    expect(closest([rule], [fair, poor]).pieces).toEqual(['b'])
    expect(closest([rule], [poor, good, fair]).pieces).toEqual(['c'])
  })

  test('is the first of those that lack as little', () => {
    expect(closest([asking('CHIP')], [piece('a'), card('b')]).pieces).toEqual(['a'])
    expect(closest([asking('CHIP')], [card('b'), piece('a')]).pieces).toEqual(['b'])
  })

  test('is worked out for all rules together: the best for the first may be needed by the second', () => {
    const good = piece('good', { passed: ['PRINT', 'CHIP'] })
    const fair = card('fair', { passed: ['PRINT'] })
    expect(closest([asking('PRINT'), asking('CHIP')], [good, fair])).toEqual({
      pieces: ['fair', 'good'],
      missing: [],
    })
  })

  test('leaves what lacks nothing with the first rule, where the others come out alike', () => {
    const [poor, good] = [piece('poor'), card('good', { passed: ['CHIP'] })]
    const expected = {
      pieces: ['good', 'poor'],
      missing: [{ what: 'CHECK', piece: 1, check: 'CHIP' }],
    }
    expect(closest([asking('CHIP'), asking('CHIP')], [poor, good])).toEqual(expected)
    expect(closest([asking('CHIP'), asking('CHIP')], [good, poor])).toEqual(expected)
  })

  test('is another for each rule; two of one type are one piece', () => {
    const none = { what: 'PIECE', piece: 1, evidence: 'ID_DOCUMENT' }
    expect(closest([DOCUMENT, DOCUMENT], [piece('a')])).toEqual({ pieces: ['a', null], missing: [none] })
    expect(closest([DOCUMENT, DOCUMENT], [piece('a'), piece('b')])).toEqual({
      pieces: ['a', null],
      missing: [none],
    })
    expect(closest([DOCUMENT, DOCUMENT], [piece('a'), card('b')])).toEqual({
      pieces: ['a', 'b'],
      missing: [],
    })
  })

  test('is rather a piece that lacks much than none', () => {
    const rule = asking('A', 'B', 'C', 'D', 'E', 'F')
    expect(closest([rule], [piece('a')]).pieces).toEqual(['a'])
    expect(closest([{ evidence: 'PORTRAIT' }, rule], [piece('a')]).pieces).toEqual([null, 'a'])
  })

  test('is none without evidence, and nothing is missing without a rule', () => {
    expect(closest([DOCUMENT, { evidence: 'ANY' }], [])).toEqual({
      pieces: [null, null],
      missing: [
        { what: 'PIECE', piece: 0, evidence: 'ID_DOCUMENT' },
        { what: 'PIECE', piece: 1, evidence: 'ANY' },
      ],
    })
    expect(closest([], [piece('a')])).toEqual({ pieces: [], missing: [] })
  })
})

test('scales are missing that are lower than asked for, with what is reached of them', () => {
  const asked = { fraud: 2, activity: 1, verification: 3, spare: 0 }
  expect(closest([], [], { asked, reached: { fraud: 1, verification: 3, other: 9 } }).missing).toEqual([
    { what: 'SCALE', scale: 'fraud', needed: 2, reached: 1 },
    { what: 'SCALE', scale: 'activity', needed: 1, reached: 0 },
  ])
})
