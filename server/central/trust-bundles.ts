/**
 * Trust bundles: the lists that kiosks verify chips with. Two operators publish the complete set of a tenant; the central service signs
 * it with its version and their names. It does not judge the files: the command that publishes does, and each kiosk again.
 */
import { z } from 'zod'
import { AppError, fieldProblem } from '../errors.ts'
import { readGivenFile } from '../files/read-file.ts'
import { isSamePerson, MAX_PERSON_NAME, readPersonName } from '../protocol/people.ts'
import { signStatement } from '../protocol/statements.ts'
import {
  MAX_TRUST_BUNDLE_BYTES,
  MAX_TRUST_BUNDLE_FILES,
  MAX_TRUST_FILE_BYTES,
  FILE_PIECE_BYTES,
  type TrustAnswer,
  type TrustQuestion,
} from '../protocol/wire.ts'
import type { CentralContext } from './context.ts'
import { SYSTEM, type Queries } from './db/db.ts'
import { computeSha256 } from '../protocol/sha256.ts'

type BundleContext = Pick<CentralContext, 'db' | 'keys' | 'clock'>

const person = z.string().transform((typed, ctx) => {
  const name = readPersonName(typed)
  if (name === null) ctx.addIssue(`a name of 1 to ${MAX_PERSON_NAME} letters`)
  return name ?? z.NEVER
})
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const TrustOrderSchema = z.strictObject({
  tenantId: z.string().regex(/^[a-z0-9-]{1,40}$/),
  publishedBy: person,
  confirmedBy: person,
  /** Kiosks may take files out of force that the bundle before contains and this one replaces by nothing. */
  mayRemove: z.boolean().default(false),
  files: z
    .array(
      z.strictObject({
        /** The file on this machine. */
        path: z.string().min(1),
        /** The hash of what the publishers saw. */
        sha256,
        kind: z.string().max(40),
        /** Key under which a later file replaces it: the publishing country, the certificate or the issuer. */
        series: z.string().max(200),
        country: z.string().max(3),
        signedAt: z.iso.datetime().nullable(),
      }),
    )
    .min(1)
    .max(MAX_TRUST_BUNDLE_FILES),
})
type TrustOrder = z.output<typeof TrustOrderSchema>

interface ListedFile {
  readonly sha256: string
  readonly bytes: number
  readonly kind: string
  readonly series: string
  readonly country: string
  readonly signedAt: string | null
}

interface BundleRow {
  readonly version: number
  readonly created_at: Date
  readonly files: readonly ListedFile[]
  readonly sha256: string
  readonly statement: string
}

/**
 * Throws `not_found` for an unknown tenant, `validation_failed` if a file changed since the publishers saw it, if all are too long, if
 * both publishers have one name, or if something would be removed without `mayRemove`.
 * @param note stores the act in the access log, in the same transaction
 */
export async function publishTrustBundle(
  ctx: BundleContext,
  order: TrustOrder,
  note: (queries: Queries, tenantId: string, version: number) => Promise<void>,
) {
  const { tenantId, publishedBy, confirmedBy } = order
  if (isSamePerson(publishedBy, confirmedBy))
    throw fieldProblem('same_person', 'confirmedBy', 'two people publish a bundle')
  const files = await readFiles(order)
  const listed = files.map(({ content, ...file }): ListedFile => ({ ...file, bytes: content.length }))
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const [tenant] = await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1 FOR UPDATE', [tenantId])
    if (!tenant) throw new AppError('not_found', { kind: 'tenant' })
    const before = await findNewest(queries, tenantId)
    const removed = findRemoved(before, listed)
    if (removed.length > 0 && !order.mayRemove) throw removalProblem(removed)
    const version = (before?.version ?? 0) + 1
    const at = ctx.clock.now()
    const statement = await signStatement(
      'trust-bundle',
      {
        tenantId,
        version,
        createdAt: at.getTime(),
        publishedBy,
        confirmedBy,
        files: listed.map((file) => ({ sha256: file.sha256, bytes: file.bytes })),
      },
      ctx.keys.current().statementKey,
    )
    const hash = computeSha256(statement)
    await queries.query(
      `INSERT INTO trust_bundles
         (tenant_id, version, created_at, published_by, confirmed_by, files, sha256, statement)
       VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)`,
      [tenantId, version, at, publishedBy, confirmedBy, JSON.stringify(listed), hash, statement],
    )
    for (const { sha256: name, content } of files) {
      await queries.query(
        'INSERT INTO trust_files (tenant_id, sha256, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        [tenantId, name, content],
      )
    }
    await queries.query('DELETE FROM trust_files WHERE tenant_id = $1 AND sha256 <> ALL ($2::text[])', [
      tenantId,
      listed.map((file) => file.sha256),
    ])
    await note(queries, tenantId, version)
    return { tenantId, version, sha256: hash, files: listed, removed }
  })
}

/** Lists them newest first, each with the number of kiosks that have it in force. */
export async function listTrustBundles({ db }: Pick<BundleContext, 'db'>, tenantId: string | null) {
  return db.query(
    SYSTEM,
    `SELECT tenant_id AS "tenantId", version, created_at AS "createdAt", published_by AS "publishedBy",
       confirmed_by AS "confirmedBy", sha256, files,
       (SELECT count(*)::int FROM kiosks k WHERE k.tenant_id = b.tenant_id AND k.revoked_at IS NULL
          AND k.trust_version = b.version) AS kiosks
     FROM trust_bundles b WHERE $1::text IS NULL OR tenant_id = $1 ORDER BY tenant_id, version DESC LIMIT 100`,
    [tenantId],
  )
}

/** Notes what the kiosk has in force, and confirms the newest version under the nonce of the kiosk; the bundle itself goes only to a kiosk that has another. */
export async function answerTrustQuestion(
  { db, keys, clock }: BundleContext,
  kiosk: { readonly id: string; readonly tenantId: string },
  { nonce, version, sha256: hash }: TrustQuestion,
): Promise<TrustAnswer> {
  const newest = await db.transaction(SYSTEM, async (queries) => {
    await queries.query(
      'UPDATE kiosks SET trust_version = $2 WHERE id = $1 AND trust_version IS DISTINCT FROM $2',
      [kiosk.id, version],
    )
    return findNewest(queries, kiosk.tenantId)
  })
  const check = await signStatement(
    'trust-check',
    {
      kioskId: kiosk.id,
      nonce,
      at: clock.now().getTime(),
      version: newest?.version ?? 0,
      sha256: newest?.sha256 ?? null,
    },
    keys.current().statementKey,
  )
  const isSame = newest === null || (newest.version === version && newest.sha256 === hash)
  return { check, ...(isSame ? {} : { bundle: newest.statement }) }
}

/** A piece of a file of the newest bundle, in base64; empty at its end. Throws `not_found`. */
export async function readTrustPiece(
  { db }: Pick<BundleContext, 'db'>,
  tenantId: string,
  name: string,
  offset: number,
): Promise<{ readonly content: string }> {
  const [row] = await db.query<{ piece: Uint8Array }>(
    SYSTEM,
    'SELECT substring(content FROM $3::int FOR $4::int) AS piece FROM trust_files WHERE tenant_id = $1 AND sha256 = $2',
    [tenantId, name, offset + 1, FILE_PIECE_BYTES],
  )
  if (!row) throw new AppError('not_found')
  return { content: Buffer.from(row.piece).toString('base64') }
}

async function readFiles({ files }: TrustOrder) {
  const read = []
  let total = 0
  for (const { path, ...file } of files) {
    const content = await readGivenFile(path, { mostBytes: MAX_TRUST_FILE_BYTES })
    if (computeSha256(content) !== file.sha256)
      throw fieldProblem('changed', 'files', 'a file was changed while it was published; publish again')
    total += content.length
    read.push({ ...file, content })
  }
  if (total > MAX_TRUST_BUNDLE_BYTES)
    throw fieldProblem('too_large', 'files', `a bundle has at most ${MAX_TRUST_BUNDLE_BYTES} bytes`)
  return read
}

/** Files of the bundle before that nothing of the same kind and series replaces. */
function findRemoved(before: BundleRow | null, listed: readonly ListedFile[]): readonly ListedFile[] {
  const key = ({ kind, series }: ListedFile): string => `${kind} ${series}`
  const present = new Set(listed.map(key))
  return (before?.files ?? []).filter((file) => !present.has(key(file)))
}

function removalProblem(removed: readonly ListedFile[]) {
  const words = removed.slice(0, 10).map(({ kind, country, sha256: name }) => `${kind} ${country} ${name}`)
  return fieldProblem(
    'would_remove',
    'files',
    `the bundle before also contains ${words.join(', ')}. A bundle is the complete set: name these files too, or add --remove to take them out of force on every kiosk`,
  )
}

async function findNewest(queries: Queries, tenantId: string): Promise<BundleRow | null> {
  const [row] = await queries.query<BundleRow>(
    `SELECT version, created_at, files, sha256, statement FROM trust_bundles
     WHERE tenant_id = $1 ORDER BY version DESC LIMIT 1`,
    [tenantId],
  )
  return row ?? null
}
