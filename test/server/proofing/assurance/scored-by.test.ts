import { describe, expect, test } from 'vitest'
import { loadPolicies } from '../../../../server/config/policies.ts'
import type { Policy } from '../../../../server/proofing/assurance/policy.ts'
import { scoredBy, type Scorable } from '../../../../server/proofing/assurance/scores.ts'
import type { Level } from '../../../../server/proofing/types.ts'

const policy: Policy = {
  ...(loadPolicies().get('default') as Policy),
  id: 'p',
  version: '7',
  strength: { PASSPORT: 'LEVEL4', PORTRAIT: 'LEVEL4', TRUSTED_ID_CLAIM: 'LEVEL2' },
  strengthRules: [{ name: 'chip', level: 'LEVEL5', types: ['PASSPORT'], requires: ['CHIP'] }],
  documentScore: [
    { name: 'zone', score: 'LEVEL3', requires: ['ZONE'] },
    { name: 'person', score: 'LEVEL3', requires: ['ADJUDICATION'] },
    { name: 'chip', score: 'LEVEL5', requires: ['CHIP'] },
  ],
  adjudication: { fourEyes: false, documentScore: 'LEVEL2', portraitScore: 'LEVEL1' },
}
const passport = (indicators: readonly string[], over: Partial<Scorable> = {}): Scorable => ({
  family: 'IDDOCUMENT',
  type: 'PASSPORT',
  status: 'VERIFIED',
  score: 'LEVEL0',
  positiveIndicators: indicators,
  ...over,
})
const portrait = (indicators: readonly string[]): Scorable =>
  passport(indicators, { family: 'PORTRAIT', type: 'PORTRAIT' })
const levels = (of: Scorable, reference: Level | null = null): readonly string[] => {
  const { strength, score } = scoredBy(policy, of, reference)
  return [strength.level, score.level, score.rule]
}

describe('the score of decided evidence', () => {
  test.each<[string, Scorable, Level | null, readonly string[]]>([
    [
      'of a document: by the checks it passed',
      passport(['ZONE_OK']),
      null,
      ['LEVEL4', 'LEVEL3', 'p/7:score.zone'],
    ],
    [
      'of a document whose chip was read: above its usual strength',
      passport(['CHIP_OK']),
      null,
      ['LEVEL5', 'LEVEL5', 'p/7:score.chip'],
    ],
    [
      'of a document that a person accepted: at most a person’s word',
      passport(['ADJUDICATION_OK']),
      null,
      ['LEVEL4', 'LEVEL2', 'p/7:adjudication.documentScore'],
    ],
    [
      'of a document that passed nothing: none',
      passport(['OTHER_OK']),
      null,
      ['LEVEL4', 'LEVEL0', 'p/7:none'],
    ],
    [
      'of a portrait: that of its document',
      portrait([]),
      'LEVEL3',
      ['LEVEL4', 'LEVEL3', 'p/7:score-of-reference'],
    ],
    [
      'of a portrait that a person accepted: at most a person’s word',
      portrait(['ADJUDICATION_OK']),
      'LEVEL3',
      ['LEVEL4', 'LEVEL1', 'p/7:adjudication.portraitScore'],
    ],
    [
      'of a portrait without a document: none',
      portrait([]),
      null,
      ['LEVEL4', 'LEVEL0', 'p/7:score-of-reference'],
    ],
    [
      'of what is not verified: none',
      passport(['ZONE_OK'], { status: 'NOT_VERIFIED', score: 'LEVEL3' }),
      null,
      ['LEVEL4', 'LEVEL0', 'p/7:not-verified'],
    ],
    [
      'of a login: what its provider is worth',
      passport([], { family: 'TRUSTED_ID_CLAIM', type: 'TRUSTED_ID_CLAIM', score: 'LEVEL1' }),
      null,
      ['LEVEL2', 'LEVEL1', 'p/7:strength.TRUSTED_ID_CLAIM'],
    ],
    [
      'of a login: never above its kind',
      passport([], { family: 'TRUSTED_ID_CLAIM', type: 'TRUSTED_ID_CLAIM', score: 'LEVEL4' }),
      null,
      ['LEVEL2', 'LEVEL2', 'p/7:strength.TRUSTED_ID_CLAIM'],
    ],
  ])('%s', (_, evidence, reference, expected) => {
    expect(levels(evidence, reference)).toEqual(expected)
  })

  test('keeps its rule where a person’s word takes nothing off it', () => {
    const generous = { ...policy, adjudication: { ...policy.adjudication, documentScore: 'LEVEL4' as const } }
    const { score } = scoredBy(generous, passport(['ADJUDICATION_OK']), null)
    expect(score).toEqual({ level: 'LEVEL3', rule: 'p/7:score.person' })
  })
})
