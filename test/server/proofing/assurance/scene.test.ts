/** How an identity would stand with submissions that went as well as they can: what they give each other, and what not. */
import { describe, expect, test } from 'vitest'
import { ABILITIES, type EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import { listOffers, type Offer } from '../../../../server/proofing/assurance/offers.ts'
import type { SubmissionRule } from '../../../../server/proofing/assurance/policy.ts'
import {
  fitsRule,
  listGivenChecks,
  isAlike,
  buildMember,
  sceneWith,
  type Ground,
  type Member,
} from '../../../../server/proofing/assurance/scene.ts'
import { NO_FACTS, someEvidence, somePolicy } from '../../../support/assurance.ts'

const document: SubmissionRule = {
  name: 'document',
  evidence: 'ID_DOCUMENT',
  types: ['PASSPORT', 'IDENTITY_CARD'],
  checks: ['PRINT'],
  needs: [],
}
const portrait: SubmissionRule = {
  name: 'portrait',
  evidence: 'PORTRAIT',
  checks: ['BIOMETRIC_LIVENESS'],
  needs: [],
}
const claim: SubmissionRule = { name: 'claim', evidence: 'TRUSTED_ID_CLAIM', checks: ['TOKEN'], needs: [] }
const fraud: SubmissionRule = { name: 'fraud', evidence: 'ANTIFRAUD', checks: ['CLEAN'], needs: [] }

const policy = somePolicy({
  strength: { PASSPORT: 'LEVEL3', IDENTITY_CARD: 'LEVEL3', TRUSTED_ID_CLAIM: 'LEVEL5' },
  documentScore: [{ name: 'print', score: 'LEVEL3', requires: ['PRINT'] }],
  submissions: [document, portrait, claim, fraud],
})
const OFFERS = listOffers(policy, NO_FACTS, ABILITIES)
const [DOCUMENT, PORTRAIT, CLAIM, FRAUD] = OFFERS

const offeredAs = ({ evidence }: Offer): Member | null =>
  evidence && buildMember(evidence, [], evidence.kind === 'ID_DOCUMENT', 'LEVEL0')

function groundOf(over: Partial<Ground> = {}): Ground {
  return { policy, offers: OFFERS, known: [], offered: OFFERS.map(offeredAs), fraudPassed: [], ...over }
}

const known = (
  over: Partial<EvidenceFacts>,
  isComparable = true,
  leastScore: 'LEVEL0' | 'LEVEL4' = 'LEVEL0',
) => buildMember(someEvidence(over), ['GIVEN'], isComparable, leastScore)

describe('the scene', () => {
  test('without submissions is what is there', () => {
    const scene = sceneWith(groundOf({ known: [known({ passed: ['PRINT'] })], fraudPassed: ['OLD'] }), [])
    expect(scene.fraudPassed).toEqual(['OLD'])
    expect(scene.pieces).toMatchObject([
      { slot: 'ID_DOCUMENT:PASSPORT', piece: { piece: { id: 'document', passed: ['PRINT', 'GIVEN'] } } },
    ])
    expect(scene.pieces).toHaveLength(1)
  })

  test.each<[string, readonly Offer[], readonly string[]]>([
    ['nothing', [], []],
    ['a document', [DOCUMENT], []],
    ['a claim', [CLAIM], []],
    ['a portrait: whose it is', [PORTRAIT], ['HOLDER_MATCH', 'HOLDER_LIVE']],
    ['a fraud check: what it passed', [FRAUD], ['CLEAN']],
    ['both', [PORTRAIT, FRAUD], ['HOLDER_MATCH', 'HOLDER_LIVE', 'CLEAN']],
  ])('gives documents that are there by %s', (_, chosen, given) => {
    const member = () => known({ passed: ['PRINT'] })
    const [{ piece }] = sceneWith(groundOf({ known: [member()] }), chosen).pieces
    expect(piece.piece.passed).toEqual(['PRINT', 'GIVEN', ...given])
    const withoutPortrait = known({ passed: ['PRINT'] }, false)
    const [other] = sceneWith(groundOf({ known: [withoutPortrait] }), chosen).pieces
    expect(other.piece.piece.passed).toEqual([
      'PRINT',
      'GIVEN',
      ...given.filter((check) => check === 'CLEAN'),
    ])
  })

  test('has the checks of fraud checks beside those that were passed, and of nothing else', () => {
    const ground = groundOf({ fraudPassed: ['OLD'] })
    expect(sceneWith(ground, [DOCUMENT, PORTRAIT, CLAIM, FRAUD]).fraudPassed).toEqual(['OLD', 'CLEAN'])
    expect(sceneWith(ground, [DOCUMENT, PORTRAIT]).fraudPassed).toEqual(['OLD'])
  })

  test('has each submission in a slot of its own type, and fraud checks in none', () => {
    const slots = sceneWith(groundOf(), [PORTRAIT, DOCUMENT, DOCUMENT, FRAUD]).pieces.map(({ slot }) => slot)
    expect(slots).toEqual(['PORTRAIT:PORTRAIT', 'ID_DOCUMENT:IDENTITY_CARD', 'ID_DOCUMENT:PASSPORT'])
  })

  test('gives a portrait the best score of a document that is there or to come, and of nothing else', () => {
    const scoreOf = (
      chosen: readonly Offer[],
      over: Partial<EvidenceFacts>,
      least: 'LEVEL0' | 'LEVEL4' = 'LEVEL0',
    ) => {
      const face = known({ kind: 'PORTRAIT', id: 'face', ...over }, false, least)
      return sceneWith(groundOf({ known: [face] }), chosen).pieces[0].piece.piece.score
    }
    expect(scoreOf([], { score: 'LEVEL1' })).toBe('LEVEL1')
    expect(scoreOf([DOCUMENT], { score: 'LEVEL1' })).toBe('LEVEL3')
    expect(scoreOf([DOCUMENT], { score: 'LEVEL5' })).toBe('LEVEL5')
    expect(scoreOf([DOCUMENT], { score: 'LEVEL1' }, 'LEVEL4')).toBe('LEVEL4')
    // A claim is worth more, and has no portrait.
    expect(scoreOf([CLAIM], { score: 'LEVEL1' })).toBe('LEVEL1')
    expect(scoreOf([DOCUMENT, CLAIM], { score: 'LEVEL1' })).toBe('LEVEL3')
  })

  test('leaves documents the score that they have', () => {
    const card = known({ id: 'card', type: 'IDENTITY_CARD', score: 'LEVEL1' }, true, 'LEVEL4')
    expect(sceneWith(groundOf({ known: [card] }), [DOCUMENT]).pieces[0].piece.piece.score).toBe('LEVEL1')
  })

  test('tells of what could still be submitted how it would be; of fraud checks nothing', () => {
    const { next } = sceneWith(groundOf(), [PORTRAIT])
    expect(next(DOCUMENT)?.piece).toMatchObject({
      kind: 'ID_DOCUMENT',
      score: 'LEVEL3',
      passed: ['PRINT', 'HOLDER_MATCH', 'HOLDER_LIVE'],
    })
    expect(next(PORTRAIT)?.piece).toMatchObject({ kind: 'PORTRAIT', score: 'LEVEL0' })
    expect(sceneWith(groundOf(), [DOCUMENT]).next(PORTRAIT)?.piece.score).toBe('LEVEL3')
    expect(next(FRAUD)).toBeNull()
  })
})

describe('a piece is worked out once', () => {
  test('for the same portraits and fraud checks, whatever documents are submitted', () => {
    const ground = groundOf({ known: [known({})] })
    const pieceBy = (...chosen: readonly Offer[]) => sceneWith(ground, chosen).pieces[0].piece
    expect(pieceBy(PORTRAIT, DOCUMENT)).toBe(pieceBy(PORTRAIT))
    expect(pieceBy(CLAIM)).toBe(pieceBy())
    expect(pieceBy(PORTRAIT)).not.toBe(pieceBy())
    expect(pieceBy(FRAUD)).not.toBe(pieceBy(PORTRAIT))
  })

  test('of a portrait also for the same score of documents', () => {
    const ground = groundOf({ known: [known({ kind: 'PORTRAIT', score: 'LEVEL0' }, false)] })
    const pieceBy = (...chosen: readonly Offer[]) => sceneWith(ground, chosen).pieces[0].piece
    expect(pieceBy(DOCUMENT)).toBe(pieceBy(DOCUMENT))
    expect(pieceBy(DOCUMENT)).not.toBe(pieceBy())
    expect(pieceBy(CLAIM)).toBe(pieceBy())
  })

  test('and never taken for that of other fraud checks', () => {
    const checks = Array.from({ length: 13 }, (_, index) => ({
      ...fraud,
      name: `f${index}`,
      checks: [`C${index}`],
    }))
    const offers = listOffers({ ...policy, submissions: checks }, NO_FACTS, ABILITIES)
    const ground = groundOf({ offers, offered: offers.map(() => null), known: [known({})] })
    const passedBy = (...positions: readonly number[]) =>
      sceneWith(
        ground,
        positions.map((position) => offers[position]),
      ).pieces[0].piece.piece.passed
    expect(passedBy(1, 2)).toEqual(['GIVEN', 'C1', 'C2'])
    expect(passedBy(12)).toEqual(['GIVEN', 'C12'])
  })

  test('with the rules that it fits', () => {
    const rule = { evidence: 'ID_DOCUMENT' as const }
    const { piece } = sceneWith(groundOf({ known: [known({})] }), []).pieces[0]
    expect([fitsRule(rule, piece), piece.fitting.get(rule)]).toEqual([true, true])
    // What was found before is not looked at again.
    expect(fitsRule(rule, { ...piece, fitting: new Map([[rule, false]]) })).toBe(false)
    const other = { evidence: 'PORTRAIT' as const }
    expect([fitsRule(other, piece), piece.fitting.get(other), fitsRule(other, piece)]).toEqual([
      false,
      false,
      false,
    ])
  })
})

test('a portrait gives documents their holder, a fraud check its checks, and a document nothing', () => {
  expect(listGivenChecks(PORTRAIT)).toEqual(['HOLDER_MATCH', 'HOLDER_LIVE'])
  expect(listGivenChecks(FRAUD)).toEqual(['CLEAN'])
  expect([listGivenChecks(DOCUMENT), listGivenChecks(CLAIM)]).toEqual([[], []])
})

test('submissions are alike that are of one kind and begin with one type', () => {
  expect([isAlike(DOCUMENT, DOCUMENT), isAlike(DOCUMENT, PORTRAIT)]).toEqual([true, false])
  expect(isAlike(DOCUMENT, { ...DOCUMENT, types: ['IDENTITY_CARD'] })).toBe(true)
  expect(isAlike(DOCUMENT, { ...DOCUMENT, types: ['VISA'] })).toBe(false)
  expect(isAlike(DOCUMENT, { ...DOCUMENT, rule: { ...document, evidence: 'ATTRIBUTES' } })).toBe(false)
})
