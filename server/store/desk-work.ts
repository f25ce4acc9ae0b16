/**
 * What a reviewer at the counter has answered about a case, and the decision of his that waits to be carried out: sealed,
 * because it names a person. One row per case and reviewer.
 */
import type { PersonRead } from '../proofing/read-by-person.ts'
import type { RecordedExamination } from '../proofing/verification-record.ts'
import type { Db } from './open.ts'
import type { Vault } from './vault.ts'

export interface DeskWork {
  readonly adjudicationId: string
  readonly identityId: string
  readonly reviewer: string
  /** What he saw with his own eyes; null: the machine's view is not his to see yet. */
  readonly examination: RecordedExamination | null
  /** What the reviewer typed last, so that a decision taken back does not cost him the typing. Gone once it is carried out. */
  readonly typed?: PersonRead | null
  /** The second act is still to come. */
  readonly draft: {
    readonly decision: 'ACCEPTED' | 'REJECTED' | 'UNSURE'
    readonly reason: string
    /** What the reviewer read off the picture. */
    readonly values?: PersonRead
    /** SHA-256 (hex) of the token for the second act. */
    readonly tokenSha256: string
    readonly expiresAt: number
  } | null
  /** Confirmed: carried out when the time to undo is over. */
  readonly pending: {
    readonly decision: 'ACCEPTED' | 'REJECTED' | 'UNSURE'
    readonly reason: string
    readonly overrules: boolean
    readonly values?: PersonRead
    /** Written with the second act. */
    readonly note?: string
    /** Milliseconds since 1970. */
    readonly undoUntil: number
  } | null
}

export interface DeskWorks {
  find(adjudicationId: string, reviewer: string): DeskWork | null
  /** The one that has a decision waiting. */
  findPending(adjudicationId: string): DeskWork | null
  /** Takes the place of what was there. */
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
  // Written in capitals or not, it is one person.
  const hashOf = (reviewer: string): Buffer => lookupHash(`desk-reviewer\n${reviewer.toLowerCase()}`)
  const contextOf = (adjudicationId: string): string => `desk_work:${adjudicationId}`
  const fromRow = (row: Row): DeskWork =>
    vault.unsealJson(row.identity_id, contextOf(row.adjudication_id), row.work_ct) as DeskWork
  return {
    find: (adjudicationId, reviewer) => {
      const row = one.get(adjudicationId, hashOf(reviewer))
      return row ? fromRow(row) : null
    },
    findPending: (adjudicationId) =>
      all
        .all(adjudicationId)
        .map(fromRow)
        .find(({ pending }) => pending !== null) ?? null,
    save: (work) => {
      const { adjudicationId, identityId, reviewer } = work
      const sealed = vault.sealJson(identityId, contextOf(adjudicationId), work)
      upsert.run(adjudicationId, identityId, hashOf(reviewer), sealed)
    },
  }
}
