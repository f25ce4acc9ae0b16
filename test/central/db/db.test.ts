/** The database layer: one schema for both drivers, tenants kept apart by it, and what happens when it goes away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDb, SYSTEM, type Db } from '../../../server/central/db/db.ts'
import { migrate } from '../../../server/central/db/migrate.ts'
import { MIGRATIONS } from '../../../server/central/db/migrations/index.ts'
import { openNewEmbedded } from '../../support/embedded-database.ts'
import { openPostgres } from '../../../server/central/db/postgres.ts'
import { ALARM_KINDS } from '../../../server/central/kiosks/alarms.ts'
import { silentLog } from '../../../server/log.ts'
import { CENTRAL_DATABASES } from '../../support/central-databases.ts'
import type { TestPostgres } from '../../support/postgres.ts'

const NEWEST = MIGRATIONS.at(-1)?.version
const insertTenant = `INSERT INTO tenants (tenant_id, name, created_at) VALUES ($1, $1, now())`

describe.each(CENTRAL_DATABASES)('on $name', ({ reason, start }) => {
  let postgres: TestPostgres | null = null
  let url = ''
  let db: Db

  const openDb = async (): Promise<Db> =>
    createDb(postgres ? openPostgres({ url, connections: 5 }, silentLog) : await openNewEmbedded())

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    // A plain owner: no superuser, as the README asks for.
    postgres?.sql('CREATE ROLE plain_owner LOGIN CREATEROLE')
    url = postgres?.createDatabase({ owner: 'plain_owner' }) ?? ''
    db = await openDb()
    await migrate(db)
    await db.transaction(SYSTEM, async (queries) => {
      for (const tenant of ['acme', 'other']) {
        await queries.query(insertTenant, [tenant])
        await queries.query(
          `INSERT INTO kiosks (id, tenant_id, name, public_jwk, certificate, proof_keys, proof_keys_at, enrolled_at)
           VALUES (gen_random_uuid(), $1, $1, '{}', '', '[]', now(), now())`,
          [tenant],
        )
      }
    })
  })
  afterAll(async () => {
    await db?.close()
    postgres?.close()
  })

  describe.skipIf(reason !== null)(`a tenant${reason === null ? '' : ` (${reason})`}`, () => {
    test('sees its own rows whatever the statement asks for', async () => {
      const rows = await db.query({ tenant: 'acme' }, 'SELECT tenant_id FROM kiosks')
      expect(rows).toEqual([{ tenant_id: 'acme' }])
      const asked = `SELECT tenant_id FROM kiosks WHERE tenant_id = 'other' OR true`
      expect(await db.query({ tenant: 'acme' }, asked)).toEqual([{ tenant_id: 'acme' }])
      expect(await db.query({ tenant: 'nobody' }, 'SELECT * FROM kiosks')).toEqual([])
      expect(await db.query({ tenant: 'acme' }, 'SELECT tenant_id FROM tenants')).toEqual(rows)
    })

    test.each([
      ['writes a row of another tenant', `UPDATE alarms SET tenant_id = 'other'`, null],
      ['enters a kiosk', `INSERT INTO kiosks (id) VALUES (gen_random_uuid())`, '42501'],
      ['deletes proofs', 'DELETE FROM proofs', '42501'],
      ["looks at the central service's keys", 'SELECT * FROM centre_keys', '42501'],
      ['looks at enrolment codes', 'SELECT * FROM enrolment_codes', '42501'],
      ['looks at the key hashes of consumers', 'SELECT * FROM consumer_keys', '42501'],
    ])('is refused where it %s', async (_, sql, code) => {
      const trying = db.query({ tenant: 'acme' }, sql)
      if (code === null) expect(await trying).toEqual([])
      else await expect(trying).rejects.toMatchObject({ code })
    })

    test('cannot name another tenant in the setting of a later transaction', async () => {
      await db.query({ tenant: 'other' }, 'SELECT 1')
      await db.transaction({ tenant: 'acme' }, async (queries) => {
        expect(await queries.query('SELECT tenant_id FROM kiosks')).toEqual([{ tenant_id: 'acme' }])
      })
      // Row security applies to the owner too, without a role and a tenant.
      if (postgres) expect(await db.asOwner((queries) => queries.query('SELECT * FROM kiosks'))).toEqual([])
      await expect(db.query({ tenant: `x', true); --` }, 'SELECT 1')).rejects.toThrow(TypeError)
    })

    test('has row security, forced, on every table with its id', async () => {
      const open = await db.query(
        SYSTEM,
        `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
         WHERE c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
      )
      expect(open).toEqual([])
    })
  })

  describe.skipIf(reason !== null)('the schema', () => {
    test('is made once when several instances start at the same time', async () => {
      if (!postgres) return
      const fresh = postgres.createDatabase({ owner: 'plain_owner' })
      const dbs = [1, 2, 3].map(() => createDb(openPostgres({ url: fresh, connections: 2 }, silentLog)))
      expect(await Promise.all(dbs.map((one) => migrate(one)))).toEqual([NEWEST, NEWEST, NEWEST])
      await Promise.all(dbs.map((one) => one.close()))
    })

    test('is changed without stopping other instances while a long reader, such as a backup, has a table', async () => {
      if (!postgres) return
      const fresh = postgres.createDatabase({ owner: 'plain_owner' })
      const one = createDb(openPostgres({ url: fresh, connections: 4 }, silentLog))
      await migrate(one)
      const [isReading, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const reader = one.transaction(SYSTEM, async (queries) => {
        await queries.query('SELECT 1 FROM kiosks')
        isReading.resolve()
        await mayEnd.promise
      })
      await isReading.promise
      const next = { version: Number(NEWEST) + 1, sql: 'ALTER TABLE kiosks ADD COLUMN added integer' }
      const migrating = migrate(one, [...MIGRATIONS, next])
      const isWaiting = `SELECT 1 FROM pg_locks WHERE relation = 'kiosks'::regclass AND NOT granted`
      await expect.poll(() => one.query(SYSTEM, isWaiting)).toHaveLength(1)
      const startedAt = performance.now()
      await one.query(SYSTEM, 'SELECT 1 FROM kiosks')
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      mayEnd.resolve()
      await reader
      expect(await migrating).toBe(next.version)
      await one.close()
    })

    test('changes in a way that lets the version before continue, and rebuilds no table that grows', () => {
      const grows = '(proofs|withdrawn|deletions|access_log|deliveries)'
      // A longer list of kinds of alarms takes what the version before writes.
      const kinds = MIGRATIONS.findLast(({ sql }) => sql.includes('alarms_kind_check'))?.sql ?? ''
      expect(ALARM_KINDS.filter((kind) => !kinds.includes(`'${kind}'`))).toEqual([])
      const stops = new RegExp(
        `CREATE (UNIQUE )?INDEX \\w+ ON ${grows}\\b|ALTER TABLE ${grows}\\b[^;]*(ADD CONSTRAINT|UNIQUE)|` +
          'RENAME|DROP (TABLE|COLUMN|CONSTRAINT (?!alarms_kind_check))|SET NOT NULL|ALTER COLUMN \\w+ (SET DATA )?TYPE',
        'i',
      )
      expect(stops.test(MIGRATIONS.find(({ version }) => version === 12)?.sql ?? '')).toBe(true)
      // Measured: 12 takes a second for 300 000 proofs, 14 and 15 a quarter of a second for a million rows of a log. 19 and 21 copy
      // nothing and read no row (months.test.ts).
      const broken = MIGRATIONS.filter(
        ({ version, sql }) => version > 15 && version !== 19 && version !== 21 && stops.test(sql),
      )
      expect(broken.map(({ version }) => version)).toEqual([])
    })

    test('of a newer version is refused', async () => {
      await expect(migrate(db, MIGRATIONS.slice(0, 1))).rejects.toMatchObject({ code: 'database_newer' })
      expect(await migrate(db)).toBe(NEWEST)
    })
  })

  describe.skipIf(reason !== null)('a transaction', () => {
    test('is all or nothing', async () => {
      const failing = db.transaction(SYSTEM, async (queries) => {
        await queries.query(insertTenant, ['half'])
        throw new RangeError('in the middle')
      })
      await expect(failing).rejects.toThrow(RangeError)
      expect(await db.query(SYSTEM, `SELECT 1 FROM tenants WHERE tenant_id = 'half'`)).toEqual([])
    })

    test('runs again when PostgreSQL asks for it, a bounded number of times', async () => {
      let runs = 0
      const deadlocked = db.transaction(SYSTEM, async (queries) => {
        runs++
        await queries.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$`)
      })
      await expect(deadlocked).rejects.toMatchObject({ code: 'centre_unavailable' })
      expect(runs).toBe(5)
    })

    test('continues when PostgreSQL crashed and came back, and is refused as unavailable while it is away', async () => {
      if (!postgres) return
      postgres.restart('immediate')
      expect(await db.query(SYSTEM, 'SELECT count(*) AS n FROM tenants')).toEqual([{ n: 2 }])
      postgres.stopServer()
      await expect(db.query(SYSTEM, 'SELECT 1')).rejects.toMatchObject({ code: 'centre_unavailable' })
      postgres.startServer()
      expect(await db.query(SYSTEM, 'SELECT count(*) AS n FROM tenants')).toEqual([{ n: 2 }])
    })
  })
})
