import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../server/proofing/antifraud/finding.ts'
import {
  combineFindings,
  FRAUD_REASONS,
  judgeKnownFraud,
  namePerson,
  type FraudAnswer,
} from '../../../../server/proofing/antifraud/known-fraud.ts'
import type { SourceReason } from '../../../../server/proofing/source-reply.ts'

const CLEAR: FraudAnswer = {
  outcome: 'ANSWERED',
  name: 'Register',
  date: '2026-03-02',
  coversDeaths: false,
  found: [],
}
const judge = (answer: FraudAnswer, electedWasAsked = true) =>
  judgeKnownFraud({ electedWasAsked }, answer, { registerDays: 7 }, '2026-03-02')

describe('a person’s name for registers', () => {
  const person = { surname: 'Müller-Lüdenscheidt', givenNames: ['Anna', 'Maria'], dateOfBirth: '1974-08-12' }
  test('is spelled as passports do; a register is asked by the first given name alone', () => {
    expect(namePerson(person)).toEqual({
      name: 'PERSON\nMUELLER LUEDENSCHEIDT\nANNA\n1974-08-12',
      wholeName: 'PERSON\nMUELLER LUEDENSCHEIDT\nANNA MARIA\n1974-08-12',
    })
    expect(namePerson({ ...person, surname: 'MUELLER LUEDENSCHEIDT' })).toEqual(namePerson(person))
  })
  test.each([
    { ...person, dateOfBirth: null },
    { ...person, dateOfBirth: '1974-08' },
    { ...person, surname: null },
    { ...person, givenNames: [] },
    { ...person, surname: '王' },
  ])('is missing where a part of it is: %j', (incomplete) => {
    expect(namePerson(incomplete)).toBeNull()
  })
})

describe('a register of known fraud', () => {
  test('without an entry clears document and person, and the dead where it has them', () => {
    expect(judge(CLEAR).indicators).toEqual(['KNOWN_FRAUD_OK'])
    expect(judge({ ...CLEAR, coversDeaths: true }).indicators).toEqual(['KNOWN_FRAUD_OK', 'DEATH_RECORD_OK'])
  })
  const entries = FRAUD_REASONS.flatMap((reason) =>
    [false, true].map((isNamesake) => ({ reason, isNamesake })),
  )
  test.each(entries)('with the entry %j never clears, however old the register', ({ reason, isNamesake }) => {
    const { status, indicators } = judge({ ...CLEAR, date: '2020-01-01', found: [{ reason, isNamesake }] })
    expect(status).not.toBe('VERIFIED')
    expect(indicators.every((name) => !name.endsWith('_OK'))).toBe(true)
  })
  test('with an entry about a namesake condemns no person: an officer looks', () => {
    const found = [{ reason: 'DECEASED', isNamesake: true }] as const
    expect(judge({ ...CLEAR, coversDeaths: true, found })).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['KNOWN_FRAUD_WARNING', 'DEATH_RECORD_UNVERIFIED', 'SOURCE_RECORD_UNVERIFIED'],
      measured: { namesakeReasons: 'DECEASED' },
    })
  })
  test.each<[string, Finding, SourceReason]>([
    ['is too old', judge({ ...CLEAR, date: '2026-02-01' }), 'AGE'],
    ['is of the future', judge({ ...CLEAR, date: '2026-04-01' }), 'AGE'],
    ['did not answer', judge({ outcome: 'UNREACHABLE', reason: 'timeout' }), 'ANSWER'],
    ['had nothing to be asked about', judge({ outcome: 'NOT_ASKED' }), 'REFERENCE'],
    ['was not asked about the person who counts', judge(CLEAR, false), 'VALUES'],
  ])('that %s says nothing', (_why, finding, reason) => {
    const indicators = ['KNOWN_FRAUD_UNVERIFIED', `SOURCE_${reason}_UNVERIFIED`]
    expect(finding).toMatchObject({ status: 'NOT_VERIFIED', indicators })
  })
})

describe('the finding of two registers', () => {
  const found = (status: Finding['status'], ...indicators: string[]): Finding => ({
    status,
    indicators,
    measured: {},
  })
  test.each([
    ['VERIFIED', 'VERIFIED', 'VERIFIED'],
    ['VERIFIED', 'NOT_VERIFIED', 'NOT_VERIFIED'],
    ['NOT_VERIFIED', 'INVALID', 'INVALID'],
    ['INVALID', 'VERIFIED', 'INVALID'],
  ] as const)('of %s and %s is %s', (one, other, both) => {
    expect(combineFindings(found(one), found(other)).status).toBe(both)
    expect(combineFindings(found(other), found(one)).status).toBe(both)
  })
  test('keeps the reason of each', () => {
    const silent = (check: string) => found('NOT_VERIFIED', `${check}_UNVERIFIED`, 'SOURCE_ANSWER_UNVERIFIED')
    expect(combineFindings(silent('DOCUMENT_STATUS'), silent('KNOWN_FRAUD')).indicators).toEqual([
      'DOCUMENT_STATUS_UNVERIFIED',
      'SOURCE_ANSWER_UNVERIFIED',
      'KNOWN_FRAUD_UNVERIFIED',
      'SOURCE_ANSWER_UNVERIFIED',
    ])
  })
  test('keeps no word of life beside a death', () => {
    const alive = found('VERIFIED', 'DOCUMENT_STATUS_OK', 'DEATH_RECORD_OK')
    const dead = found('INVALID', 'KNOWN_FRAUD_FAILED', 'DEATH_RECORD_FAILED')
    expect(combineFindings(alive, dead).indicators).toEqual([
      'DOCUMENT_STATUS_OK',
      'KNOWN_FRAUD_FAILED',
      'DEATH_RECORD_FAILED',
    ])
    const perhaps = found('NOT_VERIFIED', 'KNOWN_FRAUD_WARNING', 'DEATH_RECORD_UNVERIFIED')
    expect(combineFindings(alive, perhaps).indicators).not.toContain('DEATH_RECORD_OK')
  })
})
