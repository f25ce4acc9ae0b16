/** A decision names its line by a proof: the number of a line changes with the decision. */
import type { Migration } from './migration.ts'

export const namedLines: Migration = {
  version: 22,
  sql: `
    ALTER TABLE line_decisions
      -- Null: a decision of the version before.
      ADD COLUMN first_proof uuid;
  `,
}
