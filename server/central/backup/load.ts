/** Writes the records of a backup into an empty database, in one transaction. */
import { AppError } from '../../errors.ts'
import { SYSTEM_ROLE, type Db, type OwnerQueries } from '../db/db.ts'
import { prepareMonthsForRows } from '../db/months.ts'
import { writeObject } from '../storage/large-objects.ts'
import { listTables } from './catalogue.ts'
import { FEED_SEQUENCE } from './dump.ts'
import { readRecords, type BackupRecord } from './records.ts'
import type { Bytes } from '../../crypto/chunked.ts'

/** Throws `backup_refused` if the database is not empty, or if the content does not fit it; then nothing is written. */
export async function loadDatabase(db: Db, openContent: () => Bytes): Promise<void> {
  await db.asOwner(async (queries) => {
    // The entries of the feed keep their places.
    await queries.script(
      'ALTER TABLE proofs DISABLE TRIGGER USER; ALTER TABLE feed_marks DISABLE TRIGGER USER',
    )
    await queries.script(`SET LOCAL ROLE ${SYSTEM_ROLE}`)
    await requireEmpty(queries)
    const tables = new Set(await listTables(queries))
    let feed: Extract<BackupRecord, { kind: 'sequence' }> | null = null
    for await (const { record, payload } of readRecords(openContent())) {
      if (record.kind === 'rows') await insertRows(queries, tables, record.table, payload)
      else if (record.kind === 'object') await insertPiece(queries, record, payload)
      else if (record.kind === 'sequence' && record.name === FEED_SEQUENCE) feed = record
    }
    // The owner has the sequence; the role of the central service may only take its next value.
    await queries.script('RESET ROLE')
    await queries.script('ALTER TABLE proofs ENABLE TRIGGER USER; ALTER TABLE feed_marks ENABLE TRIGGER USER')
    if (feed === null) throw refused('it has no position of the feed')
    await queries.query(`SELECT setval('${FEED_SEQUENCE}', $1::bigint, $2)`, [feed.value, feed.isCalled])
  })
}

async function requireEmpty(queries: OwnerQueries): Promise<void> {
  const [found] = await queries.query<{ isUsed: boolean }>(
    `SELECT EXISTS (SELECT FROM centre) OR EXISTS (SELECT FROM centre_keys) OR EXISTS (SELECT FROM tenants) AS "isUsed"`,
  )
  if (found?.isUsed !== false) throw refused('the database is not empty. Name an empty one')
}

async function insertRows(
  queries: OwnerQueries,
  tables: ReadonlySet<string>,
  table: string,
  rows: Buffer,
): Promise<void> {
  if (!tables.has(table)) throw refused('it has a table that this version does not know')
  const json = rows.toString('utf8')
  await prepareMonthsForRows(queries, table, json)
  await queries.query(
    `INSERT INTO "${table}" SELECT * FROM jsonb_populate_recordset(NULL::"${table}", $1::jsonb)`,
    [json],
  )
}

async function insertPiece(
  queries: OwnerQueries,
  { oid, offset }: Extract<BackupRecord, { kind: 'object' }>,
  piece: Buffer,
): Promise<void> {
  if (offset === 0) await queries.query('SELECT lo_create($1::oid)', [oid])
  if (piece.length > 0) await writeObject(queries, oid, offset, piece)
}

function refused(reason: string): AppError {
  return new AppError('backup_refused', { reason })
}
