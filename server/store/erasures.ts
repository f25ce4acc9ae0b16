/**
 * What was erased, or is being: the row is written before the data key is destroyed, so that an erasure which a crash
 * cuts off is carried to its end at the next start, and it keeps the signed receipt for good.
 */
import type { Db } from './open.ts'

/** DELETE: asked for through the API. RETENTION: after the proof. ABANDONED: never finished. RESTORED: erased after the backup that brought it back was made. */
export const ERASURE_REASONS = ['DELETE', 'RETENTION', 'ABANDONED', 'RESTORED'] as const
export type ErasureReason = (typeof ERASURE_REASONS)[number]

export interface Erasure {
  readonly identityId: string
  readonly tenantId: string
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
  find(identityId: string): Erasure | null
  /** Begun and not ended. */
  listOpen(): readonly Erasure[]
  list(limit: number, after?: string): readonly Erasure[]
}

interface Row {
  identity_id: string
  tenant_id: string
  reason: ErasureReason
  actor: string
  proof_id: string | null
  begun_at: number
  erased_at: number | null
  receipt: string | null
}

export function createErasures(db: Db): Erasures {
  const insert = db.prepare(
    `INSERT INTO erasures (identity_id, tenant_id, reason, actor, proof_id, begun_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const update = db.prepare(
    'UPDATE erasures SET erased_at = ?, receipt = ? WHERE identity_id = ? AND erased_at IS NULL',
  )
  const one = db.prepare<[string], Row>('SELECT * FROM erasures WHERE identity_id = ?')
  const open = db.prepare<[], Row>('SELECT * FROM erasures WHERE erased_at IS NULL ORDER BY begun_at')
  const some = db.prepare<[string, number], Row>(
    'SELECT * FROM erasures WHERE identity_id > ? ORDER BY identity_id LIMIT ?',
  )
  return {
    begin: ({ identityId, tenantId, reason, actor, proofId, begunAt }) =>
      void insert.run(identityId, tenantId, reason, actor, proofId, begunAt.getTime()),
    end: (identityId, erasedAt, receipt) => void update.run(erasedAt.getTime(), receipt, identityId),
    find: (identityId) => {
      const row = one.get(identityId)
      return row ? fromRow(row) : null
    },
    listOpen: () => open.all().map(fromRow),
    list: (limit, after = '') => some.all(after, limit).map(fromRow),
  }
}

function fromRow(row: Row): Erasure {
  return {
    identityId: row.identity_id,
    tenantId: row.tenant_id,
    reason: row.reason,
    actor: row.actor,
    proofId: row.proof_id,
    begunAt: new Date(row.begun_at),
    erasedAt: row.erased_at === null ? null : new Date(row.erased_at),
    receipt: row.receipt,
  }
}
