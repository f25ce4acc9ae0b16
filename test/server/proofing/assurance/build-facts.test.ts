/** Evidence as database and archive know it → the facts of an assessment: which evidence is current, and what it says. */
import { describe, expect, test } from 'vitest'
import {
  buildFacts,
  type KnownEvidence,
  type KnownFraudCheck,
} from '../../../../server/proofing/assurance/build-facts.ts'
import type { EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import type {
  EvidenceFamily,
  IdDocumentData,
  PersonalAttributes,
} from '../../../../server/proofing/evidence.ts'
import type { Today } from '../../../../server/proofing/time.ts'

const TODAY: Today = ['2026-11-21', '2026-11-22']
const named = (value: string) => ({ value, verified: true })
const person = (surname: string): PersonalAttributes => ({
  surname: named(surname),
  givenNames: [named('ANNA')],
})

function known(id: string, over: Partial<KnownEvidence> = {}): KnownEvidence {
  return {
    id,
    family: 'IDDOCUMENT',
    type: 'PASSPORT',
    status: 'VERIFIED',
    strength: 'LEVEL4',
    score: 'LEVEL3',
    content: {},
    submittedAt: new Date('2026-11-01T10:00:00Z'),
    positiveIndicators: [],
    otherIndicators: [],
    mayBeUsed: true,
    matches: [],
    codingQuality: 0,
    ...over,
  }
}

function aDocument(
  id: string,
  document: Partial<IdDocumentData>,
  over: Partial<KnownEvidence> = {},
): KnownEvidence {
  const content = { document: { idDocumentType: 'PASSPORT' as const, personalAttributes: {}, ...document } }
  return known(id, { content, ...over })
}

const factsAbout = (...evidences: readonly KnownEvidence[]) => buildFacts(evidences, [], TODAY).evidences
const idsOf = (facts: readonly EvidenceFacts[]) => facts.map(({ id }) => id)

test('of a document all that an assessment may rest on is told', () => {
  const passport = aDocument(
    'passport',
    { issuingCountry: 'UTO', issuingDate: '2026-11-01', personalAttributes: person('ERIKSSON') },
    {
      positiveIndicators: ['MRZ_READING_OK', 'PRINT_OK'],
      otherIndicators: ['CLOCK_UNVERIFIED'],
      codingQuality: 4,
      mayBeUsed: false,
    },
  )
  expect(factsAbout(passport)).toEqual([
    {
      id: 'passport',
      kind: 'ID_DOCUMENT',
      type: 'PASSPORT',
      status: 'VERIFIED',
      strength: 'LEVEL4',
      score: 'LEVEL3',
      passed: ['MRZ_READING', 'PRINT'],
      raised: ['CLOCK_UNVERIFIED'],
      mayBeUsed: false,
      matches: [],
      disagreements: [],
      statesName: true,
      codingQuality: 4,
      issuer: 'UTO',
      submittedAt: Date.UTC(2026, 10, 1, 10),
      heldForDays: 20,
    },
  ])
})

test('of what has no document, nothing is made up', () => {
  const [facts] = factsAbout(known('portrait', { family: 'PORTRAIT', type: 'PORTRAIT' }))
  expect(facts).toMatchObject({ kind: 'PORTRAIT', statesName: false, heldForDays: null })
  expect(facts).not.toHaveProperty('issuer')
  expect(factsAbout(aDocument('passport', { issuingCountry: '' }))[0]).not.toHaveProperty('issuer')
})

test.each<[EvidenceFamily, string]>([
  ['IDDOCUMENT', 'ID_DOCUMENT'],
  ['PORTRAIT', 'PORTRAIT'],
  ['ATTRIBUTES', 'ATTRIBUTES'],
  ['ADDRESS', 'ADDRESS'],
  ['TRUSTED_ID_CLAIM', 'TRUSTED_ID_CLAIM'],
  ['ID_CLAIM', 'ID_CLAIM'],
  ['CONTACT', 'CONTACT'],
])('evidence of the family %s is of the kind %s', (family, kind) => {
  expect(factsAbout(known('a', { family })).map((facts) => facts.kind)).toEqual([kind])
})

test.each<EvidenceFamily>(['EMAIL', 'LANDLINE'])(
  'evidence of the family %s is no fact, even if it is verified: whose mailbox or telephone it is stays unknown',
  (family) => {
    expect(factsAbout(known('a', { family, status: 'VERIFIED' }))).toEqual([])
  },
)

describe('how long the record behind a document has existed', () => {
  test.each<[string, string | undefined, number | null]>([
    ['is not known without its date', undefined, null],
    ['is no day on the day itself', '2026-11-21', 0],
    ['is one day on the next', '2026-11-20', 1],
    ['is not known of a date that may lie ahead', '2026-11-22', null],
    ['is told in whole days', '2025-11-21', 365],
    ['is not known of what is no date', 'none', null],
  ])('%s', (_, issuingDate, expected) => {
    expect(factsAbout(aDocument('a', { issuingDate }))[0].heldForDays).toBe(expected)
  })
})

describe('evidence is current', () => {
  const at = (id: string, family: EvidenceFamily, minute: number) =>
    known(id, { family, submittedAt: new Date(Date.UTC(2026, 10, 1, 10, minute)) })

  test.each<[EvidenceFamily, readonly string[]]>([
    ['PORTRAIT', ['b']],
    ['TRUSTED_ID_CLAIM', ['b']],
    ['ID_CLAIM', ['b']],
    ['CONTACT', ['b']],
    ['IDDOCUMENT', ['a', 'b', 'c']],
    ['ATTRIBUTES', ['a', 'b', 'c']],
    ['ADDRESS', ['a', 'b', 'c']],
  ])('of the family %s: %j of three', (family, expected) => {
    expect(idsOf(factsAbout(at('a', family, 1), at('b', family, 2), at('c', family, 0)))).toEqual(expected)
  })

  test('where nothing of its own family came later', () => {
    expect(idsOf(factsAbout(at('a', 'PORTRAIT', 1), at('b', 'CONTACT', 2)))).toEqual(['a', 'b'])
  })

  test('by its id where two came at the same time', () => {
    expect(idsOf(factsAbout(at('b', 'PORTRAIT', 1), at('a', 'PORTRAIT', 1)))).toEqual(['b'])
    expect(idsOf(factsAbout(at('a', 'PORTRAIT', 1), at('b', 'PORTRAIT', 1)))).toEqual(['b'])
    // The later one, whatever its id.
    expect(idsOf(factsAbout(at('b', 'PORTRAIT', 1), at('a', 'PORTRAIT', 2)))).toEqual(['a'])
  })
})

describe('disagreements', () => {
  const eriksson = (id: string, over: Partial<KnownEvidence> = {}) =>
    aDocument(id, { personalAttributes: person('ERIKSSON') }, over)
  const mustermann = (id: string, over: Partial<KnownEvidence> = {}) =>
    aDocument(id, { personalAttributes: person('MUSTERMANN') }, over)
  const disagreementsOf = (...evidences: readonly KnownEvidence[]) =>
    factsAbout(...evidences).map(({ disagreements }) => disagreements)

  test('are told of both sides, by attribute', () => {
    const of = (evidenceId: string) => [{ evidenceId, attributes: ['surname'] }]
    expect(disagreementsOf(eriksson('a'), mustermann('b'))).toEqual([of('b'), of('a')])
  })

  test('are none with evidence that says the same, or nothing', () => {
    expect(disagreementsOf(eriksson('a'), eriksson('b'), known('c'))).toEqual([[], [], []])
  })

  test('are none with what is not verified, on either side', () => {
    expect(disagreementsOf(eriksson('a', { status: 'INVALID' }), mustermann('b'))).toEqual([[], []])
    expect(disagreementsOf(eriksson('a'), mustermann('b', { status: 'ADJUDICATION' }))).toEqual([[], []])
  })
})

describe('a portrait that shows the holder of a document', () => {
  const passedBy = (over: Partial<KnownEvidence>) =>
    factsAbout(
      known('a', { family: 'PORTRAIT', type: 'PORTRAIT', positiveIndicators: ['FACE_OK'], ...over }),
    )[0].passed

  test('has passed the comparison, by whomever', () => {
    expect(passedBy({ matches: ['passport'] })).toEqual(['FACE', 'BIOMETRIC_MATCHING_CHECK'])
    expect(
      passedBy({ matches: ['passport'], positiveIndicators: ['BIOMETRIC_MATCHING_CHECK_OK', 'FACE_OK'] }),
    ).toEqual(['BIOMETRIC_MATCHING_CHECK', 'FACE'])
  })

  test('has not passed it without, and nothing else has', () => {
    expect(passedBy({ matches: [] })).toEqual(['FACE'])
    expect(passedBy({ family: 'IDDOCUMENT', matches: ['passport'] })).toEqual(['FACE'])
  })
})

test('a fraud check is told by what passed and what was raised', () => {
  const check: KnownFraudCheck = {
    type: 'WATCHLIST',
    indicators: ['WATCHLIST_OK', 'WATCHLIST_OUTDATED_UNVERIFIED', 'DEATH_RECORD_FAILED', 'OK'],
    subjects: ['passport'],
  }
  expect(buildFacts([], [check], TODAY).fraudChecks).toEqual([
    {
      type: 'WATCHLIST',
      passed: ['WATCHLIST'],
      raised: ['WATCHLIST_OUTDATED_UNVERIFIED', 'DEATH_RECORD_FAILED', 'OK'],
      subjects: ['passport'],
    },
  ])
})
