import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { openStore } from '../../../server/store/open.ts'
import { collectOutput } from '../../support/output.ts'

const DAY_MS = 86_400_000

let folder: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-'))
  openStore(folder, loadKek(loadConfig({ dataDir: folder }))).close()
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const keys = (...argv: string[]) => main(['keys', ...argv, '--data', folder])

/** Whether the key that was printed opens the door now, and after so many days. */
function isValid(key: string, daysFromNow: number): boolean {
  const config = loadConfig({ dataDir: folder })
  const store = openStore(config.dataDir, loadKek(config))
  const holder = store.apiKeys.authenticate(key, new Date(Date.now() + daysFromNow * DAY_MS))
  store.close()
  return holder !== null
}

test('a pair of keys is valid without end unless it is given one', async () => {
  expect(await keys('create', '--application', 'bank', '--json')).toBe(0)
  const { relyingServiceKey } = JSON.parse(output.text) as { relyingServiceKey: string }
  expect(isValid(relyingServiceKey, 3650)).toBe(true)
})

test('a pair of keys that was made for a number of days is refused after them, and listed as expired', async () => {
  expect(await keys('create', '--application', 'bank', '--days', '30', '--json')).toBe(0)
  const pair = JSON.parse(output.text) as { relyingServiceKey: string; userAgentKey: string }
  for (const key of [pair.relyingServiceKey, pair.userAgentKey]) {
    expect([isValid(key, 29), isValid(key, 31)]).toEqual([true, false])
  }
  output.text = ''
  vi.useFakeTimers({ now: Date.now() + 31 * DAY_MS, toFake: ['Date'] })
  try {
    expect(await keys('list')).toBe(0)
  } finally {
    vi.useRealTimers()
  }
  expect(output.text.match(/expired/g)).toHaveLength(2)
})

test.each(['kiosk\u200b', 'k\u0456osk', '../bank', '', 'bank\nteller', '\u202eknab'])(
  'no pair of keys is made for %j, which people would read as another name',
  async (application) => {
    expect(await keys('create', '--application', application, '--json')).not.toBe(0)
    expect(output.text).not.toContain('relyingServiceKey')
  },
)

test.each(['kiosk', 'counter', 'Kiosk', ' COUNTER'])(
  'no pair of keys is made for %j, a name of the appliance itself',
  async (application) => {
    expect(await keys('create', '--application', application)).toBe(2)
    expect(output.text).toContain('a name of the appliance itself (kiosk and counter)')
    output.text = ''
    expect(await keys('list')).toBe(0)
    expect(output.text).toBe('no keys yet\n')
  },
)

test('a key of a reserved name that an older version made opens nothing, and is listed as reserved', async () => {
  expect(await keys('create', '--application', 'made before', '--json')).toBe(0)
  const { relyingServiceKey } = JSON.parse(output.text) as { relyingServiceKey: string }
  const db = new Database(join(folder, 'appliance.sqlite'))
  db.exec("UPDATE applications SET name = 'kiosk' WHERE name = 'made before'")
  db.close()
  expect(isValid(relyingServiceKey, 0)).toBe(false)
  output.text = ''
  expect(await keys('list')).toBe(0)
  expect(output.text.match(/reserved +kiosk/g)).toHaveLength(2)
})

test.each(['0', '-1', '1.5', 'soon', '999999999999'])('--days %s is no time to be valid', async (days) => {
  expect(await keys('create', '--application', 'bank', `--days=${days}`)).toBe(2)
  expect(output.text).toContain('--days')
})

test('what was made and revoked is in the log as the work of an operator, and never the key or a name', async () => {
  expect(await keys('create', '--application', 'Harbour Bank', '--json')).toBe(0)
  const pair = JSON.parse(output.text) as { relyingServiceKey: string; userAgentKey: string }
  const config = loadConfig({ dataDir: folder })
  const listed = (() => {
    const store = openStore(config.dataDir, loadKek(config))
    const rows = store.apiKeys.list('default')
    store.close()
    return rows
  })()
  expect(await keys('revoke', listed[1].keyId)).toBe(0)
  expect(await keys('revoke', listed[1].keyId)).toBe(2)
  const store = openStore(config.dataDir, loadKek(config))
  const events = store.events.after(0, 100).filter(({ type }) => type.startsWith('apikey.'))
  expect(store.auditEvents()).toEqual([])
  store.close()
  expect(events.map(({ type, body, actor }) => ({ type, body, actor }))).toEqual([
    {
      type: 'apikey.created',
      body: { keyIds: listed.map(({ keyId }) => keyId), expiresAt: null },
      actor: 'operator',
    },
    { type: 'apikey.revoked', body: { keyId: listed[1].keyId }, actor: 'operator' },
  ])
  const written = JSON.stringify(events)
  for (const secret of [pair.relyingServiceKey, pair.userAgentKey, 'Harbour']) {
    expect(written).not.toContain(secret)
  }
})
