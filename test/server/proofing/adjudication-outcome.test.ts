import { describe, expect, test } from 'vitest'
import { loadPolicies } from '../../../server/config/policies.ts'
import { portraitMatches } from '../../../server/proofing/assurance/portrait-matches.ts'
import {
  applyAdjudication,
  removeAdjudication,
  isDecidedByPerson,
} from '../../../server/proofing/adjudication-outcome.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { NOT_YET_EVALUATED, type Evidence } from '../../../server/proofing/evidence.ts'
import { isOutdated } from '../../../server/proofing/outdated.ts'
import { anEvidence } from '../../support/store.ts'

const shipped = loadPolicies().get('default')
if (!shipped) throw new TypeError('no default policy')
const policy: Policy = {
  ...shipped,
  id: 'p',
  version: '7',
  strength: { PASSPORT: 'LEVEL4', PORTRAIT: 'LEVEL4' },
  strengthRules: [
    { name: 'seen', level: 'LEVEL5', types: ['PASSPORT'], requires: ['ADJUDICATION', 'VISUAL_ZONE_MATCH'] },
  ],
  documentScore: [
    { name: 'mrz', score: 'LEVEL1', requires: ['MRZ_READING'] },
    { name: 'seen-by-a-person', score: 'LEVEL3', requires: ['MRZ_READING', 'ADJUDICATION'] },
  ],
  adjudication: { fourEyes: false, documentScore: 'LEVEL2', portraitScore: 'LEVEL3' },
}
const evaluation = {
  ...NOT_YET_EVALUATED,
  positiveIndicators: ['MRZ_READING_OK'],
  warningIndicators: ['ISSUER_CODE_WARNING', 'GLARE_IMAGE_QUALITY_WARNING'],
  withheldBy: ['GLARE_IMAGE_QUALITY'],
  unverifiedIndicators: ['VISUAL_ZONE_READING_UNVERIFIED'],
  errors: [{ code: '1532' }],
  mandatoryMissing: ['GLARE_IMAGE_QUALITY', 'DOCUMENT_READING'],
  strengthRule: 'p/7:strength.PASSPORT',
  scoreRule: 'p/7:not-verified',
}
const document = anEvidence('i', { status: 'ADJUDICATION', evaluation })
const portrait = anEvidence('i', {
  family: 'PORTRAIT',
  type: 'PORTRAIT',
  status: 'ADJUDICATION',
  evaluation: { ...NOT_YET_EVALUATED, unverifiedIndicators: ['BIOMETRIC_LIVENESS_UNVERIFIED'] },
})

describe('a document that a person accepts', () => {
  const accepted = applyAdjudication(policy, document, 'ACCEPTED', null)

  test('is verified: failed checks warn and are mitigated by the adjudicator, unknown ones stay unknown', () => {
    expect(accepted).toEqual({
      ...document,
      status: 'VERIFIED',
      score: 'LEVEL2',
      strength: 'LEVEL4',
      evaluation: {
        positiveIndicators: ['MRZ_READING_OK', 'ADJUDICATION_OK'],
        warningIndicators: ['ISSUER_CODE_WARNING', 'GLARE_IMAGE_QUALITY_WARNING'],
        blockingIndicators: [],
        unverifiedIndicators: ['VISUAL_ZONE_READING_UNVERIFIED'],
        errors: [{ code: '1532' }],
        mandatoryMissing: [],
        mitigations: [
          { indicator: 'GLARE_IMAGE_QUALITY_FAILED', mitigatedBy: 'ADJUDICATION_OK' },
          { indicator: 'DOCUMENT_READING_UNVERIFIED', mitigatedBy: 'ADJUDICATION_OK' },
        ],
        strengthRule: 'p/7:strength.PASSPORT',
        scoreRule: 'p/7:adjudication.documentScore',
      },
    })
  })

  test('keeps the score of the rules where the policy allows more for a person', () => {
    const generous = { ...policy, adjudication: { ...policy.adjudication, documentScore: 'LEVEL4' } } as const
    const { score, evaluation: found } = applyAdjudication(generous, document, 'ACCEPTED', null)
    expect([score, found.scoreRule]).toEqual(['LEVEL3', 'p/7:score.seen-by-a-person'])
  })

  test('gains no strength by it but where the policy says so', () => {
    const compared = { ...evaluation, positiveIndicators: ['MRZ_READING_OK', 'VISUAL_ZONE_MATCH_OK'] }
    const { strength, evaluation: found } = applyAdjudication(
      policy,
      { ...document, evaluation: compared },
      'ACCEPTED',
      null,
    )
    expect([strength, found.strengthRule]).toEqual(['LEVEL5', 'p/7:strength.seen'])
  })

  test('keeps what was mitigated before', () => {
    const mitigations = [{ indicator: 'A_FAILED', mitigatedBy: 'B_OK' }]
    const before = { ...document, evaluation: { ...evaluation, mitigations } }
    expect(applyAdjudication(policy, before, 'ACCEPTED', null).evaluation.mitigations).toEqual([
      ...mitigations,
      ...(accepted.evaluation.mitigations ?? []),
    ])
  })

  test('is not judged by machine again', () => {
    expect(isDecidedByPerson(accepted)).toBe(true)
    expect(isDecidedByPerson(document)).toBe(false)
  })
})

describe('a portrait that a person accepts', () => {
  const withReference = (score: Evidence['score']) =>
    applyAdjudication(policy, portrait, 'ACCEPTED', { id: 'reference', score })

  test('is worth what its document is, and no more than the policy gives a person', () => {
    expect(withReference('LEVEL2')).toMatchObject({
      status: 'VERIFIED',
      score: 'LEVEL2',
      strength: 'LEVEL4',
      matchedReferenceId: 'reference',
      evaluation: { scoreRule: 'p/7:score-of-reference' },
    })
    expect(withReference('LEVEL4')).toMatchObject({
      score: 'LEVEL3',
      evaluation: { scoreRule: 'p/7:adjudication.portraitScore' },
    })
  })

  test('was not live before, and is not live by that', () => {
    const { positiveIndicators, unverifiedIndicators } = withReference('LEVEL4').evaluation
    expect(positiveIndicators).toEqual(['ADJUDICATION_OK'])
    expect(unverifiedIndicators).toEqual(['BIOMETRIC_LIVENESS_UNVERIFIED'])
  })

  test('is LEVEL0 without a document, whatever the adjudicator', () => {
    expect(applyAdjudication(policy, portrait, 'ACCEPTED', null)).toMatchObject({
      score: 'LEVEL0',
      matchedReferenceId: null,
    })
  })

  test('is not compared again when another document is elected, but when its own is gone', () => {
    const usable = {
      ...portrait,
      evaluation: { ...NOT_YET_EVALUATED, positiveIndicators: ['BIOMETRIC_QUALITY_CHECK_OK'] },
    }
    const [own, other] = [anEvidence('i'), anEvidence('i')]
    const accepted = applyAdjudication(policy, usable, 'ACCEPTED', { id: own.id, score: 'LEVEL2' })
    const elected = (...documents: Evidence[]) => ({
      evidences: [],
      portraitReference: documents[0] ?? null,
      portraitDocuments: documents,
      nameReference: null,
    })
    expect(isOutdated(accepted, elected(other, own))).toBe(false)
    expect(isOutdated(accepted, elected(other))).toBe(true)
    expect(isOutdated(accepted, elected())).toBe(true)
    const rejected = applyAdjudication(policy, usable, 'REJECTED', null)
    expect(isOutdated(rejected, elected(other))).toBe(false)
  })
})

describe('the record of a decision, as the level is derived from it', () => {
  const record = (check: string, outcome: 'passed' | 'failed' | 'inconclusive') => ({
    measurements: [{ check, outcome, measured: {} }],
  })
  const accepted = record('ADJUDICATION', 'passed')

  test.each([
    [
      'accepted, and the machine had left it open',
      [record('BIOMETRIC_MATCHING_CHECK', 'inconclusive'), accepted],
      ['d'],
    ],
    ['accepted, and the machine could not compare', [accepted], ['d']],
    [
      'accepted, and the machine had seen another person',
      [record('BIOMETRIC_MATCHING_CHECK', 'failed'), accepted],
      [],
    ],
    ['rejected', [record('BIOMETRIC_MATCHING_CHECK', 'inconclusive'), record('ADJUDICATION', 'failed')], []],
    ['unsure', [record('ADJUDICATION', 'inconclusive')], []],
  ] as const)('%s', (_, records, matches) => {
    expect(portraitMatches(records, 'd')).toEqual(matches)
    expect(portraitMatches(records, null)).toEqual([])
  })
})

describe('evidence that a person rejects', () => {
  test('is invalid, with a code, and keeps what the machine had found', () => {
    expect(applyAdjudication(policy, { ...document, score: 'LEVEL2' }, 'REJECTED', null)).toEqual({
      ...document,
      status: 'INVALID',
      score: 'LEVEL0',
      evaluation: {
        ...evaluation,
        blockingIndicators: ['ADJUDICATION_FAILED'],
        errors: [
          { code: '1532' },
          { code: '1598', message: 'a person who examined the evidence rejected it' },
        ],
        scoreRule: 'p/7:not-verified',
      },
    })
  })

  test('is not judged by machine again', () => {
    expect(isDecidedByPerson(applyAdjudication(policy, document, 'REJECTED', null))).toBe(true)
  })
})

describe('undecided evidence', () => {
  test('keeps the findings of the machine, and says that no decision came', () => {
    expect(applyAdjudication(policy, document, 'TIME_OUT', null)).toEqual({
      ...document,
      status: 'NOT_VERIFIED',
      evaluation: {
        ...evaluation,
        unverifiedIndicators: ['VISUAL_ZONE_READING_UNVERIFIED', 'ADJUDICATION_UNVERIFIED'],
      },
    })
    expect(isDecidedByPerson(applyAdjudication(policy, document, 'TIME_OUT', null))).toBe(false)
  })

  test('for a fault of the service carries its code', () => {
    const { status, evaluation: found } = applyAdjudication(policy, document, 'ERROR', null)
    expect(status).toBe('NOT_VERIFIED')
    expect(found.errors.map(({ code }) => code)).toEqual(['1532', '1597'])
    expect(found.unverifiedIndicators).toContain('ADJUDICATION_UNVERIFIED')
  })
})

test.each(['ACCEPTED', 'REJECTED', 'TIME_OUT', 'ERROR'] as const)(
  'what an earlier request left (%s) is gone when the evidence is sent once more',
  (end) => {
    const { evaluation: found } = applyAdjudication(policy, document, end, null)
    const cleared = removeAdjudication(found)
    const indicators = [
      ...cleared.positiveIndicators,
      ...cleared.blockingIndicators,
      ...cleared.unverifiedIndicators,
      ...cleared.errors.map(({ code }) => code),
    ]
    expect(indicators.filter((name) => /^ADJUDICATION_|^159[78]$/.test(name))).toEqual([])
    expect(cleared.positiveIndicators).toEqual(['MRZ_READING_OK'])
    expect(cleared.errors).toEqual([{ code: '1532' }])
    const again = applyAdjudication(policy, { ...document, evaluation: found }, 'TIME_OUT', null)
    expect(
      again.evaluation.unverifiedIndicators.filter((name) => name === 'ADJUDICATION_UNVERIFIED'),
    ).toHaveLength(1)
  },
)

test('evidence without an open adjudication cannot be decided', () => {
  for (const status of ['VERIFIED', 'INVALID', 'NOT_VERIFIED'] as const) {
    expect(() => applyAdjudication(policy, { ...document, status }, 'ACCEPTED', null)).toThrow(
      expect.objectContaining({ code: 'transition_refused' }),
    )
  }
})
