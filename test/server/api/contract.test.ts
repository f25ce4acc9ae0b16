import { describe, expect, test } from 'vitest'
import {
  AddressRequest,
  ConsentRequest,
  CreationContext,
  DocumentCaptureDetails,
  GlobalStatus,
  VerificationDetails,
} from '../../../server/api/contract/index.ts'
import { CONSENT_TYPES, DOCUMENT_TYPES } from '../../../server/proofing/types.ts'

const status = (creationDateTime: string) => ({
  id: 'i',
  status: 'EXPECTING_INPUT',
  levelOfAssurance: 'LOA0',
  creationDateTime,
})

describe('date-times', () => {
  test.each(['2026-01-31T09:30:00', '2026-01-31T09:30:00.1', '2026-01-31T23:59:59.1234567'])(
    '%s has 0 to 7 fraction digits and is taken',
    (text) => expect(GlobalStatus.safeParse(status(text)).success).toBe(true),
  )
  test.each([
    '2026-01-31T09:30:00.12345678',
    '2026-01-31T09:30:00Z',
    '2026-01-31T09:30:00+01:00',
    '2026-01-31 09:30:00',
    '2026-13-31T09:30:00',
    '2026-01-31T24:30:00',
    '2026-01-31',
  ])('%s is not the form of the spec', (text) =>
    expect(GlobalStatus.safeParse(status(text)).success).toBe(false),
  )
})

test('a verification always says when it began, when it ended and when its session was opened', () => {
  const at = '2026-01-31T09:30:00.000'
  const times = { startDateTime: at, endDateTime: at, sessionCreationTime: at }
  const run = { participantType: 'IMAGE_OCR', participantState: 'ACCEPTED', ...times }
  expect(VerificationDetails.safeParse(run).success).toBe(true)
  for (const time of Object.keys(times)) {
    expect([time, VerificationDetails.safeParse({ ...run, [time]: undefined }).success]).toEqual([
      time,
      false,
    ])
  }
})

test.each(CONSENT_TYPES)('consent to %s can be recorded', (type) => {
  expect(ConsentRequest.parse({ type, approved: false })).toEqual({ type, approved: false })
})

test('the validity of a consent may have either end, both or none', () => {
  const period = (validityPeriod: unknown) =>
    ConsentRequest.safeParse({ type: 'GIV', approved: true, validityPeriod }).data?.validityPeriod
  expect(period({ from: '2026-01-01', to: '2026-01-01' })).toEqual({ from: '2026-01-01', to: '2026-01-01' })
  expect(period({ to: '2028-02-29' })).toEqual({ to: '2028-02-29' })
  expect(period({ from: '2026-01-01T09:30:00', to: '2026-01-31T09:30:00.1234567' })).toEqual({
    from: '2026-01-01',
    to: '2026-01-31',
  })
  expect(period({ from: '2026-01-01T09:30:00.000Z', to: '2026-01-31T09:30:00+01:00' })).toEqual({
    from: '2026-01-01',
    to: '2026-01-31',
  })
  expect(period({ from: '2026-01-01T09:30:00 noon' })).toBeUndefined()
  expect(period({ from: '', to: ' ' })).toEqual({})
  expect(period({ from: null })).toEqual({})
  expect(period(null)).toBeUndefined()
  expect(
    ConsentRequest.safeParse({ type: 'GIV', approved: true, validityPeriod: { to: '2027-02-29' } }).success,
  ).toBe(false)
})

test.each([
  ['FRA', true],
  ['UTO', true],
  ['RKS', true],
  ['ZZZ', false],
  ['FR', false],
  ['fra', false],
])('%s as a country is a code that documents carry: %s', (jurisdiction, isKnown) => {
  expect(DocumentCaptureDetails.safeParse({ jurisdiction }).success).toBe(isKnown)
})

test.each(DOCUMENT_TYPES)('%s can be announced as the document type', (documentType) => {
  expect(DocumentCaptureDetails.parse({ documentType })).toEqual({ documentType })
})

test('an empty or null member of an address counts as absent', () => {
  const streetDetails = { streetLines: ['1 RUE DE LA PAIX', '', ' '] }
  expect(AddressRequest.parse({ city: 'PARIS', state: '', postcode: null, streetDetails })).toEqual({
    city: 'PARIS',
    streetDetails: { streetLines: ['1 RUE DE LA PAIX'] },
  })
  expect(AddressRequest.safeParse({ city: '' }).success).toBe(false)
})

test('a context has at most fifty entries', () => {
  const entries = (count: number) => Array.from({ length: count }, () => ({ key: 'k', value: '' }))
  expect(CreationContext.safeParse(entries(50)).success).toBe(true)
  expect(CreationContext.safeParse(entries(51)).success).toBe(false)
})
