/**
 * A reviewer's answers about a case at the counter, and the decision that waits to be carried out. Encrypted, because it
 * names a person. One row per case and reviewer.
 */
import type { PersonRead } from '../proofing/read-by-person.ts'
import type { RecordedExamination } from '../proofing/verification-record.ts'
import type { Db } from './db.ts'
import type { Vault } from './vault.ts'

export interface DeskWork {
  readonly adjudicationId: string
  readonly identityId: string
  readonly reviewer: string
  /** The reviewer's own examination; null: the measurements must not be shown yet. */
  readonly examination: RecordedExamination | null
  /**
   * Values that the reviewer typed last, kept so that undoing a decision does not require typing again. Deleted when it
   * is carried out.
   */
  readonly typed?: PersonRead | null
  /** The confirmation is still pending. */
  readonly draft: {
    readonly decision: 'ACCEPTED' | 'REJECTED' | 'UNSURE'
    readonly reason: string
    /** Values that the reviewer read from the picture. */
    readonly values?: PersonRead
    /** SHA-256 (hex) of the confirmation token. */
    readonly tokenSha256: string
    readonly expiresAt: number
  } | null
  /** Confirmed: carried out after the undo period. */
  readonly pending: {
    readonly decision: 'ACCEPTED' | 'REJECTED' | 'UNSURE'
    readonly reason: string
    readonly overrules: boolean
    readonly values?: PersonRead
    /** Written with the confirmation. */
    readonly note?: string
    /** Milliseconds since 1970. */
    readonly undoUntil: number
  } | null
}

export interface DeskWorks {
  find(adjudicationId: string, reviewer: string): DeskWork | null
  /** The work with a pending decision. */
  findPending(adjudicationId: string): DeskWork | null
  /** Replaces an existing row. */
  save(work: DeskWork): void
}

interface Row {
  adjudication_id: string
  identity_id: string
  work_ct: Buffer
}

export function createDeskWorks(db: Db, vault: Vault, lookupHash: (value: string) => Buffer): DeskWorks {
  const one = db.prepare<[string, Buffer], Row>(
    'SELECT * FROM desk_work WHERE adjudication_id = ? AND reviewer_hash = ?',
  )
  const all = db.prepare<[string], Row>('SELECT * FROM desk_work WHERE adjudication_id = ?')
  const upsert = db.prepare(
    `INSERT INTO desk_work (adjudication_id, identity_id, reviewer_hash, work_ct) VALUES (?, ?, ?, ?)
     ON CONFLICT (adjudication_id, reviewer_hash) DO UPDATE SET work_ct = excluded.work_ct`,
  )
  // Case-insensitive: it is the same person.
  const hashReviewer = (reviewer: string): Buffer => lookupHash(`desk-reviewer\n${reviewer.toLowerCase()}`)
  const buildSealContext = (adjudicationId: string): string => `desk_work:${adjudicationId}`
  const fromRow = (row: Row): DeskWork =>
    vault.unsealJson(row.identity_id, buildSealContext(row.adjudication_id), row.work_ct) as DeskWork
  return {
    find: (adjudicationId, reviewer) => {
      const row = one.get(adjudicationId, hashReviewer(reviewer))
      return row ? fromRow(row) : null
    },
    findPending: (adjudicationId) =>
      all
        .all(adjudicationId)
        .map(fromRow)
        .find(({ pending }) => pending !== null) ?? null,
    save: (work) => {
      const { adjudicationId, identityId, reviewer } = work
      const sealed = vault.sealJson(identityId, buildSealContext(adjudicationId), work)
      upsert.run(adjudicationId, identityId, hashReviewer(reviewer), sealed)
    },
  }
}
