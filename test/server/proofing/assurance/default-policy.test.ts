/** Our own five levels: what each takes, and what fraud checks that found something leave of them. */
import { describe, expect, test } from 'vitest'
import { levelReached } from '../../../../server/proofing/assurance/assess.ts'
import { documentScore, ruleStrength } from '../../../../server/proofing/assurance/scores.ts'
import {
  aDocument,
  CHIP,
  COUNTER,
  factsIn,
  ISSUER,
  levelOf,
  LIVE,
  POLICIES,
  policyOf,
  SEEN,
} from './shipped.ts'

type Case = Parameters<typeof levelOf>[1]
const policy = policyOf('default')
const CLEAR = ['DUPLICATE_DOCUMENT', 'DOCUMENT_STATUS']
const OF_ISSUER = [...CLEAR, 'DOCUMENT_STATUS_ISSUER', 'DEVICE_INTEGRITY']
const CHIP_FACE = [...LIVE, 'NFC_PORTRAIT_MATCH']
const MRZ = ['MRZ_READING', 'MRZ_CHECK_DIGITS', 'MRZ_WITNESS_AGREEMENT']

describe('a level is reached', () => {
  test.each<readonly [what: string, level: string, given: Case]>([
    [
      'LOA1 by an MRZ and a portrait',
      'LOA1',
      { documents: [aDocument('PASSPORT', [], { passed: MRZ })], portrait: [LIVE[0]] },
    ],
    [
      'LOA1 by an MRZ and a live portrait',
      'LOA1',
      { documents: [aDocument('PASSPORT', [], { passed: MRZ })], portrait: LIVE },
    ],
    [
      'LOA1 by a document that a person accepted',
      'LOA1',
      { documents: [aDocument('PASSPORT', [], { passed: ['ADJUDICATION'] })], portrait: LIVE },
    ],
    [
      'none by a document alone',
      'LOA0',
      { documents: [aDocument('PASSPORT', [...CHIP, ISSUER])], fraud: OF_ISSUER },
    ],
    [
      'LOA2 by MRZ, print and a live portrait',
      'LOA2',
      { documents: [aDocument('IDENTITY_CARD')], portrait: LIVE },
    ],
    [
      'LOA2, confirmed by the issuer, no fraud checks',
      'LOA2',
      { documents: [aDocument('PASSPORT', [ISSUER])], portrait: LIVE },
    ],
    [
      'LOA3 by the issuer’s word',
      'LOA3',
      { documents: [aDocument('PASSPORT', [ISSUER])], portrait: LIVE, fraud: CLEAR },
    ],
    [
      'LOA3 by an officer who inspected it',
      'LOA3',
      { documents: [aDocument('PASSPORT', COUNTER)], portrait: LIVE, fraud: CLEAR },
    ],
    [
      'LOA3 by its chip',
      'LOA3',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: LIVE, fraud: CLEAR },
    ],
    [
      'LOA3 by two cards that are confirmed',
      'LOA3',
      {
        documents: [aDocument('IDENTITY_CARD', [ISSUER]), aDocument('DRIVING_LICENSE', COUNTER)],
        portrait: LIVE,
        fraud: CLEAR,
      },
    ],
    [
      'LOA2 by one card without a chip, whatever confirms it',
      'LOA2',
      { documents: [aDocument('DRIVING_LICENSE', [ISSUER, ...COUNTER])], portrait: LIVE, fraud: OF_ISSUER },
    ],
    [
      'LOA4 by chip, its portrait and the issuer’s register',
      'LOA4',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: CHIP_FACE, fraud: OF_ISSUER },
    ],
    [
      'LOA4 by an identity card with a chip',
      'LOA4',
      { documents: [aDocument('IDENTITY_CARD', [...CHIP])], portrait: CHIP_FACE, fraud: OF_ISSUER },
    ],
    [
      'LOA4 by a chip with active authentication',
      'LOA4',
      {
        documents: [aDocument('PASSPORT', [CHIP[0], 'NFC_ACTIVE_AUTHENTICATION', 'CHIP_REVOCATION'])],
        portrait: CHIP_FACE,
        fraud: OF_ISSUER,
      },
    ],
    [
      'LOA3 by files of a chip that did not prove to be no copy',
      'LOA3',
      {
        documents: [aDocument('PASSPORT', [CHIP[0], 'CHIP_REVOCATION'])],
        portrait: CHIP_FACE,
        fraud: OF_ISSUER,
      },
    ],
    [
      'LOA3 by a chip whose signer was looked up on no revocation list',
      'LOA3',
      {
        documents: [aDocument('PASSPORT', [CHIP[0], 'NFC_CHIP_AUTHENTICATION'])],
        portrait: CHIP_FACE,
        fraud: OF_ISSUER,
      },
    ],
    [
      'LOA3 where the register is not the issuer’s',
      'LOA3',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: CHIP_FACE, fraud: CLEAR },
    ],
    [
      'LOA3 where the face is not the chip’s',
      'LOA3',
      { documents: [aDocument('PASSPORT', [...CHIP, ISSUER])], portrait: LIVE, fraud: OF_ISSUER },
    ],
  ])('%s', (_what, level, given) => {
    expect(levelOf('default', given)).toBe(level)
  })
})

describe('strength and score of a piece', () => {
  test('a chip that was read makes a passport LEVEL5, and nothing else does', () => {
    expect(ruleStrength(policy, 'PASSPORT', [...SEEN, ISSUER, ...COUNTER]).level).toBe('LEVEL4')
    expect(ruleStrength(policy, 'PASSPORT', [...CHIP]).level).toBe('LEVEL5')
    expect(ruleStrength(policy, 'DRIVING_LICENSE', [...CHIP]).level).toBe('LEVEL3')
  })

  test.each([
    ['text that the issuer confirmed', [ISSUER], 'LEVEL3'],
    ['MRZ and print', SEEN, 'LEVEL3'],
    ['MRZ, print and inspection', [...SEEN, ...COUNTER], 'LEVEL4'],
    ['MRZ and chip', [...MRZ, ...CHIP], 'LEVEL4'],
    ['MRZ, print, chip and issuer', [...SEEN, ...CHIP, ISSUER], 'LEVEL5'],
    ['what a person accepted', ['ADJUDICATION'], 'LEVEL2'],
    ['nothing', [], 'LEVEL0'],
  ] as const)('%s: %s', (_what, passed, level) => {
    expect(documentScore(policy, 'PASSPORT', passed).level).toBe(level)
  })
})

/** Everything that any policy can ask for. */
const EVERYTHING: Case = {
  documents: [aDocument('PASSPORT', [...CHIP, ISSUER, ...COUNTER])],
  portrait: [...CHIP_FACE, 'GIV_PORTRAIT_MATCH', 'ATTENDED_CAPTURE'],
  fraud: [...OF_ISSUER, 'DEATH_RECORD'],
}

describe.each([...POLICIES.keys()])('what fraud checks found holds the identity down: %s', (id) => {
  const own = policyOf(id)
  const rankWith = (raised: readonly string[]): number => {
    const facts = factsIn(own, EVERYTHING)
    const found = { type: 'VELOCITY' as const, passed: [], raised, subjects: [] }
    return levelReached(own, { ...facts, fraudChecks: [...facts.fraudChecks, found] })
  }

  test('without any hit, the highest level is reached', () => {
    expect(rankWith([])).toBe(own.levels.length - 1)
  })

  test.each([
    'DUPLICATE_DOCUMENT',
    'DUPLICATE_FACE',
    'VELOCITY',
    'WATCHLIST',
    'DOCUMENT_STATUS',
    'DEATH_RECORD',
    'DEVICE_INTEGRITY',
  ])('a confirmed hit of %s leaves nothing', (check) => {
    expect(rankWith([`${check}_FAILED`])).toBe(0)
  })

  test.each([
    ['DUPLICATE_DOCUMENT', 2],
    ['DUPLICATE_FACE', 2],
    ['VELOCITY', 2],
    ['WATCHLIST', 1],
    ['DOCUMENT_STATUS', 1],
    ['DEVICE_INTEGRITY', 1],
  ])('a hint of %s leaves LOA%i at most, and never the highest level', (check, most) => {
    expect(rankWith([`${check}_WARNING`])).toBeLessThanOrEqual(most)
    expect(rankWith([`${check}_WARNING`])).toBeLessThan(own.levels.length - 1)
  })
})
