/** Lets the role of the central service read all that a backup needs: pg_dump reads every table and sequence of the database. */
import { SYSTEM_ROLE } from '../db.ts'
import type { Migration } from './migration.ts'

export const backups: Migration = {
  version: 7,
  sql: `
    GRANT SELECT ON schema_migrations TO ${SYSTEM_ROLE};
    GRANT SELECT ON SEQUENCE feed_positions TO ${SYSTEM_ROLE};
  `,
}
