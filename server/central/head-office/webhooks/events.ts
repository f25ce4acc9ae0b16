/**
 * Stores an event for head-office systems: one row for each subscribed webhook, in the transaction of its
 * cause. So only committed events are sent, and all of them.
 */
import { v7 as uuidv7 } from 'uuid'
import type { Queries } from '../../db/db.ts'
import type { EventType } from '../contract.ts'

export interface CentralEvent {
  readonly tenantId: string
  readonly type: EventType
  readonly at: Date
  /** Only ids, states and numbers. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>
}

/** @param queries of the transaction that stores the cause of the event; either role */
export async function enqueueEvent(queries: Queries, event: CentralEvent): Promise<void> {
  const { tenantId, type, at, data } = event
  const stored = await queries.query(
    `INSERT INTO deliveries (tenant_id, webhook_id, event_id, type, body, next_try_at, since, created_at)
     SELECT w.tenant_id, w.id, $1, $2, $3, now(), now(), now()
     FROM webhooks w WHERE w.tenant_id = $4 AND $2 = ANY (w.events) RETURNING 1`,
    [uuidv7(), type, JSON.stringify({ type, timestamp: at.toISOString(), data }), tenantId],
  )
  if (stored.length > 0) queries.announce('deliveries')
  if (type === 'proof.stored' || type === 'proof.marked') queries.announce('feed')
}
