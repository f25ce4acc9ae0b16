import { expect, test } from 'vitest'
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  formatSpecDate,
  formatSpecDateTime,
  getToday,
} from '../../../server/proofing/time.ts'

const AT = new Date('2026-03-01T23:04:05.678Z')

test('date-times are written in UTC to the millisecond, without a time zone', () => {
  expect(formatSpecDateTime(AT)).toBe('2026-03-01T23:04:05.678')
})

test('dates are written by the day in UTC', () => {
  expect(formatSpecDate(AT)).toBe('2026-03-01')
})

test('today is the days of the first and of the last moment that may be now', () => {
  expect(getToday({ earliest: AT, latest: new Date(AT.getTime() + HOUR_MS) })).toEqual([
    '2026-03-01',
    '2026-03-02',
  ])
})

test('a minute, an hour and a day have the milliseconds that the clock counts', () => {
  const from = (start: string, end: string) => Date.parse(end) - Date.parse(start)
  expect(MINUTE_MS).toBe(from('2026-03-01T00:00:00Z', '2026-03-01T00:01:00Z'))
  expect(HOUR_MS).toBe(from('2026-03-01T00:00:00Z', '2026-03-01T01:00:00Z'))
  expect(DAY_MS).toBe(from('2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z'))
})
