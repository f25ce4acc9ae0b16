/** When a phone number is verified as the applicant's: only by the operator's answer about verified values. */
import { describe, expect, test } from 'vitest'
import { NOT_YET_EVALUATED } from '../../../server/proofing/evidence.ts'
import {
  buildOperatorQuestion,
  isOwnershipOutdated,
  isOwnershipShown,
  judgeOwnership,
  type FieldAnswers,
  type OperatorAnswer,
  type OperatorField,
} from '../../../server/proofing/phone-ownership.ts'

const NUMBER = '+33639980001'
const seen = (value: string) => ({ value, verified: true })
const PERSON = {
  givenNames: [seen('ANNA'), seen('MARIA')],
  surname: seen('ERIKSSON'),
  dateOfBirth: seen('1974-08-12'),
}
const passport = (change: object = {}) => ({
  document: {
    idDocumentType: 'PASSPORT' as const,
    idDocumentNumber: 'L898902C3',
    personalAttributes: { ...PERSON, ...change },
  },
})
const SENDS: readonly OperatorField[] = ['givenName', 'familyName', 'birthdate']

describe('the operator is asked', () => {
  test('about the number and the configured values alone', () => {
    expect(buildOperatorQuestion(NUMBER, passport(), SENDS)).toEqual({
      phoneNumber: NUMBER,
      values: { givenName: 'ANNA MARIA', familyName: 'ERIKSSON', birthdate: '1974-08-12' },
    })
    expect(
      buildOperatorQuestion(NUMBER, passport(), [
        'name',
        'givenName',
        'middleNames',
        'familyName',
        'idDocument',
      ])?.values,
    ).toEqual({
      name: 'ANNA MARIA ERIKSSON',
      givenName: 'ANNA',
      middleNames: 'MARIA',
      familyName: 'ERIKSSON',
      idDocument: 'L898902C3',
    })
  })

  test('about the person whom a login names', () => {
    const trustedClaim = {
      idpIdentifier: 'idp',
      oidcGrantType: 'CODE_FLOW' as const,
      shared: { personalAttributes: PERSON },
    }
    expect(buildOperatorQuestion(NUMBER, { trustedClaim }, SENDS)?.values.familyName).toBe('ERIKSSON')
  })

  test('about verified values alone, and not at all without a verified name', () => {
    const unseen = (value: string) => ({ value, verified: false })
    const birth = passport({ dateOfBirth: unseen('1974-08-12') })
    expect(buildOperatorQuestion(NUMBER, birth, SENDS)?.values).not.toHaveProperty('birthdate')
    expect(buildOperatorQuestion(NUMBER, passport({ surname: unseen('ERIKSSON') }), SENDS)).toBeNull()
    const half = passport({ givenNames: [seen('ANNA'), unseen('MARIA')] })
    expect(buildOperatorQuestion(NUMBER, half, SENDS)).toBeNull()
    expect(buildOperatorQuestion(NUMBER, passport({ givenNames: [] }), SENDS)).toBeNull()
    expect(buildOperatorQuestion(NUMBER, {}, SENDS)).toBeNull()
  })
})

const QUESTION = {
  phoneNumber: NUMBER,
  values: { givenName: 'ANNA', familyName: 'ERIKSSON', birthdate: '1974-08-12' },
}
const ALL_TRUE: FieldAnswers = { givenName: 'true', familyName: 'true', birthdate: 'true' }
const answered = (person: FieldAnswers, simSwapped = false): OperatorAnswer => ({
  person: { kind: 'answered', answer: person },
  simSwapped: { kind: 'answered', answer: simSwapped },
})
const outcomes = (answer: OperatorAnswer) => {
  const findings = judgeOwnership({ question: QUESTION, answer })
  return [...findings.map(({ outcome }) => outcome), isOwnershipShown(findings)]
}

describe('the number is', () => {
  test('verified if the operator confirms the name and the birth date, and the SIM is the old one', () => {
    expect(outcomes(answered(ALL_TRUE))).toEqual(['passed', 'passed', true])
  })

  test.each<[string, FieldAnswers, string]>([
    ['the surname differs', { ...ALL_TRUE, familyName: 'false' }, 'failed'],
    ['the given name differs', { ...ALL_TRUE, givenName: 'false' }, 'failed'],
    ['the birth date differs', { ...ALL_TRUE, birthdate: 'false' }, 'failed'],
    ['the document number differs', { ...ALL_TRUE, idDocument: 'false' }, 'failed'],
    [
      'the birth date that was sent is not known',
      { ...ALL_TRUE, birthdate: 'not_available' },
      'inconclusive',
    ],
    ['half of the name is not known', { ...ALL_TRUE, givenName: 'not_available' }, 'inconclusive'],
    ['an answer about the birth date is missing', { givenName: 'true', familyName: 'true' }, 'inconclusive'],
    ['nothing is answered', {}, 'inconclusive'],
  ])('not verified if %s', (_why, person, outcome) => {
    expect(outcomes(answered(person))).toEqual([outcome, 'passed', false])
  })

  test('verified although the middle names differ, which records often shorten', () => {
    expect(outcomes(answered({ ...ALL_TRUE, middleNames: 'false' }))).toEqual(['passed', 'passed', true])
  })

  test('not verified with a SIM that was changed lately, or without an answer about it', () => {
    expect(outcomes(answered(ALL_TRUE, true))).toEqual(['passed', 'failed', false])
    const silent = { kind: 'unanswered', trouble: 'timeout' } as const
    expect(outcomes({ ...answered(ALL_TRUE), simSwapped: silent })).toEqual(['passed', 'inconclusive', false])
    expect(outcomes({ ...answered(ALL_TRUE), person: silent })).toEqual(['inconclusive', 'passed', false])
    const answer = { person: silent, simSwapped: silent }
    expect(judgeOwnership({ question: QUESTION, answer })[0]).toMatchObject({
      reason: 'ANSWER',
      measured: { sourceTrouble: 'timeout' },
    })
  })

  test('not verified if the operator was not asked, with the reason', () => {
    const findings = judgeOwnership({ unasked: 'CONSENT' })
    expect(findings.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['inconclusive', 'CONSENT'],
      ['inconclusive', 'CONSENT'],
    ])
    expect(isOwnershipShown(findings)).toBe(false)
  })

  test.each([
    ['number-not-served', 'COVERAGE'],
    ['number-unknown', 'RECORD'],
    ['document-number-required', 'VALUES'],
  ] as const)('not verified by an operator without a record (%s), with the reason %s', (trouble, reason) => {
    const answer = { ...answered(ALL_TRUE), person: { kind: 'no-record', trouble } as const }
    expect(judgeOwnership({ question: QUESTION, answer })[0]).toMatchObject({ reason })
  })
})

test('what agreed and what differed is told by the names of the fields, without a value', () => {
  const answer = answered({ ...ALL_TRUE, birthdate: 'false' })
  const [{ measured }] = judgeOwnership({ question: QUESTION, answer })
  expect(measured).toEqual({ operatorAgrees: 'givenName familyName', operatorDiffers: 'birthdate' })
})

test('the operator is asked again when another document names the person, and never before the code was entered', () => {
  const contact = (positive: readonly string[], matchedReferenceId: string | null) => ({
    family: 'CONTACT' as const,
    evaluation: { ...NOT_YET_EVALUATED, positiveIndicators: positive },
    matchedReferenceId,
  })
  const entered = ['MOBILE_OTP_OK']
  expect(isOwnershipOutdated(contact(entered, null), { id: 'a' })).toBe(true)
  expect(isOwnershipOutdated(contact(entered, 'a'), { id: 'a' })).toBe(false)
  expect(isOwnershipOutdated(contact(entered, 'a'), { id: 'b' })).toBe(true)
  expect(isOwnershipOutdated(contact(entered, 'a'), null)).toBe(true)
  expect(isOwnershipOutdated(contact(entered, null), null)).toBe(false)
  expect(isOwnershipOutdated(contact([], null), { id: 'a' })).toBe(false)
})
