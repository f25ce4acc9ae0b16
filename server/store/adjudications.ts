/** Requests for a person's decision about an evidence. The last one of an evidence counts. */
import type { AdjudicationStatus, ResultError } from '../proofing/types.ts'
import type { Db } from './open.ts'

export interface Adjudication {
  readonly id: string
  readonly identityId: string
  readonly evidenceId: string
  readonly status: AdjudicationStatus
  /** A code of the catalogue of reasons, never free text. */
  readonly reason: string | null
  readonly errors: readonly ResultError[]
  readonly requestedAt: Date
  readonly respondedAt: Date | null
}

export interface Adjudications {
  add(adjudication: Adjudication): void
  find(id: string): Adjudication | null
  /** The last request for this evidence. */
  latest(evidenceId: string): Adjudication | null
  /** The last request for each evidence of the identity, oldest first. */
  list(identityId: string): readonly Adjudication[]
  save(adjudication: Adjudication): void
}

interface Row {
  id: string
  identity_id: string
  evidence_id: string
  status: AdjudicationStatus
  reason: string | null
  errors: string
  requested_at: number
  responded_at: number | null
}

export function createAdjudications(db: Db): Adjudications {
  const insert = db.prepare(
    `INSERT INTO adjudications (id, identity_id, evidence_id, status, reason, errors, requested_at, responded_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    'UPDATE adjudications SET status = ?, reason = ?, errors = ?, responded_at = ? WHERE id = ?',
  )
  const byId = db.prepare<[string], Row>('SELECT * FROM adjudications WHERE id = ?')
  const last = db.prepare<[string], Row>(
    'SELECT * FROM adjudications WHERE evidence_id = ? ORDER BY requested_at DESC, id DESC LIMIT 1',
  )
  const all = db.prepare<[string], Row>(
    'SELECT * FROM adjudications WHERE identity_id = ? ORDER BY requested_at, id',
  )
  return {
    add: (item) =>
      void insert.run(
        item.id,
        item.identityId,
        item.evidenceId,
        item.status,
        item.reason,
        JSON.stringify(item.errors),
        item.requestedAt.getTime(),
        item.respondedAt?.getTime() ?? null,
      ),
    find: (id) => {
      const row = byId.get(id)
      return row ? fromRow(row) : null
    },
    latest: (evidenceId) => {
      const row = last.get(evidenceId)
      return row ? fromRow(row) : null
    },
    list: (identityId) => {
      const rows = all.all(identityId)
      return rows
        .filter((row, index) => !rows.slice(index + 1).some((later) => later.evidence_id === row.evidence_id))
        .map(fromRow)
    },
    save: (item) =>
      void update.run(
        item.status,
        item.reason,
        JSON.stringify(item.errors),
        item.respondedAt?.getTime() ?? null,
        item.id,
      ),
  }
}

function fromRow(row: Row): Adjudication {
  return {
    id: row.id,
    identityId: row.identity_id,
    evidenceId: row.evidence_id,
    status: row.status,
    reason: row.reason,
    errors: JSON.parse(row.errors) as readonly ResultError[],
    requestedAt: new Date(row.requested_at),
    respondedAt: row.responded_at === null ? null : new Date(row.responded_at),
  }
}
