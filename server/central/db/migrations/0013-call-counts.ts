/** Counts the calls of each caller for the limits that all instances share (../../call-counts.ts). */
import type { Migration } from './migration.ts'
import { systemTable } from '../row-security.ts'

export const callCounts: Migration = {
  version: 13,
  sql: `
    -- UNLOGGED: a change costs no WAL, and its commit does not wait for the disk. After a crash of PostgreSQL the counts begin
    -- again. An instance of the version before does not use the table and limits its own calls.
    CREATE UNLOGGED TABLE call_counts (
      -- A keyed hash of the limit and the caller, which is a code, the id of a key or an address.
      caller bytea PRIMARY KEY,
      taken bigint NOT NULL,
      -- The window begins with the first call. The row is deleted after it.
      ends_at timestamptz NOT NULL
    );
    ${systemTable('call_counts')}
  `,
}
