import { describe, expect, test } from 'vitest'
import {
  buildClaimQuestion,
  CLAIM_FIELDS,
  judgeClaim,
  type ClaimRecord,
} from '../../../server/proofing/claim-source.ts'
import type { ClaimData } from '../../../server/proofing/evidence.ts'

const NAMED = { surname: 'MATCH', givenNames: 'MATCH' } as const
const found = (origin: string, matches: ClaimRecord['matches']): ClaimRecord => ({
  origin,
  record: 'FOUND',
  matches: { ...NAMED, ...matches },
})
const BORN = { dateOfBirth: 'MATCH' } as const
const LIVES = { address: 'MATCH' } as const
const judge = (records: readonly ClaimRecord[], authoritative = false) =>
  judgeClaim([{ source: 'bureau', authoritative, records }])
const outcome = (records: readonly ClaimRecord[], authoritative = false) =>
  judge(records, authoritative).finding.outcome

describe('a claim is confirmed', () => {
  test.each<[string, readonly ClaimRecord[]]>([
    ['name and birth date in one record, name and address in another', [found('a', BORN), found('b', LIVES)]],
    ['name and birth date in both', [found('a', BORN), found('b', BORN)]],
    ['a name that is similar', [found('a', { ...BORN, surname: 'SIMILAR' }), found('b', LIVES)]],
  ])('by %s', (_name, records) => {
    expect(outcome(records)).toBe('passed')
  })

  test('by one record of an authoritative register', () => {
    expect(outcome([found('population', BORN)], true)).toBe('passed')
  })

  test('and then has the values that a confirming record has exactly', () => {
    const records = [
      found('a', { ...BORN, surname: 'SIMILAR' }),
      found('b', { ...LIVES, surname: 'SIMILAR' }),
    ]
    expect(judge(records).confirmed).toEqual(['givenNames', 'dateOfBirth'])
  })
})

describe('a claim stays unconfirmed', () => {
  test.each<[string, readonly ClaimRecord[]]>([
    ['no record', []],
    ['one record alone', [found('a', { ...BORN, ...LIVES })]],
    ['two records of one origin', [found('a', BORN), found('a', LIVES)]],
    ['two records whose origins differ in case alone', [found('lender', BORN), found('Lender', LIVES)]],
    ['no record with the birth date', [found('a', LIVES), found('b', LIVES)]],
    ['names alone', [found('a', {}), found('b', BORN)]],
    ['another surname', [found('a', { ...BORN, surname: 'NO_MATCH' }), found('b', BORN)]],
    [
      'a given name that was not compared',
      [found('a', { ...BORN, givenNames: 'NOT_COMPARED' }), found('b', BORN)],
    ],
    [
      'a namesake born on another day beside one record',
      [found('a', { dateOfBirth: 'NO_MATCH', ...LIVES }), found('b', BORN)],
    ],
    ['records that were not found', [found('a', BORN), { origin: 'b', record: 'NOT_FOUND', matches: BORN }]],
  ])('with %s', (_name, records) => {
    expect(outcome(records)).toBe('inconclusive')
    expect(judge(records).confirmed).toEqual([])
  })

  test('by one record that two bureaus report', () => {
    const bureaus = ['first', 'second'].map((source) => ({
      source,
      authoritative: false,
      records: [found('lender', { ...BORN, ...LIVES })],
    }))
    expect(judgeClaim(bureaus).finding.outcome).toBe('inconclusive')
  })

  test('by an authoritative register that does not know the birth date', () => {
    expect(outcome([found('population', LIVES)], true)).toBe('inconclusive')
  })
})

describe('a claim is refuted', () => {
  test('by an authoritative register with another birth date or surname, whatever others say', () => {
    const agreeing = {
      source: 'bureau',
      authoritative: false,
      records: [found('a', BORN), found('b', LIVES)],
    }
    for (const matches of [{ dateOfBirth: 'NO_MATCH' }, { ...BORN, surname: 'NO_MATCH' }] as const) {
      const register = { source: 'register', authoritative: true, records: [found('population', matches)] }
      expect(judgeClaim([agreeing, register])).toMatchObject({
        finding: { outcome: 'failed' },
        confirmed: [],
      })
    }
  })

  test('by a record of the same personal number and another birth date', () => {
    expect(outcome([found('a', { personalNumber: 'MATCH', dateOfBirth: 'NO_MATCH' })])).toBe('failed')
  })
})

describe('a source is asked', () => {
  const no = { verified: false }
  const claim: ClaimData = {
    attributesData: {
      givenNames: [
        { value: 'Anna', ...no },
        { value: 'Maria', ...no },
      ],
      surname: { value: 'Eriksson', ...no },
      dateOfBirth: { value: '1974-08-12', ...no },
      personalNumber: { value: '1740899123456', issuingCountry: 'FRA', ...no },
    },
    addressesData: {
      streetDetails: { streetLines: ['rue des Lilas'], ...no },
      houseNumber: '12',
      postcode: '75020',
      city: 'Paris',
      country: 'FRA',
      ...no,
    },
  }

  test('only for values that it needs', () => {
    expect(buildClaimQuestion(claim, ['givenNames', 'surname', 'dateOfBirth'])).toEqual({
      country: 'FRA',
      values: { givenNames: 'Anna Maria', surname: 'Eriksson', dateOfBirth: '1974-08-12' },
    })
    expect(buildClaimQuestion(claim, CLAIM_FIELDS)?.values).toMatchObject({
      address: '12, rue des Lilas, 75020, Paris',
      personalNumber: '1740899123456',
    })
  })

  test('nothing without a full name or a country', () => {
    expect(buildClaimQuestion({ addressesData: claim.addressesData }, CLAIM_FIELDS)).toBeNull()
    expect(buildClaimQuestion({ attributesData: claim.attributesData }, CLAIM_FIELDS)).toBeNull()
  })
})
