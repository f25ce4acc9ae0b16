/** Logs the acts of head-office systems, and of operators on proofs: an append-only row in the transaction of the act. Lists them for a log collector. */
import { v7 as uuidv7 } from 'uuid'
import { SYSTEM, type Db, type Queries } from '../db/db.ts'
import type { Holder } from './guard.ts'
import type { Operation } from './routes.ts'

/** Acts of operators on proofs, as at the command line. */
type OperatorAct = 'setRetention' | 'eraseProofs' | 'placeHold' | 'releaseHold' | 'chooseLine' | 'deliverLine'

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

/** @param operator name of the person at the command line */
export async function noteOperatorAccess(
  queries: Queries,
  tenantId: string,
  operator: string,
  operation: OperatorAct,
  subject: string | null,
  at: Date,
): Promise<void> {
  await queries.query(
    `INSERT INTO access_log (id, tenant_id, at, operator, operation, subject) VALUES ($1, $2, $3, $4, $5, $6)`,
    [uuidv7(), tenantId, at, operator, operation, subject],
  )
}

/** Rows of one page. */
export const ACCESS_AT_ONCE = 1000

export interface AccessRow {
  readonly id: string
  readonly at: Date
  readonly tenantId: string
  /** Name of the head-office system; null: an operator. */
  readonly consumer: string | null
  readonly keyId: string | null
  readonly operator: string | null
  readonly operation: string
  readonly subject: string | null
  /** The text of the caller may name a person, so only its presence is listed. */
  readonly reasonGiven: boolean
}

interface AccessPage {
  readonly tenantId: string | null
  /** Id of the last row of the page before. */
  readonly after: string | null
  /** Exclusive. A transaction that is still open may add an earlier row, so the newest rows have to wait. */
  readonly before: Date
  readonly limit: number
}

/** Oldest first. */
export function listAccess(db: Db, { tenantId, after, before, limit }: AccessPage): Promise<AccessRow[]> {
  return db.query<AccessRow>(
    SYSTEM,
    `SELECT a.id, a.at, a.tenant_id AS "tenantId", c.name AS consumer, a.key_id AS "keyId", a.operator, a.operation, a.subject,
       a.reason IS NOT NULL AS "reasonGiven"
     FROM access_log a LEFT JOIN consumers c ON c.tenant_id = a.tenant_id AND c.id = a.consumer_id
     WHERE ($1::text IS NULL OR a.tenant_id = $1) AND ($2::uuid IS NULL OR a.id > $2::uuid) AND a.at < $3
     ORDER BY a.id LIMIT $4`,
    [tenantId, after, before, limit],
  )
}
