/**
 * What was erased, or is being: the row is written before the data key is destroyed, so that an erasure which a crash
 * cuts off is carried to its end at the next start, and it keeps the signed receipt for good.
 */
import type { Db } from './open.ts'
import { isWithin, type Scope } from './scope.ts'

/**
 * What goes with an identity, by table. All but the last three hang on the row of the identity and go by ON DELETE
 * CASCADE. What stays: events and outbox (ids, states and hashes, chained: a gap would be an alarm) and this table.
 */
export const ERASED_TABLES = [
  'identities',
  'identity_contexts',
  'evidences',
  'verifications',
  'images',
  'file_metadata',
  'videos',
  'document_prints',
  'face_templates',
  'face_index',
  'consents',
  'operations',
  'steps',
  'proofs',
  'capture_sessions',
  'kiosk_sessions',
  'delegated_sessions',
  'adjudications',
  'adjudication_decisions',
  'desk_work',
  'fraud_checks',
  'velocity_marks',
  'otps',
  'oidc_requests',
  'user_agent_tokens',
  'deadlines',
  'legal_holds',
  'identity_keys',
  'jobs',
  'idempotency_keys',
] as const
/** A visit forgets its identity (ON DELETE SET NULL) and continues being counted. */
export const KEPT_TABLES = ['events', 'outbox', 'erasures', 'webhook_deliveries', 'visits'] as const

/** Table → rows, tables without any left out. */
export type RowCounts = Readonly<Record<string, number>>

/** The job that carries an erasure to its end is none of the identity's data. */
const ERASING = 'finish-erasure'
const CONDITIONS: Readonly<Record<string, string>> = {
  identities: 'id = @id',
  // One that runs finds nothing to save, and takes its own row along when it ends (`jobs`).
  jobs: `identity_id = @id AND kind <> '${ERASING}' AND state <> 'running'`,
  // One that runs, or whose answer a crash took, knows the identity by its path alone.
  idempotency_keys: `identity_id = @id OR (identity_id IS NULL AND route LIKE '%/' || @id || '%')`,
}
const conditionOf = (table: string): string => CONDITIONS[table] ?? 'identity_id = @id'

/**
 * DELETE: asked for through the API. RETENTION: after the proof. ABANDONED: never finished. RESTORED: erased after the
 * backup that brought it back was made. LOST: its data key was missing, and an operator accepted the loss.
 */
export const ERASURE_REASONS = ['DELETE', 'RETENTION', 'ABANDONED', 'RESTORED', 'LOST'] as const
export type ErasureReason = (typeof ERASURE_REASONS)[number]

export interface Erasure {
  readonly identityId: string
  readonly tenantId: string
  /** Whose identity it was. Null: erased by a version that did not note it, and not to be found out afterwards. */
  readonly applicationId: string | null
  readonly reason: ErasureReason
  readonly actor: string
  /** Of its last proof, if one was sealed. */
  readonly proofId: string | null
  readonly begunAt: Date
  readonly erasedAt: Date | null
  /** Signed deletion receipt: a compact JWS. */
  readonly receipt: string | null
}

export interface Erasures {
  /** A second one of the same identity changes nothing. */
  begin(erasure: Omit<Erasure, 'erasedAt' | 'receipt'>): void
  end(identityId: string, erasedAt: Date, receipt: string): void
  /** Null outside the scope, too. */
  find(scope: Scope, identityId: string): Erasure | null
  /** Begun and not ended. */
  listOpen(): readonly Erasure[]
  list(limit: number, after?: string): readonly Erasure[]
  /** What `deleteRows` would delete now. */
  countRows(identityId: string): RowCounts
  /** Every row of the identity in every table, but for the log's. Inside the transaction that ends the erasure. */
  deleteRows(identityId: string): void
}

interface Row {
  identity_id: string
  tenant_id: string
  application_id: string | null
  reason: ErasureReason
  actor: string
  proof_id: string | null
  begun_at: number
  erased_at: number | null
  receipt: string | null
}

export function createErasures(db: Db): Erasures {
  const insert = db.prepare(
    `INSERT INTO erasures (identity_id, tenant_id, application_id, reason, actor, proof_id, begun_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const update = db.prepare(
    'UPDATE erasures SET erased_at = ?, receipt = ? WHERE identity_id = ? AND erased_at IS NULL',
  )
  const one = db.prepare<[string], Row>('SELECT * FROM erasures WHERE identity_id = ?')
  const open = db.prepare<[], Row>('SELECT * FROM erasures WHERE erased_at IS NULL ORDER BY begun_at')
  const some = db.prepare<[string, number], Row>(
    'SELECT * FROM erasures WHERE identity_id > ? ORDER BY identity_id LIMIT ?',
  )
  const counts = ERASED_TABLES.map((table) => ({
    table,
    statement: db.prepare<[{ id: string }], { n: number }>(
      `SELECT count(*) AS n FROM ${table} WHERE ${conditionOf(table)}`,
    ),
  }))
  const deletions = [
    db.prepare(`DELETE FROM idempotency_keys WHERE ${conditionOf('idempotency_keys')}`),
    db.prepare(`DELETE FROM jobs WHERE identity_id = @id AND state <> 'running'`),
    db.prepare('DELETE FROM identities WHERE id = @id'),
  ]
  return {
    begin: ({ identityId, tenantId, applicationId, reason, actor, proofId, begunAt }) =>
      void insert.run(identityId, tenantId, applicationId, reason, actor, proofId, begunAt.getTime()),
    end: (identityId, erasedAt, receipt) => void update.run(erasedAt.getTime(), receipt, identityId),
    find: (scope, identityId) => {
      const row = one.get(identityId)
      const erasure = row ? fromRow(row) : null
      return erasure && isWithin(scope, { ...erasure, id: identityId }) ? erasure : null
    },
    listOpen: () => open.all().map(fromRow),
    list: (limit, after = '') => some.all(after, limit).map(fromRow),
    countRows: (id) =>
      Object.fromEntries(
        counts
          .map(({ table, statement }) => [table, statement.get({ id })?.n ?? 0] as const)
          .filter(([, rows]) => rows > 0),
      ),
    deleteRows: (id) => {
      for (const statement of deletions) statement.run({ id })
    },
  }
}

function fromRow(row: Row): Erasure {
  return {
    identityId: row.identity_id,
    tenantId: row.tenant_id,
    applicationId: row.application_id,
    reason: row.reason,
    actor: row.actor,
    proofId: row.proof_id,
    begunAt: new Date(row.begun_at),
    erasedAt: row.erased_at === null ? null : new Date(row.erased_at),
    receipt: row.receipt,
  }
}
