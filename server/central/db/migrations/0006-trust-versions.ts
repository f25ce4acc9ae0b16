/** Records which trust bundle each kiosk has in force, as it says when it asks for the newest. */
import type { Migration } from './migration.ts'

export const trustVersions: Migration = {
  version: 6,
  sql: `
    -- NULL: the kiosk has not asked yet. 0: none is in force.
    ALTER TABLE kiosks ADD COLUMN trust_version integer;
  `,
}
