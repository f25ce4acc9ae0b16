/**
 * The plans that PostgreSQL really chose (auto_explain) while kiosks and head offices were served on many stored proofs. Rows are
 * simulated; the statements are the product's own.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresReason, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { joinedKiosk } from '../../support/central.ts'
import { eventually, startReceiver } from '../../support/webhook-receiver.ts'
import { runAction } from '../../../server/central/admin/actions.ts'
import {
  addKey,
  addKiosk,
  addProof,
  addTenant,
  startOffice,
  type TestOffice,
} from '../head-office/support.ts'

if (postgresReason !== null) process.stderr.write(`skipped: ${postgresReason}\n`)

const EXPLAIN = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_format': 'json',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
}
/** Tables that grow with each proof. */
const GROWING = /^(proofs|withdrawn|deletions|(access_log|deliveries)_.*|proof_figures)$/
const STORED = 40_000
/** Partitions of the logs before the present month. */
const MONTHS = 8
const KIOSKS = 20
const DAY_MS = 86_400_000
/** Rows of a growing table that one statement may look at. */
const MAX_ROWS = 2_000

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

interface Logged {
  readonly 'Query Text': string
  readonly Plan: PlanNode
}

describe.skipIf(postgresReason !== null)(
  'the statements of the central service on 40 000 stored proofs',
  () => {
    let server: TestPostgres
    let office: TestOffice
    let databaseUrl: string
    let kiosks: string[]
    const keys: Record<string, string> = {}

    beforeAll(async () => {
      server = await startPostgres(EXPLAIN)
      databaseUrl = server.createDatabase()
      office = await startOffice({
        databaseUrl,
        options: { callsPerMinute: 10_000, webhooks: { allowHttp: true, allowPrivateAddresses: true } },
      })
      for (const tenant of ['large', 'small', 'acme']) {
        await addTenant(office, tenant)
        keys[tenant] = await addKey(office, tenant)
      }
      kiosks = await Promise.all(Array.from({ length: KIOSKS }, () => addKiosk(office, 'large')))
      await fill(databaseUrl, kiosks)
    }, 60_000)

    afterAll(async () => {
      await office?.stop()
      server?.close()
    })

    const listPlans = async (act: () => Promise<void>): Promise<readonly Logged[]> => {
      const file = join(server.folder, 'log')
      const before = statSync(file).size
      await act()
      const text = readFileSync(file).subarray(before).toString('utf8')
      return [...text.matchAll(/ plan:\n((?:\t.*\n)+)/g)].map(([, json = '']) => JSON.parse(json) as Logged)
    }

    const expectFast = (plans: readonly Logged[], least: number) => {
      expect(plans.length).toBeGreaterThanOrEqual(least)
      expect(plans.flatMap(listFaults)).toEqual([])
    }

    test('of a kiosk that sends a proof and its status look at few rows of growing tables', async () => {
      const kiosk = await joinedKiosk(office)
      const proofs = [await kiosk.makeProof(), await kiosk.makeProof()]
      const plans = await listPlans(async () => {
        for (const proof of proofs) expect((await kiosk.deliver(proof)).state).toBe('STORED')
        await kiosk.status()
      })
      expectFast(plans, 20)
    })

    test.each(['large', 'small'])(
      'of the head office of a %s tenant look at few rows of growing tables',
      async (tenant) => {
        const kiosk = tenant === 'large' ? kiosks[0] : await addKiosk(office, tenant)
        const { proofId } = await addProof(office, tenant, kiosk, 1_000_000, { correlationId: 'c-1' })
        const key = keys[tenant] ?? ''
        const read = async (method: string, path: string, body?: unknown) => {
          const answer = await office.call(key, method, path, body)
          expect([path, answer.status]).toEqual([path, answer.status < 300 ? answer.status : 200])
          return answer.body
        }
        const plans = await listPlans(async () => {
          const first = await read('GET', '/proofs?limit=100')
          await read('GET', `/proofs?limit=100&after=${first.next}`)
          await read('GET', `/proofs?limit=100&after=${first.proofs.at(-1)?.proofId ?? ''}`)
          await read('GET', `/proofs/${proofId}`)
          await read('GET', `/proofs/${proofId}/archive`)
          await read('POST', '/proofs/search', { correlationId: 'c-1' })
          await read('POST', `/proofs/${proofId}/acknowledgement`)
          await read('GET', '/deletions')
          const listed = await read('GET', '/fleet/proofs')
          await read('GET', `/fleet/proofs?after=${listed.proofs.at(-1)?.proofId ?? ''}`)
          await read('GET', `/fleet/proofs?search=${proofId}`)
          await read('GET', '/fleet/deletions')
          await read('GET', '/fleet/webhooks')
          await read('GET', '/kiosks')
          await read('GET', `/kiosks/${kiosk}`)
          await read('GET', `/kiosks/${kiosk}/lines`)
          await read('GET', '/alarms')
          await read('GET', '/figures?days=30')
          await read('GET', `/figures?days=30&kioskId=${kiosk}`)
        })
        expectFast(plans, 12)
      },
    )

    test('of webhook deliveries look at few rows of growing tables', async () => {
      const receiver = await startReceiver()
      const { body } = await office.call(keys.small ?? '', 'POST', '/webhooks', {
        url: receiver.url,
        events: ['proof.stored'],
      })
      const kiosk = await addKiosk(office, 'small')
      await withoutPlans(databaseUrl, (client) =>
        client.query(`UPDATE deliveries SET next_try_at = now() WHERE state = 'PENDING'`),
      )
      const plans = await listPlans(async () => {
        await addProof(office, 'small', kiosk, 1)
        await eventually(
          () => office.call(keys.small ?? '', 'GET', `/webhooks/${body.webhookId}/deliveries`),
          (answer) => answer.body.deliveries[0]?.state === 'DELIVERED',
          20_000,
        )
        await runAction(office.context, 'listDeliveries', {})
      })
      expectFast(plans, 8)
      const claims = plans.filter(({ 'Query Text': text }) => text.includes('RECURSIVE'))
      expect(claims.length).toBeGreaterThan(0)
      const scans = claims.flatMap((plan) => listScans(plan, 'deliveries'))
      expect([...new Set(scans)]).toEqual(['deliveries_open'])
      await receiver.close()
    })

    test('of the access log read one month, or two at its end', async () => {
      const key = await addKey(office, 'large', ['access:read'], 'audit')
      const plans = await listPlans(async () => {
        const { body } = await office.call(key, 'GET', '/access?limit=50')
        expect(body.accesses).toHaveLength(50)
        await office.call(key, 'GET', `/access?limit=50&after=${body.next}`)
        const from = new Date(Date.now() - 100 * DAY_MS).toISOString()
        const page = await runAction(office.context, 'listAccess', { from, limit: 50 })
        const { rows } = page as { rows: readonly { id: string }[] }
        expect(rows).toHaveLength(50)
        await runAction(office.context, 'listAccess', { after: rows.at(-1)?.id, limit: 50 })
      })
      expectFast(plans, 4)
      const reads = plans.filter(({ 'Query Text': text }) => text.includes('"personName"'))
      expect(reads).toHaveLength(4)
      for (const plan of reads) expect(listScans(plan, 'access_log').length).toBeLessThanOrEqual(2)
    })

    test('of the upkeep look at few rows of growing tables', async () => {
      expectFast(await listPlans(() => office.upkeep.run()), 5)
    })
  },
)

function listFaults({ 'Query Text': text, Plan }: Logged): string[] {
  const faults: string[] = []
  const walk = (node: PlanNode) => {
    const { 'Relation Name': relation = '', 'Actual Loops': loops, Plans = [] } = node
    const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Index Recheck': rechecked = 0 } = node
    const rows = loops * (node['Actual Rows'] + filtered + rechecked)
    if (GROWING.test(relation) && rows > MAX_ROWS)
      faults.push(`${node['Node Type']} looks at ${rows} rows of ${relation}: ${text}`)
    Plans.forEach(walk)
  }
  walk(Plan)
  return faults
}

/** The partitions of which a statement has read rows; PostgreSQL passes over the others, or stops before them. */
function listScans({ Plan }: Logged, table: string): string[] {
  const walk = (node: PlanNode): string[] => {
    const { 'Relation Name': relation = '', 'Rows Removed by Filter': filtered = 0, Plans = [] } = node
    const isRead =
      relation.startsWith(`${table}_`) && node['Actual Loops'] * (node['Actual Rows'] + filtered) > 0
    if (isRead) expect(node['Node Type']).toMatch(/^(Index|Bitmap|ModifyTable|Update|LockRows)/)
    return [...(isRead ? [relation] : []), ...Plans.flatMap(walk)]
  }
  return [...new Set(walk(Plan))]
}

/** Statements of the test itself. */
async function withoutPlans(
  databaseUrl: string,
  act: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('SET auto_explain.log_min_duration = -1')
  await act(client)
  await client.query('ANALYZE')
  await client.end()
}

/** One proof a minute at each kiosk; the rows as `complete` and the deletion leave them. */
async function fill(databaseUrl: string, kiosks: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const kioskOf = `($1::uuid[])[n % ${KIOSKS} + 1]`
  const hash = `encode(sha256(n::text::bytea), 'hex')`
  await client.query('UPDATE feed_clock SET base = 1000000')
  // Positions are simulated, too, and deleted proofs are chosen without the rules.
  await client.query(`SET session_replication_role = replica; SET auto_explain.log_min_duration = -1`)
  await client.query(
    `INSERT INTO proofs (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash,
       level_of_assurance, test, signed_by, archive_bytes, sealed_at, stored_at, correlation_hash, packet_sha256,
       packet_bytes, location, receipt, policy_id, feed_position)
     SELECT gen_random_uuid(), 'large', ${kioskOf}, n / ${KIOSKS} + 1, gen_random_uuid(), ${hash}, ${hash}, ${hash}, 'LOA2',
       false, 'k1', 200000, at, at, sha256(n::text::bytea), '', 200100, 'filler', 'receipt', 'default', n
     FROM (SELECT n, now() - interval '1 minute' * (${STORED} - n) AS at FROM generate_series(1, ${STORED}) AS n) AS made`,
    [kiosks],
  )
  await client.query(
    `INSERT INTO withdrawn (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash, sealed_at,
       withdrawn_at, receipt)
     SELECT gen_random_uuid(), 'large', ${kioskOf}, 500000 + n, gen_random_uuid(), ${hash}, ${hash}, ${hash}, now(), now(), 'r'
     FROM generate_series(1, 10000) AS n`,
    [kiosks],
  )
  await client.query(
    `WITH gone AS (
       UPDATE proofs SET deleted_at = now(), location = '' WHERE feed_position <= 30000
       RETURNING proof_id, tenant_id, kiosk_id, feed_position
     )
     INSERT INTO deletions (proof_id, tenant_id, kiosk_id, reason, actor, decided_at, deleted_at, receipt, feed_position)
     SELECT proof_id, tenant_id, kiosk_id, 'RETENTION', 'retention', now(), now(), 'receipt', feed_position FROM gone`,
  )
  await client.query('ALTER TABLE access_log DETACH PARTITION access_log_first')
  await client.query(
    `SELECT add_month(parent, (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => month))::date)
     FROM unnest(ARRAY['access_log', 'deliveries']) AS parent, generate_series(-${MONTHS}, 1) AS month`,
  )
  await client.query(
    `INSERT INTO access_log (id, tenant_id, at, operation)
     SELECT (left(first_id(at)::text, 14) || substr(gen_random_uuid()::text, 15))::uuid, 'large', at, 'listProofs'
     FROM (SELECT now() - interval '1 month' * n * ${MONTHS} / 20000.0 AS at FROM generate_series(1, 20000) AS n) AS made`,
  )
  await client.query(
    `INSERT INTO webhooks (id, tenant_id, consumer_id, url, events, secret, created_at)
     SELECT gen_random_uuid(), tenant_id, id, 'https://127.0.0.1:1/', '{}', '', now()
     FROM consumers, generate_series(1, 20) WHERE tenant_id = 'large'`,
  )
  // Each webhook has many that were delivered, many that wait for their next try, and one that another instance sends.
  await client.query(
    `INSERT INTO deliveries (tenant_id, webhook_id, event_id, type, body, state, next_try_at, sending_until, since, created_at,
       delivered_at)
     SELECT 'large', id, gen_random_uuid(), 'proof.stored', '{}', CASE WHEN n > 500 THEN 'DELIVERED' ELSE 'PENDING' END,
       now() + interval '1 hour', CASE WHEN n = 1 THEN now() + interval '1 hour' END, now(), now(),
       CASE WHEN n > 500 THEN now() END
     FROM webhooks, generate_series(1, 2000) AS n`,
  )
  await client.query(
    `INSERT INTO proof_figures (tenant_id, part, day, level, test, proofs, delays, timed, duration_ms, failures, steps, step_ms)
     SELECT 'large', part, current_date - ago, 'LOA' || level, test, 10, '[10,0,0,0,0]', 10, 1000, '{}', '{}', '{}'
     FROM unnest($1::text[] || ARRAY['tenant']) AS part, generate_series(0, 89) AS ago, generate_series(1, 3) AS level,
       (VALUES (true), (false)) AS tests (test) ON CONFLICT DO NOTHING`,
    [kiosks],
  )
  await client.query('UPDATE kiosks SET last_sequence = 2001, contiguous_sequence = 2000')
  await client.query('SET session_replication_role = DEFAULT')
  await client.query('ANALYZE')
  await client.end()
}
