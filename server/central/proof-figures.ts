/**
 * Counts the proofs of the feed into rows by day, of each kiosk and of the tenant. One instance counts at a time, and the position
 * up to which it has counted is saved with the rows, so that each proof counts once. Proofs of a version before count, too.
 */
import { z } from 'zod'
import { SYSTEM, type Db, type Queries } from './db/db.ts'
import { BELOW_HORIZON } from './db/feed-order.ts'

/** Proofs of one transaction. */
const BATCH = 500
/** The API reads 30. */
const KEPT_DAYS = 90
/** Names of indicators or steps in one row. */
const MAX_NAMES = 60
const DAY_MS = 86_400_000
const LEVEL = /^LOA[0-4]$/
/** Upper limits of `delays`; the last place has everything above. */
const DELAYS_MS = [60_000, 600_000, 3_600_000, DAY_MS]

export const ALL_KIOSKS = 'tenant'
export const OTHER = 'OTHER'

export interface StoredFigures {
  readonly tenantId: string
  readonly kioskId: string
  readonly level: string
  readonly test: boolean
  readonly sealedAt: Date
  readonly storedAt: Date
  readonly figures: unknown
}

type Counts = Readonly<Record<string, number>>

export interface FiguresRow {
  readonly tenant_id: string
  readonly part: string
  /** `yyyy-MM-dd` */
  readonly day: string
  readonly level: string
  readonly test: boolean
  readonly proofs: number
  readonly delays: readonly number[]
  readonly timed: number
  readonly duration_ms: number
  readonly failures: Counts
  readonly steps: Counts
  readonly step_ms: Counts
}

const Figures = z.object({
  durationMs: z.number(),
  failures: z.array(z.string()),
  steps: z.record(z.string(), z.number()),
})

/** Counts until no proof is left, or another instance counts. */
export async function countProofs(db: Db, now: Date): Promise<void> {
  let isMore = true
  while (isMore) isMore = await db.transaction(SYSTEM, (queries) => countBatch(queries, now))
}

async function countBatch(queries: Queries, now: Date): Promise<boolean> {
  await queries.query('INSERT INTO figures_counted (position) VALUES (0) ON CONFLICT DO NOTHING')
  const [counted] = await queries.query<{ position: number }>(
    'SELECT position FROM figures_counted FOR UPDATE SKIP LOCKED',
  )
  if (!counted) return false
  // The planner takes the test of the role in row security for a rare one, and would read and sort all proofs behind the position.
  await queries.query('SET LOCAL enable_sort = off')
  const proofs = await queries.query<StoredFigures & { readonly position: number }>(
    `SELECT tenant_id AS "tenantId", kiosk_id AS "kioskId", level_of_assurance AS level, test, sealed_at AS "sealedAt",
       stored_at AS "storedAt", figures, feed_position AS position
     FROM (SELECT * FROM proofs WHERE feed_position > $1 ORDER BY feed_position LIMIT ${BATCH}) AS next
     WHERE ${BELOW_HORIZON} ORDER BY feed_position`,
    [counted.position],
  )
  const last = proofs.at(-1)
  if (!last) return false
  const oldest = toDay(new Date(now.getTime() - KEPT_DAYS * DAY_MS))
  const more = groupFigures(proofs).filter(({ day }) => day >= oldest)
  if (more.length > 0) await addRows(queries, more, oldest)
  await queries.query('UPDATE figures_counted SET position = $1', [last.position])
  return proofs.length === BATCH
}

const COLUMNS =
  'tenant_id, part, day, level, test, proofs, delays, timed, duration_ms, failures, steps, step_ms'

async function addRows(queries: Queries, more: readonly FiguresRow[], oldest: string): Promise<void> {
  const keys = JSON.stringify(
    more.map(({ tenant_id, part, day, level, test }) => ({ tenant_id, part, day, level, test })),
  )
  const known = await queries.query<FiguresRow>(
    // One look-up by the key for each row, however small the table is.
    `SELECT old.* FROM jsonb_to_recordset($1::jsonb) AS added (tenant_id text, part text, day date, level text, test boolean)
       CROSS JOIN LATERAL (
         SELECT f.tenant_id, f.part, f.day::text AS day, f.level, f.test, f.proofs, f.delays, f.timed, f.duration_ms, f.failures,
           f.steps, f.step_ms
         FROM proof_figures f WHERE f.tenant_id = added.tenant_id AND f.part = added.part AND f.day = added.day
           AND f.level = added.level AND f.test = added.test LIMIT 1
       ) AS old`,
    [keys],
  )
  const before = new Map(known.map((row) => [getKey(row), row]))
  const rows = more.map((row) => {
    const old = before.get(getKey(row))
    return old ? sumRows([old, row]) : row
  })
  await queries.query(
    `INSERT INTO proof_figures (${COLUMNS}) SELECT ${COLUMNS} FROM jsonb_to_recordset($1::jsonb) AS added (tenant_id text, part text,
       day date, level text, test boolean, proofs bigint, delays jsonb, timed bigint, duration_ms bigint, failures jsonb,
       steps jsonb, step_ms jsonb)
     ON CONFLICT (tenant_id, part, day, level, test) DO UPDATE SET proofs = excluded.proofs, delays = excluded.delays,
       timed = excluded.timed, duration_ms = excluded.duration_ms, failures = excluded.failures, steps = excluded.steps,
       step_ms = excluded.step_ms`,
    [JSON.stringify(rows)],
  )
  const fresh = more.filter((row) => !before.has(getKey(row)))
  if (fresh.length === 0) return
  // The key leads to the old rows of a part. A kiosk that stores no more proofs keeps its last rows.
  await queries.query(
    `DELETE FROM proof_figures WHERE ctid = ANY (ARRAY(
       SELECT old.ctid FROM jsonb_to_recordset($1::jsonb) AS added (tenant_id text, part text)
         CROSS JOIN LATERAL (SELECT f.ctid FROM proof_figures f
           WHERE f.tenant_id = added.tenant_id AND f.part = added.part AND f.day < $2::date LIMIT 100) AS old))`,
    [JSON.stringify(fresh.map(({ tenant_id, part }) => ({ tenant_id, part }))), oldest],
  )
}

/** Pure. One row for each day and outcome, of the kiosk and of the tenant. */
export function groupFigures(proofs: readonly StoredFigures[]): FiguresRow[] {
  const rows = proofs.flatMap((proof) => [toRow(proof, proof.kioskId), toRow(proof, ALL_KIOSKS)])
  return [...Map.groupBy(rows, getKey).values()].map(sumRows)
}

function toRow(
  { tenantId, level, test, sealedAt, storedAt, figures }: StoredFigures,
  part: string,
): FiguresRow {
  const { data } = Figures.safeParse(figures)
  const delay = storedAt.getTime() - sealedAt.getTime()
  const place = DELAYS_MS.filter((limit) => delay > limit).length
  const names = (list: readonly string[]): Counts => Object.fromEntries(list.map((name) => [name, 1]))
  return {
    tenant_id: tenantId,
    part,
    day: toDay(storedAt),
    level: LEVEL.test(level) ? level : OTHER,
    test,
    proofs: 1,
    delays: [...DELAYS_MS, 0].map((_, at) => (at === place ? 1 : 0)),
    timed: data ? 1 : 0,
    duration_ms: data?.durationMs ?? 0,
    failures: names(data?.failures ?? []),
    steps: names(Object.keys(data?.steps ?? {})),
    step_ms: data?.steps ?? {},
  }
}

/** Pure. Rows of one key. */
function sumRows(rows: readonly FiguresRow[]): FiguresRow {
  const [first] = rows
  if (!first) throw new TypeError('no row')
  const sum = (read: (row: FiguresRow) => number): number => rows.reduce((all, row) => all + read(row), 0)
  return {
    ...first,
    proofs: sum((row) => row.proofs),
    delays: first.delays.map((_, at) => sum((row) => row.delays[at] ?? 0)),
    timed: sum((row) => row.timed),
    duration_ms: sum((row) => row.duration_ms),
    failures: limitNames(rows.map((row) => row.failures)),
    steps: limitNames(rows.map((row) => row.steps)),
    step_ms: limitNames(rows.map((row) => row.step_ms)),
  }
}

/** Adds counts by name. A hostile kiosk may invent names: above the limit they count as OTHER. */
function limitNames(all: readonly Counts[]): Counts {
  const sums = sumByName(all)
  const names = [...sums.keys()]
  const isKept = new Set(names.slice(0, MAX_NAMES))
  return Object.fromEntries(
    sumByName([...sums].map(([name, number]) => ({ [isKept.has(name) ? name : OTHER]: number }))),
  )
}

/** Pure. */
export function sumByName(all: readonly Counts[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const counts of all)
    for (const [name, number] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + number)
  return sums
}

function getKey({ tenant_id: tenant, part, day, level, test }: FiguresRow): string {
  return [tenant, part, day, level, test].join(' ')
}

function toDay(at: Date): string {
  return at.toISOString().slice(0, 10)
}
