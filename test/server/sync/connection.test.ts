/** The client of the joined central service: built from the store, and rebuilt after a change. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { openConnections, type Connections } from '../../../server/sync/connection.ts'
import { makeKioskKey, type KioskKey } from '../../../server/sync/kiosk-key.ts'
import type { CentralTrust } from '../../../server/protocol/wire.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

const AT = new Date('2026-11-21T12:00:00Z')
const TRUST = { centreId: '01890a5d-ac96-774b-bcce-b302099a8057' } as CentralTrust

let t: TestStore
let key: KioskKey
let connections: Connections
beforeEach(async () => {
  t = openTestStore()
  key = await makeKioskKey()
  const config = loadConfig({ dataDir: t.dataDir })
  connections = openConnections({ store: t.store, config, clock: systemClock })
})
afterEach(async () => {
  await connections.close()
  t.close()
})

const joins = (centralUrl: string, trust = TRUST) => {
  t.store.enrolments.begin({ centralUrl, ...key }, AT)
  t.store.enrolments.complete({ certificate: 'PEM', tenantId: 'branch', trust, enrolledAt: AT })
}

test('there is none before a central service was joined, while the answer is awaited, and in a branch with no line', () => {
  expect(connections.current()).toBeNull()
  t.store.enrolments.begin({ centralUrl: 'https://centre.example', ...key }, AT)
  expect(connections.current()).toBeNull()
  joins('')
  expect(connections.current()).toBeNull()
})

test('a connection knows tenant and keys of the central service, and its client stays the same', () => {
  joins('https://centre.example')
  const first = connections.current()
  expect(first).toMatchObject({ tenantId: 'branch', trust: TRUST })
  expect(connections.current()?.client).toBe(first?.client)
  const statementKeys = { keys: [{ kty: 'EC' }] }
  t.store.enrolments.setTrust({ ...TRUST, statementKeys })
  // New keys of the same central service are taken without a new connection.
  expect(connections.current()?.trust.statementKeys).toEqual(statementKeys)
  expect(connections.current()?.client).toBe(first?.client)
})

test('a new client is made for another address, another key and another central service', async () => {
  joins('https://centre.example')
  const clients = [connections.current()?.client]
  joins('https://other.example')
  clients.push(connections.current()?.client)
  key = await makeKioskKey()
  joins('https://other.example')
  clients.push(connections.current()?.client)
  joins('https://other.example', { ...TRUST, centreId: '01890a5d-ac96-774b-bcce-b302099a8058' })
  clients.push(connections.current()?.client)
  expect(new Set(clients).size).toBe(4)
})

test('there is none any more after the kiosk has left, and a new one after it was closed', async () => {
  joins('https://centre.example')
  const first = connections.current()?.client
  await connections.close()
  expect(connections.current()?.client).not.toBe(first)
  t.store.enrolments.remove()
  expect(connections.current()).toBeNull()
})
