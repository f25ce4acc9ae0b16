/** The lists of the head office, from a database in memory; and the certificates of the service. */
import { randomUUID, X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  certifyKiosk,
  makeAuthority,
  readRequest,
  type Authority,
} from '../../../server/central/certificates.ts'
import { HeadOfficeOptionsSchema } from '../../../server/central/head-office/options.ts'
import { createDb, SYSTEM, type Db, type Queries } from '../../../server/central/db/db.ts'
import { openNewEmbedded } from '../../support/embedded-database.ts'
import { migrate } from '../../../server/central/db/migrate.ts'
import type { HeadOfficeDeps } from '../../../server/central/head-office/deps.ts'
import { createFeedWatch } from '../../../server/central/head-office/feed-watch.ts'
import { fleetHandlers } from '../../../server/central/head-office/fleet.ts'
import type { SystemHolder } from '../../../server/central/head-office/guard.ts'
import type { Handlers } from '../../../server/central/head-office/http.ts'
import { proofHandlers } from '../../../server/central/head-office/proofs.ts'
import { webhookHandlers } from '../../../server/central/head-office/webhooks/endpoints.ts'
import { resolveAlarm } from '../../../server/central/kiosks/alarms.ts'
import { createSecrets } from '../../../server/central/secrets.ts'
import { toCsvLine } from '../../../server/http/csv.ts'
import { silentLog } from '../../../server/log.ts'
import { createKioskCertificateRequest, makeKioskKey } from '../../../server/sync/kiosk-key.ts'

const HOUR_MS = 3_600_000

let db: Db
let now: Date
let holder: SystemHolder
let handlers: Pick<
  Handlers,
  | 'listKiosks'
  | 'exportKiosks'
  | 'getKiosk'
  | 'listAlarms'
  | 'exportAlarms'
  | 'getAlarm'
  | 'acknowledgeAlarm'
  | 'resolveAlarm'
  | 'createEnrolmentCode'
  | 'revokeKiosk'
  | 'me'
> &
  Pick<Handlers, 'listProofs' | 'getProof' | 'searchProofs' | 'acknowledgeProof' | 'jwks'> &
  Pick<
    Handlers,
    'createWebhook' | 'listWebhooks' | 'deleteWebhook' | 'rotateSecret' | 'listDeliveries' | 'resendDelivery'
  >
let revoked: string[]
let isRevoked: boolean
let watch: ReturnType<typeof createFeedWatch>
beforeAll(async () => {
  db = createDb(await openNewEmbedded())
  await migrate(db)
  for (const tenant of ['acme', 'other'])
    await db.query(SYSTEM, `INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, 'x', now())`, [
      tenant,
    ])
  watch = createFeedWatch(db, silentLog)
  const deps = {
    db,
    log: silentLog,
    clock: { now: () => now },
    options: HeadOfficeOptionsSchema.parse({}),
    secrets: createSecrets(Buffer.alloc(32, 7)),
    hashCorrelationId: (tenantId: string, correlationId: string) =>
      Buffer.from(`${tenantId} ${correlationId}`),
    createEnrolmentCode: async (
      { tenantId, name }: { tenantId: string; name: string },
      note: (queries: Queries) => Promise<void>,
    ) => {
      await db.transaction({ tenant: tenantId }, note)
      return `${tenantId} ${name}`
    },
    resolveAlarm,
    revokeKiosk: async (
      tenantId: string,
      kioskId: string,
      actor: string,
      note: (queries: Queries) => Promise<void>,
    ) => {
      revoked.push(`${tenantId} ${kioskId} ${actor}`)
      if (isRevoked) await db.transaction({ tenant: tenantId }, note)
      return isRevoked ? { revokedAt: new Date('2026-03-01T10:00:00Z') } : null
    },
  } as unknown as HeadOfficeDeps
  handlers = { ...fleetHandlers(deps), ...proofHandlers(deps, watch), ...webhookHandlers(deps) }
})
afterAll(async () => {
  watch.close()
  await db.close()
})
beforeEach(async () => {
  now = new Date('2026-03-01T10:00:00Z')
  revoked = []
  isRevoked = true
  for (const table of [
    'acknowledgements',
    'deliveries',
    'webhooks',
    'proofs',
    'alarms',
    'access_log',
    'kiosks',
  ])
    await db.asOwner((queries) => queries.query(`DELETE FROM ${table}`))
  const consumerId = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO consumers (id, tenant_id, name, created_at) VALUES ($1::uuid, 'acme', $1::uuid::text, now())`,
    [consumerId],
  )
  holder = {
    kind: 'system',
    keyId: randomUUID(),
    consumerId,
    tenantId: 'acme',
    name: 'archive',
    scopes: ['proofs:read'],
    keyExpiresAt: null,
  }
})

const call = (over: object = {}) =>
  ({
    holder,
    params: {},
    query: {},
    body: {},
    correlationId: 'c',
    signal: new AbortController().signal,
    isHead: false,
    ...over,
  }) as never
const accesses = async () =>
  (
    await db.query<{ operation: string; subject: string | null; reason: string | null }>(
      SYSTEM,
      'SELECT operation, subject, reason FROM access_log ORDER BY at, id',
    )
  ).map(({ operation, subject, reason }) => [operation, subject, reason])

async function aKiosk(name: string, over: { tenant?: string; status?: object } = {}): Promise<string> {
  const id = randomUUID()
  await db.query(
    SYSTEM,
    `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at, status, status_at)
     VALUES ($1, $2, $3, '{}', '', $4::jsonb, now(), $5, $6::jsonb, CASE WHEN $6::jsonb IS NULL THEN NULL ELSE $5::timestamptz END)`,
    [
      id,
      over.tenant ?? 'acme',
      name,
      JSON.stringify([
        { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'k1' },
        { kty: 'RSA', n: 'AQAC', e: 'AQAB', kid: 'k2' },
      ]),
      now,
      over.status ? JSON.stringify(over.status) : null,
    ],
  )
  return id
}
async function aProof(
  kioskId: string,
  sequence: number,
  tenant = 'acme',
): Promise<{ proofId: string; identityId: string }> {
  const [proofId, identityId] = [randomUUID(), randomUUID()]
  await db.query(
    SYSTEM,
    `INSERT INTO proofs (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash,
       level_of_assurance, test, signed_by, archive_bytes, sealed_at, stored_at, correlation_hash, packet_sha256,
       packet_bytes, location, receipt)
     VALUES ($1, $2, $3, $4::int, $5, 'a', '', '', 'LOA2', true, 'k1', 1, $6, $6, $7, '', 1, 'x', 'r')`,
    [proofId, tenant, kioskId, sequence, identityId, now, Buffer.from(`${tenant} order ${sequence}`)],
  )
  return { proofId, identityId }
}

describe('the kiosks of a tenant', () => {
  const list = (query: object = {}) =>
    handlers.listKiosks(call({ query: { sort: 'name', order: 'asc', limit: 50, ...query } }))

  test('are listed by name, page by page, and no other tenant’s are', async () => {
    const ids = [await aKiosk('a'), await aKiosk('b'), await aKiosk('c')]
    await aKiosk('d', { tenant: 'other' })
    const first = await list({ limit: 2 })
    expect(first.kiosks.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(first.next).toBe(ids[1])
    const second = await list({ limit: 2, after: ids[1] })
    expect([second.kiosks.map(({ name }) => name), second.next]).toEqual([['c'], null])
    expect((await list({ limit: 3 })).next).toBeNull()
  })

  test('are filtered by name and state, and sorted by a column in either direction, page by page', async () => {
    const status = { productVersion: '1', frozen: [], health: {}, bundleProblems: [], backlog: 0 }
    const names = ['Pier 1', 'pier_2', 'Town hall', 'Pier 3']
    for (const [at, name] of names.entries())
      await aKiosk(name, {
        status: { ...status, backlog: at % 2, frozen: name === 'Town hall' ? ['DISK'] : [] },
      })
    const walk = async (query: object) => {
      const found: string[] = []
      let after: string | null | undefined
      do {
        const page = await list({ limit: 2, ...query, ...(after ? { after } : {}) })
        found.push(...page.kiosks.map(({ name, backlog }) => `${name} ${backlog}`))
        after = page.next
      } while (after)
      return found
    }
    expect(
      (await walk({ search: 'PIER', sort: 'backlog', order: 'desc' })).map((row) => row.slice(-1)),
    ).toEqual(['1', '1', '0'])
    expect(await walk({ search: '_' })).toEqual(['pier_2 1'])
    expect(await walk({ search: '%' })).toEqual([])
    expect(await walk({ state: 'FROZEN' })).toEqual(['Town hall 0'])
    expect((await walk({ sort: 'urgency' }))[0]).toBe('Town hall 0')
    const first = await list({ state: 'OK', limit: 1 })
    expect(first.counts).toMatchObject({ OK: 3, FROZEN: 1, REVOKED: 0 })
    expect((await list({ state: 'OK', limit: 1, after: first.next })).counts).toBeNull()
  })

  test('are exported as filtered, and no cell is a formula', async () => {
    await aKiosk('=HYPERLINK("http://evil")')
    await aKiosk('@SUM')
    await aKiosk('plain')
    const { columns, pages } = await handlers.exportKiosks(
      call({ query: { sort: 'name', order: 'asc', search: 'H' } }),
    )
    expect(columns[1]).toBe('name')
    const cells = []
    for await (const rows of pages) cells.push(...rows)
    expect(cells.map(toCsvLine)).toEqual([expect.stringContaining(`"'=HYPERLINK(""http://evil"")","OK"`)])
  })

  test('are shown as they said last, and with nothing before they said anything', async () => {
    const silent = await aKiosk('silent')
    const said = await aKiosk('said', {
      status: {
        productVersion: '0.1.0',
        backlog: 3,
        oldestPendingAt: now.getTime() - HOUR_MS,
        frozen: ['disk_low'],
        health: { disk: 'DEGRADED' },
        freeDiskBytes: 5,
        bundleVersion: 2,
        bundleProblems: ['x'],
      },
    })
    expect(await handlers.getKiosk(call({ params: { kioskId: silent } }))).toMatchObject({
      kioskId: silent,
      name: 'silent',
      enrolledAt: '2026-03-01T10:00:00.000Z',
      revokedAt: null,
      lastSeenAt: null,
      productVersion: null,
      backlog: null,
      oldestPendingAt: null,
      frozen: [],
      health: {},
      freeDiskBytes: null,
      bundleVersion: null,
      bundleProblems: [],
      alarmsOpen: 0,
      alarmKinds: [],
    })
    expect(await handlers.getKiosk(call({ params: { kioskId: said } }))).toMatchObject({
      lastSeenAt: '2026-03-01T10:00:00.000Z',
      productVersion: '0.1.0',
      backlog: 3,
      oldestPendingAt: '2026-03-01T09:00:00.000Z',
      frozen: ['disk_low'],
      health: { disk: 'DEGRADED' },
      freeDiskBytes: 5,
      bundleVersion: 2,
      bundleProblems: ['x'],
    })
    await expect(handlers.getKiosk(call({ params: { kioskId: randomUUID() } }))).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('are revoked with a reason that stays, and let in with a code, each by a row of the log', async () => {
    const kioskId = await aKiosk('a')
    const answer = await handlers.revokeKiosk(call({ params: { kioskId }, body: { reason: 'stolen' } }))
    expect(answer).toEqual({ kioskId, revokedAt: '2026-03-01T10:00:00.000Z' })
    expect(revoked).toEqual([expect.stringMatching(`^acme ${kioskId} consumer:`)])
    const code = await handlers.createEnrolmentCode(call({ body: { name: 'new', validHours: 24 } }))
    expect(code).toEqual({ code: 'acme new', name: 'new', expiresAt: '2026-03-02T10:00:00.000Z' })
    expect(await accesses()).toEqual([
      ['revokeKiosk', kioskId, 'stolen'],
      ['createEnrolmentCode', null, null],
    ])
    isRevoked = false
    await expect(
      handlers.revokeKiosk(call({ params: { kioskId }, body: { reason: 'x' } })),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('alarms', () => {
  async function anAlarm(
    kioskId: string,
    minute: number,
    over: { resolved?: boolean } = {},
  ): Promise<string> {
    const id = randomUUID()
    await db.query(
      SYSTEM,
      `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at, resolved_at)
       VALUES ($1, 'acme', $2, 'GAP', $1::uuid::text, '{"from":1}', $3, $3, CASE WHEN $4 THEN $3::timestamptz END)`,
      [id, kioskId, new Date(now.getTime() + minute * 60_000), over.resolved ?? false],
    )
    return id
  }
  const list = (query: object = {}) =>
    handlers.listAlarms(
      call({ query: { state: 'open', sort: 'raised', order: 'desc', limit: 50, ...query } }),
    )

  test('are listed newest first, page by page: the open ones, or all', async () => {
    const kioskId = await aKiosk('a')
    const ids = [await anAlarm(kioskId, 0), await anAlarm(kioskId, 1), await anAlarm(kioskId, 2)]
    const done = await anAlarm(kioskId, 3, { resolved: true })
    const first = await list({ limit: 2 })
    expect(first.alarms.map(({ alarmId }) => alarmId)).toEqual([ids[2], ids[1]])
    expect(first.next).toBe(ids[1])
    const second = await list({ limit: 2, after: ids[1] })
    expect([second.alarms.map(({ alarmId }) => alarmId), second.next]).toEqual([[ids[0]], null])
    expect((await list({ state: 'all' })).alarms.map(({ alarmId }) => alarmId)).toEqual([
      done,
      ...ids.reverse(),
    ])
    expect((await list({ state: 'all' })).alarms[0]).toMatchObject({
      kioskId,
      kind: 'GAP',
      details: { from: 1 },
      times: 1,
      raisedAt: '2026-03-01T10:03:00.000Z',
      resolvedAt: '2026-03-01T10:03:00.000Z',
      acknowledgedAt: null,
    })
  })

  test('are acknowledged once: the first time counts', async () => {
    const alarmId = await anAlarm(await aKiosk('a'), 0)
    const acknowledge = () => handlers.acknowledgeAlarm(call({ params: { alarmId } }))
    expect(await acknowledge()).toEqual({ alarmId, acknowledgedAt: '2026-03-01T10:00:00.000Z' })
    now = new Date(now.getTime() + HOUR_MS)
    expect(await acknowledge()).toEqual({ alarmId, acknowledgedAt: '2026-03-01T10:00:00.000Z' })
    expect((await list()).alarms).toEqual([])
    await expect(
      handlers.acknowledgeAlarm(call({ params: { alarmId: randomUUID() } })),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('an alarm that a person resolves', () => {
  const resolve = (alarmId: string, reason: string) =>
    handlers.resolveAlarm(call({ params: { alarmId }, body: { reason } }))
  const anAlarm = async (kioskId: string, kind: string, tenant = 'acme') => {
    const id = randomUUID()
    await db.query(
      SYSTEM,
      `INSERT INTO alarms (id, tenant_id, kiosk_id, kind, subject, details, raised_at, seen_at)
       VALUES ($1, $2, $3, $4, 'x', '{}', $5, $5)`,
      [id, tenant, kioskId, kind, now],
    )
    return id
  }

  test('keeps the first reason with the name of the caller, and is in the access log', async () => {
    const alarmId = await anAlarm(await aKiosk('a'), 'CHAIN_BROKEN')
    const answer = { alarmId, resolvedAt: '2026-03-01T10:00:00.000Z' }
    expect(await resolve(alarmId, 'disk was exchanged')).toEqual(answer)
    now = new Date(now.getTime() + HOUR_MS)
    expect(await resolve(alarmId, 'disk was exchanged')).toEqual(answer)
    await expect(resolve(alarmId, 'another')).rejects.toMatchObject({
      code: 'transition_refused',
      details: { by: `consumer:${holder.consumerId}`, at: answer.resolvedAt },
    })
    expect(await handlers.getAlarm(call({ params: { alarmId } }))).toMatchObject({
      kioskName: 'a',
      resolvedBy: `consumer:${holder.consumerId}`,
      resolution: 'disk was exchanged',
    })
    expect(await accesses()).toEqual([['resolveAlarm', alarmId, 'disk was exchanged']])
  })

  test('is not of another tenant, and not CLONE while both machines are frozen', async () => {
    const foreign = await anAlarm(await aKiosk('x', { tenant: 'other' }), 'CHAIN_BROKEN', 'other')
    await expect(resolve(foreign, 'x')).rejects.toMatchObject({ code: 'not_found' })
    const kioskId = await aKiosk('a')
    const clone = await anAlarm(kioskId, 'CLONE')
    await db.query(SYSTEM, 'UPDATE kiosks SET frozen_at = now() WHERE id = $1', [kioskId])
    await expect(resolve(clone, 'x')).rejects.toMatchObject({ code: 'transition_refused' })
    await db.query(SYSTEM, 'UPDATE kiosks SET frozen_at = NULL WHERE id = $1', [kioskId])
    expect(await resolve(clone, 'x')).toMatchObject({ alarmId: clone })
  })
})

describe('the feed of proofs', () => {
  const list = (query: object = {}) =>
    handlers.listProofs(call({ query: { limit: 50, wait: 0, acknowledged: undefined, ...query } }))

  test('is walked from a cursor, and says whether there is more', async () => {
    const kioskId = await aKiosk('a')
    const proofs = [await aProof(kioskId, 1), await aProof(kioskId, 2), await aProof(kioskId, 3)]
    await aProof(await aKiosk('x', { tenant: 'other' }), 1, 'other')
    const ids = proofs.map(({ proofId }) => proofId)
    const first = await list({ limit: 2 })
    expect([first.proofs.map(({ proofId }) => proofId), first.next, first.more]).toEqual([
      ids.slice(0, 2),
      ids[1],
      true,
    ])
    const rest = await list({ limit: 2, after: ids[1] })
    expect([rest.proofs.map(({ proofId }) => proofId), rest.next, rest.more]).toEqual([
      [ids[2]],
      ids[2],
      false,
    ])
    expect(await list({ limit: 3 })).toMatchObject({ more: false })
    // At the end the cursor stays.
    expect(await list({ after: ids[2] })).toEqual({ proofs: [], next: ids[2], more: false })
    await expect(list({ after: randomUUID() })).rejects.toMatchObject({
      problems: [{ code: 'cursor_unknown', field: 'after' }],
    })
    expect(first.proofs[0]).toEqual({
      proofId: ids[0],
      kioskId,
      sequence: 1,
      line: 0,
      mark: null,
      identityId: proofs[0]?.identityId,
      sha256: 'a',
      levelOfAssurance: 'LOA2',
      test: true,
      sealedAt: '2026-03-01T10:00:00.000Z',
      storedAt: '2026-03-01T10:00:00.000Z',
      acknowledgedAt: null,
      deletedAt: null,
    })
  })

  test('is nothing before there is anything', async () => {
    expect(await list()).toEqual({ proofs: [], next: null, more: false })
  })

  test('waits for a proof that comes, and no longer than it was asked to', async () => {
    const kioskId = await aKiosk('a')
    const waiting = list({ wait: 20 })
    const { proofId } = await aProof(kioskId, 1)
    await db.transaction(SYSTEM, async (queries) => queries.announce('feed'))
    expect((await waiting).proofs.map((proof) => proof.proofId)).toEqual([proofId])
    expect((await list({ wait: 0.05, after: proofId })).proofs).toEqual([])
  })

  test('is searched by proof, by identity and by correlation id, with a row of the log', async () => {
    const kioskId = await aKiosk('a')
    const [one] = [await aProof(kioskId, 1), await aProof(kioskId, 2)]
    const search = async (body: object) =>
      (await handlers.searchProofs(call({ body }))).proofs.map(({ proofId }) => proofId)
    expect(await search({ proofId: one.proofId })).toEqual([one.proofId])
    expect(await search({ identityId: one.identityId })).toEqual([one.proofId])
    expect(await search({ correlationId: 'order 1' })).toEqual([one.proofId])
    expect(await search({ correlationId: 'order 3' })).toEqual([])
    expect((await accesses()).map(([operation]) => operation)).toEqual(Array(4).fill('searchProofs'))
  })

  test('notes what a consumer has taken, once, for that consumer alone', async () => {
    const { proofId } = await aProof(await aKiosk('a'), 1)
    const acknowledge = () => handlers.acknowledgeProof(call({ params: { proofId } }))
    expect(await acknowledge()).toEqual({ proofId, acknowledgedAt: '2026-03-01T10:00:00.000Z' })
    now = new Date(now.getTime() + HOUR_MS)
    expect(await acknowledge()).toEqual({ proofId, acknowledgedAt: '2026-03-01T10:00:00.000Z' })
    expect((await handlers.getProof(call({ params: { proofId } }))).acknowledgedAt).toBe(
      '2026-03-01T10:00:00.000Z',
    )
    holder = { ...holder, consumerId: randomUUID() }
    expect((await handlers.getProof(call({ params: { proofId } }))).acknowledgedAt).toBeNull()
    await expect(handlers.getProof(call({ params: { proofId: randomUUID() } }))).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('has a key set for each kiosk, with the revoked keys in a list of their own', async () => {
    const kioskId = await aKiosk('a')
    const keys = async () =>
      (await handlers.jwks(call({ params: { kioskId } }))) as unknown as {
        keys: { kid: string }[]
        revoked: { kid: string; since: string }[]
      }
    expect((await keys()).keys.map(({ kid }) => kid)).toEqual(['k1', 'k2'])
    await db.query(SYSTEM, `UPDATE kiosks SET revoked_keys = $2::jsonb WHERE id = $1`, [
      kioskId,
      JSON.stringify({ k1: now.getTime() }),
    ])
    expect(await keys()).toMatchObject({
      keys: [{ kid: 'k2' }],
      revoked: [{ kid: 'k1', since: '2026-03-01T10:00:00.000Z', key: { kid: 'k1' } }],
    })
    await expect(handlers.jwks(call({ params: { kioskId: randomUUID() } }))).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('webhooks', () => {
  const create = (body: object = {}) =>
    handlers.createWebhook(
      call({
        body: { url: 'https://hooks.bank.example/x', events: ['proof.stored', 'proof.stored'], ...body },
      }),
    )
  const list = async () => (await handlers.listWebhooks(call())).webhooks

  test('are made with a secret that is shown once, and listed without it', async () => {
    const made = await create()
    expect(made).toMatchObject({
      url: 'https://hooks.bank.example/x',
      events: ['proof.stored'],
      createdAt: '2026-03-01T10:00:00.000Z',
      previousSecretValidUntil: null,
      pending: 0,
      parked: 0,
    })
    expect(made.secret).toMatch(/^whsec_/)
    const [listed] = await list()
    expect({ ...listed, secret: made.secret }).toEqual(made)
    expect(listed).not.toHaveProperty('secret')
    expect(await accesses()).toEqual([['createWebhook', made.webhookId, null]])
  })

  test('keep the earlier secret for the overlap, and say until when', async () => {
    const made = await create()
    const { webhookId } = made
    const rotate = (overlapHours: number) =>
      handlers.rotateSecret(call({ params: { webhookId }, body: { overlapHours } }))
    const rotated = await rotate(2)
    expect(rotated.secret).not.toBe(made.secret)
    expect(rotated.previousSecretValidUntil).toBe('2026-03-01T12:00:00.000Z')
    now = new Date(now.getTime() + 2 * HOUR_MS - 1)
    expect((await list())[0]?.previousSecretValidUntil).toBe('2026-03-01T12:00:00.000Z')
    now = new Date(now.getTime() + 1)
    expect((await list())[0]?.previousSecretValidUntil).toBeNull()
  })

  test('are twenty at most, and of their consumer alone', async () => {
    const { webhookId } = await create()
    for (let count = 1; count < 20; count++) await create()
    await expect(create()).rejects.toMatchObject({ problems: [{ code: 'too_many', field: 'url' }] })
    await expect(create({ url: 'http://127.0.0.1/' })).rejects.toMatchObject({ code: 'validation_failed' })
    const own = holder
    holder = { ...holder, consumerId: randomUUID() }
    expect(await list()).toEqual([])
    await expect(handlers.deleteWebhook(call({ params: { webhookId } }))).rejects.toMatchObject({
      code: 'not_found',
    })
    holder = own
    await handlers.deleteWebhook(call({ params: { webhookId } }))
    expect(await list()).toHaveLength(19)
  })

  test('list what was sent by state and page, and send it again', async () => {
    const { webhookId } = await create()
    const ids: string[] = []
    for (const [minute, state] of (['DELIVERED', 'PARKED', 'PENDING'] as const).entries()) {
      const id = randomUUID()
      ids.push(id)
      await db.query(
        SYSTEM,
        `INSERT INTO deliveries (id, tenant_id, webhook_id, event_id, type, body, state, attempts, last_status, last_error,
           next_try_at, since, created_at, delivered_at)
         VALUES ($1, 'acme', $2, $3, 'proof.stored', '{}', $4, 2, 500, 'status', $5, $5, $5,
           CASE WHEN $4 = 'DELIVERED' THEN $5::timestamptz END)`,
        [id, webhookId, randomUUID(), state, new Date(now.getTime() + minute * 60_000)],
      )
    }
    const page = (query: object = {}) =>
      handlers.listDeliveries(call({ params: { webhookId }, query: { limit: 50, ...query } }))
    const all = await page()
    expect(all.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([...ids].reverse())
    expect(all.deliveries.map(({ nextTryAt, deliveredAt }) => [nextTryAt, deliveredAt])).toEqual([
      ['2026-03-01T10:02:00.000Z', null],
      [null, null],
      [null, '2026-03-01T10:00:00.000Z'],
    ])
    const first = await page({ limit: 2 })
    expect(first.next).toBe(ids[1])
    expect((await page({ limit: 2, after: ids[1] })).deliveries.map(({ deliveryId }) => deliveryId)).toEqual([
      ids[0],
    ])
    expect((await page({ limit: 3 })).next).toBeNull()
    expect((await page({ state: 'PARKED' })).deliveries.map(({ deliveryId }) => deliveryId)).toEqual([ids[1]])
    expect((await list())[0]).toMatchObject({ pending: 1, parked: 1 })
    const again = await handlers.resendDelivery(call({ params: { webhookId, deliveryId: ids[1] } }))
    expect(again).toMatchObject({ deliveryId: ids[1], state: 'PENDING', attempts: 2, deliveredAt: null })
    await expect(
      handlers.resendDelivery(call({ params: { webhookId, deliveryId: randomUUID() } })),
    ).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a certificate', () => {
  const AT = new Date('2026-03-01T10:00:00.500Z')
  let authority: Authority
  let kiosk: X509Certificate
  let own: X509Certificate
  const kioskId = '01890a5d-ac96-774b-bcce-b302099a8058'
  beforeAll(async () => {
    authority = await makeAuthority('centre 1', AT)
    const { publicKey } = await readRequest(
      await createKioskCertificateRequest(kioskId, await makeKioskKey()),
    )
    kiosk = new X509Certificate(await certifyKiosk(authority, { kioskId, publicKey }, AT))
    own = new X509Certificate(Buffer.from(authority.certificate))
  })

  test('of the service is an authority for thirty years, which its own key has signed', () => {
    expect(own.ca).toBe(true)
    expect(own.verify(own.publicKey)).toBe(true)
    expect(own.subject).toContain('centre 1')
    expect(own.validFromDate).toEqual(new Date('2026-02-28T10:00:00Z'))
    expect(own.validToDate).toEqual(new Date('2056-03-01T10:00:00Z'))
  })

  test('of a kiosk is of no authority, for a client, for ten years, and valid a day before', () => {
    expect(kiosk.ca).toBe(false)
    expect(kiosk.checkIssued(own)).toBe(true)
    expect(kiosk.verify(own.publicKey)).toBe(true)
    expect(kiosk.issuer).toBe(own.subject)
    expect(kiosk.subject).toBe(`CN=${kioskId}`)
    expect(kiosk.subjectAltName).toBe(`URI:urn:uuid:${kioskId}`)
    // Client authentication (RFC 5280, 4.2.1.12), and nothing else.
    expect(kiosk.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(kiosk.validFromDate).toEqual(new Date('2026-02-28T10:00:00Z'))
    expect(kiosk.validToDate).toEqual(new Date('2036-03-01T10:00:00Z'))
    // RFC 5280, 4.1.2.2: positive, and at most twenty octets.
    expect(kiosk.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/)
    expect(kiosk.serialNumber).not.toBe(own.serialNumber)
  })
})
