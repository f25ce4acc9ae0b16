/** Findings of the audit log's verifier, each with a name and one sentence. */

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

type AuditProblem =
  | 'missing' // it existed and no longer does
  | 'changed' // it differs from what was written
  | 'made_up' // the log does not contain it
  | 'replayed' // authentic but outdated: an older copy was restored
  | 'cut_off' // the newest rows are missing
  | 'head_changed'
  | 'set_back' // the log is older than a known state
  | 'unreadable'

export interface Finding {
  readonly table: AuditTable
  readonly problem: AuditProblem
  /** Sequence number of the row, id, or file name. */
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
