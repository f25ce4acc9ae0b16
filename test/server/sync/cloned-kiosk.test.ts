/** Rehearses the chapter of the runbook on two machines with the identity of one kiosk: two real kiosks, a real PostgreSQL. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { runAction } from '../../../server/central/admin/actions.ts'
import { main } from '../../../server/cli.ts'
import { findStop as findStopIn, syncState } from '../../../server/workflows/health/sync-state.ts'
import { codeFor, openAlarms, startCentralService, type TestCentralService } from '../../support/central.ts'
import { startChaosProxy, type ChaosProxy } from '../../../server/tools/bench/crash/chaos-proxy.ts'
import { collectOutput } from '../../support/output.ts'
import { postgresReason, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { QUICK_SYNC, startKiosk, until, type TestKiosk } from './kiosk.ts'

const CONFIG = { sync: { ...QUICK_SYNC, timeoutMs: 5_000 } }

let postgres: TestPostgres | null = null
let central: TestCentralService
let proxy: ChaosProxy
let key: string
let image: string
const kiosks: TestKiosk[] = []
beforeAll(async () => {
  image = mkdtempSync(join(tmpdir(), 'counterproof-image-'))
  if (postgresReason === null) postgres = await startPostgres()
  const databaseUrl = postgres?.createDatabase()
  if (databaseUrl !== undefined) vi.stubEnv('DATABASE_URL', databaseUrl)
  central = await startCentralService(databaseUrl === undefined ? {} : { databaseUrl })
  proxy = await startChaosProxy({ port: Number(new URL(central.url).port) })
  await codeFor(central)
  const order = { tenantId: 'acme', name: 'archive', scopes: ['proofs:read'] }
  key = ((await runAction(central.context, 'createConsumer', order)) as { key: string }).key
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  for (const kiosk of kiosks) await kiosk.close()
  await proxy?.close()
  await central?.stop()
  postgres?.close()
  rmSync(image, { recursive: true, force: true })
})

const findStop = ({ store }: TestKiosk) => findStopIn({ store })
const command = async (...argv: string[]) => {
  const output = collectOutput()
  const status = await main([...argv, '--json'])
  vi.restoreAllMocks()
  if (status !== 0) throw new Error(output.text)
  return JSON.parse(output.text) as Record<string, unknown>
}
const lines = (...argv: string[]) => command('central', 'lines', ...argv, '--data', central.dataDir)
const frozen = async ({ dataDir }: TestKiosk) =>
  (await command('sync', 'status', '--data', dataDir)).frozen as string[]
const mayProof = async ({ app }: TestKiosk) =>
  (await app.call('POST', '/v1/identities', { payload: [] })).status !== 503
const start = async (copied: string | null = null) => {
  const kiosk = await startKiosk(CONFIG, copied)
  kiosks.push(kiosk)
  return kiosk
}
const feed = async () => {
  const answer = await fetch(`${central.url}/head-office/v1/proofs`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { proofs } = (await answer.json()) as { proofs: { proofId: string; mark: string | null }[] }
  return proofs.map(({ proofId, mark }) => (mark === null ? proofId : `${proofId} ${mark}`))
}
const backlogEnds = (kiosk: TestKiosk) => until(() => kiosk.store.outbox.summary().backlog === 0)

test('a copy wins the race: the proof of the genuine machine is kept, the genuine machine continues, and no proof is lost', async () => {
  const genuine = await start()
  const { applianceId: kioskId } = genuine.store
  const code = await codeFor(central)
  await genuine.join({ url: central.url, newCode: () => code }, proxy.url)
  const first = (await genuine.seal()).proofId
  await backlogEnds(genuine)
  // The data folder is copied, and the genuine machine works without a network.
  await genuine.restart({
    meanwhile: () => {
      cpSync(genuine.dataDir, image, { recursive: true })
      proxy.weather.cutAfterBytes = 0
    },
  })
  const own = (await genuine.seal()).proofId
  await genuine.app.stop()
  proxy.weather.cutAfterBytes = null
  const copy = await start(image)
  expect(copy.store.applianceId).toBe(kioskId)
  const foreign = (await copy.seal()).proofId
  await backlogEnds(copy)
  await genuine.restart()
  await backlogEnds(genuine)

  // Both stop and say why. The feed has what came first; the other proof is kept.
  await until(() => findStop(genuine)?.reason === 'CLONE' && findStop(copy)?.reason === 'CLONE')
  expect([await mayProof(genuine), await mayProof(copy)]).toEqual([false, false])
  expect(await frozen(genuine)).toEqual(['kiosk_cloned'])
  expect(await openAlarms(central, kioskId)).toEqual(['CLONE'])
  expect(await feed()).toEqual([first, foreign])
  expect((await lines('list')).lines).toMatchObject([
    { kioskId, line: 0, from: 2, firstProofId: foreign, inFeed: 1, quarantined: 0 },
    { kioskId, line: 1, from: 2, firstProofId: own, inFeed: 0, quarantined: 1 },
  ])

  // The operator decides for the genuine machine.
  const why = ['--by', 'Ada Example', '--reason', 'the machine in branch 7 is the genuine one']
  expect(await lines('choose', kioskId, '--first-proof', own, ...why)).toMatchObject({ moved: 1 })
  expect(await feed()).toEqual([first, `${foreign} IN_DOUBT`, own, `${foreign} IN_DOUBT`])
  expect(await openAlarms(central, kioskId)).toEqual([])
  await until(() => findStop(genuine) === null)
  expect([await mayProof(genuine), await mayProof(copy)]).toEqual([true, false])
  const next = (await genuine.seal()).proofId
  await backlogEnds(genuine)

  // It gets a key of its own: the copy is not answered any more.
  expect((await command('sync', 'leave', '--force', '--data', genuine.dataDir)).waiting).toBe(0)
  const again = await codeFor(central, 'acme', kioskId)
  await command('sync', 'enrol', '--url', central.url, '--code', again, '--data', genuine.dataDir)
  await until(() => syncState({ store: copy.store }).lastError === 'unauthorized')
  expect(await mayProof(copy)).toBe(false)

  // The other machine begins with an empty folder and an identity of its own, and its proof is delivered with a mark.
  const fresh = await start()
  expect(fresh.store.applianceId).not.toBe(kioskId)
  const freshCode = await codeFor(central)
  await fresh.join({ url: central.url, newCode: () => freshCode })
  const last = (await fresh.seal()).proofId
  await backlogEnds(fresh)
  await lines('deliver', kioskId, '--first-proof', foreign, ...why)
  const delivered = `${foreign} DELIVERED`
  expect(await feed()).toEqual([first, delivered, own, delivered, next, last, delivered])
  expect((await lines('list')).decisions).toMatchObject([
    { act: 'DELIVER', firstProofId: foreign, decidedBy: 'Ada Example' },
    { act: 'CHOOSE', firstProofId: own, decidedBy: 'Ada Example' },
  ])
  expect(genuine.store.outbox.audit()).toEqual([])
})
