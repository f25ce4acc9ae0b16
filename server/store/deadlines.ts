/**
 * Actions that are due at a certain time unless an event precedes them. The job runner executes each in its own
 * transaction.
 */
import type { Db } from './db.ts'

export type DeadlineKind =
  | 'capture-session'
  | 'adjudication'
  | 'adjudication-claim'
  | 'otp'
  | 'otp-report'
  | 'trusted-claim'
  | 'transaction'
  | 'retention'
  | 'face-index'
  | 'document-print'
  | 'velocity'
  | 'fraud-retry'
  | 'issuer-retry'
  | 'address-retry'
  | 'bureau-retry'
  | 'operator-retry'
  | 'desk-decision'

export interface Deadline {
  readonly kind: DeadlineKind
  /** Id of the session, adjudication, evidence or identity. */
  readonly subjectId: string
  readonly identityId: string
  readonly dueAt: Date
}

export interface Deadlines {
  /** Replaces a deadline of the same kind and subject. */
  set(deadline: Deadline): void
  clear(kind: DeadlineKind, subjectId: string): void
  due(at: Date, limit: number): readonly Deadline[]
  next(): Date | null
  find(kind: DeadlineKind, subjectId: string): Date | null
  /**
   * Adds a deadline of this kind to every identity without one, with the identity as subject. Returns the number added.
   */
  addMissing(kind: DeadlineKind, dueAt: Date): number
  /** Like `addMissing`, and also moves existing ones. */
  setForAll(kind: DeadlineKind, dueAt: Date): number
}

interface Row {
  kind: DeadlineKind
  subject_id: string
  identity_id: string
  due_at: number
}

export function createDeadlines(db: Db): Deadlines {
  const upsert = db.prepare(
    `INSERT INTO deadlines (kind, subject_id, identity_id, due_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at`,
  )
  const remove = db.prepare('DELETE FROM deadlines WHERE kind = ? AND subject_id = ?')
  const select = db.prepare<[number, number], Row>(
    'SELECT * FROM deadlines WHERE due_at <= ? ORDER BY due_at LIMIT ?',
  )
  const one = db.prepare<[string, string], { due_at: number }>(
    'SELECT due_at FROM deadlines WHERE kind = ? AND subject_id = ?',
  )
  // The WHERE tells the parser that ON CONFLICT belongs to the insert.
  const forAll = `INSERT INTO deadlines (kind, subject_id, identity_id, due_at)
    SELECT @kind, id, id, @dueAt FROM identities WHERE true ON CONFLICT (kind, subject_id)`
  const insertMissing = db.prepare(`${forAll} DO NOTHING`)
  const upsertAll = db.prepare(`${forAll} DO UPDATE SET due_at = excluded.due_at`)
  const first = db.prepare<[], { at: number | null }>('SELECT min(due_at) at FROM deadlines')
  return {
    set: ({ kind, subjectId, identityId, dueAt }) =>
      void upsert.run(kind, subjectId, identityId, dueAt.getTime()),
    clear: (kind, subjectId) => void remove.run(kind, subjectId),
    due: (at, limit) =>
      select.all(at.getTime(), limit).map((row) => ({
        kind: row.kind,
        subjectId: row.subject_id,
        identityId: row.identity_id,
        dueAt: new Date(row.due_at),
      })),
    next: () => {
      const at = first.get()?.at
      return at === null || at === undefined ? null : new Date(at)
    },
    find: (kind, subjectId) => {
      const row = one.get(kind, subjectId)
      return row ? new Date(row.due_at) : null
    },
    addMissing: (kind, dueAt) => insertMissing.run({ kind, dueAt: dueAt.getTime() }).changes,
    setForAll: (kind, dueAt) => upsertAll.run({ kind, dueAt: dueAt.getTime() }).changes,
  }
}
