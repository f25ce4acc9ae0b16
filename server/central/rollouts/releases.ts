/** Releases: takes a package whose release file is signed by a release key of central.json, and hands it out in pieces. */
import { createHash } from 'node:crypto'
import { AppError, fieldProblem } from '../../errors.ts'
import { openGivenFile, readGivenFile } from '../../files/read-file.ts'
import { FILE_PIECE_BYTES } from '../../protocol/wire.ts'
import {
  MAX_RELEASE_FILE_BYTES,
  verifyRelease,
  type ReleaseManifest,
  type ReleaseRefusal,
} from '../../updates/manifest.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { LARGE_OBJECT, writeObject } from '../storage/large-objects.ts'
import type { Release } from './rules.ts'

type ReleaseContext = Pick<CentralContext, 'db' | 'storage' | 'clock' | 'config'>

const BUFFER_BYTES = 1024 * 1024

const REFUSALS: Readonly<Record<ReleaseRefusal, string>> = {
  MANIFEST_MALFORMED: 'it is no release file, or it was changed; take the one beside the package',
  KEY_UNKNOWN: 'its release key is not in releaseKeys of central.json',
  SIGNATURE_INVALID: 'its signature does not fit; take the release file beside the package',
}

interface ReleaseOrder {
  readonly packageFile: string
  readonly releaseFile: string
  readonly by: string
}

/**
 * Stores the package and its release file. A release that is stored stays as it is. Throws `validation_failed` unless the file
 * is signed by a known release key and the package is the one that it describes, and the errors of the storage; then the
 * same command continues.
 * @param note runs in the transaction that makes the release available
 */
export async function addRelease(
  ctx: ReleaseContext,
  { packageFile, releaseFile, by }: ReleaseOrder,
  note: (queries: Queries) => Promise<void>,
) {
  const file = await readGivenFile(releaseFile, { mostBytes: MAX_RELEASE_FILE_BYTES })
  const verified = verifyRelease(file, ctx.config.releaseKeys)
  if ('refused' in verified)
    throw fieldProblem(verified.refused.toLowerCase(), 'releaseFile', REFUSALS[verified.refused])
  const { manifest, keyId } = verified
  const { version, architecture, sha256, bytes } = manifest
  const { handle, bytes: length } = await openGivenFile(packageFile, { mostBytes: bytes })
  try {
    const read = () => readPieces(handle, length)
    // Read twice, so that a wrong file leaves nothing behind.
    if (length !== bytes || (await computeHash(read())) !== sha256)
      throw fieldProblem(
        'other_package',
        'packageFile',
        'it is not the package that the release file describes',
      )
    const location = await begin(ctx, manifest, { keyId, by, file: file.toString('utf8') })
    if (location === null) return { version, architecture, sha256, added: false }
    const hash = createHash('sha256')
    await store(ctx, location, manifest, passThrough(read(), hash))
    if (hash.digest('hex') !== sha256)
      throw fieldProblem('changed', 'packageFile', 'it was changed while it was read; run the command again')
    await ctx.db.transaction(SYSTEM, async (queries) => {
      await queries.query('UPDATE releases SET stored_at = $3 WHERE sha256 = $1 AND location = $2', [
        sha256,
        location,
        ctx.clock.now(),
      ])
      await note(queries)
    })
    return { version, architecture, sha256, added: true }
  } finally {
    await handle.close()
  }
}

export async function listReleases({ db }: Pick<ReleaseContext, 'db'>) {
  return db.query(
    SYSTEM,
    `SELECT version, architecture, minimum_from AS "minimumFrom", bytes, sha256, added_at AS "addedAt", added_by AS "addedBy"
     FROM releases WHERE stored_at IS NOT NULL ORDER BY added_at DESC, architecture LIMIT 100`,
  )
}

/** The stored releases of a version, with their signed files. */
export async function findReleases(
  queries: Queries,
  version: string,
): Promise<readonly (Release & { readonly file: string })[]> {
  return queries.query(
    `SELECT version, architecture, minimum_from AS "minimumFrom", file FROM releases
     WHERE version = $1 AND stored_at IS NOT NULL`,
    [version],
  )
}

/** A piece of a package, in base64; empty at its end. Throws `not_found`, and the errors of the storage. */
export async function readReleasePiece(
  { db, storage }: Pick<ReleaseContext, 'db' | 'storage'>,
  sha256: string,
  offset: number,
): Promise<{ readonly content: string }> {
  const [row] = await db.query<{ location: string; bytes: number }>(
    SYSTEM,
    'SELECT location, bytes FROM releases WHERE sha256 = $1 AND stored_at IS NOT NULL',
    [sha256],
  )
  if (!row) throw new AppError('not_found')
  const length = Math.min(FILE_PIECE_BYTES, row.bytes - offset)
  if (length <= 0) return { content: '' }
  return { content: (await storage.readPiece(row.location, offset, length)).toString('base64') }
}

/** Records where the package will be, before anything is there. Null: it is stored already. */
async function begin(
  { db, storage, clock }: ReleaseContext,
  { version, architecture, minimumFrom, sha256, bytes }: ReleaseManifest,
  { keyId, by, file }: { readonly keyId: string; readonly by: string; readonly file: string },
): Promise<string | null> {
  return db.transaction(SYSTEM, async (queries) => {
    const [before] = await queries.query<{ sha256: string; location: string; stored_at: Date | null }>(
      'SELECT sha256, location, stored_at FROM releases WHERE version = $1 AND architecture = $2 FOR UPDATE',
      [version, architecture],
    )
    if (before?.stored_at) {
      if (before.sha256 === sha256) return null
      const message = `another package of version ${version} for ${architecture} is stored; give the new one a higher version`
      throw fieldProblem('version_taken', 'releaseFile', message)
    }
    if (before) await storage.remove(before.location, queries)
    await queries.query('DELETE FROM releases WHERE version = $1 AND architecture = $2', [
      version,
      architecture,
    ])
    const location = storage.locateRelease(sha256) ?? LARGE_OBJECT + String(await createObject(queries))
    await queries.query(
      `INSERT INTO releases (version, architecture, minimum_from, sha256, bytes, file, key_id, added_at, added_by, location)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [version, architecture, minimumFrom, sha256, bytes, file, keyId, clock.now(), by, location],
    )
    return location
  })
}

async function createObject(queries: Queries): Promise<number> {
  const [row] = await queries.query<{ oid: number }>('SELECT lo_create(0)::bigint AS oid')
  if (!row) throw new TypeError('the database returned no large object')
  return row.oid
}

/** Writes each piece in a transaction of its own, because a long one would delay the feed of proofs. */
async function store(
  { db, storage }: ReleaseContext,
  location: string,
  manifest: ReleaseManifest,
  content: AsyncGenerator<Buffer>,
): Promise<void> {
  if (!location.startsWith(LARGE_OBJECT)) return storage.put(location, manifest, content)
  const oid = Number(location.slice(LARGE_OBJECT.length))
  let offset = 0
  for await (const piece of content) {
    await db.transaction(SYSTEM, (queries) => writeObject(queries, oid, offset, piece))
    offset += piece.length
  }
}

async function* readPieces(
  handle: Awaited<ReturnType<typeof openGivenFile>>['handle'],
  length: number,
): AsyncGenerator<Buffer> {
  for (let offset = 0; offset < length;) {
    const buffer = Buffer.alloc(Math.min(BUFFER_BYTES, length - offset))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset)
    if (bytesRead === 0) return
    offset += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function* passThrough(
  pieces: AsyncIterable<Buffer>,
  hash: { update(piece: Buffer): unknown },
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}

async function computeHash(pieces: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}
