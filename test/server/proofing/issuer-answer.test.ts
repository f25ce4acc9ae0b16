/** Tests what the answer of an issuing source proves (spec "Scoring rules", issuer verification). */
import { describe, expect, test } from 'vitest'
import {
  judgeIssuerAnswer,
  listComparedFields,
  type IssuerAnswer,
} from '../../../server/proofing/issuer-answer.ts'

const EQUAL = { documentNumber: 'MATCH', surname: 'MATCH', givenName: 'MATCH', dateOfBirth: 'MATCH' } as const

const outcomes = (matches: IssuerAnswer['matches'], record: IssuerAnswer['record'] = 'FOUND') =>
  Object.fromEntries(judgeIssuerAnswer({ record, matches }).map(({ check, outcome }) => [check, outcome]))

describe('an issuing source', () => {
  test('that finds equal values confirms the document and each name', () => {
    expect(outcomes(EQUAL)).toEqual({
      GIV_VERIFICATION: 'passed',
      SURNAME_COMPARE: 'passed',
      FIRSTNAME_COMPARE: 'passed',
    })
  })

  test('that finds a similar name confirms the document, and says that the exact comparison failed', () => {
    expect(outcomes({ ...EQUAL, surname: 'SIMILAR' })).toMatchObject({
      GIV_VERIFICATION: 'passed',
      SURNAME_COMPARE: 'failed',
      SURNAME_FUZZY_COMPARE: 'passed',
    })
  })

  test.each(['documentNumber', 'cardNumber', 'surname', 'givenName', 'dateOfBirth', 'expiryDate'] as const)(
    'whose %s differs contradicts the document',
    (field) => {
      expect(outcomes({ ...EQUAL, [field]: 'NO_MATCH' })).toMatchObject({ GIV_VERIFICATION: 'failed' })
    },
  )

  test('whose middle names differ says so and still confirms the document', () => {
    expect(outcomes({ ...EQUAL, middleNames: 'NO_MATCH' })).toMatchObject({
      GIV_VERIFICATION: 'passed',
      MIDDLENAME_COMPARE: 'failed',
      MIDDLENAME_FUZZY_COMPARE: 'failed',
    })
  })

  test.each(['surname', 'dateOfBirth'] as const)('that did not compare the %s proves nothing', (field) => {
    expect(outcomes({ ...EQUAL, [field]: 'NOT_COMPARED' })).toMatchObject({
      GIV_VERIFICATION: 'inconclusive',
    })
  })

  test('that compared no given name says so; an equal full name agrees in surname and first name', () => {
    expect(outcomes({ ...EQUAL, givenName: 'NOT_COMPARED' })).toMatchObject({
      GIV_VERIFICATION: 'passed',
      FIRSTNAME_COMPARE: 'inconclusive',
    })
    const card = { documentNumber: 'MATCH', fullName: 'MATCH', dateOfBirth: 'MATCH' } as const
    expect(outcomes(card)).toEqual({
      GIV_VERIFICATION: 'passed',
      SURNAME_COMPARE: 'passed',
      FIRSTNAME_COMPARE: 'passed',
    })
    expect(outcomes({ ...card, fullName: 'SIMILAR' })).toMatchObject({ SURNAME_COMPARE: 'inconclusive' })
  })

  test.each(['sex', 'height', 'eyeColour', 'streetLine1', 'city', 'addressState', 'postcode'] as const)(
    'whose %s differs still confirms the document',
    (field) => {
      expect(outcomes({ ...EQUAL, [field]: 'NO_MATCH' })).toMatchObject({ GIV_VERIFICATION: 'passed' })
    },
  )

  test('that judges the document as a whole contradicts it without a word on any name', () => {
    expect(outcomes({}, 'UNMATCHED')).toEqual({
      GIV_VERIFICATION: 'failed',
      SURNAME_COMPARE: 'inconclusive',
      FIRSTNAME_COMPARE: 'inconclusive',
    })
    const answer = { record: 'UNMATCHED', matches: {} } as const
    expect(listComparedFields(answer, ['documentType', 'documentNumber', 'surname'])).toEqual({
      agreed: '',
      differed: '',
      notCompared: 'documentNumber surname',
    })
  })

  test('without such a record contradicts the document; one that keeps no such records proves nothing', () => {
    expect(outcomes({}, 'NOT_FOUND')).toMatchObject({ GIV_VERIFICATION: 'failed' })
    expect(outcomes({}, 'NOT_COVERED')).toMatchObject({ GIV_VERIFICATION: 'inconclusive' })
  })
})
