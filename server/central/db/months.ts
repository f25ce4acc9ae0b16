/**
 * The partitions of `access_log` and `deliveries` by month (migrations/0021-months.ts): makes them ahead, and drops them when
 * their time is over. A drop gives the space back, and costs the same for any number of rows.
 */
import { SYSTEM, SYSTEM_ROLE, type Db, type OwnerQueries, type Queries } from './db.ts'
import { ADVISORY_LOCKS } from './migrate.ts'

/**
 * A partition is dropped, and a month added to the default partition, without readers and writers. They would wait behind a
 * change that waits for a long reader, such as a backup; so the change gives up and is tried later.
 */
const LOCK_TIMEOUT = '100ms'
/** Rows of one transaction. */
const BATCH = 10_000

type Table = 'access_log' | 'deliveries'

const MONTHS = `
  SELECT inhparent::regclass::text AS parent, c.oid::regclass::text AS name,
    CASE WHEN c.relname ~ '_\\d{4}_\\d\\d$' THEN to_date(right(c.relname, 7), 'YYYY_MM') END AS month
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
  WHERE inhparent IN (to_regclass('access_log'), to_regclass('deliveries'))`
/** Months follow each other without a gap. */
const MISSING = `
  SELECT parent, month::date::text AS month
  FROM (SELECT parent, max(month) AS newest FROM (${MONTHS}) AS present GROUP BY parent) AS each_table,
    generate_series(newest + interval '1 month',
      date_trunc('month', coalesce($1::timestamptz, now() + make_interval(months => $2)) AT TIME ZONE 'UTC'), interval '1 month') AS month
  ORDER BY parent, month`

async function addMissing(queries: Queries, until: Date | null, ahead: number): Promise<void> {
  const months = await queries.query<{ parent: string; month: string }>(MISSING, [until, ahead])
  for (const { parent, month } of months)
    await queries.query('SELECT add_month($1, $2::date)', [parent, month])
}

/** Makes the partitions up to so many months after the present one. Throws `centre_unavailable` if a long reader prevents it. */
export async function prepareMonths(db: Db, ahead: number): Promise<void> {
  const missing = await db.query(SYSTEM, MISSING, [null, ahead])
  if (missing.length > 0) await changeMonths(db, (queries) => addMissing(queries, null, ahead))
}

/** Months after the present one for which a table has a partition. Below 0 it refuses new rows. */
export async function countMonthsAhead(
  queries: Queries,
): Promise<readonly { readonly table: string; readonly months: number }[]> {
  return queries.query<{ table: string; months: number }>(
    `SELECT parent AS "table",
       (12 * (extract(year FROM newest) - extract(year FROM present)) + extract(month FROM newest) - extract(month FROM present))::int
         AS months
     FROM (SELECT parent, max(month) AS newest, now() AT TIME ZONE 'UTC' AS present FROM (${MONTHS}) AS each_month GROUP BY parent) AS each_table
     ORDER BY 1`,
  )
}

const TIME_OF_ROW: Readonly<Record<string, string>> = {
  access_log: `to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000)`,
  deliveries: 'delivered_at',
} satisfies Record<Table, string>

/** Makes the partitions for rows of a backup: an instance whose clock was ahead has left some of later months. */
export async function prepareMonthsForRows(
  queries: OwnerQueries,
  table: string,
  rowsJson: string,
): Promise<void> {
  const time = TIME_OF_ROW[table]
  if (time === undefined) return
  const [newest] = await queries.query<{ at: Date | null }>(
    `SELECT max(${time}) AS at FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`,
    [rowsJson],
  )
  if (!newest?.at) return
  await queries.script('RESET ROLE')
  await addMissing(queries, newest.at, 0)
  await queries.script(`SET LOCAL ROLE ${SYSTEM_ROLE}`)
}

/** Whole months of a table that are kept after their end, as an interval of SQL. */
export interface MonthRule {
  readonly table: Table
  readonly keep: string
}

/** The clocks of this instance and of the database must both have passed it, so that one wrong clock deletes nothing. */
const KEPT_FROM = `date_trunc('month', least(now(), $1::timestamptz) AT TIME ZONE 'UTC' - $2::interval)`
const OVER = `SELECT name FROM (${MONTHS}) AS present WHERE parent = $3 AND month + interval '1 month' <= ${KEPT_FROM}`
/** Rows from before the partitions, or from a restored backup: they are in the first partition. */
const ROWS_OVER: Readonly<Record<Table, string>> = {
  access_log: `id < first_id(${KEPT_FROM} AT TIME ZONE 'UTC')`,
  deliveries: `state = 'DELIVERED' AND delivered_at < ${KEPT_FROM} AT TIME ZONE 'UTC'`,
}

/**
 * Drops the months that are over, and deletes a batch of older rows. Returns whether there may be more.
 * @param note called in each transaction for each thing that is removed
 */
export async function dropMonths(
  db: Db,
  at: Date,
  { table, keep }: MonthRule,
  note: (queries: Queries, operation: 'dropMonth' | 'deleteRows', subject: string) => Promise<void>,
): Promise<boolean> {
  const over = await db.query(SYSTEM, OVER, [at, keep, table])
  if (over.length > 0) {
    await changeMonths(db, async (queries) => {
      const months = await queries.query<{ name: string }>(OVER, [at, keep, table])
      for (const { name } of months) await queries.script(`DROP TABLE ${name}`)
      await queries.script(`SET LOCAL ROLE ${SYSTEM_ROLE}`)
      for (const { name } of months) await note(queries, 'dropMonth', name)
    })
  }
  return db.transaction(SYSTEM, async (queries) => {
    const isOver = ROWS_OVER[table]
    const rows = await queries.query(
      `DELETE FROM ${table} WHERE ${isOver} AND id IN (SELECT id FROM ${table} WHERE ${isOver} LIMIT ${BATCH}) RETURNING 1`,
      [at, keep],
    )
    if (rows.length > 0) await note(queries, 'deleteRows', `${table}: ${rows.length}`)
    return rows.length === BATCH
  })
}

async function changeMonths(db: Db, change: (queries: OwnerQueries) => Promise<void>): Promise<void> {
  await db.asOwner(async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.migration})`)
    await queries.script(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`)
    await change(queries)
  })
}
