/**
 * Erasure by request, in two steps: the first shows the proofs and a confirmation of exactly these, the second deletes
 * them. Nothing is stored between the two.
 */
import { createHash } from 'node:crypto'
import { AppError } from '../../errors.ts'
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import type { ErasedProof } from '../head-office/index.ts'
import { decideDeletion, finishDeletions, lockAgainstHolds } from './delete.ts'
import { IS_HELD } from './holds.ts'

export interface ErasureOrder {
  /** Null: any, for the operator. */
  readonly tenantId: string | null
  /** Exactly one of the two. */
  readonly proofId?: string | undefined
  readonly identityId?: string | undefined
  /** The reference of the request. */
  readonly reference: string
  readonly actor: string
  /** The answer of the first step; undefined: this is the first step. */
  readonly confirmation?: string | undefined
}

export interface Erasure {
  readonly proofs: readonly ErasedProof[]
  /** To be repeated in the second step; null: a legal hold forbids it, or it is done. */
  readonly confirmation: string | null
  readonly isErased: boolean
}

/** Proofs of one identity. */
const MAX_PROOFS = 1000

/**
 * Throws `not_found` if there is no such proof that is kept, `legal_hold`, `transition_refused` if one is in quarantine
 * (kiosks/lines.ts), and `revision_conflict` if the confirmation is of other proofs.
 * @param note stores the call in the access log, in the same transaction
 */
export async function eraseProofs(
  ctx: CentralContext,
  order: ErasureOrder,
  note: (queries: Queries, tenantId: string, isOnHold: boolean) => Promise<void>,
): Promise<Erasure> {
  const erasure = await ctx.db.transaction(SYSTEM, async (queries): Promise<Erasure> => {
    await refuseQuarantined(queries, order)
    const [first] = await findProofs(queries, order)
    if (!first) throw new AppError('not_found', { kind: 'proof' })
    await lockAgainstHolds(queries, first.tenantId)
    const proofs = await findProofs(queries, { ...order, tenantId: first.tenantId })
    const isOnHold = proofs.some((proof) => proof.isOnHold)
    const confirmation = confirmProofs(proofs)
    await note(queries, first.tenantId, isOnHold)
    if (order.confirmation === undefined)
      return { proofs, confirmation: isOnHold ? null : confirmation, isErased: false }
    if (isOnHold) throw new AppError('legal_hold')
    if (order.confirmation !== confirmation) {
      throw new AppError('revision_conflict', {
        reason: 'the confirmation is of other proofs; ask for it again without one',
      })
    }
    const { reference, actor } = order
    const ids = proofs.map(({ proofId }) => proofId)
    await decideDeletion(queries, ids, { reason: 'ERASURE', actor, reference, at: ctx.clock.now() })
    return { proofs, confirmation: null, isErased: true }
  })
  // The upkeep continues what fails here.
  if (erasure.isErased) {
    await finishDeletions(
      ctx,
      erasure.proofs.map(({ proofId }) => proofId),
    )
  }
  return erasure
}

async function findProofs(
  queries: Queries,
  { tenantId, proofId, identityId }: Pick<ErasureOrder, 'tenantId' | 'proofId' | 'identityId'>,
): Promise<Erasure['proofs']> {
  return queries.query<ErasedProof>(
    `SELECT p.proof_id AS "proofId", p.tenant_id AS "tenantId", p.kiosk_id AS "kioskId", p.sequence,
       p.stored_at AS "storedAt", ${IS_HELD} AS "isOnHold"
     FROM proofs p
     WHERE ${proofId === undefined ? 'p.identity_id' : 'p.proof_id'} = $1 AND ($2::text IS NULL OR p.tenant_id = $2)
       AND p.deleted_at IS NULL
     ORDER BY p.tenant_id, p.proof_id LIMIT ${MAX_PROOFS}`,
    [proofId ?? identityId ?? null, tenantId],
  )
}

/** An erasure that leaves an archive in quarantine would not be one. */
async function refuseQuarantined(
  queries: Queries,
  { tenantId, proofId, identityId }: Pick<ErasureOrder, 'tenantId' | 'proofId' | 'identityId'>,
): Promise<void> {
  const found = await queries.query(
    `SELECT 1 FROM quarantined WHERE ${proofId === undefined ? 'identity_id' : 'proof_id'} = $1
       AND ($2::text IS NULL OR tenant_id = $2) LIMIT 1`,
    [proofId ?? identityId ?? null, tenantId],
  )
  if (found.length === 0) return
  throw new AppError('transition_refused', {
    reason: 'the proof is in quarantine; choose or deliver its line first (central lines), then erase it',
  })
}

/** No secret: it says that the caller saw exactly these proofs. */
function confirmProofs(proofs: Erasure['proofs']): string {
  const ids = proofs.map(({ proofId }) => proofId).join()
  return createHash('sha256').update(`erase:${ids}`, 'utf8').digest('hex').slice(0, 16)
}
