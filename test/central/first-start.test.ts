/** A key file and a database that do not belong together start nothing, and a new central service begins only where none was lost. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { perform } from '../../server/central/admin/perform.ts'
import { loadCentralConfig } from '../../server/central/config.ts'
import { createDb } from '../../server/central/db/db.ts'
import { openPostgres } from '../../server/central/db/postgres.ts'
import { judgeFirstStart } from '../../server/central/first-start.ts'
import { StaffOptionsSchema } from '../../server/central/head-office/index.ts'
import { createCentralService } from '../../server/central/index.ts'
import { silentLog } from '../../server/log.ts'
import { CENTRAL_DATABASES } from '../support/central-databases.ts'
import { layEmbeddedDatabase } from '../support/embedded-database.ts'
import { findFreePort, type TestPostgres } from '../support/postgres.ts'
import { collectLog } from './head-office/support.ts'

test.each([
  ['nothing is there yet', { hasCentralService: false, hasRows: false, hasKeyFile: false }, 'make'],
  ['both are there', { hasCentralService: true, hasRows: true, hasKeyFile: true }, 'open'],
  [
    'the key is gone',
    { hasCentralService: true, hasRows: true, hasKeyFile: false },
    /its key file is missing/,
  ],
  [
    'the database is empty',
    { hasCentralService: false, hasRows: false, hasKeyFile: true },
    /Check DATABASE_URL/,
  ],
  ['a restore broke off', { hasCentralService: false, hasRows: true, hasKeyFile: true }, /did not finish/],
])('when %s', (_, facts, expected) => {
  const judging = (mayBeNew: boolean) => judgeFirstStart({ ...facts, mayBeNew })
  if (typeof expected === 'string') expect(judging(false)).toBe(expected)
  else {
    expect(() => judging(false)).toThrow(
      expect.objectContaining({
        code: 'key_unavailable',
        details: { reason: expect.stringMatching(expected) as unknown },
      }),
    )
  }
  // The operator asks for a new central service: an empty database becomes one, and no other case changes.
  if (facts.hasCentralService || facts.hasRows) {
    if (expected === 'open') expect(judging(true)).toBe('open')
    else expect(() => judging(true)).toThrow('key_unavailable')
  } else expect(judging(true)).toBe('make')
})

describe.each(CENTRAL_DATABASES)('on $name', ({ name, reason, start }) => {
  let postgres: TestPostgres | null = null
  const folders: string[] = []

  beforeAll(async () => {
    if (reason === null) postgres = await start()
  })
  afterAll(() => {
    postgres?.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  const anEmptyOne = async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-first-'))
    folders.push(dataDir)
    if (postgres === null) await layEmbeddedDatabase(dataDir)
    const url = postgres?.createDatabase()
    const config = loadCentralConfig({ dataDir, port: 0 }, url === undefined ? {} : { DATABASE_URL: url })
    return { config, url, dataDir }
  }

  describe.skipIf(reason !== null)(`a start${reason === null ? '' : ` (${reason})`}`, () => {
    test('is refused for an empty database beside the key of another one, changes nothing there, and init begins a new one', async () => {
      const { config, url } = await anEmptyOne()
      const key = `${'5e'.repeat(32)}\n`
      mkdirSync(join(config.masterKeyFile, '..'), { recursive: true, mode: 0o700 })
      writeFileSync(config.masterKeyFile, key, { mode: 0o600 })
      await expect(createCentralService({ config, log: silentLog })).rejects.toMatchObject({
        code: 'key_unavailable',
        details: { reason: expect.stringContaining('npm run central -- init') as unknown },
      })
      const listing = perform(config, silentLog, 'listTenants', {})
      await expect(listing).rejects.toMatchObject({ code: 'key_unavailable' })
      if (url !== undefined) {
        const db = createDb(openPostgres({ url, connections: 1 }, silentLog))
        const tables = await db.asOwner((queries) =>
          queries.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"),
        )
        await db.close()
        expect(tables).toEqual([])
      }
      const made = await perform(config, silentLog, 'init', {}, { mayBeNew: true })
      expect(made).toMatchObject({ centreId: expect.any(String) as unknown })
      expect(readFileSync(config.masterKeyFile, 'utf8')).toBe(key)
      // A repetition keeps the central service, and it starts.
      expect(await perform(config, silentLog, 'init', {}, { mayBeNew: true })).toEqual(made)
      const central = await createCentralService({ config, log: silentLog })
      await central.close()
    })

    test.skipIf(name === 'PGlite')(
      'waits for a database that is not up, says so to whom asks, and is ready when it comes',
      async () => {
        const { config } = await anEmptyOne()
        const port = await findFreePort()
        postgres?.stopServer()
        const { log, text } = collectLog()
        const { oidc } = StaffOptionsSchema.parse({
          oidc: {
            address: `http://127.0.0.1:${port}`,
            issuer: 'http://127.0.0.1:1',
            allowHttp: true,
            clientId: 'central',
            roles: [{ value: 'readers', role: 'viewer', tenants: 'all' }],
          },
        })
        const staff = { oidc: oidc ? { ...oidc, clientSecret: null } : null }
        const starting = createCentralService({ config: { ...config, port, staff }, log })
        const ask = (path: string, accept: string) =>
          fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept } })
        const health = async () => (await ask('/healthcheck', '*/*')).status
        const isAlive = async () => (await ask('/healthcheck/live', '*/*')).status === 200
        const describeAnswer = async (accept: string) => {
          const answer = await ask('/staff/sign-in', accept)
          return `${answer.status} ${answer.headers.get('content-type')}`
        }
        const page = '503 text/html; charset=utf-8'
        await vi.waitFor(async () => expect(await health()).toBe(503), 10_000)
        expect(await isAlive()).toBe(true)
        expect(await describeAnswer('text/html,*/*')).toBe(page)
        await vi.waitFor(() => expect(text()).toContain('no server listens at its host and port'), 10_000)
        postgres?.startServer()
        const central = await starting
        expect(await health()).toBe(200)
        postgres?.stopServer()
        expect([await health(), await isAlive()]).toEqual([503, true])
        expect(await describeAnswer('text/html,*/*')).toBe(page)
        expect(await describeAnswer('application/json')).toMatch(/^503 application\/problem\+json/)
        postgres?.startServer()
        await central.close()
      },
    )

    test('without a key file makes key and central service together, once for two instances', async () => {
      const { config } = await anEmptyOne()
      const starting = [perform(config, silentLog, 'init', {}), perform(config, silentLog, 'init', {})]
      const [first, second] = await Promise.all(starting)
      expect(first).toEqual(second)
      expect(existsSync(config.masterKeyFile)).toBe(true)
    })
  })
})
