/** The sync beside a server: its first rounds, what it sends, takes and leaves alone. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { loadConfig } from '../../../server/config/config.ts'
import type { Context } from '../../../server/context.ts'
import { startSync, type Sync, type SyncOptions } from '../../../server/sync/run.ts'
import { openTrustedTime } from '../../../server/time/trusted-time.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { until } from './kiosk.ts'
import { openRig, type Rig } from './rig.ts'

const KEY = { kty: 'RSA', kid: 'k1', n: 'AQAB', e: 'AQAB' }

let central: ScriptedCentralService
let rig: Rig
let sync: Sync | null
let logged: [string, Readonly<Record<string, unknown>>, string][]
beforeEach(async () => {
  central = await startScriptedCentralService()
  rig = openRig()
  // The key that proofs are signed with.
  vi.spyOn(rig.store.signingKeys, 'publicKeys').mockReturnValue([KEY])
  sync = null
  logged = []
})
afterEach(async () => {
  await sync?.close()
  rig.close()
  await central.close()
})

/** Looks every 20 ms, so that a test does not wait. */
function start(options: Partial<SyncOptions> = {}, pollSeconds = 0.02): Sync {
  const base = loadConfig({ dataDir: rig.dataDir })
  const config = { ...base, sync: { ...base.sync, pollSeconds, timeoutMs: 2_000 } }
  const note = (level: string) => (fields: object, message: string) =>
    void logged.push([level, { ...fields }, message])
  const log = { info: note('info'), warn: note('warn'), error: note('error') }
  const clock = systemClock
  const time = openTrustedTime(clock, rig.store)
  const ctx = {
    store: rig.store,
    config,
    clock,
    time,
    log,
    usePolicies: () => undefined,
  } as unknown as Context
  sync = startSync({
    ctx,
    own: pollSeconds < 1 ? base : config,
    health: async () => ({ database: 'UP' }),
    ...options,
  })
  return sync
}
const outboxFile = (name: string) => join(rig.dataDir, 'outbox', name)
const routesOf = (method: string) =>
  central.requests.filter((request) => request.method === method).map(({ route }) => route)
const settled = () => rig.store.outbox.summary().backlog === 0
const SWEPT = 'unused packets were removed'

test('a start removes packets without a row, and logs how many', async () => {
  mkdirSync(outboxFile('.'), { recursive: true, mode: 0o700 })
  writeFileSync(outboxFile('one.sealed'), 'x')
  writeFileSync(outboxFile('two.sealed'), 'x')
  start()
  expect(existsSync(outboxFile('one.sealed'))).toBe(false)
  expect(logged).toContainEqual(['info', { files: 2 }, SWEPT])
})

test('a start that has nothing to remove does not speak of it', () => {
  start()
  expect(logged.filter(([, , message]) => message === SWEPT)).toEqual([])
})

test('a kiosk without a central service sends no request, and closes at once', async () => {
  await rig.seal(10)
  const started = start()
  await started.close()
  expect(central.requests).toEqual([])
  expect(logged.filter(([level]) => level !== 'info')).toEqual([])
})

test('waiting proofs are sent after the central service was told of the keys, and the follower of an identity is told', async () => {
  await rig.join(central)
  const { identityId, proofId } = await rig.seal(10)
  const acknowledged = vi.fn()
  start({ acknowledged })
  await until(settled)
  expect(central.taken).toEqual([proofId])
  await until(() => acknowledged.mock.calls.length === 1)
  expect(acknowledged).toHaveBeenCalledWith(identityId)
  const signed = central.requests.map(({ route }) => route).filter((route) => route !== '/enrolments')
  expect(signed[0]).toBe('/status')
  expect(central.statuses[0]).toMatchObject({ health: { database: 'UP' }, proofKeys: { keys: [KEY] } })
})

test('no proof is sent while the central service does not hear of the keys it is signed with', async () => {
  await rig.join(central)
  await rig.seal(10)
  central.instead = ({ route }) => (route === '/status' ? { status: 503, body: '' } : null)
  const started = start()
  await until(() => routesOf('POST').includes('/status'))
  await started.close()
  expect(routesOf('PUT')).toEqual([])
})

test('an acknowledged proof is settled even if the work that follows fails', async () => {
  await rig.join(central)
  const { identityId } = await rig.seal(10)
  start({
    acknowledged: () => {
      throw new Error('the retention is not there')
    },
  })
  await until(settled)
  await until(() => logged.some(([level]) => level === 'error'))
  expect(logged.find(([level]) => level === 'error')?.[1]).toMatchObject({ identityId, class: 'Error' })
})

test('the packet of an identity that was erased goes, also where no central service can be reached', async () => {
  const { proofId, sequence } = await rig.seal(10)
  mkdirSync(outboxFile('.'), { recursive: true, mode: 0o700 })
  rig.store.outbox.setPacket(sequence, { sha256: 'a'.repeat(64), bytes: 1 })
  writeFileSync(outboxFile(`${proofId}.sealed`), 'x')
  start()
  expect(existsSync(outboxFile(`${proofId}.sealed`))).toBe(true)
  rig.store.outbox.withdraw(sequence)
  sync?.wake()
  await until(() => !existsSync(outboxFile(`${proofId}.sealed`)))
})

test('a bundle that is new is fetched and taken, its settings ask for a restart, and the central service is told', async () => {
  await central.signBundle({ version: 2, settings: { otp: { digits: 9 } } })
  await rig.join(central)
  const { restartWanted } = start()
  await restartWanted
  expect(rig.store.bundles.applied()?.version).toBe(2)
  await until(() => central.statuses.at(-1)?.bundleVersion === 2)
  expect(routesOf('GET')).toEqual(['/bundle'])
})

test('a bundle that changes no setting asks for no restart', async () => {
  await central.signBundle({ version: 2 })
  await rig.join(central)
  // As in the machine's own file, so that the settings in force are the running ones.
  const { restartWanted } = start({}, 1)
  let wanted = false
  void restartWanted.then(() => (wanted = true))
  // The look that tells of the bundle has asked for a restart before, if it wants one.
  await until(() => central.statuses.at(-1)?.bundleVersion === 2)
  expect(wanted).toBe(false)
})

test('a bundle for another tenant is reported as invalid, and proofs are still sent', async () => {
  await central.signBundle({ version: 2, tenantId: 'other' })
  await rig.join(central)
  await rig.seal(10)
  start()
  await until(settled)
  await until(() => logged.some(([, , message]) => message === 'a bundle could not be applied'))
  const [, fields] = logged.find(([, , message]) => message === 'a bundle could not be applied') ?? []
  expect(fields).toMatchObject({ code: 'statement_refused', kind: 'bundle' })
  expect(rig.store.bundles.latest()).toBeNull()
})

test('a sync that waits for an answer is closed without waiting for it', async () => {
  await rig.join(central)
  const started = start({ health: () => new Promise((resolve) => setTimeout(resolve, 10, {})) })
  await until(() => routesOf('POST').includes('/status'))
  const began = performance.now()
  await started.close()
  sync = null
  expect(performance.now() - began).toBeLessThan(1_900)
})
