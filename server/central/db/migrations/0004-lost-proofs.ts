/**
 * Records proofs that a kiosk lost together with the keys of their identities: the number has no proof, and there is
 * an alarm.
 */
import type { Migration } from './migration.ts'

export const lostProofs: Migration = {
  version: 4,
  sql: `
    -- Numbers without a proof. LOST: not withdrawn by anyone; the kiosk cannot read the proof any more.
    ALTER TABLE withdrawn ADD COLUMN state text NOT NULL DEFAULT 'WITHDRAWN' CHECK (state IN ('WITHDRAWN', 'LOST'));

    ALTER TABLE alarms DROP CONSTRAINT alarms_kind_check;
    ALTER TABLE alarms ADD CONSTRAINT alarms_kind_check CHECK (kind IN ('GAP', 'CHAIN_BROKEN', 'CONFLICT', 'REFUSED',
      'CLONE', 'AUDIT_ROLLBACK', 'CLOCK', 'OFFLINE', 'LOST'));
  `,
}
