import { describe, expect, test } from 'vitest'
import {
  datePlausibility,
  parseIsoDate,
  type DateContradiction,
  type DocumentDates,
} from '../../../server/proofing/date-plausibility.ts'

const NOW = new Date('2026-03-02T12:00:00Z')
const TODAY = { earliest: NOW, latest: NOW }
const PASSPORT = { validYears: 15, leastAge: 0, mostAge: 125 }
const LICENCE = { validYears: 20, leastAge: 14, mostAge: 125 }

const DATES = { birth: '1974-08-12', issue: '2022-04-16', expiry: '2032-04-15' }
type Texts = Partial<Record<keyof typeof DATES, string | null>>

function dates(over: Texts = {}): DocumentDates {
  const all = { ...DATES, ...over }
  return { birth: parseIsoDate(all.birth), issue: parseIsoDate(all.issue), expiry: parseIsoDate(all.expiry) }
}
const found = (over: Texts, limits = PASSPORT, now = TODAY) =>
  datePlausibility(dates(over), limits, now).contradictions

describe('the dates of a document', () => {
  test('that fit each other pass', () => {
    expect(datePlausibility(dates(), PASSPORT, TODAY)).toEqual({
      outcome: 'passed',
      contradictions: [],
      datesKnown: 3,
    })
  })

  test.each<[DateContradiction, Texts]>([
    ['BORN_IN_FUTURE', { birth: '2027-01-01', issue: null }],
    ['OLDER_THAN_ANYBODY', { birth: '1890-01-01' }],
    ['ISSUED_IN_FUTURE', { issue: '2026-03-10' }],
    ['ISSUED_BEFORE_BIRTH', { birth: '2024-08-12' }],
    ['ISSUED_AFTER_EXPIRY', { issue: '2025-01-01', expiry: '2024-12-31' }],
    ['VALID_TOO_LONG', { issue: '2012-01-01', expiry: '2031-01-01' }],
    ['EXPIRES_TOO_LATE', { issue: null, expiry: '2049-01-01' }],
  ])('%s is named', (name, over) => {
    const outcome = datePlausibility(dates(over), PASSPORT, TODAY)
    expect(outcome.outcome).toBe('failed')
    expect(outcome.contradictions).toContain(name)
  })

  test('a licence issued to a child of ten is a contradiction, a passport is none', () => {
    const child = { birth: '2014-01-01', issue: '2024-06-01', expiry: '2029-06-01' }
    expect(found(child, LICENCE)).toEqual(['ISSUED_TO_CHILD'])
    expect(found(child, PASSPORT)).toEqual([])
  })

  test('an expired document has plausible dates: that it expired is another check', () => {
    expect(found({ birth: '1950-01-01', issue: '2005-01-01', expiry: '2015-01-01' })).toEqual([])
  })

  test('issued and expiring on the limit, by a day more or less, is no contradiction', () => {
    expect(found({ issue: '2020-02-29', expiry: '2035-03-02' })).toEqual([])
  })

  test('an unknown part is held to be whatever fits', () => {
    const bornSometime = {
      birth: { year: 2022 },
      issue: { year: 2022, month: 4 },
      expiry: parseIsoDate('2027-04-01'),
    }
    expect(datePlausibility(bornSometime, PASSPORT, TODAY).contradictions).toEqual([])
    const bornLater = { ...bornSometime, birth: { year: 2022, month: 5 } }
    expect(datePlausibility(bornLater, PASSPORT, TODAY).contradictions).toEqual(['ISSUED_BEFORE_BIRTH'])
  })

  test('one date alone says nothing, and an impossible one alone says something', () => {
    expect(datePlausibility(dates({ issue: null, expiry: null }), PASSPORT, TODAY).outcome).toBe(
      'inconclusive',
    )
    expect(found({ issue: null, expiry: null, birth: '1890-01-01' })).toEqual(['OLDER_THAN_ANYBODY'])
  })

  test('are compared with the latest moment that may be now', () => {
    const unsure = { earliest: NOW, latest: new Date('2026-06-01T00:00:00Z') }
    expect(found({ issue: '2026-05-01' }, PASSPORT, unsure)).toEqual([])
    expect(found({ issue: '2026-05-01' })).toEqual(['ISSUED_IN_FUTURE'])
  })
})
