import { describe, expect, test } from 'vitest'
import {
  isOutdatedFraudCheck,
  neededSubjects,
  listAdverseIndicators,
  keepEarlierWarnings,
} from '../../../../server/proofing/antifraud/outdated.ts'
import { FRAUD_CHECK_TYPES } from '../../../../server/proofing/types.ts'

const COUNTING = { nameReferenceId: 'document', portraitId: 'portrait', claimId: null }
const NONE = { nameReferenceId: null, portraitId: null, claimId: null }

describe('a check', () => {
  test.each([
    ['DUPLICATE_DOCUMENT', ['document']],
    ['DUPLICATE_FACE', ['portrait']],
    ['VELOCITY', ['document']],
    ['WATCHLIST', ['document']],
    ['DOCUMENT_STATUS', ['document']],
    ['DEVICE_INTEGRITY', ['document', 'portrait']],
  ] as const)('%s has to look at %s', (type, needed) => {
    expect(neededSubjects(type, COUNTING)).toEqual(needed)
    expect(neededSubjects(type, NONE)).toEqual([])
  })

  test.each(FRAUD_CHECK_TYPES)('%s that looked at all of it stands', (type) => {
    const check = { type, status: 'VERIFIED' as const, subjects: ['portrait', 'document', 'more'] }
    expect(isOutdatedFraudCheck(check, COUNTING)).toBe(false)
  })
  test.each(FRAUD_CHECK_TYPES)('%s that looked at something else is made again', (type) => {
    const check = { type, status: 'NOT_VERIFIED' as const, subjects: ['an older one'] }
    expect(isOutdatedFraudCheck(check, COUNTING)).toBe(true)
    expect(isOutdatedFraudCheck(check, NONE)).toBe(false)
    expect(isOutdatedFraudCheck({ ...check, status: 'PROCESSING' }, COUNTING)).toBe(false)
  })
  test('of the device is made again for a new portrait alone', () => {
    const check = { type: 'DEVICE_INTEGRITY', status: 'VERIFIED', subjects: ['document'] } as const
    expect(isOutdatedFraudCheck(check, COUNTING)).toBe(true)
  })
})

test('while it is made again, what it warned of stands, and nothing that it passed', () => {
  const found = ['A_OK', 'B_WARNING', 'C_FAILED', 'D_UNVERIFIED']
  expect(listAdverseIndicators(found)).toEqual(['B_WARNING', 'C_FAILED'])
})

describe('a warning about evidence', () => {
  const clear = { status: 'VERIFIED' as const, indicators: ['WATCHLIST_OK'], measured: { lists: 1 } }
  const warned = { indicators: ['WATCHLIST_WARNING'], subjects: ['old'] }

  test('that is still looked at ends when it is found no more', () => {
    expect(keepEarlierWarnings(clear, warned, ['old', 'new'])).toBe(clear)
  })
  test('that was taken back stays in force', () => {
    expect(keepEarlierWarnings(clear, warned, ['new'])).toEqual({
      status: 'NOT_VERIFIED',
      indicators: ['WATCHLIST_WARNING'],
      measured: { lists: 1 },
    })
  })
  test('stands beside what else was found', () => {
    const more = { ...clear, indicators: ['WATCHLIST_OK', 'CLOCK_UNVERIFIED'] }
    expect(keepEarlierWarnings(more, warned, []).indicators).toEqual([
      'CLOCK_UNVERIFIED',
      'WATCHLIST_WARNING',
    ])
  })
  test('that had failed stays a failure, and a new failure stays one beside a warning', () => {
    const failed = { indicators: ['DOCUMENT_STATUS_FAILED'], subjects: ['old'] }
    const ok = { ...clear, indicators: ['DOCUMENT_STATUS_OK', 'DOCUMENT_STATUS_ISSUER_OK'] }
    expect(keepEarlierWarnings(ok, failed, ['new'])).toMatchObject({
      status: 'INVALID',
      indicators: ['DOCUMENT_STATUS_ISSUER_OK', 'DOCUMENT_STATUS_FAILED'],
    })
    const invalid = { status: 'INVALID' as const, indicators: ['WATCHLIST_FAILED'], measured: {} }
    expect(keepEarlierWarnings(invalid, warned, ['new'])).toMatchObject({
      status: 'INVALID',
      indicators: ['WATCHLIST_FAILED', 'WATCHLIST_WARNING'],
    })
  })
  test('of several stands with all of them, and takes each answer of its own away', () => {
    const before = { indicators: ['DOCUMENT_STATUS_FAILED', 'X_WARNING'], subjects: ['old'] }
    const ok = { ...clear, indicators: ['X_OK', 'Y_OK', 'DOCUMENT_STATUS_OK'] }
    expect(keepEarlierWarnings(ok, before, ['new'])).toMatchObject({
      status: 'INVALID',
      indicators: ['Y_OK', 'DOCUMENT_STATUS_FAILED', 'X_WARNING'],
    })
  })
  test('whose name holds the word twice keeps it', () => {
    const before = { indicators: ['A_WARNING_SIGN_WARNING'], subjects: ['old'] }
    const ok = { ...clear, indicators: ['A_WARNING_SIGN_OK', 'A_SIGN_WARNING_OK'] }
    expect(keepEarlierWarnings(ok, before, []).indicators).toEqual([
      'A_SIGN_WARNING_OK',
      'A_WARNING_SIGN_WARNING',
    ])
  })
  test('that never was leaves the new answer as it is', () => {
    const passed = { indicators: ['WATCHLIST_OK', 'X_UNVERIFIED'], subjects: ['old'] }
    expect(keepEarlierWarnings(clear, passed, ['new'])).toBe(clear)
    expect(keepEarlierWarnings(clear, { indicators: ['WATCHLIST_WARNING'], subjects: [] }, ['new'])).toBe(
      clear,
    )
  })
  test('is said once where it is found again', () => {
    const again = { status: 'NOT_VERIFIED' as const, indicators: ['WATCHLIST_WARNING'], measured: {} }
    expect(keepEarlierWarnings(again, warned, ['new']).indicators).toEqual(['WATCHLIST_WARNING'])
  })
})
