/** The partitions of the access log and of the webhook deliveries by month: how tables of before become one, and how a month ends. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dumpDatabase } from '../../../server/central/backup/dump.ts'
import { loadDatabase } from '../../../server/central/backup/load.ts'
import { createDb, SYSTEM, type Db } from '../../../server/central/db/db.ts'
import { migrate } from '../../../server/central/db/migrate.ts'
import { MIGRATIONS } from '../../../server/central/db/migrations/index.ts'
import {
  countMonthsAhead,
  dropMonths,
  prepareMonths,
  type MonthRule,
} from '../../../server/central/db/months.ts'
import { openPostgres } from '../../../server/central/db/postgres.ts'
import { noteOperatorAct } from '../../../server/central/head-office/access-log.ts'
import { silentLog } from '../../../server/log.ts'
import { CENTRAL_DATABASES } from '../../support/central-databases.ts'
import { openNewEmbedded } from '../../support/embedded-database.ts'
import type { TestPostgres } from '../../support/postgres.ts'

/** The last migration before the partitions. */
const BEFORE = 18
const INSERT_ACCESS = `INSERT INTO access_log (id, tenant_id, at, operation) VALUES
  ((left(first_id($1)::text, 14) || substr(gen_random_uuid()::text, 15))::uuid, 'acme', $1, $2)`
const BY_RETENTION = {
  by: 'retention',
  tenantId: null,
  at: new Date(),
  reason: null,
  result: 'OK',
}
const INSERT_DELIVERY = `INSERT INTO deliveries (tenant_id, webhook_id, event_id, type, body, state, next_try_at, since, created_at,
    delivered_at)
  VALUES ('acme', $1, gen_random_uuid(), 'proof.stored', $2, $3, now(), now(), now(), $4) RETURNING id`

/** The 10th of a month so many months from now. */
const monthFromNow = (months: number): Date => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 10))
}
const partition = (table: string, months: number): string =>
  `${table}_${monthFromNow(months).toISOString().slice(0, 7).replace('-', '_')}`

describe.each(CENTRAL_DATABASES)('on $name', ({ reason, start }) => {
  let postgres: TestPostgres | null = null
  let db: Db
  const webhookId = randomUUID()

  const listPartitions = async (table: string): Promise<string[]> =>
    (
      await db.query<{ name: string }>(
        SYSTEM,
        'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1',
        [table],
      )
    ).map(({ name }) => name)
  /** Files of the tables and indexes: another one would be a copy. */
  const listFiles = async (...tables: string[]): Promise<number[]> =>
    (
      await db.query<{ file: number }>(
        SYSTEM,
        `SELECT pg_relation_filenode(oid)::bigint AS file FROM pg_class
         WHERE oid = ANY ($1::regclass[]) OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = ANY ($1::regclass[])) ORDER BY 1`,
        [tables],
      )
    ).map(({ file }) => file)
  const listBodies = async (table: string) =>
    (await db.query<{ body: string }>(SYSTEM, `SELECT body FROM ${table} ORDER BY body`)).map(
      ({ body }) => body,
    )
  const listOperations = async (table: string) =>
    (await db.query<{ operation: string }>(SYSTEM, `SELECT operation FROM ${table} ORDER BY id`)).map(
      ({ operation }) => operation,
    )
  const addDelivery = async (body: string, state: string, deliveredAt: Date | null): Promise<string> => {
    const [row] = await db.query<{ id: string }>(SYSTEM, INSERT_DELIVERY, [
      webhookId,
      body,
      state,
      deliveredAt,
    ])
    return row.id
  }
  const drop = async (at: Date, rule: MonthRule): Promise<string[]> => {
    const noted: string[] = []
    await dropMonths(db, at, rule, async (queries, operation, subject) => {
      noted.push(`${operation} ${subject}`)
      await noteOperatorAct(queries, { ...BY_RETENTION, operation, subject })
    })
    return noted
  }

  beforeAll(async () => {
    if (reason !== null) return
    postgres = await start()
    postgres?.sql('CREATE ROLE plain_owner LOGIN CREATEROLE')
    const url = postgres?.createDatabase({ owner: 'plain_owner' }) ?? ''
    db = createDb(postgres ? openPostgres({ url, connections: 5 }, silentLog) : await openNewEmbedded())
    await migrate(db, MIGRATIONS.slice(0, BEFORE))
    await db.transaction(SYSTEM, async (queries) => {
      await queries.query(
        `INSERT INTO tenants (tenant_id, name, created_at) VALUES ('acme', 'acme', now()), ('other', 'other', now())`,
      )
      await queries.query(
        `INSERT INTO consumers (id, tenant_id, name, created_at) VALUES ($1, 'acme', 'archive', now())`,
        [webhookId],
      )
      await queries.query(
        `INSERT INTO webhooks (id, tenant_id, consumer_id, url, events, secret, created_at)
         VALUES ($1, 'acme', $1, 'https://archive.example/', '{}', '', now())`,
        [webhookId],
      )
      // Ids as the version before makes them: 2025-09-01, and by a clock that was half a year ahead.
      await queries.query(
        `INSERT INTO access_log (id, tenant_id, at, operation) VALUES
           ('01990275-8000-7000-8000-000000000001', 'acme', '2025-09-01', 'old'),
           ((lpad(to_hex((extract(epoch FROM $1::timestamptz) * 1000)::bigint), 12, '0') || '70008000000000000001')::uuid, 'acme',
             $1, 'clock was wrong')`,
        [monthFromNow(6)],
      )
      for (const [body, state, at] of [
        ['old', 'DELIVERED', new Date('2025-09-01')],
        ['parked', 'PARKED', null],
        ['waits', 'PENDING', null],
      ] as const)
        await queries.query(INSERT_DELIVERY, [webhookId, body, state, at])
    })
  })
  afterAll(async () => {
    await db?.close()
    postgres?.close()
  })

  describe.skipIf(reason !== null)('the months', () => {
    test('begin with the tables of the version before, which are neither copied nor indexed again', async () => {
      const files = await listFiles('access_log', 'deliveries')
      await migrate(db)
      expect(await listFiles('access_log_first', 'deliveries_open')).toEqual(files)
      await migrate(db)
      expect(await db.transaction(SYSTEM, countMonthsAhead)).toEqual([
        { table: 'access_log', months: 7 },
        { table: 'deliveries', months: 2 },
      ])
      // A row of a wrong clock moves the bound; the migration does not fail.
      expect(await listPartitions('access_log')).toEqual([partition('access_log', 7), 'access_log_first'])
      expect(await listPartitions('deliveries')).toEqual([partition('deliveries', 2), 'deliveries_open'])
      expect(await listOperations('access_log')).toEqual(['old', 'clock was wrong'])
      expect(await listBodies('deliveries')).toEqual(['old', 'parked', 'waits'])
    })

    test('are made ahead without a gap, once, by instances that look at the same time', async () => {
      await Promise.all([prepareMonths(db, 9), prepareMonths(db, 9), prepareMonths(db, 3)])
      expect(await listPartitions('access_log')).toEqual([
        ...[7, 8, 9].map((months) => partition('access_log', months)),
        'access_log_first',
      ])
      expect(await listPartitions('deliveries')).toEqual([
        ...[2, 3, 4, 5, 6, 7, 8, 9].map((months) => partition('deliveries', months)),
        'deliveries_open',
      ])
    })

    test('hide their rows from every role that does not ask the table', async () => {
      await db.query(SYSTEM, INSERT_ACCESS, [monthFromNow(8), 'month 8'])
      await addDelivery('month 3', 'DELIVERED', monthFromNow(3))
      const partitions = [...(await listPartitions('access_log')), ...(await listPartitions('deliveries'))]
      for (const name of partitions) {
        for (const statement of [`SELECT * FROM ${name}`, `DELETE FROM ${name}`])
          await expect(db.query({ tenant: 'acme' }, statement)).rejects.toMatchObject({ code: '42501' })
        await expect(db.query(SYSTEM, `DELETE FROM ${name}`)).rejects.toMatchObject({ code: '42501' })
        if (postgres)
          expect(await db.asOwner((queries) => queries.query(`SELECT * FROM ${name}`))).toEqual([])
      }
      expect(await db.query({ tenant: 'other' }, 'SELECT * FROM access_log')).toEqual([])
      expect(await db.query({ tenant: 'other' }, 'SELECT * FROM deliveries')).toEqual([])
      expect(await db.query({ tenant: 'acme' }, 'SELECT * FROM access_log')).toHaveLength(3)
      expect(await listOperations(partition('access_log', 8))).toEqual(['month 8'])
      await expect(
        db.query({ tenant: 'other' }, INSERT_ACCESS, [monthFromNow(8), 'foreign']),
      ).rejects.toMatchObject({ code: '42501' })
    })

    test('take a delivery when it is delivered, and give it back when its tenant sends it again', async () => {
      const id = await addDelivery('moves', 'PENDING', null)
      expect(await listBodies('deliveries_open')).toContain('moves')
      await db.query(SYSTEM, `UPDATE deliveries SET state = 'DELIVERED', delivered_at = $2 WHERE id = $1`, [
        id,
        monthFromNow(4),
      ])
      expect(await listBodies(partition('deliveries', 4))).toEqual(['moves'])
      await db.query(
        { tenant: 'acme' },
        `UPDATE deliveries SET state = 'PENDING', delivered_at = NULL WHERE id = $1`,
        [id],
      )
      expect(await listBodies('deliveries_open')).toContain('moves')
      expect(await listBodies(partition('deliveries', 4))).toEqual([])
    })

    test('are kept while one clock, of the instance or of the database, says that their time is not over', async () => {
      expect(await drop(monthFromNow(120), { table: 'access_log', keep: '24 months' })).toEqual([])
      expect(await drop(new Date('2025-09-20'), { table: 'deliveries', keep: '30 days' })).toEqual([])
      expect(await listBodies('deliveries')).toContain('old')
    })

    test('of a backup are rows of the two tables, and the restored database makes a month for each of them', async () => {
      // Both databases in one: the backup of PostgreSQL is restored into PGlite.
      if (!postgres) return
      const pieces: Buffer[] = []
      await db.transaction(SYSTEM, async (queries) => {
        for await (const piece of dumpDatabase(queries)) pieces.push(piece)
      })
      const restored = createDb(await openNewEmbedded())
      await migrate(restored)
      await loadDatabase(restored, async function* readPieces() {
        yield* pieces
      })
      for (const statement of [
        'SELECT * FROM access_log ORDER BY id',
        'SELECT * FROM deliveries ORDER BY id',
      ])
        expect(await restored.query(SYSTEM, statement)).toEqual(await db.query(SYSTEM, statement))
      await restored.close()
    })

    // A negative time of keeping stands for later years.
    test('are dropped when they are over, each with a row of the access log; parked and waiting deliveries stay', async () => {
      const deliveries = await drop(monthFromNow(120), { table: 'deliveries', keep: '-9 months' })
      expect(deliveries).toEqual([
        ...[2, 3, 4, 5, 6, 7, 8].map((months) => `dropMonth ${partition('deliveries', months)}`),
        'deleteRows deliveries: 1',
      ])
      expect(await listPartitions('deliveries')).toEqual([partition('deliveries', 9), 'deliveries_open'])
      expect(await listBodies('deliveries')).toEqual(['moves', 'parked', 'waits'])
      const accesses = await drop(monthFromNow(120), { table: 'access_log', keep: '-9 months' })
      expect(accesses).toEqual([
        `dropMonth ${partition('access_log', 7)}`,
        `dropMonth ${partition('access_log', 8)}`,
        // Two from before the partitions, and the notes of today, which count as old here.
        `deleteRows access_log: ${2 + deliveries.length + 2}`,
      ])
      expect(await listOperations('access_log')).toEqual(['deleteRows'])
      await prepareMonths(db, 10)
      expect(await listPartitions('access_log')).toEqual([
        ...[9, 10].map((months) => partition('access_log', months)),
        'access_log_first',
      ])
    })

    test('are dropped later if a long reader, such as a backup, has the table, and the others read and write on', async () => {
      if (!postgres) return
      const [isReading, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const reader = db.transaction(SYSTEM, async (queries) => {
        await queries.query('SELECT 1 FROM access_log')
        isReading.resolve()
        await mayEnd.promise
      })
      await isReading.promise
      const dropping = drop(monthFromNow(120), { table: 'access_log', keep: '-10 months' })
      const writing = db.query(SYSTEM, INSERT_ACCESS, [monthFromNow(0), 'beside'])
      await expect(dropping).rejects.toMatchObject({ code: 'centre_unavailable' })
      await writing
      mayEnd.resolve()
      await reader
      expect(await drop(monthFromNow(120), { table: 'access_log', keep: '-10 months' })).toContain(
        `dropMonth ${partition('access_log', 9)}`,
      )
    })
  })
})
