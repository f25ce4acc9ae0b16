import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expiryFinding } from '../../../server/proofing/expiry.ts'
import { readExpiryDate, toIsoDate } from '../../../server/proofing/mrz/dates.ts'

const at = (text: string) => new Date(`${text}T12:00:00.000Z`)
const EXPIRED = { outcome: 'failed', errors: [{ code: '1544', message: 'the document has expired' }] }
const always = (lastDay: string | null) => () => lastDay

describe('a document with a last day of 2026-06-30', () => {
  test.each([
    ['the last day itself', '2026-06-30', '2026-06-30', { outcome: 'passed' }],
    ['the day after', '2026-07-01', '2026-07-01', EXPIRED],
    ['either of them', '2026-06-30', '2026-07-01', { outcome: 'inconclusive', withholds: true }],
    ['ten years of doubt', '2020-01-01', '2030-01-01', { outcome: 'inconclusive', withholds: true }],
    ['doubt that lies before it', '2016-01-01', '2026-01-01', { outcome: 'passed' }],
    ['doubt that lies after it', '2027-01-01', '2036-01-01', EXPIRED],
  ])('when today is %s', (_, earliest, latest, finding) => {
    const span = { earliest: at(earliest), latest: at(latest) }
    expect(expiryFinding(always('2026-06-30'), span)).toEqual({ check: 'DOCUMENT_EXPIRY', ...finding })
  })
})

test('a document without a known date of expiry does not count against the applicant', () => {
  const finding = expiryFinding(always(null), { earliest: at('2026-01-01'), latest: at('2036-01-01') })
  expect(finding).toEqual({ check: 'DOCUMENT_EXPIRY', outcome: 'inconclusive' })
})

test('the verdict over a span is never better, and never harder, than at any moment within it', () => {
  const moments = fc.date({ min: at('1985-01-01'), max: at('2085-01-01'), noInvalidDate: true })
  const expiry = fc.date({ min: at('1970-01-01'), max: at('2069-12-31'), noInvalidDate: true })
  const days = fc.integer({ min: 0, max: 36_525 })
  fc.assert(
    fc.property(
      moments,
      days,
      expiry,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (from, width, end, where) => {
        const mrz = end.toISOString().slice(2, 10).replaceAll('-', '')
        const lastDayAt = (now: Date) => toIsoDate(readExpiryDate(mrz, now))
        const earliest = from
        const latest = new Date(from.getTime() + width * 86_400_000)
        const within = new Date(from.getTime() + where * width * 86_400_000)
        const { outcome } = expiryFinding(lastDayAt, { earliest, latest })
        const then = expiryFinding(lastDayAt, { earliest: within, latest: within }).outcome
        if (outcome !== 'inconclusive') expect(then).toBe(outcome)
      },
    ),
    { numRuns: 20_000 },
  )
})
