/** Access control: keys, scopes, and isolated tenants, on every route of the table. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAction } from '../../../server/central/admin/actions.ts'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { listKeys, revokeKey } from '../../../server/central/head-office/consumers.ts'
import { SCOPES } from '../../../server/central/head-office/contract.ts'
import { BASE_PATH, ROUTE_LIST, type Operation } from '../../../server/central/head-office/routes.ts'
import { makeRelease, vendor } from '../../support/release.ts'
import { onEachDatabase } from './databases.ts'
import { addAlarm, addKey, addKiosk, addProof, addTenant, startOffice, type TestOffice } from './support.ts'

/** A body that each operation takes. */
const BODIES: Partial<Record<Operation, unknown>> = {
  searchProofs: { correlationId: 'order-1' },
  eraseProofs: { proofId: randomUUID(), reference: 'request 1' },
  placeLegalHold: { kioskId: randomUUID(), reference: 'case 1' },
  releaseLegalHold: { reference: 'case 1' },
  revokeKiosk: { reason: 'stolen' },
  resolveAlarm: { reason: 'settled' },
  pauseRollout: { reason: 'wait' },
  resumeRollout: { reason: 'continue' },
  stopRollout: { reason: 'another version' },
  createEnrolmentCode: { name: 'Kiosk' },
  createWebhook: { url: 'https://hooks.bank.example/in', events: ['proof.stored'] },
  rotateSecret: {},
  publishBundle: {},
}

onEachDatabase('access to the head-office API', (newDatabase) => {
  let office: TestOffice
  /** Ids of tenant a, by the name of their path parameter. */
  let ids: Record<string, string>
  let keyOfA: string

  const pathOf = (path: string) =>
    BASE_PATH + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'missing')

  beforeAll(async () => {
    office = await startOffice({
      databaseUrl: newDatabase(),
      options: { callsPerMinute: 10_000, openCallsPerMinute: 10_000 },
      config: { releaseKeys: [vendor.publicKey] },
    })
    await addTenant(office, 'a')
    await addTenant(office, 'b')
    keyOfA = await addKey(office, 'a')
    const kioskId = await addKiosk(office, 'a', { name: 'kiosk of a' })
    const webhook = await office.call(keyOfA, 'POST', '/webhooks', {
      url: 'https://hooks.bank.example/a',
      events: ['proof.stored'],
    })
    const webhookId = webhook.body.webhookId
    const { proofId } = await addProof(office, 'a', kioskId, 1, { correlationId: 'order-1' })
    for (let version = 1; version <= 3; version++) {
      await office.call(keyOfA, 'POST', '/bundles', { watchlists: { secretOfA: true } })
    }
    const deliveries = await office.call(keyOfA, 'GET', `/webhooks/${webhookId}/deliveries`)
    const hold = await office.call(keyOfA, 'POST', '/legal-holds', { proofId, reference: 'case of a' })
    const { packageFile, releaseFile } = makeRelease()
    await runAction(office.context, 'addRelease', { packageFile, releaseFile })
    const order = { tenantId: 'a', version: '1.2.0', reason: 'kiosk of a' }
    const rollout = (await runAction(office.context, 'startRollout', order)) as { rolloutId: string }
    ids = {
      rolloutId: rollout.rolloutId,
      holdId: String(hold.body.holdId),
      proofId,
      kioskId,
      webhookId,
      alarmId: await addAlarm(office, 'a', kioskId),
      deliveryId: deliveries.body.deliveries[0]?.deliveryId ?? '',
      version: '3',
    }
  })
  afterAll(() => office.stop())

  test.each(ROUTE_LIST)('%s refuses a caller without a valid key', async (operation, { method, path }) => {
    for (const key of [null, 'cph_unknown', 'x'.repeat(5000)]) {
      const answer = await office.call(key, method.toUpperCase(), pathOf(path), BODIES[operation])
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toContain('Bearer')
      expect(answer.body).toMatchObject({ type: 'urn:counterproof:problem:unauthorized', status: 401 })
    }
  })

  test.each(ROUTE_LIST.filter(([, { scope }]) => scope !== null))(
    '%s: a key with every scope but the one asked for is refused, also for what does not exist',
    async (operation, { method, path, scope }) => {
      const key = await addKey(
        office,
        'a',
        SCOPES.filter((each) => each !== scope),
      )
      const nowhere = BASE_PATH + path.replaceAll(/\{version\}/g, '99').replaceAll(/\{\w+\}/g, randomUUID())
      for (const address of [pathOf(path), nowhere]) {
        const answer = await office.call(key, method.toUpperCase(), address, BODIES[operation])
        expect([answer.status, answer.body.type]).toEqual([403, 'urn:counterproof:problem:forbidden'])
      }
    },
  )

  test.each(ROUTE_LIST)('%s: nothing of one tenant is there for the other', async (operation, route) => {
    const { method, path } = route
    const keyOfB = await addKey(office, 'b', SCOPES, `b-${operation}`)
    const answer = await office.call(keyOfB, method.toUpperCase(), pathOf(path), BODIES[operation])
    for (const id of Object.values(ids).filter((each) => each !== '3')) expect(answer.text).not.toContain(id)
    expect(answer.text).not.toContain('kiosk of a')
    expect(answer.text).not.toContain('secretOfA')
    // An id of another tenant gets the same answer as an unknown id.
    if (!path.includes('{')) return
    const unknown = BASE_PATH + path.replaceAll('{version}', '77').replaceAll(/\{\w+\}/g, randomUUID())
    const other = await office.call(keyOfB, method.toUpperCase(), unknown, BODIES[operation])
    expect(answer.status).toBe(404)
    expect({ ...answer.body, correlationId: '' }).toEqual({ ...other.body, correlationId: '' })
  })

  test('the calls of another tenant change nothing', async () => {
    expect((await office.call(keyOfA, 'GET', `/kiosks/${ids.kioskId}`)).body.revokedAt).toBeNull()
    expect((await office.call(keyOfA, 'GET', `/proofs/${ids.proofId}`)).body.acknowledgedAt).toBeNull()
    expect((await office.call(keyOfA, 'GET', '/alarms')).body.alarms).toHaveLength(1)
    expect((await office.call(keyOfA, 'GET', '/webhooks')).body.webhooks).toHaveLength(1)
    expect((await office.call(keyOfA, 'GET', '/bundles')).body.bundles).toHaveLength(3)
  })

  test('a webhook is of its consumer: another one of the same tenant does not see it', async () => {
    const other = await addKey(office, 'a', SCOPES, 'another system')
    expect((await office.call(other, 'GET', '/webhooks')).body.webhooks).toEqual([])
    expect((await office.call(other, 'DELETE', `/webhooks/${ids.webhookId}`)).status).toBe(404)
  })

  test("PostgreSQL shows a tenant's role only its own rows, even without a WHERE", async () => {
    const { db } = office.context
    for (const table of [
      'proofs',
      'kiosks',
      'alarms',
      'webhooks',
      'deliveries',
      'bundles',
      'access_log',
      'legal_holds',
      'deletions',
      'consumers',
    ]) {
      const rows = await db.query<{ tenant_id: string }>({ tenant: 'b' }, `SELECT tenant_id FROM ${table}`)
      expect(rows.filter(({ tenant_id: tenant }) => tenant !== 'b')).toEqual([])
    }
    await expect(db.query({ tenant: 'b' }, 'SELECT * FROM consumer_keys')).rejects.toThrow(
      'permission denied',
    )
    await expect(db.query({ tenant: 'b' }, `DELETE FROM access_log`)).rejects.toThrow('permission denied')
  })

  describe('keys', () => {
    test('several of one consumer are valid at once; a revoked and an expired one are not', async () => {
      const first = await addKey(office, 'a', ['proofs:read'], 'rotating')
      const second = await addKey(office, 'a', ['proofs:read'], 'rotating')
      const [one, two] = [await office.call(first, 'GET', '/me'), await office.call(second, 'GET', '/me')]
      expect(one.body).toMatchObject({ name: 'rotating', tenantId: 'a', scopes: ['proofs:read'] })
      expect(two.body.consumerId).toBe(one.body.consumerId)

      const { db } = office.context
      const listed = (await listKeys(db, 'a')).filter(({ consumer }) => consumer === 'rotating')
      expect(listed).toHaveLength(2)
      await revokeKey(db, listed[0]?.keyId ?? '', new Date(), async () => undefined)
      expect((await office.call(first, 'GET', '/me')).status).toBe(401)
      expect((await office.call(second, 'GET', '/me')).status).toBe(200)
      await db.query(
        SYSTEM,
        `UPDATE consumer_keys SET expires_at = now() - interval '1 second' WHERE id = $1`,
        [listed[1]?.keyId ?? ''],
      )
      expect((await office.call(second, 'GET', '/me')).status).toBe(401)
    })

    test('no key lies in the database, only its SHA-256', async () => {
      const key = await addKey(office, 'a', ['proofs:read'], 'canary')
      const rows = await office.context.db.query<{ row: string }>(
        SYSTEM,
        'SELECT to_jsonb(k)::text AS row FROM consumer_keys k',
      )
      const hex = Buffer.from(key, 'utf8').toString('hex')
      expect(rows.some(({ row }) => row.includes(key) || row.includes(hex))).toBe(false)
    })
  })
})

describe('limits', () => {
  test('a key that calls too often waits, and the other one does not', async () => {
    const office = await startOffice({ options: { callsPerMinute: 3 } })
    await addTenant(office, 'a')
    const [busy, calm] = [await addKey(office, 'a'), await addKey(office, 'a')]
    const statuses: number[] = []
    for (let at = 0; at < 5; at++) statuses.push((await office.call(busy, 'GET', '/me')).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await office.call(busy, 'GET', '/me')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await office.call(calm, 'GET', '/me')).status).toBe(200)
    await office.stop()
  })

  test('a caller who guesses keys is slowed down by address, and a valid key is still accepted', async () => {
    const office = await startOffice({ options: { openCallsPerMinute: 2 } })
    await addTenant(office, 'a')
    const key = await addKey(office, 'a')
    const statuses: number[] = []
    for (let at = 0; at < 4; at++) statuses.push((await office.call(`cph_${at}`, 'GET', '/me')).status)
    expect(statuses).toEqual([401, 401, 429, 429])
    expect((await office.call(key, 'GET', '/me')).status).toBe(200)
    await office.stop()
  })
})
