/** Lists that an appliance fetches by itself: a publisher over real sockets, a real store, and a clock of the test. */
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ListSource } from '../../../server/watchlists/list-source.ts'
import { scheduleListUpdates } from '../../../server/watchlists/update-lists.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

const SAMPLES = join(import.meta.dirname, '..', '..', 'fixtures', 'watchlists')
const EU = readFileSync(join(SAMPLES, 'eu-consolidated.xml'), 'utf8')
const HOUR_MS = 3_600_000
const SECRET = 'token-of-the-address'

let t: TestStore
let dataDir: string
let publisher: Server
let nowMs: number
let answers: RequestListener
let asked: number
let logged: string
beforeEach(async () => {
  t = openTestStore()
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-lists-'))
  nowMs = Date.parse('2026-11-21T12:00:00Z')
  asked = 0
  logged = ''
  answers = (_request, response) => response.end(EU)
  publisher = createServer((request, response) => {
    asked++
    answers(request, response)
  })
  await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  publisher.closeAllConnections()
  await new Promise((resolve) => publisher.close(resolve))
  t.close()
  rmSync(dataDir, { recursive: true })
})

const address = (path = `/eu?token=${SECRET}`, silenceMs = 60_000): ListSource['from'] => ({
  silenceMs,
  kind: 'address',
  url: `http://127.0.0.1:${(publisher.address() as AddressInfo).port}${path}`,
  authorities: null,
})
const schedule = (from: ListSource['from'], name = 'eu-consolidated', more: readonly ListSource[] = []) =>
  scheduleListUpdates(
    [{ name, format: 'auto', from, everyHours: 24 }, ...more],
    { store: t.store, dataDir },
    { now: () => new Date(nowMs), monotonicMs: () => nowMs, bootId: () => null },
    pino({}, { write: (line: string) => (logged += line) }),
  )
const trouble = (name = 'eu-consolidated') => t.store.watchlists.updates().get(name)?.trouble
const imports = () => t.store.events.after(0, 100).filter(({ type }) => type === 'watchlist.imported').length

describe('a list of a publisher', () => {
  test('is fetched at once and again after its hours; the same edition is confirmed and not imported again', async () => {
    const updates = schedule(address())
    await updates.tick()
    expect(t.store.watchlists.find('eu-consolidated')).toMatchObject({
      date: '2026-11-20',
      entries: 2,
      confirmedOn: '2026-11-21',
    })
    nowMs += 23 * HOUR_MS
    await updates.tick()
    expect(asked).toBe(1)
    nowMs += 2 * HOUR_MS
    await updates.tick()
    expect(asked).toBe(2)
    expect(imports()).toBe(1)
    expect(t.store.watchlists.find('eu-consolidated')).toMatchObject({ confirmedOn: '2026-11-22' })

    answers = (_request, response) => response.end(EU.replace('2026-11-20T', '2026-11-22T'))
    nowMs += 25 * HOUR_MS
    await updates.tick()
    expect(imports()).toBe(2)
    expect(t.store.watchlists.find('eu-consolidated')).toMatchObject({
      date: '2026-11-22',
      confirmedOn: '2026-11-23',
    })
    await updates.stop()
  })

  test('is fetched at once when staff ask, although it is not due, and tells how many lists have come', async () => {
    const updates = schedule(address())
    await updates.tick()
    const first = updates.fetchNow()
    expect(updates.fetchNow()).toBe(first)
    await expect.poll(() => updates.progress()).toEqual({ done: 0, total: 1 })
    expect(await first).toBe(true)
    expect([asked, updates.progress(), updates.count]).toEqual([2, null, 1])
    answers = (_request, response) => response.writeHead(500).end()
    expect(await updates.fetchNow()).toBe(false)
    await updates.stop()
  })

  test.each<[string, RequestListener, RegExp]>([
    ['answers with an error', (_request, response) => response.writeHead(503).end(), /HTTP 503/],
    ['sends to another address', (_request, response) => response.writeHead(302).end(), /HTTP 302/],
    [
      'breaks off',
      (_request, response) => response.write(EU.slice(0, 900), () => response.destroy()),
      /broke off/,
    ],
    ['ends too soon', (_request, response) => response.end(EU.slice(0, 900)), /damaged or cut off/],
    ['answers with a web page', (_request, response) => response.end('<html></html>'), /web page/],
    [
      'has an older edition',
      (_request, response) => response.end(EU.replace('2026-11-20T', '2026-11-19T')),
      /older/,
    ],
  ])(
    'that %s keeps the one before, is told, and is asked again after an hour',
    async (_name, fault, told) => {
      const updates = schedule(address())
      await updates.tick()
      const good = answers
      answers = fault
      nowMs += 25 * HOUR_MS
      await updates.tick()
      expect(trouble()).toMatch(told)
      // A source has no options of the command `import`.
      expect(trouble()).not.toContain('--')
      expect(logged).toContain(JSON.stringify(trouble()).slice(1, -1))
      expect(t.store.watchlists.find('eu-consolidated')).toMatchObject({
        confirmedOn: '2026-11-21',
        entries: 2,
      })
      answers = good
      nowMs += 0.5 * HOUR_MS
      await updates.tick()
      expect(asked).toBe(2)
      nowMs += 0.6 * HOUR_MS
      await updates.tick()
      expect(trouble()).toBeNull()
      await updates.stop()
      expect(logged + String(trouble())).not.toContain(SECRET)
      expect(existsSync(join(dataDir, 'watchlist-downloads', 'eu-consolidated'))).toBe(false)
    },
  )

  test('whose answer never ends does not delay the end of the appliance', async () => {
    answers = (_request, response) => void response.write(EU.slice(0, 900))
    const updates = schedule(address())
    void updates.tick()
    await expect.poll(() => asked).toBe(1)
    await updates.stop()
    expect(t.store.watchlists.list()).toEqual([])
  })
})

test('a publisher that hangs does not delay the list of another one', async () => {
  answers = (request, response) => {
    if (request.url === '/hangs') response.write(EU.slice(0, 900))
    else response.end(EU)
  }
  const other: ListSource = { name: 'other', format: 'auto', from: address('/good'), everyHours: 24 }
  const updates = schedule(address('/hangs'), 'eu-consolidated', [other])
  void updates.tick()
  await expect.poll(() => t.store.watchlists.find('other')?.entries, { timeout: 15_000 }).toBe(2)
  expect(t.store.watchlists.find('eu-consolidated')).toBeNull()
  await updates.stop()
})

test('a publisher that falls silent is given up after the configured time, and the trouble names it', async () => {
  answers = (_request, response) => void response.write(EU.slice(0, 900))
  const updates = schedule(address('/hangs', 300))
  await updates.tick()
  expect(trouble('eu-consolidated')).toBe('the publisher sent nothing for 0.3 s (silenceSeconds)')
  await updates.stop()
})

test('a file is read again at its interval, has the day of the file, and is never confirmed', async () => {
  const path = join(dataDir, 'own.csv')
  const updates = schedule({ kind: 'file', path }, 'own')
  await updates.tick()
  expect(trouble('own')).toBe('its file is missing')
  writeFileSync(path, 'id,name\nW-1,Stepan Velmirov\n')
  utimesSync(path, new Date('2026-11-19T08:00:00Z'), new Date('2026-11-19T08:00:00Z'))
  nowMs += 2 * HOUR_MS
  await updates.tick()
  expect(trouble('own')).toBeNull()
  expect(t.store.watchlists.find('own')).toMatchObject({ date: '2026-11-19', entries: 1, confirmedOn: null })
  await updates.stop()
})
