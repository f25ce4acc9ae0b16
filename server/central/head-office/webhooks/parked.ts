/** Parked deliveries, which wait for an operator: list, send again, drop. */
import { SYSTEM, type Db, type Queries } from '../../db/db.ts'
import { IS_PARKED } from './claim.ts'

/** Rows of one page, and of one transaction. */
const AT_ONCE = 1_000

/** One delivery, or all of a webhook or tenant. */
export interface ParkedChoice {
  readonly deliveryId: string | null
  readonly webhookId: string | null
  readonly tenantId: string | null
}
export type Change = 'retry' | 'drop'

/** Oldest first. @param after the last delivery of the page before */
export async function listParked(
  db: Db,
  { tenantId, after }: { readonly tenantId: string | null; readonly after: string | null },
): Promise<object[]> {
  return db.query(
    SYSTEM,
    `SELECT d.id AS "deliveryId", d.tenant_id AS "tenantId", d.webhook_id AS "webhookId", d.type, d.attempts,
       d.last_status AS "lastStatus", d.last_error AS "lastError", d.created_at AS "createdAt"
     FROM deliveries d
     WHERE ${IS_PARKED} AND ($1::text IS NULL OR d.tenant_id = $1)
       AND ($2::uuid IS NULL OR (d.created_at, d.id) > (SELECT created_at, id FROM deliveries WHERE id = $2))
     ORDER BY d.created_at, d.id LIMIT ${AT_ONCE}`,
    [tenantId, after],
  )
}

const CHANGES: Readonly<Record<Change, string>> = {
  retry: `UPDATE deliveries SET state = 'PENDING', since = now(), next_try_at = now()`,
  drop: 'DELETE FROM deliveries',
}

/**
 * Sends parked deliveries again, or drops them. Returns their number.
 * @param note called in each transaction with the number of deliveries of one tenant
 */
export async function changeParked(
  db: Db,
  { deliveryId, webhookId, tenantId }: ParkedChoice,
  change: Change,
  note: (queries: Queries, tenantId: string, count: number) => Promise<void>,
): Promise<number> {
  for (let total = 0; ;) {
    const count = await db.transaction(SYSTEM, async (queries) => {
      const changed = await queries.query<{ tenant_id: string }>(
        `${CHANGES[change]} WHERE delivered_at IS NULL AND id = ANY (ARRAY(
           SELECT id FROM deliveries
           WHERE ${IS_PARKED} AND ($1::uuid IS NULL OR id = $1) AND ($2::uuid IS NULL OR webhook_id = $2)
             AND ($3::text IS NULL OR tenant_id = $3)
           ORDER BY created_at, id LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED))
         RETURNING tenant_id`,
        [deliveryId, webhookId, tenantId],
      )
      const counts = Map.groupBy(changed, ({ tenant_id: tenant }) => tenant)
      for (const [tenant, { length }] of counts) await note(queries, tenant, length)
      if (change === 'retry' && changed.length > 0) queries.announce('deliveries')
      return changed.length
    })
    total += count
    if (count < AT_ONCE) return total
  }
}
