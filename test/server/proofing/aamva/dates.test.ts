import { describe, expect, test } from 'vitest'
import { isNothing, prescribedOrder, readDate } from '../../../../server/proofing/aamva/dates.ts'

describe('what stands where there is nothing to say', () => {
  test.each(
    '0|00000000|9|99999999|-|---||NONE|none|NO EXP|NOEXP|NO EXPIRY|UNAVL|UNAVAIL|UNAVAILABLE|N/A|NA|UNK|UNKNOWN| NONE '.split(
      '|',
    ),
  )('%j is nothing', (value) => {
    expect(isNothing(value)).toBe(true)
  })

  test.each(['09', '1', 'xNONE', 'NONEx', 'A NONE', 'UNAVL 1', 'UNAVAIL-1', 'NO EXP-1', 'UNK-1', 'N//A'])(
    '%j says something',
    (value) => {
      expect(isNothing(value)).toBe(false)
    },
  )
})

describe('a date', () => {
  test.each([
    ['07041964', '1964-07-04', 'month-first'],
    ['19640704', '1964-07-04', 'year-first'],
    ['24071964', '1964-07-24', 'day-first'],
    [' 07041964 ', '1964-07-04', 'month-first'],
    ['x07041964', '1964-07-04', 'month-first'],
    ['07041964x', '1964-07-04', 'month-first'],
    ['7/4/1964', '1964-07-04', 'month-first'],
    ['1964.7.4', '1964-07-04', 'year-first'],
    ['1964 07 04', '1964-07-04', 'year-first'],
    [' 07-04-1964 and more', '1964-07-04', 'month-first'],
    ['01012199', '2199-01-01', 'month-first'],
    ['01011900', '1900-01-01', 'month-first'],
    ['12312024', '2024-12-31', 'month-first'],
    ['02292024', '2024-02-29', 'month-first'],
  ])('%j is %s, the %s', (value, date, order) => {
    expect(readDate(value)).toEqual({ date, order })
  })

  test.each([
    '0704196',
    '070419641',
    'xx07041964',
    '12345678x07041964',
    '07/04/64',
    '07/04/19641',
    'a 07/04/1964',
    '02302024',
    '02292023',
    '04312024',
    '00012024',
    '01002024',
    '13132024',
    '01011899',
    '01012200',
    '00000000',
    '',
  ])('%j is none', (value) => {
    expect(readDate(value)).toBeNull()
  })
})

test.each([
  [0, 'USA', 'year-first'],
  [1, 'USA', 'year-first'],
  [1, 'CAN', 'year-first'],
  [2, 'USA', 'month-first'],
  [2, 'CAN', 'month-first'],
  [3, 'CAN', 'year-first'],
  [3, 'USA', 'month-first'],
  [10, 'MEX', 'month-first'],
] as const)('version %i in %s puts the date %s', (version, country, order) => {
  expect(prescribedOrder(version, country)).toBe(order)
})
