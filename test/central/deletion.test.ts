/** Retention, erasure and legal holds of the central service: what is deleted, what stays provable, and what a crash leaves. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runAction } from '../../server/central/admin/actions.ts'
import type { CentralConfig } from '../../server/central/config.ts'
import { SYSTEM } from '../../server/central/db/db.ts'
import { continueFeed } from '../../server/central/db/feed-order.ts'
import { applyRetention } from '../../server/central/deletion/retention.ts'
import { groupByRetention } from '../../server/central/deletion/rules.ts'
import { finishDeletions } from '../../server/central/deletion/delete.ts'
import type { DeletedProof, Erasure, LegalHold } from '../../server/central/head-office/contract.ts'
import { readStatement } from '../../server/protocol/statements.ts'
import { countLargeObjects, joinedKiosk, openAlarms } from '../support/central.ts'
import type { TestKiosk } from '../support/kiosk-client.ts'
import { S3_CREDENTIALS, startS3Server, type S3Server } from '../support/s3-server.ts'
import { addKey, addKiosk, addProof, addTenant, startOffice, type TestOffice } from './head-office/support.ts'

describe('the table of retention rules', () => {
  test('a tenant without a rule and without a default keeps every proof', () => {
    expect(groupByRetention(['a'], [], null)).toEqual([])
  })

  test('a policy has its own time, and the rule of the tenant leaves it out', () => {
    const rules = [
      { tenantId: 'a', policyId: '', days: 365 },
      { tenantId: 'a', policyId: 'short', days: 30 },
      { tenantId: 'a', policyId: 'ever', days: null },
      { tenantId: 'b', policyId: 'short', days: 7 },
    ]
    expect(groupByRetention(['a', 'b', 'c'], rules, 900)).toEqual([
      { tenantId: 'a', policyId: 'short', otherThan: [], days: 30 },
      { tenantId: 'a', policyId: null, otherThan: ['short', 'ever'], days: 365 },
      { tenantId: 'b', policyId: 'short', otherThan: [], days: 7 },
      { tenantId: 'b', policyId: null, otherThan: ['short'], days: 900 },
      { tenantId: 'c', policyId: null, otherThan: [], days: 900 },
    ])
  })

  test('a tenant that keeps its proofs is not subject to the default', () => {
    expect(groupByRetention(['a'], [{ tenantId: 'a', policyId: '', days: null }], 900)).toEqual([])
  })
})

describe('proofs of the central service', () => {
  let office: TestOffice
  let s3: S3Server
  let folder: string
  let kiosk: TestKiosk
  let key: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'counterproof-receipts-'))
    s3 = await startS3Server()
    const storage: CentralConfig['storage'] = {
      kind: 's3',
      endpoint: s3.endpoint,
      prefix: 'counterproof',
      timeoutMs: 20_000,
      ...S3_CREDENTIALS,
    }
    office = await startOffice({ config: { storage }, options: { callsPerMinute: 10_000 } })
    // Only the tests run rounds.
    await office.upkeep.stop()
    kiosk = await joinedKiosk(office, 'acme')
    key = await addKey(office, 'acme')
  })
  afterAll(async () => {
    await office.stop()
    await s3.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const query = <R extends object>(sql: string, values: readonly (string | string[])[] = []) =>
    office.db.query<R>(SYSTEM, sql, values)
  beforeEach(async () => {
    await query('UPDATE legal_holds SET released_at = now() WHERE released_at IS NULL')
    await query('DELETE FROM retention_rules')
  })
  afterEach(() => vi.restoreAllMocks())

  const deliver = async () => {
    const proof = await kiosk.makeProof()
    expect((await kiosk.deliver(proof)).state).toBe('STORED')
    return proof.announcement
  }
  const age = (proofId: string, days: number) =>
    query(`UPDATE proofs SET stored_at = now() - make_interval(days => ${days}) WHERE proof_id = $1`, [
      proofId,
    ])
  const isDeleted = async (proofId: string) => {
    const { body } = await office.call(key, 'GET', `/proofs/${proofId}`)
    return body.deletedAt !== null
  }
  const objectsOf = (proofId: string) => [...s3.objects.keys()].filter((path) => path.includes(proofId))
  const keepFor = (days: number | null, policyId?: string) =>
    runAction(office.context, 'setRetention', { tenantId: 'acme', days, policyId })
  const erase = async (body: object) => {
    const { status, body: answer } = await office.call(key, 'POST', '/erasures', body)
    return { status, ...(answer as unknown as Erasure) }
  }

  test('are kept without end where no retention is set', async () => {
    const { proofId } = await deliver()
    await age(proofId, 20_000)
    expect(await applyRetention(office.context)).toBe(0)
    expect(await isDeleted(proofId)).toBe(false)
  })

  test('whose time is over are deleted by the upkeep, and number, hashes and receipt stay', async () => {
    const [old, recent] = [await deliver(), await deliver()]
    await age(old.proofId, 31)
    await keepFor(30)
    await office.upkeep.run()
    await applyRetention(office.context)
    await finishDeletions(office.context)
    expect([await isDeleted(old.proofId), await isDeleted(recent.proofId)]).toEqual([true, false])
    expect(objectsOf(old.proofId)).toEqual([])
    expect((await office.call(key, 'GET', `/proofs/${old.proofId}/archive`)).status).toBe(404)
    const [tombstone] = await query<{ hash: string; sha256: string; location: string; correlation: unknown }>(
      'SELECT hash, sha256, location, correlation_hash AS correlation FROM proofs WHERE proof_id = $1',
      [old.proofId],
    )
    expect(tombstone).toEqual({ hash: old.hash, sha256: old.sha256, location: '', correlation: null })
    // The kiosk repeats itself, and gets the receipt of the storage. Its next proof continues the chain.
    expect(await kiosk.announce(old)).toMatchObject({
      state: 'STORED',
      receipt: expect.any(String) as string,
    })
    await deliver()
    expect(await openAlarms(office, kiosk.kioskId)).toEqual([])
  })

  test('are told to the head office in a feed of deletions, with a receipt that the public key verifies', async () => {
    const { proofId, sequence, sha256, hash } = await deliver()
    await age(proofId, 31)
    await keepFor(30)
    await applyRetention(office.context)
    await finishDeletions(office.context)
    const feed = async (after: string | null) =>
      (await office.call(key, 'GET', `/deletions?limit=500${after === null ? '' : `&after=${after}`}`))
        .body as unknown as { deletions: DeletedProof[]; next: string }
    const { deletions, next } = await feed(null)
    const told = deletions.find((deletion) => deletion.proofId === proofId)
    expect(told).toMatchObject({ sequence, reason: 'RETENTION', kioskId: kiosk.kioskId })
    expect((await feed(next)).deletions).toEqual([])
    const receipt = await readStatement('deletion', told?.receipt ?? '', kiosk.trust.statementKeys.keys)
    expect(receipt).toMatchObject({ proofId, sequence, sha256, hash, reason: 'RETENTION' })
  })

  test('under a policy with its own time follow this one', async () => {
    const [own, other] = [await deliver(), await deliver()]
    for (const { proofId } of [own, other]) await age(proofId, 31)
    await query(`UPDATE proofs SET policy_id = 'short' WHERE proof_id = $1`, [own.proofId])
    await keepFor(30, 'short')
    await keepFor(null)
    await applyRetention(office.context)
    expect([await isDeleted(own.proofId), await isDeleted(other.proofId)]).toEqual([true, false])
  })

  test('are not deleted while only the clock of this instance says that their time is over', async () => {
    const { proofId } = await deliver()
    await keepFor(30)
    const ahead = { ...office.context, clock: { now: () => new Date(Date.now() + 365 * 86_400_000) } }
    await applyRetention(ahead)
    expect(await isDeleted(proofId)).toBe(false)
  })

  test.each(['proof', 'kiosk', 'tenant'] as const)(
    'under a legal hold of the %s are kept until it is released',
    async (scope) => {
      const { proofId } = await deliver()
      await age(proofId, 31)
      await keepFor(30)
      const target = scope === 'proof' ? { proofId } : scope === 'kiosk' ? { kioskId: kiosk.kioskId } : {}
      const placed = await office.call(key, 'POST', '/legal-holds', { ...target, reference: 'case 1' })
      expect(placed.status).toBe(201)
      const { holdId } = placed.body as unknown as LegalHold
      await applyRetention(office.context)
      expect(await isDeleted(proofId)).toBe(false)
      const shown = await erase({ proofId, reference: 'request 1' })
      expect(shown).toMatchObject({ confirmation: null, proofs: [{ proofId, isOnHold: true }] })
      const refused = await office.call(key, 'POST', '/erasures', {
        proofId,
        reference: 'request 1',
        confirmation: 'anything',
      })
      expect(refused).toMatchObject({ status: 403, body: { title: 'Under a legal hold' } })
      await office.call(key, 'POST', `/legal-holds/${holdId}/release`, { reference: 'closed' })
      await applyRetention(office.context)
      expect(await isDeleted(proofId)).toBe(true)
      const { body } = await office.call(key, 'GET', '/legal-holds?state=all')
      expect(body.holds).toContainEqual(expect.objectContaining({ holdId, releaseReference: 'closed' }))
    },
  )

  test('of an identity are erased in two steps, with an access log that names who did it', async () => {
    const { proofId, identityId } = await deliver()
    const order = { identityId, reference: 'request 2' }
    const shown = await erase(order)
    expect(shown).toMatchObject({ isErased: false, proofs: [{ proofId, isOnHold: false }] })
    expect((await erase({ ...order, confirmation: 'of other proofs' })).status).toBe(409)
    expect(await isDeleted(proofId)).toBe(false)
    expect(await erase({ ...order, confirmation: shown.confirmation })).toMatchObject({ isErased: true })
    expect(await isDeleted(proofId)).toBe(true)
    expect(objectsOf(proofId)).toEqual([])
    expect((await erase(order)).status).toBe(404)
    const [deletion] = await query<{ reason: string; actor: string; reference: string }>(
      'SELECT reason, actor, reference FROM deletions WHERE proof_id = $1 AND receipt IS NOT NULL',
      [proofId],
    )
    const { consumerId } = (await office.call(key, 'GET', '/me')).body
    expect(deletion).toEqual({ reason: 'ERASURE', actor: `consumer:${consumerId}`, reference: 'request 2' })
    const acts = await query(`SELECT operation FROM access_log WHERE reason = 'request 2' ORDER BY id`)
    expect(acts).toEqual([{ operation: 'previewErasure' }, { operation: 'eraseProofs' }])
  })

  test('of another tenant cannot be erased, held or listed', async () => {
    await addTenant(office, 'other')
    const stranger = await addKey(office, 'other')
    const { proofId } = await deliver()
    const order = { proofId, reference: 'request 3' }
    expect((await office.call(stranger, 'POST', '/erasures', order)).status).toBe(404)
    expect((await office.call(stranger, 'POST', '/legal-holds', order)).status).toBe(404)
    expect((await office.call(stranger, 'GET', '/deletions')).body.deletions).toEqual([])
  })

  test('in the database lose their large object, too', async () => {
    const before = await countLargeObjects(office)
    const other = await addKiosk(office, 'acme')
    const { proofId } = await addProof(office, 'acme', other, 1)
    expect(await countLargeObjects(office)).toBe(before + 1)
    const { confirmation } = await erase({ proofId, reference: 'request 4' })
    await erase({ proofId, reference: 'request 4', confirmation })
    expect(await countLargeObjects(office)).toBe(before)
  })

  test('whose deletion ended between the storage and the database are finished by the next round, with one receipt', async () => {
    const { proofId } = await deliver()
    const { storage: real } = office.context
    const remove = real.removeOutside.bind(real)
    const storage = vi
      .spyOn(office.context.storage, 'removeOutside')
      .mockImplementationOnce(async (location) => {
        await remove(location)
        throw new Error('the process ended here')
      })
    const { confirmation } = await erase({ proofId, reference: 'request 5' })
    await erase({ proofId, reference: 'request 5', confirmation })
    expect(storage).toHaveBeenCalledTimes(1)
    expect(objectsOf(proofId)).toEqual([])
    const open = () => query('SELECT 1 FROM deletions WHERE proof_id = $1 AND receipt IS NULL', [proofId])
    expect(await open()).toHaveLength(1)
    expect((await office.call(key, 'GET', `/proofs/${proofId}/archive`)).status).toBe(404)
    await office.upkeep.run()
    expect(await open()).toEqual([])
    expect(await finishDeletions(office.context, [proofId])).toBe(0)
  })

  test('wait for a storage that does not answer, and others are deleted meanwhile', async () => {
    const { proofId } = await deliver()
    const other = await addProof(office, 'acme', await addKiosk(office, 'acme'), 1)
    s3.fail(500)
    for (const id of [proofId, other.proofId]) {
      const { confirmation } = await erase({ proofId: id, reference: 'request 6' })
      await erase({ proofId: id, reference: 'request 6', confirmation })
    }
    expect(await finishDeletions(office.context, [proofId])).toBe(0)
    s3.fail(null)
    const receipts = await query('SELECT 1 FROM deletions WHERE proof_id = $1 AND receipt IS NOT NULL', [
      other.proofId,
    ])
    expect(receipts).toHaveLength(1)
    expect(await finishDeletions(office.context, [proofId])).toBe(1)
  })

  test('that a restored backup brings back are deleted again by the receipts, unless a hold keeps them', async () => {
    const [again, held] = [await deliver(), await deliver()]
    const kept = await query<{ proof_id: string; location: string }>('SELECT proof_id, location FROM proofs')
    for (const { proofId } of [again, held]) {
      const order = { proofId, reference: 'request 7' }
      const { confirmation } = (await runAction(office.context, 'previewErasure', order)) as Erasure
      await runAction(office.context, 'eraseProofs', { ...order, confirmation })
    }
    const file = join(folder, 'receipts')
    await runAction(office.context, 'exportReceipts', { file })
    for (const { proofId } of [again, held]) {
      await query('DELETE FROM deletions WHERE proof_id = $1', [proofId])
      const location = kept.find((row) => row.proof_id === proofId)?.location ?? ''
      await query('UPDATE proofs SET deleted_at = NULL, location = $2 WHERE proof_id = $1', [
        proofId,
        location,
      ])
    }
    await runAction(office.context, 'placeHold', { proofId: held.proofId, reference: 'case 2' })
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    writeFileSync(file, [...lines, lines.at(-1)?.replace('"receipt":"ey', '"receipt":"ez')].join('\n'))
    const check = (isApplied: boolean) =>
      runAction(office.context, isApplied ? 'applyReceipts' : 'checkReceipts', { file })
    const valid = lines.length - 1
    const problems = [lines.length + 1]
    expect(await check(false)).toEqual({ valid, problems, deletedAgain: 0, onHold: 0 })
    expect(await check(true)).toEqual({ valid, problems, deletedAgain: 1, onHold: 1 })
    expect([await isDeleted(again.proofId), await isDeleted(held.proofId)]).toEqual([true, false])
  })

  test('are none in the file of a service that deleted nothing, and any other file is refused', async () => {
    await addTenant(office, 'nothing-deleted')
    const [file, other] = [join(folder, 'no-receipts'), join(folder, 'no-export')]
    await runAction(office.context, 'exportReceipts', { file, tenantId: 'nothing-deleted' })
    writeFileSync(other, 'counterproof\n')
    const check = (path: string) => runAction(office.context, 'applyReceipts', { file: path })
    expect(await check(file)).toEqual({ valid: 0, problems: [], deletedAgain: 0, onHold: 0 })
    await expect(check(other)).rejects.toMatchObject({ code: 'file_refused' })
  })

  test('leave a feed of deletions that continues after a restore on a server with lower transaction ids', async () => {
    const { proofId } = await deliver()
    await query('UPDATE deletions SET feed_position = feed_position + 1000000 WHERE receipt IS NOT NULL')
    expect(await continueFeed(office.db)).toBe(true)
    const { confirmation } = await erase({ proofId, reference: 'request 8' })
    await erase({ proofId, reference: 'request 8', confirmation })
    const { body } = await office.call(key, 'GET', '/deletions?limit=500')
    expect((body.deletions as DeletedProof[]).at(-1)?.proofId).toBe(proofId)
  })
})
