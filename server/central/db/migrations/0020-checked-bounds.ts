/** Reads the rows of the logs once. Instances write meanwhile: the constraint exists, and only its check is open. */
import type { Migration } from './migration.ts'

export const checkedBounds: Migration = {
  version: 20,
  sql: `
    ALTER TABLE access_log VALIDATE CONSTRAINT access_log_first;
    ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_open;
  `,
}
