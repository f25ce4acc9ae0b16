/**
 * Completed and pending erasures. The row is written before the data key is destroyed, so that the next start completes
 * an interrupted erasure; it keeps the signed receipt permanently.
 */
import type { Db } from './db.ts'
import { isWithin, type Scope } from './scope.ts'

/**
 * Tables whose rows are erased with an identity. All but the last three reference the identity's row with ON DELETE
 * CASCADE. Events and outbox (ids, states and hashes; chained, so a gap would raise an alarm) and this table remain.
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

/** Table → number of rows, without empty tables. */
export type RowCounts = Readonly<Record<string, number>>

/** The job that completes an erasure is not part of the identity's data. */
const ERASING = 'finish-erasure'
const CONDITIONS: Readonly<Record<string, string>> = {
  identities: 'id = @id',
  // A running job finds nothing to save and deletes its own row at its end (`jobs`).
  jobs: `identity_id = @id AND kind <> '${ERASING}' AND state <> 'running'`,
  // A running request, or one whose answer was lost in a crash, references the identity only by its path.
  idempotency_keys: `identity_id = @id OR (identity_id IS NULL AND route LIKE '%/' || @id || '%')`,
}
const chooseCondition = (table: string): string => CONDITIONS[table] ?? 'identity_id = @id'

/**
 * DELETE: requested through the API. RETENTION: after the proof. ABANDONED: never finished. RESTORED: erased after the
 * backup that restored it was made. LOST: its data key was missing, and an operator accepted the loss.
 */
export const ERASURE_REASONS = ['DELETE', 'RETENTION', 'ABANDONED', 'RESTORED', 'LOST'] as const
export type ErasureReason = (typeof ERASURE_REASONS)[number]

export interface Erasure {
  readonly identityId: string
  readonly tenantId: string
  /** Application of the identity. Null: erased by a version that did not record it. */
  readonly applicationId: string | null
  readonly reason: ErasureReason
  readonly actor: string
  /** Id of its last proof, if any. */
  readonly proofId: string | null
  readonly begunAt: Date
  readonly erasedAt: Date | null
  /** Signed deletion receipt: compact JWS. */
  readonly receipt: string | null
}

export interface Erasures {
  /** A repeated call for the same identity has no effect. */
  begin(erasure: Omit<Erasure, 'erasedAt' | 'receipt'>): void
  end(identityId: string, erasedAt: Date, receipt: string): void
  /** Also null outside the scope. */
  find(scope: Scope, identityId: string): Erasure | null
  /** Begun but not completed. */
  listOpen(): readonly Erasure[]
  list(limit: number, after?: string): readonly Erasure[]
  /** Rows that `deleteRows` would delete now. */
  countRows(identityId: string): RowCounts
  /** Deletes all rows of the identity except those of the log. Call inside the transaction that completes the erasure. */
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
      `SELECT count(*) AS n FROM ${table} WHERE ${chooseCondition(table)}`,
    ),
  }))
  const deletions = [
    db.prepare(`DELETE FROM idempotency_keys WHERE ${chooseCondition('idempotency_keys')}`),
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
