/** Records which packets went straight to the storage outside the database, without a large object in between. */
import type { Migration } from './migration.ts'

export const placedPackets: Migration = {
  version: 9,
  sql: `
    -- The whole packet is at \`location\`; the large object is empty. An instance of the version before finds no packet at the
    -- completion and fails; the kiosk asks again, until it reaches an instance of this version.
    ALTER TABLE uploads ADD COLUMN placed boolean NOT NULL DEFAULT false;
  `,
}
