/** Dates at each limit, a day before and after, and with each of them missing. */
import { describe, expect, test } from 'vitest'
import {
  datePlausibility,
  parseIsoDate,
  type DateContradiction,
  type DateLimits,
} from '../../../server/proofing/date-plausibility.ts'
import type { PartialDate } from '../../../server/proofing/mrz/dates.ts'

/** No time at all, so that only the slack of the rule is left: a day for today, three for a validity. */
const NONE: DateLimits = { validYears: 0, leastAge: 0, mostAge: 0 }
const WIDE: DateLimits = { validYears: 20, leastAge: 0, mostAge: 125 }
const TODAY = new Date('2026-03-02T00:00:00Z')
const NOW = { earliest: TODAY, latest: TODAY }

type Given = string | PartialDate | null
const dateOf = (given: Given) => (typeof given === 'string' ? parseIsoDate(given) : given)
const judged = (birth: Given, issue: Given, expiry: Given, limits: DateLimits) =>
  datePlausibility({ birth: dateOf(birth), issue: dateOf(issue), expiry: dateOf(expiry) }, limits, NOW)

describe('a date on the limit contradicts nothing, one a day beyond does', () => {
  test.each<[DateContradiction, readonly [Given, Given, Given], readonly [Given, Given, Given], DateLimits]>([
    ['BORN_IN_FUTURE', ['2026-03-03', null, null], ['2026-03-04', null, null], WIDE],
    ['OLDER_THAN_ANYBODY', ['2026-03-01', null, null], ['2026-02-28', null, null], NONE],
    ['ISSUED_IN_FUTURE', [null, '2026-03-03', null], [null, '2026-03-04', null], WIDE],
    ['ISSUED_BEFORE_BIRTH', ['2020-05-05', '2020-05-05', null], ['2020-05-05', '2020-05-04', null], WIDE],
    ['ISSUED_AFTER_EXPIRY', [null, '2020-05-05', '2020-05-05'], [null, '2020-05-06', '2020-05-05'], WIDE],
    ['VALID_TOO_LONG', [null, '2020-05-05', '2020-05-08'], [null, '2020-05-05', '2020-05-09'], NONE],
    ['EXPIRES_TOO_LATE', [null, null, '2026-03-05'], [null, null, '2026-03-06'], NONE],
    [
      'ISSUED_TO_CHILD',
      ['2020-05-05', '2020-05-05', null],
      ['2020-05-06', '2020-05-05', null],
      { ...WIDE, leastAge: 1 / 365.2425 },
    ],
  ])('%s', (name, within, beyond, limits) => {
    expect(judged(...within, limits).contradictions).toEqual([])
    expect(judged(...beyond, limits).contradictions).toContain(name)
    expect(judged(...beyond, limits).outcome).toBe('failed')
  })
})

describe('what is known', () => {
  const [birth, issue, expiry] = ['1974-08-12', '2020-05-05', '2030-05-05']

  test.each<[Given, Given, Given, number, string]>([
    [null, null, null, 0, 'inconclusive'],
    [birth, null, null, 1, 'inconclusive'],
    [null, issue, null, 1, 'inconclusive'],
    [null, null, expiry, 1, 'inconclusive'],
    [birth, issue, null, 2, 'passed'],
    [birth, null, expiry, 2, 'passed'],
    [null, issue, expiry, 2, 'passed'],
    [birth, issue, expiry, 3, 'passed'],
    // Not even the year.
    [{}, { month: 5, day: 5 }, expiry, 1, 'inconclusive'],
  ])('%j, %j, %j', (first, second, third, datesKnown, outcome) => {
    expect(judged(first, second, third, WIDE)).toEqual({ outcome, contradictions: [], datesKnown })
  })
})

describe('a date in part may be any that it stands for', () => {
  test.each<[string, readonly [Given, Given, Given], readonly DateContradiction[]]>([
    ['a year begins with its first day', [{ year: 2022 }, '2022-01-01', null], []],
    ['and has one before', [{ year: 2022 }, '2021-12-31', null], ['ISSUED_BEFORE_BIRTH']],
    ['and ends with its last', [null, '2021-12-31', { year: 2021 }], []],
    ['and has one after', [null, '2022-01-01', { year: 2021 }], ['ISSUED_AFTER_EXPIRY']],
    ['a day without its month says nothing', [{ year: 2022, day: 15 }, '2022-01-01', null], []],
    ['a month begins with its first day', [{ year: 2022, month: 5 }, '2022-05-01', null], []],
    ['and ends with its last', [null, '2020-02-29', { year: 2020, month: 2 }], []],
    ['and has one after', [null, '2020-03-01', { year: 2020, month: 2 }], ['ISSUED_AFTER_EXPIRY']],
    ['a day is that one', [null, '2024-12-20', '2024-12-10'], ['ISSUED_AFTER_EXPIRY']],
    ['a year that is long past', [{ year: 1890 }, null, null], ['OLDER_THAN_ANYBODY']],
  ])('%s', (_, given, contradictions) => {
    const found = judged(...given, WIDE).contradictions
    expect(found.filter((name) => name !== 'ISSUED_TO_CHILD')).toEqual(contradictions)
  })
})

test.each([
  ['2026-03-02', { year: 2026, month: 3, day: 2 }],
  ['12026-03-02', null],
  ['2026-03-021', null],
  ['2026-3-2', null],
  ['', null],
  [null, null],
  [undefined, null],
])('the parts of %j', (text, expected) => {
  expect(parseIsoDate(text)).toEqual(expected)
})
