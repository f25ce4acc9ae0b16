/**
 * Deletes proofs in durable steps, each of which may be repeated after a crash:
 * 1. `decideDeletion` turns the row into a tombstone and notes where the packet is. From this commit on no caller reads the
 *    archive.
 * 2. `finishDeletions` removes the packet from the storage outside the database, with no transaction open.
 * 3. One short transaction for each proof removes the large object and stores the signed receipt, its place in the feed of
 *    deletions and the event.
 */
import { describeError } from '../../log.ts'
import { signStatement } from '../../protocol/statements.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { enqueueEvent } from '../head-office/index.ts'
import { LARGE_OBJECT } from '../storage/large-objects.ts'

type DeletionReason = 'RETENTION' | 'ERASURE'

/** Proofs whose packets one call removes. */
const BATCH = 500

interface OpenDeletion {
  readonly proof_id: string
  readonly tenant_id: string
  readonly kiosk_id: string
  readonly reason: DeletionReason
  readonly decided_at: Date
  readonly location: string
  readonly sequence: number
  readonly identity_id: string
  readonly sha256: string
  readonly hash: string
}

/**
 * Step 1, in the transaction that has checked the holds under `lockAgainstHolds`. Proofs that are deleted already change
 * nothing. Returns the ids of those that this call decided.
 */
export async function decideDeletion(
  queries: Queries,
  proofIds: readonly string[],
  decision: {
    readonly reason: DeletionReason
    readonly actor: string
    readonly reference: string | null
    readonly at: Date
  },
): Promise<string[]> {
  const { reason, actor, reference, at } = decision
  const rows = await queries.query<{ proof_id: string }>(
    `WITH chosen AS (
       SELECT proof_id, tenant_id, kiosk_id, location FROM proofs
       WHERE proof_id = ANY ($1::uuid[]) AND deleted_at IS NULL FOR UPDATE
     ), noted AS (
       INSERT INTO deletions (proof_id, tenant_id, kiosk_id, reason, actor, reference, decided_at, location)
       SELECT proof_id, tenant_id, kiosk_id, $2, $3, $4, $5, location FROM chosen
     )
     UPDATE proofs p SET deleted_at = $5, location = '', correlation_hash = NULL, figures = NULL
     FROM chosen WHERE p.proof_id = chosen.proof_id RETURNING p.proof_id`,
    [proofIds, reason, actor, reference, at],
  )
  return rows.map(({ proof_id: proofId }) => proofId)
}

/** Until the transaction ends, no hold of this tenant is placed; later statements see those that were. */
export async function lockAgainstHolds(queries: Queries, tenantId: string): Promise<void> {
  await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1 FOR SHARE', [tenantId])
}

/**
 * Steps 2 and 3 for the oldest decided deletions. One that fails stays open and is tried after the others. Returns the
 * number of the finished ones. @param only these proofs; null: any
 */
export async function finishDeletions(
  ctx: CentralContext,
  only: readonly string[] | null = null,
): Promise<number> {
  const open = await ctx.db.query<OpenDeletion>(
    SYSTEM,
    `SELECT d.proof_id, d.tenant_id, d.kiosk_id, d.reason, d.decided_at, d.location, p.sequence, p.identity_id, p.sha256, p.hash
     FROM deletions d JOIN proofs p ON p.proof_id = d.proof_id
     WHERE d.receipt IS NULL AND ($1::uuid[] IS NULL OR d.proof_id = ANY ($1::uuid[]))
     ORDER BY d.tried_at NULLS FIRST, d.decided_at LIMIT ${BATCH}`,
    [only],
  )
  let finished = 0
  for (const deletion of open) {
    try {
      await finishDeletion(ctx, deletion)
      finished++
    } catch (error) {
      ctx.log.warn(
        { proofId: deletion.proof_id, ...describeError(error) },
        'a deleted packet could not be removed yet and will be tried again',
      )
      await ctx.db.query(SYSTEM, 'UPDATE deletions SET tried_at = $2 WHERE proof_id = $1', [
        deletion.proof_id,
        ctx.clock.now(),
      ])
    }
  }
  return finished
}

async function finishDeletion(ctx: CentralContext, deletion: OpenDeletion): Promise<void> {
  const { proof_id: proofId, tenant_id: tenantId, kiosk_id: kioskId, sequence, reason, location } = deletion
  const isInside = location.startsWith(LARGE_OBJECT)
  if (!isInside) await ctx.storage.removeOutside(location)
  const at = ctx.clock.now()
  const receipt = await signStatement(
    'deletion',
    {
      kioskId,
      proofId,
      identityId: deletion.identity_id,
      sequence,
      sha256: deletion.sha256,
      hash: deletion.hash,
      reason,
      decidedAt: deletion.decided_at.getTime(),
      deletedAt: at.getTime(),
    },
    ctx.keys.current().statementKey,
  )
  await ctx.db.transaction(SYSTEM, async (queries) => {
    const mine = await queries.query(
      `UPDATE deletions SET location = NULL, deleted_at = $2, receipt = $3,
         feed_position = (SELECT base FROM feed_clock) + pg_current_xact_id()::text::bigint
       WHERE proof_id = $1 AND receipt IS NULL RETURNING 1`,
      [proofId, at, receipt],
    )
    // Another instance was faster.
    if (mine.length === 0) return
    if (isInside) await ctx.storage.remove(location, queries)
    const data = { proofId, kioskId, sequence, reason }
    await enqueueEvent(queries, { tenantId, type: 'proof.deleted', at, data })
  })
}
