/**
 * The metrics for Prometheus. Counters and the histogram belong to this instance (Prometheus adds instances
 * up); values from the database are queried at each reading and are the same on every instance. Labels are
 * kinds, states, codes and ids of kiosks: no personal data, and never more kiosks than MAX_KIOSKS.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { SYSTEM, type Db } from '../db/db.ts'
import { countMonthsAhead } from '../db/months.ts'
import { IS_PARKED, IS_PENDING } from './webhooks/claim.ts'

const MAX_KIOSKS = 500
/** An unexpected refusal code must not create its own series. */
const REFUSAL_CODE = /^[a-z_]{1,40}$/
const MAX_CODES = 50

export interface Metrics {
  /** @param seconds from the end of the upload to the receipt */
  proofStored(seconds: number): void
  proofRefused(code: string): void
  /** Text in Prometheus' format. */
  read(): Promise<{ readonly contentType: string; readonly text: string }>
}

export function createMetrics(
  db: Db,
  countStorageFailures: () => Readonly<Record<string, number>> = () => ({}),
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const stored = new Counter({
    name: 'counterproof_proofs_stored_total',
    help: 'Proofs stored by this instance',
    registers,
  })
  const refused = new Counter({
    name: 'counterproof_proofs_refused_total',
    help: 'Proofs refused by this instance, by the first reason',
    labelNames: ['reason'],
    registers,
  })
  const storageFailures = new Counter({
    name: 'counterproof_storage_failures_total',
    help: 'Failed calls of this instance to the storage of packets outside the database, by kind',
    labelNames: ['kind'],
    registers,
  })
  const latency = new Histogram({
    name: 'counterproof_ingest_seconds',
    help: 'From the end of an upload to its receipt',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  })
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `counterproof_${name}`, help, labelNames, registers })
  const gauges = {
    inStore: gauge('proofs', 'Proofs in the database'),
    waiting: gauge('backlog', 'Proofs that wait on all kiosks, as they said last'),
    backlog: gauge('kiosk_backlog', 'Proofs that wait on a kiosk, as it said last', ['kiosk']),
    seen: gauge('kiosk_last_seen_seconds', 'Since the last status of a kiosk', ['kiosk']),
    kiosks: gauge('kiosks', 'Kiosks by whether they are revoked', ['revoked']),
    deliveries: gauge('webhook_deliveries', 'Deliveries that wait (PENDING) or are parked, by state', [
      'state',
    ]),
    alarms: gauge('alarms_open', 'Alarms that are neither resolved nor acknowledged', ['kind']),
    monthsAhead: gauge(
      'months_ahead',
      'Months after the present one for which a log has a partition; below 0 it refuses new rows',
      ['table'],
    ),
    pool: gauge('db_connections', 'Connections of this instance by what they do', ['state']),
  }
  const codes = new Set<string>()

  const collect = async (): Promise<void> => {
    for (const each of Object.values(gauges)) each.reset()
    storageFailures.reset()
    // A kind without a failure has a series, too, so that increase() sees the first one.
    for (const [kind, count] of Object.entries(countStorageFailures())) storageFailures.inc({ kind }, count)
    const figures = db.connections()
    if (figures) {
      gauges.pool.set({ state: 'idle' }, figures.idle)
      gauges.pool.set({ state: 'busy' }, figures.total - figures.idle)
      gauges.pool.set({ state: 'waiting' }, figures.waiting)
    }
    await db.transaction(SYSTEM, async (queries) => {
      // An exact count of a large table would read all of it; the planner's estimate is enough for a chart.
      const [proofs] = await queries.query<{ count: number }>(
        `SELECT CASE WHEN reltuples > 100000 THEN reltuples::bigint ELSE (SELECT count(*) FROM proofs) END AS count
         FROM pg_class WHERE oid = 'proofs'::regclass`,
      )
      gauges.inStore.set(proofs?.count ?? 0)
      const [all] = await queries.query<{ backlog: number }>(
        `SELECT coalesce(sum((status ->> 'backlog')::int), 0)::float8 AS backlog FROM kiosks WHERE revoked_at IS NULL`,
      )
      gauges.waiting.set(all?.backlog ?? 0)
      const kiosks = await queries.query<{ id: string; backlog: number | null; age: number }>(
        `SELECT id, (status ->> 'backlog')::int AS backlog,
           extract(epoch FROM now() - coalesce(status_at, enrolled_at))::float8 AS age
         FROM kiosks WHERE revoked_at IS NULL ORDER BY status_at NULLS FIRST LIMIT ${MAX_KIOSKS}`,
      )
      for (const { id, backlog, age } of kiosks) {
        gauges.seen.set({ kiosk: id }, Math.max(0, age))
        if (backlog !== null) gauges.backlog.set({ kiosk: id }, backlog)
      }
      const counts = async (sql: string) => queries.query<{ label: string; count: number }>(sql)
      for (const { label, count } of await counts(
        `SELECT (revoked_at IS NOT NULL)::text AS label, count(*)::int AS count FROM kiosks GROUP BY 1`,
      )) {
        gauges.kiosks.set({ revoked: label }, count)
      }
      for (const { label, count } of await counts(
        // The index of each state: what was delivered in a month is not counted.
        `SELECT 'PENDING' AS label, count(*)::int AS count FROM deliveries WHERE ${IS_PENDING}
         UNION ALL SELECT 'PARKED', count(*)::int FROM deliveries WHERE ${IS_PARKED}`,
      )) {
        gauges.deliveries.set({ state: label }, count)
      }
      for (const { label, count } of await counts(
        `SELECT kind AS label, count(*)::int AS count FROM alarms
         WHERE resolved_at IS NULL AND acknowledged_at IS NULL GROUP BY 1`,
      )) {
        gauges.alarms.set({ kind: label }, count)
      }
      for (const { table, months } of await countMonthsAhead(queries))
        gauges.monthsAhead.set({ table }, months)
    })
  }

  return {
    proofStored: (seconds) => {
      stored.inc()
      latency.observe(seconds)
    },
    proofRefused: (code) => {
      const isUsual = REFUSAL_CODE.test(code) && (codes.has(code) || codes.size < MAX_CODES)
      if (isUsual) codes.add(code)
      refused.inc({ reason: isUsual ? code : 'other' })
    },
    read: async () => {
      await collect()
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
