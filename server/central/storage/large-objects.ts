/**
 * Large objects of PostgreSQL through plain SQL functions, which PGlite also has. Always in the central
 * service's own role.
 */
import { AppError } from '../../errors.ts'
import { SYSTEM, type Db, type Queries } from '../db/db.ts'

/** The bytes of one statement. */
const PIECE_BYTES = 1024 * 1024
export const LARGE_OBJECT = 'lo:'

export async function writeObject(
  queries: Queries,
  oid: number,
  offset: number,
  bytes: Uint8Array,
): Promise<void> {
  await queries.query('SELECT lo_put($1::oid, $2::bigint, $3::bytea)', [oid, offset, bytes])
}

/** Removing a missing object is no error. */
export async function removeObject(queries: Queries, oid: number): Promise<void> {
  await queries.query('SELECT lo_unlink(oid) FROM pg_largeobject_metadata WHERE oid = $1::oid', [oid])
}

/** Each chunk in its own transaction. Throws `storage_damaged` if the object is missing or too short. */
export async function* readObject(db: Db, oid: number, bytes: number): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < bytes; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, bytes - offset)
    const piece = await readPiece(db, oid, offset, length)
    if (piece.byteLength !== length) throw new AppError('storage_damaged', { part: 'packet' })
    yield piece
  }
}

/** Shorter at the end of the object. Throws `storage_damaged` if it is missing. */
export async function readPiece(db: Db, oid: number, offset: number, length: number): Promise<Buffer> {
  const rows = await db.query<{ piece: Uint8Array }>(
    SYSTEM,
    `SELECT lo_get($1::oid, $2::bigint, $3::int) AS piece
     WHERE EXISTS (SELECT FROM pg_largeobject_metadata WHERE oid = $1::oid)`,
    [oid, offset, length],
  )
  const piece = rows[0]?.piece
  if (!piece) throw new AppError('storage_damaged', { part: 'packet', reason: 'missing' })
  return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
}
