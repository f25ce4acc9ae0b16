/** Revokes a kiosk that was lost, stolen or decommissioned: its signature is refused from now on. */
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { enqueueEvent } from '../head-office/index.ts'

/**
 * False if the tenant has no such kiosk. Repeatable. @param tenantId null: any, for the operator
 * @param note stores the act in the access log, in the same transaction
 */
export async function revokeKiosk(
  ctx: Pick<CentralContext, 'db' | 'clock'>,
  tenantId: string | null,
  kioskId: string,
  note: (queries: Queries, tenantId: string) => Promise<void>,
): Promise<boolean> {
  const at = ctx.clock.now()
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const [kiosk] = await queries.query<{ tenant_id: string; revoked_at: Date | null }>(
      `SELECT tenant_id, revoked_at FROM kiosks WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2)
       FOR NO KEY UPDATE`,
      [kioskId, tenantId],
    )
    if (!kiosk) return false
    await note(queries, kiosk.tenant_id)
    if (kiosk.revoked_at) return true
    await queries.query('UPDATE kiosks SET revoked_at = $2 WHERE id = $1', [kioskId, at])
    const event = { tenantId: kiosk.tenant_id, type: 'kiosk.revoked', at, data: { kioskId } } as const
    await enqueueEvent(queries, event)
    return true
  })
}
