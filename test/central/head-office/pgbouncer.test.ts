/** Two instances behind a pgbouncer that gives each transaction another connection. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createDb, SYSTEM } from '../../../server/central/db/db.ts'
import { openPostgres } from '../../../server/central/db/postgres.ts'
import { enqueueEvent } from '../../../server/central/head-office/index.ts'
import { silentLog } from '../../../server/log.ts'
import { pgbouncerReason, startPgbouncer } from '../../support/pgbouncer.ts'
import { eventually, startReceiver } from '../../support/webhook-receiver.ts'
import { onPostgres } from './databases.ts'
import { addKey, addKiosk, addProof, addTenant, startOffice } from './support.ts'

if (pgbouncerReason !== null) process.stderr.write(`skipped: ${pgbouncerReason}\n`)

onPostgres('pgbouncer in front of the database', (newDatabase) => {
  describe.skipIf(pgbouncerReason !== null)('with pools of transactions', () => {
    test('migrates, stores, lists and keeps tenants apart over three connections, and leaves no state on them', async () => {
      const databaseUrl = newDatabase()
      const pgbouncer = await startPgbouncer(databaseUrl, 3)
      const options = { callsPerMinute: 10_000 }
      const one = await startOffice({ databaseUrl: pgbouncer.url, options })
      const two = await startOffice({ databaseUrl: pgbouncer.url, dataDir: one.dataDir, options })
      const keys: string[] = []
      const stored = new Map<string, Set<string>>()
      for (const tenant of ['a', 'b']) {
        await addTenant(one, tenant)
        keys.push(await addKey(one, tenant))
        stored.set(tenant, new Set())
      }
      await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const tenant = index % 2 === 0 ? 'a' : 'b'
          const kiosk = await addKiosk(one, tenant)
          for (let sequence = 1; sequence <= 4; sequence++) {
            const { proofId } = await addProof(sequence % 2 === 0 ? one : two, tenant, kiosk, sequence)
            stored.get(tenant)?.add(proofId)
          }
        }),
      )
      const [a, b] = await Promise.all(
        keys.map(async (key, index) => {
          const { body } = await (index === 0 ? one : two).call(key, 'GET', '/proofs?limit=100&wait=5')
          return new Set(body.proofs.map(({ proofId }) => proofId))
        }),
      )
      expect(a).toEqual(stored.get('a'))
      expect(b).toEqual(stored.get('b'))
      await one.upkeep.run()

      const states = await Promise.all(
        [1, 2, 3].map(async () => {
          const client = new pg.Client({ connectionString: pgbouncer.url })
          await client.connect()
          const { rows } = await client.query(
            `SELECT current_setting('role') AS role, current_setting('app.tenant', true) AS tenant,
               current_setting('lock_timeout') AS lock, pg_sleep(0.2)`,
          )
          await client.end()
          return rows[0] as Record<string, unknown>
        }),
      )
      for (const state of states) expect(state).toMatchObject({ role: 'none', lock: '0' })
      expect(states.map(({ tenant }) => tenant).filter(Boolean)).toEqual([])
      const held = await one.db.query(
        SYSTEM,
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      expect(held).toEqual([])
      await two.close()
      await one.stop()
      await pgbouncer.close()
    })

    test('needs the address of PostgreSQL itself to hear calls, and says so', async () => {
      const databaseUrl = newDatabase()
      const pgbouncer = await startPgbouncer(databaseUrl, 3)
      const pooled = { kind: 'postgres', url: pgbouncer.url, connections: 5 } as const
      const options = { webhooks: { allowHttp: true, allowPrivateAddresses: true, pollMs: 60_000 } }
      const warned: unknown[] = []
      const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) }
      const deaf = await startOffice({
        config: { database: pooled },
        options,
        log,
      })
      await eventually(
        () => warned,
        (all) => JSON.stringify(all).includes('database.listenUrl'),
        20_000,
      )
      await deaf.close()
      const office = await startOffice({
        dataDir: deaf.dataDir,
        config: { database: { ...pooled, listenUrl: databaseUrl } },
        options,
      })
      await addTenant(office, 'a')
      const key = await addKey(office, 'a')
      const receiver = await startReceiver()
      await office.call(key, 'POST', '/webhooks', { url: receiver.url, events: ['proof.stored'] })
      const command = createDb(openPostgres(pooled, silentLog))
      // Until the instance listens.
      await eventually(
        async () => {
          await command.transaction(SYSTEM, (queries) =>
            enqueueEvent(queries, { tenantId: 'a', type: 'proof.stored', at: new Date(), data: {} }),
          )
          await sleep(300)
          return receiver.received.length
        },
        (count) => count > 0,
        10_000,
      )
      await command.close()
      await office.stop()
      await receiver.close()
      await pgbouncer.close()
    })
  })
})
