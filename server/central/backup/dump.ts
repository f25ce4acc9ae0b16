/**
 * Reads the whole database as records: every table, every large object of the central service, the position of the feed.
 * The caller's transaction is one snapshot, so that each stored proof comes with its packet.
 */
import type { Queries } from '../db/db.ts'
import { listTables } from './catalogue.ts'
import { writeRecord } from './records.ts'

/** Rows of one record: as many as have this size together, one at least. */
const BATCH_BYTES = 4 * 1024 * 1024
const MAX_BATCH_ROWS = 1_000
const PIECE_BYTES = 1024 * 1024
export const FEED_SEQUENCE = 'feed_positions'

/** The first statement of the transaction: later ones see one state of the database. */
export const ONE_SNAPSHOT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'

export async function* dumpDatabase(queries: Queries): AsyncGenerator<Buffer> {
  const rows: Record<string, number> = {}
  for (const table of await listTables(queries)) {
    rows[table] = 0
    for await (const batch of readRows(queries, table)) {
      rows[table] += batch.length
      yield* writeRecord(
        { kind: 'rows', table, rows: batch.length },
        Buffer.from(`[${batch.join(',')}]`, 'utf8'),
      )
    }
    if (rows[table] === 0) yield* writeRecord({ kind: 'rows', table, rows: 0 }, Buffer.from('[]', 'utf8'))
  }
  const [feed] = await queries.query<{ value: number; isCalled: boolean }>(
    `SELECT last_value AS value, is_called AS "isCalled" FROM ${FEED_SEQUENCE}`,
  )
  if (feed) yield* writeRecord({ kind: 'sequence', name: FEED_SEQUENCE, ...feed })
  let objects = 0
  let objectBytes = 0
  for await (const { oid, offset, piece } of readObjects(queries)) {
    if (offset === 0) objects++
    objectBytes += piece.byteLength
    yield* writeRecord({ kind: 'object', oid, offset }, piece)
  }
  yield* writeRecord({ kind: 'end', rows, objects, objectBytes })
}

/** Yields batches of rows as JSON texts. */
async function* readRows(queries: Queries, table: string): AsyncGenerator<string[]> {
  const [widest] = await queries.query<{ bytes: number | null }>(
    `SELECT max(octet_length(to_jsonb(t)::text)) AS bytes FROM "${table}" t`,
  )
  const fits = Math.floor(BATCH_BYTES / Math.max(1, widest?.bytes ?? 1))
  const limit = Math.min(MAX_BATCH_ROWS, Math.max(1, fits))
  await queries.query(
    `DECLARE backup_rows NO SCROLL CURSOR FOR SELECT to_jsonb(t)::text AS row FROM "${table}" t`,
  )
  for (;;) {
    const batch = await queries.query<{ row: string }>(`FETCH ${limit} FROM backup_rows`)
    if (batch.length > 0) yield batch.map(({ row }) => row)
    if (batch.length < limit) break
  }
  await queries.query('CLOSE backup_rows')
}

async function* readObjects(
  queries: Queries,
): AsyncGenerator<{ oid: number; offset: number; piece: Uint8Array }> {
  await queries.query(
    `DECLARE backup_objects NO SCROLL CURSOR FOR SELECT oid::bigint AS oid FROM pg_largeobject_metadata
     WHERE lomowner = (SELECT oid FROM pg_roles WHERE rolname = current_user) ORDER BY oid`,
  )
  for (;;) {
    const found = await queries.query<{ oid: number }>(`FETCH ${MAX_BATCH_ROWS} FROM backup_objects`)
    for (const { oid } of found) {
      for (let offset = 0; ; offset += PIECE_BYTES) {
        const [row] = await queries.query<{ piece: Uint8Array }>(
          'SELECT lo_get($1::oid, $2::bigint, $3::int) AS piece',
          [oid, offset, PIECE_BYTES],
        )
        const piece = row?.piece ?? new Uint8Array()
        if (offset === 0 || piece.byteLength > 0) yield { oid, offset, piece }
        if (piece.byteLength < PIECE_BYTES) break
      }
    }
    if (found.length < MAX_BATCH_ROWS) break
  }
  await queries.query('CLOSE backup_objects')
}
