/** Who revoked a kiosk. */
import type { Migration } from './migration.ts'

export const revokedBy: Migration = {
  version: 23,
  sql: `
    ALTER TABLE kiosks
      -- consumer:ID, person:SUBJECT or operator:NAME; null: not revoked, or by a version before.
      ADD COLUMN revoked_by text;
  `,
}
