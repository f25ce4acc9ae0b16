import { describe, expect, test } from 'vitest'
import {
  isOlderThan,
  isOutdated,
  judgeWatchlist,
  type Screening,
} from '../../../../server/proofing/antifraud/watchlist.ts'

const LIST = { name: 'SDN', date: '2026-03-01', confirmedOn: null, sha256: 'a'.repeat(64) }
const screening = (over: Partial<Screening>): Screening => ({
  outcome: 'CLEAR',
  score: 0.2,
  threshold: 0.7,
  lists: [LIST],
  entries: [],
  ...over,
})
const judge = (over: Partial<Screening>, today = '2026-03-08') =>
  judgeWatchlist(screening(over), { listDays: 7 }, today)

describe('a screening', () => {
  test('without a near entry passes, and names the lists', () => {
    expect(judge({})).toEqual({
      status: 'VERIFIED',
      indicators: ['WATCHLIST_OK'],
      measured: {
        threshold: 0.7,
        score: 0.2,
        listDays: 7,
        lists: 1,
        list1: 'SDN',
        list1Date: '2026-03-01',
        list1Sha256: 'a'.repeat(64),
      },
    })
  })

  test.each(['HIT', 'POSSIBLE'] as const)(
    'that ends %s is a question for a person, never a rejection',
    (outcome) => {
      expect(judge({ outcome, score: 0.99, entries: ['36', '173'] })).toMatchObject({
        status: 'NOT_VERIFIED',
        indicators: ['WATCHLIST_WARNING'],
        measured: { score: 0.99, entries: '36 173' },
      })
      // Who is on an old list is most likely on it still.
      expect(judge({ outcome }, '2027-01-01').indicators).toEqual(['WATCHLIST_WARNING'])
    },
  )

  test.each([
    ['no name could be searched', { outcome: 'UNKNOWN' as const, score: null }, '2026-03-08'],
    ['there is no list', { lists: [] }, '2026-03-08'],
    ['the list is too old', {}, '2026-03-09'],
    [
      'one of the lists is too old',
      {
        lists: [
          { ...LIST, date: '2026-03-08' },
          { ...LIST, date: '2026-02-28' },
        ],
      },
      '2026-03-08',
    ],
    ['the day of the list cannot be read', { lists: [{ ...LIST, date: 'last week' }] }, '2026-03-08'],
  ])('is not known where %s', (_name, over, today) => {
    const found = judge(over, today)
    expect(found).toMatchObject({ status: 'NOT_VERIFIED', indicators: ['WATCHLIST_UNVERIFIED'] })
    expect(found.measured).not.toHaveProperty('entries')
  })

  test('without a score tells none', () => {
    expect(judge({ outcome: 'UNKNOWN', score: null }).measured).not.toHaveProperty('score')
  })
})

test('a list is as old as the days since its own day', () => {
  expect(isOlderThan('2026-03-01', 7, '2026-03-08')).toBe(false)
  expect(isOlderThan('2026-03-01', 7, '2026-03-09')).toBe(true)
  expect(isOlderThan('', 7, '2026-03-09')).toBe(true)
  expect(isOutdated([], 7, '2026-03-08')).toBe(true)
  expect(isOutdated([LIST], 7, '2026-03-08')).toBe(false)
})

test('a list that its publisher still had yesterday is not outdated, however old its day', () => {
  expect(isOutdated([LIST], 7, '2026-06-02')).toBe(true)
  const confirmed = { ...LIST, confirmedOn: '2026-06-01' }
  expect(isOutdated([confirmed], 7, '2026-06-02')).toBe(false)
  expect(isOutdated([confirmed], 7, '2026-06-09')).toBe(true)
  expect(judge({ lists: [confirmed] }, '2026-06-02')).toMatchObject({
    status: 'VERIFIED',
    measured: { list1Date: '2026-03-01', list1ConfirmedOn: '2026-06-01' },
  })
})
