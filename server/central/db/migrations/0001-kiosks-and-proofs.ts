/**
 * Kiosks, their packets, and their alarms. No personal data: packets are encrypted, look-ups are keyed
 * hashes.
 */
import type { Migration } from './migration.ts'
import { systemTable, tenantTable } from '../row-security.ts'
import { APP_ROLE, SYSTEM_ROLE } from '../db.ts'

export const kiosksAndProofs: Migration = {
  version: 1,
  sql: `
    GRANT USAGE ON SCHEMA public TO ${APP_ROLE}, ${SYSTEM_ROLE};

    -- The centre itself: one row, made by whoever starts first.
    CREATE TABLE centre (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      id uuid NOT NULL,
      created_at timestamptz NOT NULL
    );
    ${systemTable('centre')}

    CREATE TABLE centre_keys (
      kid text PRIMARY KEY,
      purpose text NOT NULL CHECK (purpose IN ('CA', 'STATEMENT', 'PACKET', 'CORRELATION')),
      -- Public half; null for a secret key.
      public_jwk jsonb,
      -- DER, of the CA alone.
      certificate bytea,
      -- AES-256-GCM by the centre's master key.
      wrapped bytea NOT NULL,
      created_at timestamptz NOT NULL,
      -- No longer signs or is handed out; still opens and verifies.
      retired_at timestamptz
    );
    ${systemTable('centre_keys')}

    CREATE TABLE tenants (
      tenant_id text PRIMARY KEY CHECK (tenant_id ~ '^[a-z0-9-]{1,40}$'),
      name text NOT NULL,
      created_at timestamptz NOT NULL
    );
    ${tenantTable('tenants', ['SELECT'])}

    CREATE TABLE kiosks (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      name text NOT NULL,
      public_jwk jsonb NOT NULL,
      -- PEM
      certificate text NOT NULL,
      -- Public keys (JWKs) that sign its proofs; none is ever taken away.
      proof_keys jsonb NOT NULL,
      proof_keys_at timestamptz NOT NULL,
      -- Of those, by kid: since when nothing that they signed counts, milliseconds since 1970.
      revoked_keys jsonb NOT NULL DEFAULT '{}',
      -- The tenant's id as its proofs write it, held fast by the first one.
      proof_tenant_id text,
      enrolled_at timestamptz NOT NULL,
      revoked_at timestamptz,
      -- Highest sequence number that is stored or withdrawn; up to which none is missing; since when one is missing.
      last_sequence bigint NOT NULL DEFAULT 0,
      contiguous_sequence bigint NOT NULL DEFAULT 0,
      gap_since timestamptz,
      -- Highest that the kiosk itself ever named, and that it named while nothing waited there: so far we should have all.
      claimed_sequence bigint NOT NULL DEFAULT 0,
      owed_sequence bigint NOT NULL DEFAULT 0,
      status jsonb,
      status_counter bigint NOT NULL DEFAULT 0,
      status_at timestamptz,
      restored_at timestamptz,
      audit_sequence bigint NOT NULL DEFAULT 0,
      audit_hash text,
      UNIQUE (tenant_id, id)
    );
    ${tenantTable('kiosks', ['SELECT'])}

    CREATE TABLE enrolment_codes (
      -- Of the code's secret half.
      hash text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      name text NOT NULL,
      -- A kiosk that is known already: the code gives it a new key.
      for_kiosk uuid,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      used_by uuid,
      -- RFC 7638 thumbprint of the kiosk's key: the same kiosk may ask again.
      used_key text,
      used_at timestamptz
    );
    ${tenantTable('enrolment_codes', [])}

    -- What was announced and is not stored yet. Its packet is a large object that the row alone refers to.
    CREATE TABLE uploads (
      proof_id uuid PRIMARY KEY,
      tenant_id text NOT NULL,
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      sequence bigint NOT NULL,
      announcement jsonb NOT NULL,
      packet oid NOT NULL,
      received bigint NOT NULL DEFAULT 0,
      state text NOT NULL CHECK (state IN ('RECEIVING', 'REFUSED')),
      problems jsonb,
      refused_at timestamptz,
      -- Where the packet is being put outside the database; swept with the row.
      location text,
      created_at timestamptz NOT NULL,
      touched_at timestamptz NOT NULL,
      UNIQUE (kiosk_id, sequence)
    );
    CREATE INDEX uploads_touched ON uploads (touched_at);
    ${tenantTable('uploads', ['SELECT'])}

    CREATE SEQUENCE feed_positions;
    GRANT USAGE ON SEQUENCE feed_positions TO ${SYSTEM_ROLE};

    CREATE TABLE proofs (
      proof_id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      sequence bigint NOT NULL,
      identity_id uuid NOT NULL,
      -- Of the archive in clear, lower-case hex.
      sha256 text NOT NULL,
      -- The chain of the kiosk's outbox.
      previous_hash text NOT NULL,
      hash text NOT NULL,
      level_of_assurance text NOT NULL,
      test boolean NOT NULL,
      -- Thumbprint of the key that signed.
      signed_by text NOT NULL,
      archive_bytes bigint NOT NULL,
      sealed_at timestamptz NOT NULL,
      stored_at timestamptz NOT NULL,
      feed_position bigint NOT NULL UNIQUE,
      -- Keyed, with the tenant: null where the caller gave no correlation id.
      correlation_hash bytea,
      packet_sha256 text NOT NULL,
      packet_bytes bigint NOT NULL,
      -- 'lo:OID' or 's3:KEY'
      location text NOT NULL,
      receipt text NOT NULL,
      UNIQUE (kiosk_id, sequence)
    );
    CREATE INDEX proofs_feed ON proofs (tenant_id, feed_position);
    CREATE INDEX proofs_identity ON proofs (tenant_id, identity_id);
    CREATE INDEX proofs_correlation ON proofs (tenant_id, correlation_hash) WHERE correlation_hash IS NOT NULL;
    ${tenantTable('proofs', ['SELECT'])}

    -- Erased before they were sent: their numbers are accounted for.
    CREATE TABLE withdrawn (
      proof_id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      sequence bigint NOT NULL,
      identity_id uuid NOT NULL,
      sha256 text NOT NULL,
      previous_hash text NOT NULL,
      hash text NOT NULL,
      sealed_at timestamptz NOT NULL,
      withdrawn_at timestamptz NOT NULL,
      receipt text NOT NULL,
      UNIQUE (kiosk_id, sequence)
    );
    ${tenantTable('withdrawn', ['SELECT'])}

    CREATE TABLE alarms (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      kind text NOT NULL CHECK (kind IN ('GAP', 'CHAIN_BROKEN', 'CONFLICT', 'REFUSED', 'CLONE', 'AUDIT_ROLLBACK', 'CLOCK',
        'OFFLINE')),
      -- What it is about within the kiosk, so that the same thing is one alarm: a proof id, a sequence number, or ''.
      subject text NOT NULL,
      -- Ids, numbers, codes.
      details jsonb NOT NULL,
      raised_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL,
      times bigint NOT NULL DEFAULT 1,
      acknowledged_at timestamptz,
      acknowledged_by text,
      resolved_at timestamptz
    );
    CREATE UNIQUE INDEX alarms_open ON alarms (kiosk_id, kind, subject) WHERE resolved_at IS NULL;
    CREATE INDEX alarms_raised ON alarms (tenant_id, raised_at);
    ${tenantTable('alarms', ['SELECT', 'UPDATE'])}
  `,
}
