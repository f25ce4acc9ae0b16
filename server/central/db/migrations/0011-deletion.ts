/**
 * Retention, erasure and legal holds. The row of a deleted proof stays as its tombstone: number, hashes and receipt, so that
 * the chain of its kiosk stays provable and cursors stay valid.
 */
import type { Migration } from './migration.ts'
import { tenantTable } from '../row-security.ts'

export const deletion: Migration = {
  version: 11,
  sql: `
    -- As the archive states it; null: it states none, or the proof was stored by an earlier version.
    ALTER TABLE proofs ADD COLUMN policy_id text;
    -- The row is a tombstone from then on: location is empty, and correlation_hash is null.
    ALTER TABLE proofs ADD COLUMN deleted_at timestamptz;
    CREATE INDEX proofs_kept ON proofs (tenant_id, stored_at) WHERE deleted_at IS NULL;

    CREATE TABLE retention_rules (
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      -- Empty: every policy without a rule of its own.
      policy_id text NOT NULL,
      -- Counted from the storage; null: kept without end.
      days integer CHECK (days BETWEEN 1 AND 36500),
      set_at timestamptz NOT NULL,
      set_by text NOT NULL,
      PRIMARY KEY (tenant_id, policy_id)
    );
    ${tenantTable('retention_rules', ['SELECT'])}

    -- A hold of one proof, of one kiosk, or of the whole tenant. Rows stay after the release.
    CREATE TABLE legal_holds (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      proof_id uuid REFERENCES proofs (proof_id),
      kiosk_id uuid REFERENCES kiosks (id),
      reference text NOT NULL,
      placed_at timestamptz NOT NULL,
      placed_by text NOT NULL,
      released_at timestamptz,
      released_by text,
      release_reference text,
      CHECK (proof_id IS NULL OR kiosk_id IS NULL)
    );
    CREATE INDEX legal_holds_open ON legal_holds (tenant_id) WHERE released_at IS NULL;
    ${tenantTable('legal_holds', ['SELECT'])}

    CREATE TABLE deletions (
      proof_id uuid PRIMARY KEY REFERENCES proofs (proof_id),
      tenant_id text NOT NULL,
      kiosk_id uuid NOT NULL,
      reason text NOT NULL CHECK (reason IN ('RETENTION', 'ERASURE')),
      actor text NOT NULL,
      -- The name of the request; null for a retention.
      reference text,
      decided_at timestamptz NOT NULL,
      -- The place of the packet, until it is removed.
      location text,
      -- The last failure to remove it.
      tried_at timestamptz,
      deleted_at timestamptz,
      receipt text,
      -- Made like the position of a proof; proofs whose receipts one transaction stores share it.
      feed_position bigint
    );
    CREATE INDEX deletions_open ON deletions (decided_at) WHERE receipt IS NULL;
    CREATE INDEX deletions_feed ON deletions (tenant_id, feed_position, proof_id);
    CREATE INDEX deletions_kiosk ON deletions (kiosk_id, feed_position, proof_id);
    CREATE INDEX deletions_position ON deletions (feed_position);
    ${tenantTable('deletions', ['SELECT'])}

    -- Operators act without a key of a consumer.
    ALTER TABLE access_log ALTER COLUMN consumer_id DROP NOT NULL;
    ALTER TABLE access_log ALTER COLUMN key_id DROP NOT NULL;
    ALTER TABLE access_log ADD COLUMN operator text;
  `,
}
