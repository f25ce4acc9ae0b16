import { describe, expect, test } from 'vitest'
import { buildRangeQuestion } from '../../../../server/connectors/service/range.ts'
import {
  documentName,
  judgeDocumentStatus,
  REGISTER_REASONS,
  type RegisterAnswer,
} from '../../../../server/proofing/antifraud/document-status.ts'

type Answered = Extract<RegisterAnswer, { outcome: 'ANSWERED' }>
const REMOTE: Answered = {
  source: 'REMOTE',
  outcome: 'ANSWERED',
  name: 'Register',
  date: '2026-03-02',
  authoritative: false,
  coversDeaths: false,
  found: [],
}
const LOCAL: Answered = { ...REMOTE, source: 'LOCAL', name: 'list.csv', sha256: 'b'.repeat(64) }
const DOWN: RegisterAnswer = { source: 'REMOTE', outcome: 'UNREACHABLE', reason: 'timeout' }
const ASKED = { asked: 1, electedWasAsked: true }
const judge = (answers: readonly RegisterAnswer[], facts = ASKED, today = '2026-03-02') =>
  judgeDocumentStatus(facts, answers, { registerDays: 7 }, today)

describe('what names a document', () => {
  const document = {
    idDocumentType: 'PASSPORT' as const,
    issuingCountry: 'UTO',
    idDocumentNumber: 'L898902C3',
  }
  test('is its kind, its issuer and its number, however the number is written', () => {
    expect(documentName(document)).toBe('PASSPORT\nUTO\nL898902C3')
    expect(documentName({ ...document, idDocumentNumber: 'l898-902 c3' })).toBe('PASSPORT\nUTO\nL898902C3')
    expect(documentName({ ...document, idDocumentNumber: 'L898902C3<' })).toBe('PASSPORT\nUTO\nL898902C3')
    expect(documentName({ ...document, idDocumentNumber: 'Ｌ898902C3' })).toBe('PASSPORT\nUTO\nL898902C3')
  })
  test('names the state where states give numbers', () => {
    const licence = {
      idDocumentType: 'DRIVING_LICENSE' as const,
      idDocumentNumber: 'A1',
      issuingCountry: 'USA',
    }
    expect(documentName({ ...licence, issuingState: 'CA' })).toBe('DRIVING_LICENSE\nUSACA\nA1')
  })
  test('is nothing without a number or an issuer', () => {
    expect(documentName({ ...document, idDocumentNumber: '--' })).toBeNull()
    expect(documentName({ idDocumentType: 'PASSPORT', issuingCountry: 'UTO' })).toBeNull()
    expect(documentName({ idDocumentType: 'PASSPORT', idDocumentNumber: 'A1' })).toBeNull()
  })
  test('is asked for by five digits of its SHA-256', () => {
    // printf 'PASSPORT\nUTO\nL898902C3' | sha256sum
    const { range, suffix } = buildRangeQuestion('PASSPORT\nUTO\nL898902C3')
    expect(range + suffix).toBe('5331BEF496F119A1BB52F17E4256513A635243CADF3B4202FD2B5BA151557A53')
    expect(range).toHaveLength(5)
  })
})

describe('a document that a register knows', () => {
  test.each(REGISTER_REASONS.filter((reason) => reason !== 'HOLDER_DECEASED'))(
    'as %s is refused',
    (reason) => {
      const found = judge([{ ...REMOTE, found: [reason] }])
      expect(found).toMatchObject({ status: 'INVALID', indicators: ['DOCUMENT_STATUS_FAILED'] })
      expect(found.measured).toMatchObject({ reasons: reason, documents: 1, registerDays: 7 })
    },
  )
  test('as stolen and as that of a deceased holder is refused for both reasons', () => {
    expect(judge([{ ...LOCAL, found: ['STOLEN', 'HOLDER_DECEASED', 'STOLEN'] }])).toMatchObject({
      status: 'INVALID',
      indicators: ['DOCUMENT_STATUS_FAILED', 'DEATH_RECORD_FAILED'],
      measured: { reasons: 'HOLDER_DECEASED STOLEN' },
    })
  })
  test.each([
    ['the register is old', [{ ...LOCAL, date: '2020-01-01', found: ['LOST' as const] }]],
    ['another register knows nothing', [{ ...LOCAL, found: ['LOST' as const] }, REMOTE]],
    ['another register does not answer', [{ ...LOCAL, found: ['LOST' as const] }, DOWN]],
  ])('is refused also where %s', (_name, answers) => {
    expect(judge(answers).indicators).toEqual(['DOCUMENT_STATUS_FAILED'])
  })
})

describe('a document that no register knows', () => {
  test('is passed, and the registers are named', () => {
    expect(judge([LOCAL, REMOTE])).toEqual({
      status: 'VERIFIED',
      indicators: ['DOCUMENT_STATUS_OK'],
      measured: {
        documents: 1,
        registerDays: 7,
        localRegister: 'list.csv',
        localDate: '2026-03-02',
        localSha256: 'b'.repeat(64),
        remoteRegister: 'Register',
        remoteDate: '2026-03-02',
      },
    })
  })
  test('is passed by the list alone where no other register is asked', () => {
    expect(judge([LOCAL]).indicators).toEqual(['DOCUMENT_STATUS_OK'])
  })
  test('is passed by the register where the list is old', () => {
    expect(judge([{ ...LOCAL, date: '2020-01-01' }, REMOTE]).indicators).toEqual(['DOCUMENT_STATUS_OK'])
  })
  test('is passed by the issuer where the register speaks for issuers', () => {
    expect(judge([{ ...REMOTE, authoritative: true }]).indicators).toEqual([
      'DOCUMENT_STATUS_OK',
      'DOCUMENT_STATUS_ISSUER_OK',
    ])
  })
  test('is passed by the issuer where one of two registers speaks for issuers', () => {
    expect(judge([LOCAL, { ...REMOTE, authoritative: true }]).indicators).toContain(
      'DOCUMENT_STATUS_ISSUER_OK',
    )
  })
  test('has no hash of a list where there is no list', () => {
    expect(judge([REMOTE]).measured).not.toHaveProperty('remoteSha256')
  })
  // @clause NIST-63A-4/3.2.1-death
  test('has a living holder where the register knows the deceased', () => {
    expect(judge([{ ...LOCAL, coversDeaths: true }, REMOTE]).indicators).toEqual([
      'DOCUMENT_STATUS_OK',
      'DEATH_RECORD_OK',
    ])
  })
  test('does not where that register is old', () => {
    const old = { ...LOCAL, date: '2020-01-01', coversDeaths: true, authoritative: true }
    expect(judge([old, REMOTE]).indicators).toEqual(['DOCUMENT_STATUS_OK'])
  })

  test.each([
    ['no register was asked', [], ASKED, '2026-03-02', 'CONFIGURATION'],
    [
      'there was no document to ask about',
      [REMOTE],
      { asked: 0, electedWasAsked: true },
      '2026-03-02',
      'REFERENCE',
    ],
    [
      'the one that names the identity was not asked about',
      [REMOTE],
      { asked: 1, electedWasAsked: false },
      '2026-03-02',
      'VALUES',
    ],
    ['the register does not answer', [DOWN], ASKED, '2026-03-02', 'ANSWER'],
    ['the register does not answer and the list does', [LOCAL, DOWN], ASKED, '2026-03-02', 'ANSWER'],
    ['the list is too old', [LOCAL], ASKED, '2026-03-10', 'AGE'],
    [
      'the register is too old, and the list is not',
      [LOCAL, { ...REMOTE, date: '2026-02-01' }],
      ASKED,
      '2026-03-02',
      'AGE',
    ],
    [
      'the register is of a day that has not come',
      [{ ...REMOTE, date: '2026-03-04' }],
      ASKED,
      '2026-03-02',
      'AGE',
    ],
    ['its day cannot be read', [{ ...REMOTE, date: '' }], ASKED, '2026-03-02', 'AGE'],
  ] as const)('is not known to be in order where %s', (_name, answers, facts, today, reason) => {
    expect(judge(answers, facts, today)).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['DOCUMENT_STATUS_UNVERIFIED', `SOURCE_${reason}_UNVERIFIED`],
    })
  })

  test('is known to be on the last day of the register’s term, and tomorrow’s register is today’s elsewhere', () => {
    expect(judge([LOCAL], ASKED, '2026-03-09').status).toBe('VERIFIED')
    expect(judge([{ ...LOCAL, date: '2026-03-03' }], ASKED).status).toBe('VERIFIED')
  })
  test('and why it is not known is said', () => {
    expect(judge([DOWN]).measured).toMatchObject({ remoteTrouble: 'timeout' })
  })
})
