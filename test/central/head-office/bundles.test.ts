/** Bundles: numbers that only count up, content that comes back under a new one, signed, sealed where they lie. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../../server/central/db/db.ts'
import { newestBundle, newestVersion } from '../../../server/central/head-office/index.ts'
import { loadMasterKey } from '../../../server/central/master-key.ts'
import { createSecrets } from '../../../server/central/secrets.ts'
import { readStatement } from '../../../server/protocol/statements.ts'
import { onEachDatabase } from './databases.ts'
import { addKey, addKiosk, addTenant, aStatus, startOffice, type TestOffice } from './support.ts'

const POLICY = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../resources/policies/default.json'), 'utf8'),
) as object

onEachDatabase('bundles', (newDatabase) => {
  let office: TestOffice
  let key: string
  beforeAll(async () => {
    office = await startOffice({ databaseUrl: newDatabase() })
    await addTenant(office, 'a')
    await addTenant(office, 'b')
    key = await addKey(office, 'a')
  })
  afterAll(() => office.stop())

  const inForce = async (tenantId: string) => {
    const { db, keys, config } = office.context
    const secrets = createSecrets(loadMasterKey(config.masterKeyFile))
    const jws = await db.transaction(SYSTEM, (queries) => newestBundle(queries, tenantId, secrets))
    return jws === null ? null : readStatement('bundle', jws, keys.current().trust.statementKeys.keys)
  }

  test('going back is a higher number with the old content', async () => {
    expect(await inForce('a')).toBeNull()
    const policies = { house: { ...POLICY, id: 'house' } }
    const first = await office.call(key, 'POST', '/bundles', {
      policies,
      settings: { otp: { digits: 8 } },
    })
    await office.call(key, 'POST', '/bundles', { watchlists: { documents: ['x'] } })
    expect(await inForce('a')).toMatchObject({ version: 2, policies: {}, watchlists: { documents: ['x'] } })
    const back = await office.call(key, 'POST', '/bundles/1/rollback')
    expect([first.body.version, back.body.version, back.body.rolledBackTo]).toEqual([1, 3, 1])
    expect(await inForce('a')).toMatchObject({
      tenantId: 'a',
      version: 3,
      policies,
      settings: { otp: { digits: 8 } },
      watchlists: {},
    })
    expect(await inForce('b')).toBeNull()
    expect((await office.call(key, 'POST', '/bundles/9/rollback')).status).toBe(404)
  })

  test('what every kiosk would refuse is refused before it is published, with every problem', async () => {
    const before = (await office.call(key, 'GET', '/bundles')).body.bundles.length
    const { status, body } = await office.call(key, 'POST', '/bundles', {
      settings: { port: 1, otp: { digits: 'six' }, retentoin: { days: 1 } },
      policies: { house: { id: 'house', levels: [] } },
    })
    expect(status).toBe(400)
    expect(body.errors.map(({ field }) => field)).toEqual(
      expect.arrayContaining([
        'settings.port',
        'settings.retentoin',
        'settings.otp.digits',
        'policies/house:title',
      ]),
    )
    expect((await office.call(key, 'GET', '/bundles')).body.bundles).toHaveLength(before)
  })

  test('of two publishers that changed the same version the second is refused and told the newest version', async () => {
    const before = (await office.call(key, 'GET', '/bundles')).body.bundles[0]?.version ?? 0
    const publish = (watchlist: string) =>
      office.call(key, 'POST', '/bundles', { watchlists: { [watchlist]: [] }, expectedVersion: before })
    const answers = await Promise.all([publish('first'), publish('second')])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(answers.find(({ status }) => status === 409)?.body.errors).toEqual([
      {
        code: 'version_changed',
        field: 'expectedVersion',
        message: `the newest version is ${before + 1}`,
      },
    ])
    const back = { expectedVersion: before }
    expect((await office.call(key, 'POST', `/bundles/${before}/rollback`, back)).status).toBe(409)
    expect((await office.call(key, 'GET', '/bundles')).body.bundles[0]?.version).toBe(before + 1)
  })

  test('the values of a version are read by publishers of the tenant only, logged, and published again as they are', async () => {
    const order = { settings: { otp: { digits: 7 } }, watchlists: { documents: ['read back'] } }
    const version = String((await office.call(key, 'POST', '/bundles', order)).body.version)
    const { status, body } = await office.call(key, 'GET', `/bundles/${version}`)
    expect(status).toBe(200)
    expect(body.content).toEqual({ ...order, policies: {} })
    expect((await office.call(key, 'POST', '/bundles', body.content)).status).toBe(201)
    const other = await addKey(office, 'b')
    const reader = await addKey(office, 'a', ['fleet:read'], 'reader')
    expect((await office.call(other, 'GET', `/bundles/${version}`)).status).toBe(404)
    expect((await office.call(reader, 'GET', `/bundles/${version}`)).status).toBe(403)
    const log = await office.call(key, 'GET', '/access')
    expect(log.body.accesses).toContainEqual(
      expect.objectContaining({ operation: 'getBundle', subject: version }),
    )
  })

  test('who publishes at the same time gets one number after the other', async () => {
    const before = (await office.call(key, 'GET', '/bundles')).body.bundles[0]?.version ?? 0
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => office.call(key, 'POST', '/bundles', { watchlists: { at } })),
    )
    expect(answers.map(({ body }) => Number(body.version) - before).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, at) => at + 1),
    )
    const { db } = office.context
    expect(await db.transaction({ tenant: 'b' }, (queries) => newestVersion(queries, 'b'))).toBe(0)
  })

  test('the content lies sealed; how many kiosks run a version is shown', async () => {
    const canary = 'canary-of-a-watchlist'
    const { body } = await office.call(key, 'POST', '/bundles', { watchlists: { documents: [canary] } })
    const rows = await office.context.db.query<{ statement: Uint8Array }>(
      SYSTEM,
      'SELECT statement FROM bundles',
    )
    const encoded = Buffer.from(`{"documents":["${canary}`).toString('base64url').slice(4, -4)
    for (const { statement } of rows) {
      expect(Buffer.from(statement).includes(canary)).toBe(false)
      expect(Buffer.from(statement).includes(encoded)).toBe(false)
    }
    await addKiosk(office, 'a', { status: aStatus({ bundleVersion: body.version }), seenAt: new Date() })
    const kiosk = await addKiosk(office, 'a', {
      name: 'behind',
      status: aStatus({ bundleVersion: 1, bundleProblems: ['policies.house: not a policy'] }),
      seenAt: new Date(),
    })
    const list = await office.call(key, 'GET', '/bundles')
    expect(list.body.bundles[0]).toMatchObject({
      version: body.version,
      kiosks: 1,
      watchlists: ['documents'],
    })
    expect((await office.call(key, 'GET', `/kiosks/${kiosk}`)).body).toMatchObject({
      state: 'OK',
      reasons: ['bundle_refused', 'bundle_behind'],
      bundleVersion: 1,
      newestBundleVersion: body.version,
    })
  })
})
