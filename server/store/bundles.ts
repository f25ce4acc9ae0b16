/** Signed bundles from the central service: settings, policies, watchlists. Versions only increase. */
import type { Db } from './db.ts'

type BundleState = 'RECEIVED' | 'APPLIED' | 'REFUSED' | 'SUPERSEDED'

interface StoredBundle {
  readonly version: number
  /** Signed `bundle` statement. */
  readonly jws: string
  readonly state: BundleState
  readonly problems: readonly string[]
  readonly receivedAt: Date
  readonly appliedAt: Date | null
}

export interface Bundles {
  add(version: number, jws: string, at: Date): void
  find(version: number): StoredBundle | null
  /** The bundle in force; null if only the kiosk's own configuration applies. */
  applied(): StoredBundle | null
  latest(): StoredBundle | null
  /** Supersedes the bundle applied before. */
  apply(version: number, at: Date): void
  refuse(version: number, problems: readonly string[]): void
  /** Newest first. */
  list(): readonly StoredBundle[]
}

interface Row {
  version: number
  jws: string
  state: BundleState
  problems: string
  received_at: number
  applied_at: number | null
}

export function createBundles(db: Db): Bundles {
  const insert = db.prepare(
    `INSERT INTO bundles (version, jws, state, problems, received_at) VALUES (?, ?, 'RECEIVED', '[]', ?)
     ON CONFLICT DO NOTHING`,
  )
  const one = db.prepare<[number], Row>('SELECT * FROM bundles WHERE version = ?')
  const inForce = db.prepare<[], Row>(
    `SELECT * FROM bundles WHERE state = 'APPLIED' ORDER BY version DESC LIMIT 1`,
  )
  const all = db.prepare<[], Row>('SELECT * FROM bundles ORDER BY version DESC')
  const supersede = db.prepare(
    `UPDATE bundles SET state = 'SUPERSEDED' WHERE state = 'APPLIED' AND version <> ?`,
  )
  const apply = db.prepare(
    `UPDATE bundles SET state = 'APPLIED', problems = '[]', applied_at = ? WHERE version = ?`,
  )
  const refuse = db.prepare(`UPDATE bundles SET state = 'REFUSED', problems = ? WHERE version = ?`)
  const optional = (row: Row | undefined): StoredBundle | null => (row ? fromRow(row) : null)
  return {
    add: (version, jws, at) => void insert.run(version, jws, at.getTime()),
    find: (version) => optional(one.get(version)),
    applied: () => optional(inForce.get()),
    latest: () => optional(all.get()),
    apply: (version, at) => {
      supersede.run(version)
      apply.run(at.getTime(), version)
    },
    refuse: (version, problems) => void refuse.run(JSON.stringify(problems), version),
    list: () => all.all().map(fromRow),
  }
}

function fromRow(row: Row): StoredBundle {
  return {
    version: row.version,
    jws: row.jws,
    state: row.state,
    problems: JSON.parse(row.problems) as string[],
    receivedAt: new Date(row.received_at),
    appliedAt: row.applied_at === null ? null : new Date(row.applied_at),
  }
}
