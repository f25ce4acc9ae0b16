/** The same against the central service itself, on an embedded PostgreSQL: what both sides say to each other fits. */
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { runAction } from '../../../server/central/admin/actions.ts'
import { importPackets } from '../../../server/central/admin/import-packets.ts'
import type { Erasure } from '../../../server/central/head-office/contract.ts'
import { enrol } from '../../../server/central/kiosks/enrol.ts'
import { createEnrolmentCode } from '../../../server/central/kiosks/enrolment-codes.ts'
import { revokeKiosk } from '../../../server/central/kiosks/revoke.ts'
import { main } from '../../../server/cli.ts'
import type { DoctorReport } from '../../../server/doctor/report.ts'
import { KEYS_FILE } from '../../../server/store/vault.ts'
import { syncState } from '../../../server/workflows/health/sync-state.ts'
import { openAlarms, startCentralService, type TestCentralService } from '../../support/central.ts'
import { startChaosProxy, type ChaosProxy } from '../../../server/tools/bench/crash/chaos-proxy.ts'
import { collectOutput } from '../../support/output.ts'
import { makeState, writeMasterList } from '../../../server/tools/simulator/chip/trust-lists.ts'
import { QUICK_SYNC, startKiosk, typesOf, until, type TestKiosk } from './kiosk.ts'

const TENANT = 'head-office'
let central: TestCentralService
beforeAll(async () => {
  central = await startCentralService()
  await central.db.query(
    SYSTEM,
    `INSERT INTO tenants (tenant_id, name, created_at, takes_test_proofs) VALUES ($1, $2, $3, true)`,
    [TENANT, 'Head office', new Date()],
  )
})
afterAll(() => central.stop())

let kiosk: TestKiosk
let proxy: ChaosProxy
beforeEach(async () => {
  kiosk = await startKiosk({ sync: { ...QUICK_SYNC, timeoutMs: 5_000 } })
  proxy = await startChaosProxy({ port: Number(new URL(central.url).port) })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await kiosk.close()
  await proxy.close()
})

const newCode = () =>
  createEnrolmentCode(
    central.context,
    {
      tenantId: TENANT,
      name: 'Branch 7',
      expiresAt: new Date(Date.now() + 3_600_000),
    },
    async () => undefined,
  )
const command = async (...argv: string[]) => {
  const output = collectOutput()
  const status = await main(['sync', ...argv, '--data', kiosk.dataDir, '--json'])
  vi.restoreAllMocks()
  return { status, text: output.text, json: status === 0 ? (JSON.parse(output.text) as object) : null }
}
/** State and sentence of what the doctor finds in the network. */
const askDoctor = async (): Promise<readonly string[]> => {
  const output = collectOutput()
  await main(['doctor', '--data', kiosk.dataDir, '--json'])
  vi.restoreAllMocks()
  const { checks } = JSON.parse(output.text) as DoctorReport
  const network = checks.find(({ check }) => check === 'network')
  return network?.findings.map(({ state, what }) => `${state}: ${what}`) ?? []
}
const stored = async () => {
  const rows = await central.db.query<{ proof_id: string; sequence: number }>(
    SYSTEM,
    'SELECT proof_id, sequence FROM proofs WHERE kiosk_id = $1 ORDER BY sequence',
    [kiosk.store.applianceId],
  )
  return rows.map((row) => row.proof_id)
}

describe('a kiosk and the central service itself', () => {
  test('a kiosk joins by the command, and what was sealed before and after arrives and is acknowledged', async () => {
    const before = (await kiosk.seal()).proofId
    const { json } = await command('enrol', '--url', central.url, '--code', await newCode())
    expect(json).toMatchObject({ tenantId: TENANT, queued: 1 })
    const after = [(await kiosk.seal()).proofId, (await kiosk.seal()).proofId]
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(await stored()).toEqual([before, ...after])
    expect(typesOf(kiosk.store).filter((type) => type === 'outbox.acknowledged')).toHaveLength(3)
    expect(syncState({ store: kiosk.store })).toMatchObject({ failingSince: null, lastError: null })
    expect((await command('status')).json).toMatchObject({
      joined: true,
      backlog: 0,
      parked: [],
      lastSequence: 3,
    })
  })

  test('through a line that is cut, silent and forgets answers, everything arrives once', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    const sealed: string[] = []
    for (let count = 0; count < 3; count++) {
      proxy.weather.cutAnswers = count === 0
      proxy.weather.cutAfterBytes = count === 1 ? 3_000 : null
      sealed.push((await kiosk.seal()).proofId)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    Object.assign(proxy.weather, { cutAnswers: false, cutAfterBytes: null })
    const before = [...proxy.heard]
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    // Everything of before once more, in reverse order.
    for (const request of before.reverse()) await proxy.replay(request)
    expect((await stored()).sort()).toEqual(sealed.sort())
    const acknowledged = typesOf(kiosk.store).filter((type) => type === 'outbox.acknowledged')
    expect(acknowledged).toHaveLength(3)
    expect(kiosk.store.outbox.audit()).toEqual([])
  })

  test('an identity erased before its proof was sent: the central service accounts for its number', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    await until(() => syncState({ store: kiosk.store }).lastContactAt !== null)
    proxy.weather.cutAfterBytes = 0
    const { identityId, proofId } = await kiosk.seal()
    const packets = () => readdirSync(join(kiosk.dataDir, 'outbox'))
    await until(() => packets().length === 1)
    expect((await kiosk.app.call('DELETE', `/v1/identities/${identityId}`)).status).toBe(204)
    // Immediately, over the present network.
    await until(() => packets().length === 0)
    proxy.weather.cutAfterBytes = null
    await until(() => kiosk.store.outbox.findByProof(proofId)?.receipt !== null)
    expect(kiosk.store.outbox.findByProof(proofId)).toMatchObject({ state: 'WITHDRAWN' })
    expect(await stored()).toEqual([])
  })

  test('proofs that a restored central service does not have any more are sent again, and one that was erased is an alarm there', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    const kept = (await kiosk.seal()).proofId
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    const missing = (await kiosk.seal()).proofId
    const erased = await kiosk.seal()
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(await stored()).toEqual([kept, missing, erased.proofId])
    expect((await kiosk.app.call('DELETE', `/v1/identities/${erased.identityId}`)).status).toBe(204)
    // The state of a backup from after the first proof.
    await central.db.transaction(SYSTEM, async (queries) => {
      await queries.query('DELETE FROM proofs WHERE kiosk_id = $1 AND sequence > 1', [
        kiosk.store.applianceId,
      ])
      await queries.query(
        `UPDATE kiosks SET last_sequence = 1, contiguous_sequence = 1, claimed_sequence = 1, owed_sequence = 1,
           gap_since = NULL WHERE id = $1`,
        [kiosk.store.applianceId],
      )
    })
    await kiosk.restart()
    await until(() => kiosk.store.outbox.findByProof(erased.proofId)?.state === 'LOST')
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(await stored()).toEqual([kept, missing])
    expect(await openAlarms(central, kiosk.store.applianceId)).toEqual([`LOST ${erased.proofId}`])
    expect(kiosk.store.outbox.audit()).toEqual([])
    const again = typesOf(kiosk.store).filter((type) => type === 'outbox.acknowledged')
    expect(again).toHaveLength(4)
  })

  test('a proof that is erased at the central service is in the log of its kiosk, and does not return to a restored one', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    const { proofId } = await kiosk.seal()
    const kept = (await kiosk.seal()).proofId
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    const order = { proofId, reference: 'request 1' }
    const { confirmation } = (await runAction(central.context, 'previewErasure', order)) as Erasure
    await runAction(central.context, 'eraseProofs', { ...order, confirmation })
    await until(() => kiosk.store.outbox.isDeletedThere(proofId))
    const [told] = kiosk.store.events.after(0, 1_000).filter(({ type }) => type === 'outbox.deleted')
    expect(told).toMatchObject({ actor: 'centre', reason: 'DELETE', body: { proofId, sequence: 1 } })
    const rows = await central.db.query<{ receipt: string }>(
      SYSTEM,
      'SELECT receipt FROM deletions WHERE proof_id = $1',
      [proofId],
    )
    const receiptSha256 = createHash('sha256')
      .update(rows[0]?.receipt ?? '')
      .digest('hex')
    expect(told?.body).toMatchObject({ receiptSha256 })
    // The state of a backup from before the first proof.
    await central.db.transaction(SYSTEM, async (queries) => {
      await queries.query('DELETE FROM deletions')
      await queries.query('DELETE FROM proofs WHERE kiosk_id = $1', [kiosk.store.applianceId])
      await queries.query(
        `UPDATE kiosks SET last_sequence = 0, contiguous_sequence = 0, claimed_sequence = 0, owed_sequence = 0,
           gap_since = NULL WHERE id = $1`,
        [kiosk.store.applianceId],
      )
    })
    await kiosk.restart()
    await until(() => kiosk.store.outbox.findByProof(proofId)?.state === 'WITHDRAWN')
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(await stored()).toEqual([kept])
    expect(kiosk.store.outbox.audit()).toEqual([])
  })

  test('keys that a kiosk lost are an alarm at the central service for the unsent proof, and nothing for the sent one', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    const older = join(kiosk.dataDir, 'older-keys')
    await kiosk.store.vault.backup(older)
    const sent = (await kiosk.seal()).proofId
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    proxy.weather.cutAfterBytes = 0
    const unsent = (await kiosk.seal()).proofId
    const keys = join(kiosk.dataDir, KEYS_FILE)
    const meanwhile = () => cpSync(older, keys)
    await kiosk.restart({ acceptLoss: true, meanwhile })
    expect(kiosk.store.outbox.findByProof(unsent)).toMatchObject({ state: 'LOST', receipt: null })
    proxy.weather.cutAfterBytes = null
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(kiosk.store.outbox.findByProof(sent)).toMatchObject({ state: 'ACKNOWLEDGED' })
    expect(await openAlarms(central, kiosk.store.applianceId)).toEqual([`LOST ${unsent}`])
    expect(await stored()).toEqual([sent])
    const withdrawn = await central.db.query(
      SYSTEM,
      `SELECT 1 FROM withdrawn WHERE state = 'WITHDRAWN' AND kiosk_id = $1`,
      [kiosk.store.applianceId],
    )
    expect(withdrawn).toEqual([])
    expect(typesOf(kiosk.store)).not.toContain('outbox.withdrawn')
    expect(await main(['audit', 'verify', '--data', kiosk.dataDir])).toBe(0)
  })

  test('trust lists that two people publish come into force at a running kiosk, and its health says since when', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    const list = join(kiosk.dataDir, 'UT.ml')
    writeFileSync(list, writeMasterList(makeState('UT')))
    const people = ['--by', 'Ada', '--confirmed-by', 'Ben']
    const output = collectOutput()
    const argv = ['trust', 'publish', list, '--tenant', TENANT, ...people, '--data', central.dataDir]
    expect(await main(['central', ...argv])).toBe(0)
    vi.restoreAllMocks()
    expect(output.text).toContain('version: 1')
    proxy.weather.cutAnswers = true
    await new Promise((resolve) => setTimeout(resolve, 200))
    proxy.weather.cutAnswers = false
    await until(() => kiosk.store.trust.list().length > 0)
    expect(kiosk.store.trust.list()).toMatchObject([{ country: 'UT', bundleVersion: 1, importedBy: 'Ada' }])
    const { body } = await kiosk.app.json('GET', '/healthcheck')
    expect(body).toMatchObject({
      components: {
        trust: { status: 'UP', detail: 'UT checked with the central service 0 working days ago' },
      },
    })
    expect(typesOf(kiosk.store).filter((type) => type.startsWith('trust.'))).toEqual(['trust.distributed'])
  })

  test('a kiosk that is revoked keeps its proofs, takes no new proofings and says why, until it is enrolled again', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) })
    await until(() => syncState({ store: kiosk.store }).lastContactAt !== null)
    await revokeKiosk(central.context, TENANT, kiosk.store.applianceId, 'operator:Ada', async () => undefined)
    await kiosk.seal()
    await until(() => syncState({ store: kiosk.store }).lastError === 'kiosk_revoked')
    expect(kiosk.store.outbox.summary()).toMatchObject({ backlog: 1, parked: 0 })
    const { body } = await kiosk.app.json('GET', '/healthcheck')
    const detail = expect.stringContaining('kiosk_revoked') as unknown
    expect(body).toMatchObject({ components: { sync: { status: 'DEGRADED', detail } } })
    expect(await kiosk.app.call('POST', '/v1/identities', {})).toMatchObject({ status: 503 })
    expect((await command('status')).json).toMatchObject({ frozen: ['kiosk_revoked'] })
    expect(await askDoctor()).toEqual([
      expect.stringMatching(/^WRONG: The central service has revoked this kiosk/),
    ])
    expect(typesOf(kiosk.store).filter((type) => type === 'appliance.frozen')).toHaveLength(1)
    // Leaving the central service does not lift it; a new enrolment does.
    expect((await command('leave', '--force')).status).toBe(0)
    expect(await kiosk.app.call('POST', '/v1/identities', {})).toMatchObject({ status: 503 })
    const again = await command('enrol', '--url', central.url, '--code', await newCode())
    expect(again.status).toBe(0)
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect((await kiosk.app.call('POST', '/v1/identities', {})).status).not.toBe(503)
    expect((await command('status')).json).toMatchObject({ frozen: [] })
    expect(await askDoctor()).toEqual([
      expect.stringMatching(/^OK: The last contact with the central service was at/),
    ])
  })

  test('a central service that no longer answers is found by the doctor, with the last contact', async () => {
    await kiosk.join({ url: central.url, ...(await codeFor()) }, proxy.url)
    await until(() => syncState({ store: kiosk.store }).lastContactAt !== null)
    proxy.weather.cutAfterBytes = 0
    await until(() => syncState({ store: kiosk.store }).lastError !== null)
    expect(await askDoctor()).toEqual([
      expect.stringMatching(
        /^WARNING: The central service cannot be reached since 20.*; the last contact was at 20/,
      ),
    ])
  })

  test('a kiosk in test mode keeps its proofs while the tenant takes none of them, says why, and delivers them later', async () => {
    const takes = (word: string) =>
      main(['central', 'tenants', 'test-proofs', TENANT, word, '--data', central.dataDir])
    collectOutput()
    expect(await takes('no')).toBe(0)
    await kiosk.join({ url: central.url, ...(await codeFor()) })
    const { proofId } = await kiosk.seal()
    await until(() => kiosk.store.outbox.findByProof(proofId)?.state === 'REFUSED')
    expect(await stored()).toEqual([])
    const told = await command('status')
    expect(told.json).toMatchObject({ parked: [{ sequence: 1, proofId, error: 'test_proof_not_taken' }] })
    expect(await openAlarms(central, kiosk.store.applianceId)).toEqual([`REFUSED ${proofId}`])
    collectOutput()
    expect(await takes('yes')).toBe(0)
    vi.restoreAllMocks()
    expect((await command('retry', '1')).status).toBe(0)
    await until(() => kiosk.store.outbox.summary().backlog === 0)
    expect(await stored()).toEqual([proofId])
    expect(await openAlarms(central, kiosk.store.applianceId)).toEqual([])
  })

  test('a code that was typed wrong, or used, is refused with a sentence', async () => {
    const code = await newCode()
    const wrong = await command('enrol', '--url', central.url, '--code', code.replace(/^.{4}/, 'ZZZZ'))
    expect(wrong).toMatchObject({ status: 1 })
    expect(wrong.text).toContain('The central service does not accept this code')
    const short = await command('enrol', '--url', central.url, '--code', 'ABCD')
    expect(short.text).toContain('an enrolment code has 32 letters and digits')
    const insecure = await command('enrol', '--url', 'http://centre.example', '--code', code)
    expect(insecure.text).toContain('the central service is reached by https:// only')
  })

  test('a branch without a line: request, answer, packets and receipts by hand', async () => {
    const stick = mkdtempSync(join(tmpdir(), 'counterproof-stick-'))
    const file = join(stick, 'request.json')
    expect((await command('enrol-request', '--code', await newCode(), '--out', file)).status).toBe(0)
    const answer = await enrol(central.context, JSON.parse(readFileSync(file, 'utf8')) as never)
    writeFileSync(join(stick, 'answer.json'), JSON.stringify(answer))
    expect((await command('enrol-complete', join(stick, 'answer.json'))).json).toMatchObject({ queued: 0 })
    const { proofId } = await kiosk.seal()
    expect((await command('export', '--to', stick)).json).toEqual({ packets: 1, withdrawn: 0, damaged: 0 })
    await importPackets(central.context, stick)
    expect((await command('import-receipts', stick)).json).toMatchObject({ acknowledged: 1, forged: 0 })
    expect(await stored()).toEqual([proofId])
    expect(kiosk.store.outbox.summary().backlog).toBe(0)
    // The central service loses it: the stick tells the kiosk, and the next one carries the proof again.
    await central.db.transaction(SYSTEM, async (queries) => {
      await queries.query('DELETE FROM proofs WHERE proof_id = $1', [proofId])
      await queries.query('UPDATE kiosks SET last_sequence = 0, contiguous_sequence = 0 WHERE id = $1', [
        kiosk.store.applianceId,
      ])
    })
    expect((await command('export', '--to', stick)).json).toMatchObject({ packets: 0 })
    await importPackets(central.context, stick)
    const earlier = readFileSync(join(stick, 'counterproof-receipts.json'))
    expect((await command('import-receipts', stick)).json).toMatchObject({ again: 1 })
    expect((await command('export', '--to', stick)).json).toMatchObject({ packets: 1 })
    await importPackets(central.context, stick)
    expect((await command('import-receipts', stick)).json).toMatchObject({ acknowledged: 1, again: 0 })
    expect(await stored()).toEqual([proofId])
    // The stick of before, once more, changes nothing.
    writeFileSync(join(stick, 'counterproof-receipts.json'), earlier)
    expect((await command('import-receipts', stick)).json).toMatchObject({ again: 0 })
    rmSync(stick, { recursive: true })
  })
})

async function codeFor() {
  const code = await newCode()
  return { newCode: () => code }
}
