/** What the verifier of the audit log has found, each named and in one sentence. */

export type AuditTable =
  | 'events'
  | 'checkpoints'
  | 'proofs'
  | 'outbox'
  | 'erasures'
  | 'signing_keys'
  | 'identity_keys'
  | 'enrolment'
  | 'bundles'
  | 'legal_holds'
  | 'meta'
  | 'audit-head.json'
  | 'file'

export type AuditProblem =
  | 'missing' // it was there, and is not any more
  | 'changed' // it is not as it was written
  | 'made_up' // the log knows nothing of it
  | 'replayed' // genuine once, and not any more: an older copy was put back
  | 'cut_off' // the newest rows are gone
  | 'head_changed'
  | 'set_back' // the log is older than it has been before
  | 'unreadable'

export interface Finding {
  readonly table: AuditTable
  readonly problem: AuditProblem
  /** Sequence number of the row, or id, or name of the file. */
  readonly row: string
  /** One sentence. */
  readonly message: string
}

export interface Findings {
  readonly list: readonly Finding[]
  add(table: AuditTable, problem: AuditProblem, row: string | number, message: string): void
}

export function collectFindings(): Findings {
  const list: Finding[] = []
  return {
    list,
    add: (table, problem, row, message) => list.push({ table, problem, row: String(row), message }),
  }
}
