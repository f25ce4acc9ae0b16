/** A tenant says whether it takes proofs of kiosks in test mode; they prove nothing about a real person. */
import type { Migration } from './migration.ts'

export const testProofs: Migration = {
  version: 10,
  sql: 'ALTER TABLE tenants ADD COLUMN takes_test_proofs boolean NOT NULL DEFAULT false;',
}
