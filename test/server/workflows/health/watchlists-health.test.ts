import { expect, test } from 'vitest'
import { checkConfig } from '../../../../server/config/config.ts'
import type { StoredWatchlist } from '../../../../server/store/watchlists.ts'
import { watchlistsHealth } from '../../../../server/workflows/health/watchlists-health.ts'

const SOURCES = [{ name: 'own', file: 'own.csv' }]
const list = (name: string, date: string): StoredWatchlist => ({
  id: name,
  name,
  format: 'csv',
  sha256: '',
  files: [],
  date,
  importedAt: new Date(),
  entries: 12,
  confirmedOn: null,
})
const health = (
  lists: readonly StoredWatchlist[],
  earliest = '2026-11-21',
  latest = earliest,
  {
    trouble = null,
    sources = [] as readonly object[],
  }: { trouble?: string | null; sources?: readonly object[] } = {},
) =>
  watchlistsHealth({
    config: checkConfig({ antifraud: { watchlist: { sources } } }, '/nowhere', 'test'),
    time: {
      statement: () => ({
        source: 'SYSTEM',
        earliest: new Date(earliest),
        latest: new Date(latest),
        uncertaintyMs: null,
        steps: 0,
      }),
    },
    watchlists: {
      lists: () => lists,
      updates: () => new Map(trouble === null ? [] : [['own', { at: 0, trouble, confirmed: null }]]),
    },
  })

test('without lists nothing is configured', () => {
  expect(health([])).toEqual({ status: 'UP', detail: 'not configured: no list is imported' })
})

test('lists are told with their days; one that is too old degrades, on the last day that may be today', () => {
  expect(health([list('own', '2026-11-14')])).toEqual({
    status: 'UP',
    detail: 'own of 2026-11-14, 12 persons',
  })
  const old = health([list('new', '2026-11-21'), list('old', '2026-11-13')])
  expect(old).toEqual({
    status: 'DEGRADED',
    detail: 'new of 2026-11-21, 12 persons; old of 2026-11-13, 12 persons; older than 7 days',
  })
  expect(health([list('own', '2026-11-14')], '2026-11-21', '2026-11-25').status).toBe('DEGRADED')
})

test('a source that did not give its list degrades, with the reason, also before its first list', () => {
  const day = '2026-11-21'
  const list7 = [list('own', day)]
  expect(health(list7, day, day, { sources: SOURCES }).status).toBe('UP')
  expect(health(list7, day, day, { sources: SOURCES, trouble: 'its file is missing' })).toEqual({
    status: 'DEGRADED',
    detail: 'own of 2026-11-21, 12 persons; own was not updated: its file is missing',
  })
  expect(health([], day, day, { sources: SOURCES })).toEqual({
    status: 'DEGRADED',
    detail: 'own is not fetched yet',
  })
})

test('a list that its publisher confirmed is as new as that day', () => {
  const confirmed = { ...list('own', '2026-06-01'), confirmedOn: '2026-11-20' }
  expect(health([confirmed])).toEqual({
    status: 'UP',
    detail: 'own of 2026-06-01, 12 persons, the newest on 2026-11-20',
  })
})
