/**
 * Several histories of one kiosk, because its data folder was copied. Line 0 is the history that the central service goes
 * on with; every other one has a number of its own. Proofs of other lines, and all proofs of a kiosk that waits for the
 * decision of an operator, are in quarantine: kept and verified, but not in the feed.
 */
import type { Migration } from './migration.ts'
import { tenantTable } from '../row-security.ts'
import { SYSTEM_ROLE } from '../db.ts'

const TABLES = ['proofs', 'withdrawn', 'uploads']

export const lines: Migration = {
  version: 12,
  sql: `
    ALTER TABLE kiosks
      -- The highest number of another line; 0: the kiosk has one history.
      ADD COLUMN lines integer NOT NULL DEFAULT 0,
      -- A second history was seen, and no operator has chosen a line since.
      ADD COLUMN frozen_at timestamptz,
      -- By number of the line: the last status of the machine whose newest proof is on it, while it was frozen.
      ADD COLUMN machines jsonb NOT NULL DEFAULT '{}';

    ${TABLES.map(
      (table) => `
      ALTER TABLE ${table} ADD COLUMN line integer NOT NULL DEFAULT 0;
      ALTER TABLE ${table} DROP CONSTRAINT ${table}_kiosk_id_sequence_key;
      CREATE UNIQUE INDEX ${table}_numbers ON ${table} (kiosk_id, line, sequence);`,
    ).join('')}

    ALTER TABLE proofs
      -- IN_DOUBT: the feed had it before another line was chosen. DELIVERED: of another line, on the decision of an operator.
      ADD COLUMN mark text CHECK (mark IN ('IN_DOUBT', 'DELIVERED')),
      -- The mark changed, and the feed does not say so yet.
      ADD COLUMN mark_pending boolean NOT NULL DEFAULT false;
    CREATE INDEX proofs_mark_pending ON proofs (kiosk_id) WHERE mark_pending;

    CREATE TABLE quarantined (
      proof_id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      line integer NOT NULL,
      sequence bigint NOT NULL,
      identity_id uuid NOT NULL,
      sha256 text NOT NULL,
      previous_hash text NOT NULL,
      hash text NOT NULL,
      level_of_assurance text NOT NULL,
      test boolean NOT NULL,
      signed_by text NOT NULL,
      archive_bytes bigint NOT NULL,
      sealed_at timestamptz NOT NULL,
      stored_at timestamptz NOT NULL,
      correlation_hash bytea,
      packet_sha256 text NOT NULL,
      packet_bytes bigint NOT NULL,
      location text NOT NULL,
      receipt text NOT NULL,
      policy_id text,
      -- An operator has decided that the head office gets it; it moves to the proofs in a transaction of its own.
      released boolean NOT NULL DEFAULT false
    );
    CREATE UNIQUE INDEX quarantined_numbers ON quarantined (kiosk_id, line, sequence);
    CREATE INDEX quarantined_identity ON quarantined (identity_id);
    CREATE INDEX quarantined_released ON quarantined (kiosk_id, line, sequence) WHERE released;
    ${tenantTable('quarantined', ['SELECT'])}

    -- The record of the operators' decisions; no row is changed or removed.
    CREATE TABLE line_decisions (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      at timestamptz NOT NULL,
      act text NOT NULL CHECK (act IN ('CHOOSE', 'DELIVER')),
      line integer NOT NULL,
      decided_by text NOT NULL,
      reason text NOT NULL
    );
    CREATE INDEX line_decisions_kiosk ON line_decisions (kiosk_id, at);
    ${tenantTable('line_decisions', ['SELECT'])}
    REVOKE UPDATE, DELETE ON line_decisions FROM ${SYSTEM_ROLE};

    -- Entries of the feed about proofs that it had before: their mark has changed.
    CREATE TABLE feed_marks (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      proof_id uuid NOT NULL REFERENCES proofs (proof_id),
      feed_position bigint NOT NULL UNIQUE
    );
    CREATE INDEX feed_marks_feed ON feed_marks (tenant_id, feed_position);
    ${tenantTable('feed_marks', ['SELECT'])}

    -- As in version 8, with the positions of both tables. One transaction stores at most one entry of the feed.
    CREATE OR REPLACE FUNCTION place_in_feed() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      feed_base bigint;
      own bigint := pg_current_xact_id()::text::bigint;
    BEGIN
      SELECT base INTO STRICT feed_base FROM public.feed_clock;
      IF greatest((SELECT max(feed_position) FROM public.proofs), (SELECT max(feed_position) FROM public.feed_marks)) >
        feed_base + greatest(own, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)
      THEN
        RAISE EXCEPTION 'the feed of a restored database was not continued yet' USING ERRCODE = 'serialization_failure';
      END IF;
      NEW.feed_position := feed_base + own;
      RETURN NEW;
    END $$;
    CREATE TRIGGER place_in_feed BEFORE INSERT ON feed_marks FOR EACH ROW EXECUTE FUNCTION place_in_feed();
  `,
}
