import { expect, test } from 'vitest'
import { checkConfig } from '../../../../server/config/config.ts'
import type { StoredWatchlist } from '../../../../server/store/watchlists.ts'
import { watchlistsHealth } from '../../../../server/workflows/health/watchlists-health.ts'

const config = checkConfig({}, '/nowhere', 'test')
const list = (name: string, date: string): StoredWatchlist => ({
  id: name,
  name,
  format: 'csv',
  sha256: '',
  files: [],
  date,
  importedAt: new Date(),
  entries: 12,
})
const health = (lists: readonly StoredWatchlist[], earliest = '2026-11-21', latest = earliest) =>
  watchlistsHealth({
    config,
    time: {
      statement: () => ({
        source: 'SYSTEM',
        earliest: new Date(earliest),
        latest: new Date(latest),
        uncertaintyMs: null,
        steps: 0,
      }),
    },
    watchlists: { lists: () => lists },
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
