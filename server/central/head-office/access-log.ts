/** Logs the acts of head-office systems: an append-only row in the transaction of the act. */
import { v7 as uuidv7 } from 'uuid'
import type { Queries } from '../db/db.ts'
import type { Holder } from './guard.ts'
import type { Operation } from './routes.ts'

export async function noteAccess(
  queries: Queries,
  holder: Holder,
  operation: Operation | 'verify',
  at: Date,
  about: { readonly subject?: string; readonly reason?: string } = {},
): Promise<void> {
  await queries.query(
    `INSERT INTO access_log (id, tenant_id, at, consumer_id, key_id, operation, subject, reason)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      uuidv7(),
      holder.tenantId,
      at,
      holder.consumerId,
      holder.keyId,
      operation,
      about.subject ?? null,
      about.reason ?? null,
    ],
  )
}
