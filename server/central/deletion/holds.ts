/** Legal holds: no retention and no erasure deletes a proof under a hold of itself, of its kiosk or of its tenant. */
import { v7 as uuidv7 } from 'uuid'
import { AppError } from '../../errors.ts'
import { decidedBefore } from '../decided-before.ts'
import type { Queries } from '../db/db.ts'
import { contains, Filters, readPage, type PageOrder } from '../db/list-page.ts'
import type { HoldAct, KeptHold } from '../head-office/index.ts'

/** Exactly one of the members, or only the tenant. */
export interface HoldTarget {
  /** Null: the tenant of the proof or kiosk. */
  readonly tenantId: string | null
  readonly proofId?: string | undefined
  readonly kioskId?: string | undefined
}

/** SQL, a condition on a proof `p`. */
export const IS_HELD = `EXISTS (SELECT FROM legal_holds h WHERE h.tenant_id = p.tenant_id AND h.released_at IS NULL
  AND (h.proof_id = p.proof_id OR h.kiosk_id = p.kiosk_id OR (h.proof_id IS NULL AND h.kiosk_id IS NULL)))`

const COLUMNS = `id AS "holdId", tenant_id AS "tenantId", proof_id AS "proofId", kiosk_id AS "kioskId", reference,
  placed_at AS "placedAt", placed_by AS "placedBy", released_at AS "releasedAt", released_by AS "releasedBy",
  release_reference AS "releaseReference",
  (SELECT k.name FROM kiosks k WHERE k.id = legal_holds.kiosk_id) AS "kioskName"`

/**
 * Waits for deletions of this tenant that are being decided, so that each of them either came before the hold or sees it.
 * Throws `not_found` for an unknown target, and `proof_not_found` for a proof that is deleted.
 */
export async function placeHold(
  queries: Queries,
  target: HoldTarget,
  { reference, actor, at }: HoldAct,
): Promise<KeptHold> {
  const tenantId = await findTenant(queries, target)
  await queries.query('SELECT 1 FROM tenants WHERE tenant_id = $1 FOR NO KEY UPDATE', [tenantId])
  const { proofId = null, kioskId = null } = target
  if (proofId !== null) {
    const kept = await queries.query('SELECT 1 FROM proofs WHERE proof_id = $1 AND deleted_at IS NULL', [
      proofId,
    ])
    if (kept.length === 0) throw new AppError('proof_not_found')
  }
  const [hold] = await queries.query<KeptHold>(
    `INSERT INTO legal_holds (id, tenant_id, proof_id, kiosk_id, reference, placed_at, placed_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${COLUMNS}`,
    [uuidv7(), tenantId, proofId, kioskId, reference, at, actor],
  )
  if (!hold) throw new TypeError('the database returned no hold')
  return hold
}

/**
 * `isNew` is false if the same person gave the same reference before, as in a repeated request. Throws `not_found`, and
 * `transition_refused` after another decision. @param tenantId null: any, for the operator
 */
export async function releaseHold(
  queries: Queries,
  tenantId: string | null,
  holdId: string,
  { reference, actor, at }: HoldAct,
): Promise<{ readonly hold: KeptHold; readonly isNew: boolean }> {
  const [kept] = await queries.query<KeptHold>(
    `SELECT ${COLUMNS} FROM legal_holds
     WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2) FOR UPDATE`,
    [holdId, tenantId],
  )
  if (!kept) throw new AppError('not_found', { kind: 'hold' })
  if (kept.releasedAt !== null) {
    if (kept.releasedBy !== actor || kept.releaseReference !== reference)
      throw decidedBefore('hold', 'released', kept.releasedAt, kept.releasedBy)
    return { hold: kept, isNew: false }
  }
  const [hold] = await queries.query<KeptHold>(
    `UPDATE legal_holds SET released_at = $2, released_by = $3, release_reference = $4 WHERE id = $1
     RETURNING ${COLUMNS}`,
    [holdId, at, actor, reference],
  )
  if (!hold) throw new TypeError('the database returned no hold')
  return { hold, isNew: true }
}

/** @param tenantId null: of every tenant */
export async function listHolds(
  queries: Queries,
  tenantId: string | null,
  {
    isReleasedToo,
    search,
    sort,
    ...page
  }: Omit<PageOrder, 'columns'> & {
    readonly isReleasedToo: boolean
    readonly search?: string | undefined
    readonly sort: 'placed' | 'reference'
  },
): Promise<{ readonly rows: readonly KeptHold[]; readonly isMore: boolean }> {
  const filters = new Filters()
    .add(tenantId ?? undefined, (value) => `"tenantId" = ${value}`)
    .add(search, (value) => contains(value, ['reference']))
  if (!isReleasedToo) filters.conditions.push('"releasedAt" IS NULL')
  const columns = [sort === 'placed' ? '"placedAt"' : 'reference']
  const list = { rows: `SELECT ${COLUMNS} FROM legal_holds`, key: '"holdId"', ...filters }
  return readPage<KeptHold>(queries, list, { columns, ...page })
}

/** Throws `not_found`. */
async function findTenant(queries: Queries, { tenantId, proofId, kioskId }: HoldTarget): Promise<string> {
  const [table, column, id] =
    proofId !== undefined
      ? ['proofs', 'proof_id', proofId]
      : kioskId !== undefined
        ? ['kiosks', 'id', kioskId]
        : ['tenants', 'tenant_id', tenantId]
  const [row] = await queries.query<{ tenant_id: string }>(
    `SELECT tenant_id FROM ${table} WHERE ${column} = $1 AND ($2::text IS NULL OR tenant_id = $2)`,
    [id ?? null, tenantId],
  )
  if (!row) throw new AppError('not_found', { kind: table.slice(0, -1) })
  return row.tenant_id
}
