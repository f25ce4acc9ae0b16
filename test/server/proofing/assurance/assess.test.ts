import { describe, expect, test } from 'vitest'
import { agreeingSets, disagreementsWith } from '../../../../server/proofing/assurance/agreeing-sets.ts'
import { assess, levelReached, summarise } from '../../../../server/proofing/assurance/assess.ts'
import type {
  AssuranceFacts,
  EvidenceFacts,
  FraudFacts,
} from '../../../../server/proofing/assurance/facts.ts'
import { NO_FACTS, someEvidence, somePolicy } from '../../../support/assurance.ts'

const policy = somePolicy({
  scales: [
    { scale: 'fraud', value: 1, evidence: 'ANTIFRAUD', requires: ['CLEAN'] },
    { scale: 'activity', value: 1, evidence: 'ID_DOCUMENT', requires: ['OLD'] },
  ],
  profiles: [
    {
      name: 'first',
      levelOfAssurance: 'LOA1',
      pieces: [{ evidence: 'ID_DOCUMENT', minimumScore: 'LEVEL2' }],
    },
    { name: 'second', levelOfAssurance: 'LOA1', pieces: [{ evidence: 'ID_DOCUMENT' }] },
    {
      name: 'two',
      levelOfAssurance: 'LOA2',
      pieces: [{ evidence: 'ID_DOCUMENT' }, { evidence: 'ID_DOCUMENT' }],
    },
    { name: 'clean', levelOfAssurance: 'LOA3', pieces: [{ evidence: 'ID_DOCUMENT' }], scales: { fraud: 1 } },
  ],
  caps: { CLOCK_UNVERIFIED: 'LOA1', TAMPER_FAILED: 'LOA0', CAMERA_UNVERIFIED: 'LOA2' },
})

const passport = (over: Partial<EvidenceFacts> = {}) => someEvidence({ id: 'passport', ...over })
const licence = (over: Partial<EvidenceFacts> = {}) =>
  someEvidence({ id: 'licence', type: 'DRIVING_LICENSE', ...over })
const fraud = (over: Partial<FraudFacts> = {}): FraudFacts => ({
  type: 'WATCHLIST',
  passed: ['CLEAN'],
  raised: [],
  subjects: ['passport'],
  ...over,
})
const facts = (
  evidences: readonly EvidenceFacts[],
  fraudChecks: readonly FraudFacts[] = [],
): AssuranceFacts => ({
  evidences,
  fraudChecks,
})
const assessed = (...given: Parameters<typeof facts>) => assess(policy, facts(...given), [])

describe('the level', () => {
  test('of an identity without evidence is the lowest', () => {
    expect(assess(policy, NO_FACTS, [])).toEqual({
      levelOfAssurance: 'LOA0',
      profile: null,
      nameReferenceId: null,
      countedIds: [],
      disagreements: [],
      scales: { fraud: 0, activity: 0 },
      heldDownBy: [],
      upgradePaths: { LOA1: [], LOA2: [], LOA3: [] },
    })
    expect(levelReached(policy, NO_FACTS)).toBe(0)
  })

  test('is told with the first profile that is met and the evidence that counts', () => {
    expect(assessed([passport()])).toEqual({
      levelOfAssurance: 'LOA1',
      profile: 'first',
      nameReferenceId: 'passport',
      countedIds: ['passport'],
      disagreements: [],
      scales: { fraud: 0, activity: 0 },
      heldDownBy: [],
      upgradePaths: { LOA2: [], LOA3: [] },
    })
    expect(assessed([passport({ score: 'LEVEL1' })]).profile).toBe('second')
    expect(assessed([passport(), licence()])).toMatchObject({
      levelOfAssurance: 'LOA2',
      profile: 'two',
      countedIds: ['licence', 'passport'],
    })
  })

  test.each<[string, Partial<EvidenceFacts>]>([
    ['not verified', { status: 'NOT_VERIFIED' }],
    ['invalid', { status: 'INVALID' }],
    ['with a person', { status: 'ADJUDICATION' }],
    ['without a consent', { mayBeUsed: false }],
  ])('rests on nothing that is %s', (_, over) => {
    expect(assessed([passport(over)])).toMatchObject({ levelOfAssurance: 'LOA0', countedIds: [] })
  })

  test('rests on no two pieces that contradict each other, whichever says so', () => {
    const other = [{ evidenceId: 'licence', attributes: ['surname', 'dateOfBirth'] }]
    expect(assessed([passport({ disagreements: other }), licence({ score: 'LEVEL1' })])).toMatchObject({
      levelOfAssurance: 'LOA1',
      nameReferenceId: 'passport',
      countedIds: ['passport'],
      disagreements: [{ evidenceId: 'licence', attributes: ['dateOfBirth', 'surname'] }],
    })
    const back = [{ evidenceId: 'passport', attributes: ['surname'] }]
    expect(
      assessed([passport({ disagreements: other, score: 'LEVEL1' }), licence({ disagreements: back })]),
    ).toMatchObject({
      nameReferenceId: 'licence',
      disagreements: [{ evidenceId: 'passport', attributes: ['dateOfBirth', 'surname'] }],
    })
  })

  test('of two persons is that of the one who reaches more, whatever the other is worth', () => {
    const stranger = someEvidence({
      id: 'stranger',
      type: 'IDENTITY_CARD',
      score: 'LEVEL5',
      disagreements: ['passport', 'licence'].map((evidenceId) => ({ evidenceId, attributes: ['surname'] })),
    })
    expect(assessed([passport(), licence(), stranger])).toMatchObject({
      levelOfAssurance: 'LOA2',
      countedIds: ['licence', 'passport'],
      disagreements: [{ evidenceId: 'stranger', attributes: ['surname'] }],
    })
  })
})

describe('the name reference', () => {
  test.each<[string, Partial<EvidenceFacts>, Partial<EvidenceFacts>]>([
    ['the higher score', { score: 'LEVEL4' }, { codingQuality: 5, submittedAt: 9_000 }],
    ['the better portrait', { codingQuality: 4 }, { submittedAt: 9_000 }],
    ['the more recent', { submittedAt: 1_001 }, {}],
    ['the later id, where nothing else tells them apart', {}, {}],
  ])('is %s', (_, better, worse) => {
    expect(assessed([licence(worse), passport(better)]).nameReferenceId).toBe('passport')
    expect(assessed([passport(better), licence(worse)]).nameReferenceId).toBe('passport')
  })

  test('is nothing that states no name', () => {
    expect(assessed([passport({ statesName: false })])).toMatchObject({
      levelOfAssurance: 'LOA1',
      nameReferenceId: null,
      countedIds: ['passport'],
    })
    expect(assessed([passport({ statesName: false }), licence({ score: 'LEVEL0' })]).nameReferenceId).toBe(
      'licence',
    )
  })

  test('is none where contradicting evidence states none; then what counts is the larger set, or the later', () => {
    const nameless = (id: string, type: EvidenceFacts['type'], ...others: readonly string[]) =>
      someEvidence({
        id,
        type,
        statesName: false,
        disagreements: others.map((evidenceId) => ({ evidenceId, attributes: ['mobile'] })),
      })
    const counted = (...evidences: readonly EvidenceFacts[]) => assessed(evidences).countedIds
    const [a, b, c] = [nameless('a', 'VISA', 'b'), nameless('b', 'VISA'), nameless('c', 'VISA', 'b')]
    expect(counted(a, b)).toEqual(['b'])
    expect(counted(b, a)).toEqual(['b'])
    expect(counted(a, b, c)).toEqual(['a', 'c'])
    expect(assessed([a, b]).disagreements).toEqual([{ evidenceId: 'a', attributes: ['mobile'] }])
  })

  test('is not what its indicators keep below the level', () => {
    const held = passport({ score: 'LEVEL5', raised: ['CLOCK_UNVERIFIED'] })
    const card = someEvidence({ id: 'card', type: 'IDENTITY_CARD', score: 'LEVEL1' })
    expect(assessed([held, licence(), card])).toMatchObject({
      levelOfAssurance: 'LOA2',
      nameReferenceId: 'licence',
      countedIds: ['card', 'licence'],
      heldDownBy: [],
    })
  })
})

describe('fraud checks', () => {
  test('count for the identity by whose name they were asked', () => {
    expect(assessed([passport()], [fraud()])).toMatchObject({
      levelOfAssurance: 'LOA3',
      profile: 'clean',
      scales: { fraud: 1, activity: 0 },
    })
    expect(assessed([passport()], [fraud({ subjects: ['other'] })]).levelOfAssurance).toBe('LOA1')
    expect(assessed([passport()], [fraud({ passed: [] })]).levelOfAssurance).toBe('LOA1')
  })

  test('anchor the level at the evidence that they looked at', () => {
    expect(assessed([passport({ score: 'LEVEL1' }), licence({ score: 'LEVEL5' })], [fraud()])).toMatchObject({
      levelOfAssurance: 'LOA3',
      nameReferenceId: 'passport',
    })
  })

  test('of faces count where the portrait does, those of the device always', () => {
    const portrait = someEvidence({ id: 'portrait', kind: 'PORTRAIT' })
    const ofFaces = fraud({ type: 'DUPLICATE_FACE', subjects: ['portrait'] })
    expect(assessed([passport(), portrait], [ofFaces]).levelOfAssurance).toBe('LOA3')
    expect(assessed([passport()], [ofFaces]).levelOfAssurance).toBe('LOA1')
    expect(assessed([passport(), licence({ id: 'portrait' })], [ofFaces]).levelOfAssurance).toBe('LOA2')
    const ofDevice = fraud({ type: 'DEVICE_INTEGRITY', subjects: [] })
    expect(assessed([passport()], [ofDevice]).levelOfAssurance).toBe('LOA3')
    const nameless = passport({ statesName: false })
    expect(assessed([nameless], [ofDevice]).levelOfAssurance).toBe('LOA3')
    expect(assessed([nameless], [fraud()]).levelOfAssurance).toBe('LOA1')
  })
})

describe('what holds the level down', () => {
  test('is named: on evidence', () => {
    const held = passport({ raised: ['CLOCK_UNVERIFIED', 'OTHER_WARNING'] })
    expect(assessed([held, licence()])).toMatchObject({
      levelOfAssurance: 'LOA1',
      countedIds: ['licence', 'passport'],
      heldDownBy: ['CLOCK_UNVERIFIED'],
    })
  })

  test('is named: by fraud checks, for the whole identity', () => {
    const found = fraud({ raised: ['TAMPER_FAILED'] })
    expect(assessed([passport()], [found])).toMatchObject({
      levelOfAssurance: 'LOA0',
      heldDownBy: ['TAMPER_FAILED'],
    })
    const held = passport({ raised: ['CAMERA_UNVERIFIED'] })
    expect(assessed([held], [fraud()])).toMatchObject({
      levelOfAssurance: 'LOA1',
      heldDownBy: ['CAMERA_UNVERIFIED'],
    })
  })

  test('is not named where the level would be the same without it', () => {
    expect(assessed([passport({ raised: ['CLOCK_UNVERIFIED', 'CAMERA_UNVERIFIED'] })])).toMatchObject({
      levelOfAssurance: 'LOA1',
      heldDownBy: [],
    })
    const both = passport({ raised: ['CLOCK_UNVERIFIED', 'CAMERA_UNVERIFIED'] })
    expect(assessed([both, licence()]).heldDownBy).toEqual(['CLOCK_UNVERIFIED'])
    expect(assessed([passport({ raised: ['CLOCK_UNVERIFIED'], mayBeUsed: false })]).heldDownBy).toEqual([])
  })
})

test('what is kept of an assessment names the policy and no path', () => {
  const assessment = assessed([passport()])
  expect(summarise(policy, assessment)).toEqual({
    policy: { id: 'some', version: '1' },
    profile: 'first',
    countedIds: ['passport'],
    disagreements: [],
    scales: { fraud: 0, activity: 0 },
    heldDownBy: [],
  })
})

describe('sets of evidence that agree', () => {
  const at = (id: string, ...others: readonly string[]) =>
    someEvidence({ id, disagreements: others.map((evidenceId) => ({ evidenceId, attributes: ['surname'] })) })
  const idsOf = (...evidences: readonly EvidenceFacts[]) =>
    agreeingSets(evidences)
      .map((set) => set.map(({ id }) => id).join(''))
      .sort()

  test('are one set of all evidence without a disagreement, and one empty set without evidence', () => {
    expect(idsOf(at('b'), at('a'), at('c'))).toEqual(['abc'])
    expect(idsOf()).toEqual([''])
  })

  test.each([
    [
      [at('a', 'b'), at('b'), at('c')],
      ['ac', 'bc'],
    ],
    [
      [at('a', 'b', 'c'), at('b', 'c'), at('c')],
      ['a', 'b', 'c'],
    ],
    [
      [at('a', 'b'), at('b', 'c'), at('c')],
      ['ac', 'b'],
    ],
    [
      [at('a', 'b'), at('b'), at('c', 'd'), at('d'), at('e')],
      ['ace', 'ade', 'bce', 'bde'],
    ],
    [[at('a', 'a', 'x')], ['a']],
  ])('are as large as they can be (%#)', (evidences, expected) => {
    expect(idsOf(...evidences)).toEqual(expected)
    expect(idsOf(...evidences.toReversed())).toEqual(expected)
  })

  test('list their disagreements with the evidence outside the set alone', () => {
    const both = someEvidence({
      id: 'a',
      disagreements: [
        { evidenceId: 'y', attributes: ['surname'] },
        { evidenceId: 'z', attributes: ['gender'] },
      ],
    })
    expect(disagreementsWith([both], [at('z'), at('y')])).toEqual([
      { evidenceId: 'y', attributes: ['surname'] },
      { evidenceId: 'z', attributes: ['gender'] },
    ])
  })

  test('say of what they leave out where it disagrees, with whichever of them', () => {
    expect(disagreementsWith([at('a', 'z'), at('b', 'y')], [at('z', 'b'), at('y'), at('c')])).toEqual([
      { evidenceId: 'y', attributes: ['surname'] },
      { evidenceId: 'z', attributes: ['surname'] },
    ])
  })
})
