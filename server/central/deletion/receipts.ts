/** The signed receipts of deletions: listed in the order of their feed, written to a file, checked, and applied after a restore. */
import { createInterface } from 'node:readline'
import type { JWK } from 'jose'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { openGivenFile } from '../../files/read-file.ts'
import { writeFileStream } from '../../files/write-file.ts'
import { readStatement } from '../../protocol/statements.ts'
import type { Statement } from '../../protocol/wire.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import type { DeletedRow } from '../head-office/index.ts'
import { decideDeletion, finishDeletions, lockAgainstHolds } from './delete.ts'
import { IS_HELD } from './holds.ts'

const PAGE_ROWS = 500
const MAX_LINE = 100_000
const LineSchema = z.looseObject({ receipt: z.string().max(MAX_LINE) })

/**
 * Finished deletions after a cursor, in the order in which they became visible. @param after id of the last proof of the
 * page before; one that is not known begins again, because a restored database does not have it
 */
export async function listDeletions(
  queries: Queries,
  {
    tenantId,
    kioskId,
    after,
    limit,
  }: {
    readonly tenantId: string | null
    readonly kioskId: string | null
    readonly after: string | null
    readonly limit: number
  },
): Promise<DeletedRow[]> {
  return queries.query<DeletedRow>(
    `SELECT d.proof_id AS "proofId", d.tenant_id AS "tenantId", d.kiosk_id AS "kioskId", p.sequence,
       p.identity_id AS "identityId", d.reason, d.deleted_at AS "deletedAt", d.receipt
     FROM deletions d JOIN proofs p ON p.proof_id = d.proof_id
     WHERE ($1::text IS NULL OR d.tenant_id = $1) AND ($2::uuid IS NULL OR d.kiosk_id = $2)
       AND d.feed_position < (SELECT feed_horizon())
       AND (d.feed_position, d.proof_id) > (
         coalesce((SELECT feed_position FROM deletions WHERE proof_id = $3), -1),
         coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
     ORDER BY d.feed_position, d.proof_id LIMIT $4`,
    [tenantId, kioskId, after, limit],
  )
}

/** The proof of this kiosk that was deleted last; null: none. */
export async function findLastDeletion(queries: Queries, kioskId: string): Promise<string | null> {
  const [row] = await queries.query<{ proof_id: string }>(
    `SELECT proof_id FROM deletions WHERE kiosk_id = $1 AND feed_position < (SELECT feed_horizon())
     ORDER BY feed_position DESC, proof_id DESC LIMIT 1`,
    [kioskId],
  )
  return row?.proof_id ?? null
}

/** Writes a line with the public keys, and one line of JSON for each receipt. */
export async function exportReceipts(
  { db, keys }: Pick<CentralContext, 'db' | 'keys'>,
  tenantId: string | null,
  file: string,
): Promise<{ file: string; receipts: number }> {
  let receipts = 0
  const lines = async function* () {
    yield encodeLine(keys.current().trust)
    for (let after: string | null = null; ;) {
      const page: DeletedRow[] = await db.transaction(SYSTEM, (queries) =>
        listDeletions(queries, { tenantId, kioskId: null, after, limit: PAGE_ROWS }),
      )
      receipts += page.length
      yield* page.map(encodeLine)
      if (page.length < PAGE_ROWS) return
      after = page.at(-1)?.proofId ?? null
    }
  }
  await writeFileStream(file, lines)
  return { file, receipts }
}

export interface CheckedReceipts {
  readonly valid: number
  /** Numbers of the lines that are no receipt of this service; the first hundred. */
  readonly problems: readonly number[]
  /** Proofs that were here again, as after the restore of a backup, and were deleted again. */
  readonly deletedAgain: number
  /** Proofs that are here again and under a legal hold. */
  readonly onHold: number
}

/**
 * Verifies every receipt of a file of `exportReceipts` with the keys of this service. @param isApplied deletes those of the
 * proofs that a restored backup has brought back
 */
export async function checkReceipts(
  ctx: CentralContext,
  file: string,
  { isApplied }: { readonly isApplied: boolean },
): Promise<CheckedReceipts> {
  const problems: number[] = []
  const counts = { valid: 0, deletedAgain: 0, onHold: 0 }
  let isExport = false
  const { handle } = await openGivenFile(file, { mostBytes: Infinity })
  try {
    let number = 0
    for await (const line of createInterface({ input: handle.createReadStream({ autoClose: false }) })) {
      number++
      if (number === 1) {
        isExport = isOfService(line, ctx.keys.current().centreId)
        continue
      }
      const statement = await readLine(line, ctx.keys.current().trust.statementKeys.keys)
      if (statement === null) {
        if (problems.length < 100) problems.push(number)
        continue
      }
      counts.valid++
      if (!isApplied) continue
      const outcome = await applyReceipt(ctx, statement)
      if (outcome !== null) counts[outcome]++
    }
  } finally {
    await handle.close()
  }
  // A service that deleted nothing writes a file with its keys alone.
  if (counts.valid + problems.length === 0 && !isExport) {
    throw new AppError('file_refused', { reason: 'it contains no receipts of deletions' })
  }
  return { ...counts, problems }
}

/** True for the first line of an export of this service: its public keys. */
function isOfService(line: string, centreId: string): boolean {
  try {
    return (JSON.parse(line) as { readonly centreId?: unknown } | null)?.centreId === centreId
  } catch {
    return false
  }
}

/** Null if the proof is not here, or is deleted. */
async function applyReceipt(
  ctx: CentralContext,
  { proofId, sha256, reason, decidedAt }: Statement<'deletion'>,
): Promise<'deletedAgain' | 'onHold' | null> {
  const outcome = await ctx.db.transaction(SYSTEM, async (queries) => {
    const [kept] = await queries.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM proofs WHERE proof_id = $1 AND sha256 = $2 AND deleted_at IS NULL',
      [proofId, sha256],
    )
    if (!kept) return null
    await lockAgainstHolds(queries, kept.tenant_id)
    const held = await queries.query(`SELECT 1 FROM proofs p WHERE p.proof_id = $1 AND ${IS_HELD}`, [proofId])
    if (held.length > 0) return 'onHold'
    const at = new Date(decidedAt)
    await decideDeletion(queries, [proofId], { reason, actor: 'receipt', reference: null, at })
    return 'deletedAgain'
  })
  if (outcome === 'deletedAgain') await finishDeletions(ctx, [proofId])
  return outcome
}

async function readLine(line: string, keys: readonly JWK[]): Promise<Statement<'deletion'> | null> {
  try {
    const { receipt } = LineSchema.parse(JSON.parse(line.slice(0, MAX_LINE)))
    return await readStatement('deletion', receipt, keys)
  } catch {
    return null
  }
}

function encodeLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`, 'utf8')
}
