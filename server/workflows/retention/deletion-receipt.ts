/**
 * Creates the signed receipt of an erasure when the rows are deleted, keeps it permanently, and shows it to callers who could
 * access the identity.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { RECEIPT_TYPE, RECEIPT_VERSION, type DeletionReceipt } from '../../proof/verify/deletion-receipt.ts'
import { canonicalBytes } from '../../proof/verify/canonical-json.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Erasure, RowCounts } from '../../store/erasures.ts'
import type { StoredProof } from '../../store/proofs.ts'
import { findErasure } from '../access/reach.ts'
import { timeView } from '../proof/time-view.ts'

interface Erased {
  readonly erasure: Erasure
  readonly erasedAt: Date
  /** The identity's last proof. */
  readonly proof: StoredProof | null
  readonly rows: RowCounts
  readonly files: number
}

/** Returns a compact JWS by the key that signs proofs. */
export function signDeletionReceipt(
  ctx: Context,
  { erasure, erasedAt, proof, rows, files }: Erased,
): Promise<string> {
  const { seq, hash } = ctx.store.events.head()
  const receipt: DeletionReceipt = {
    type: RECEIPT_TYPE,
    version: RECEIPT_VERSION,
    receiptId: ctx.newId(),
    applianceId: ctx.store.applianceId,
    tenantId: erasure.tenantId,
    identityId: erasure.identityId,
    reason: erasure.reason,
    ...(proof ? { proofId: proof.id, proofSha256: proof.sha256 } : {}),
    begunAt: formatSpecDateTime(erasure.begunAt),
    erasedAt: formatSpecDateTime(erasedAt),
    time: { ...timeView(ctx.time.statement()) },
    destroyed: { dataKey: true, rows, files },
    audit: { seq, hash },
  }
  return ctx.signer.sign(canonicalBytes({ ...receipt }))
}

/**
 * Throws `not_found` if it was not erased, is not completely erased yet, or was outside the caller's reach.
 */
export async function getDeletionReceipt(ctx: Context, caller: Caller, identityId: string) {
  const erasure = findErasure(ctx, caller, identityId, 'READ')
  if (!erasure || erasure.erasedAt === null || erasure.receipt === null) {
    throw new AppError('not_found', { resource: 'deletion receipt' })
  }
  const { erasedAt, reason, receipt } = erasure
  return { identityId, erasedAt: formatSpecDateTime(erasedAt), reason, receipt }
}
