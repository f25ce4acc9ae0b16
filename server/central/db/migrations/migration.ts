/**
 * A migration only adds, because the version before serves beside it: columns are nullable or have a default, and what a
 * version no longer uses is removed by a migration of the version after it. An index or a constraint on a table that grows
 * with each proof locks it for the time of a scan (test/central/db/db.test.ts refuses it).
 */
export interface Migration {
  readonly version: number
  readonly sql: string
}
