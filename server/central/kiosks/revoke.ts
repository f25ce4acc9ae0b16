/** Revokes a kiosk that was lost, stolen or decommissioned: its signature is refused from now on. */
import type { CentralContext } from '../context.ts'
import { SYSTEM, type Queries } from '../db/db.ts'
import { decidedBefore } from '../decided-before.ts'
import { enqueueEvent } from '../head-office/index.ts'

/**
 * Null if the tenant has no such kiosk. `isNew` is false for a repetition by the same person or system. Throws
 * `transition_refused` if another one revoked the kiosk before. @param tenantId null: any, for the operator
 * @param actor as in the resolution of an alarm @param note stores the act in the access log, in the same transaction
 */
export async function revokeKiosk(
  ctx: Pick<CentralContext, 'db' | 'clock'>,
  tenantId: string | null,
  kioskId: string,
  actor: string,
  note: (queries: Queries, tenantId: string) => Promise<void>,
): Promise<{ readonly revokedAt: Date; readonly isNew: boolean } | null> {
  const at = ctx.clock.now()
  return ctx.db.transaction(SYSTEM, async (queries) => {
    const [kiosk] = await queries.query<{
      tenant_id: string
      revoked_at: Date | null
      revoked_by: string | null
    }>(
      `SELECT tenant_id, revoked_at, revoked_by FROM kiosks WHERE id = $1 AND ($2::text IS NULL OR tenant_id = $2)
       FOR NO KEY UPDATE`,
      [kioskId, tenantId],
    )
    if (!kiosk) return null
    const { revoked_at: revokedAt, revoked_by: by } = kiosk
    if (revokedAt !== null && by !== actor)
      throw decidedBefore('kiosk', 'revoked', revokedAt, by ?? undefined)
    await note(queries, kiosk.tenant_id)
    if (revokedAt !== null) return { revokedAt, isNew: false }
    await queries.query('UPDATE kiosks SET revoked_at = $2, revoked_by = $3 WHERE id = $1', [
      kioskId,
      at,
      actor,
    ])
    const event = { tenantId: kiosk.tenant_id, type: 'kiosk.revoked', at, data: { kioskId } } as const
    await enqueueEvent(queries, event)
    return { revokedAt: at, isNew: true }
  })
}
