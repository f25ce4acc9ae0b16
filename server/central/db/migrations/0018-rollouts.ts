/** Releases of the kiosks' product, and their rollouts: ring after ring of the kiosks of a tenant. */
import type { Migration } from './migration.ts'
import { APP_ROLE } from '../db.ts'
import { systemTable, tenantTable } from '../row-security.ts'

export const rollouts: Migration = {
  version: 18,
  sql: `
    -- Packages for the kiosks of all tenants.
    CREATE TABLE releases (
      version text NOT NULL,
      architecture text NOT NULL,
      minimum_from text NOT NULL,
      -- Hash of the package, hexadecimal, and its length.
      sha256 text NOT NULL UNIQUE,
      bytes bigint NOT NULL,
      -- The signed release file, as the kiosks get it.
      file text NOT NULL,
      key_id text NOT NULL,
      added_at timestamptz NOT NULL,
      added_by text NOT NULL,
      -- The place of the package, as of a packet.
      location text NOT NULL,
      -- Null: the package is being stored, or its storage was interrupted.
      stored_at timestamptz,
      PRIMARY KEY (version, architecture)
    );
    ${systemTable('releases')}
    GRANT SELECT ON releases TO ${APP_ROLE};

    -- The rings of a tenant, in their order; no row: those of rules.ts.
    CREATE TABLE rings (
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      position integer NOT NULL,
      name text NOT NULL,
      -- Percent of the kiosks in this ring and the ones before, by a hash of their id.
      share integer NOT NULL CHECK (share BETWEEN 0 AND 100),
      PRIMARY KEY (tenant_id, position),
      UNIQUE (tenant_id, name)
    );
    ${tenantTable('rings', ['SELECT'])}

    -- Kiosks that an operator has named for a ring.
    CREATE TABLE ring_kiosks (
      kiosk_id uuid PRIMARY KEY REFERENCES kiosks (id),
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      ring text NOT NULL
    );
    ${tenantTable('ring_kiosks', ['SELECT'])}

    CREATE TABLE rollouts (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      version text NOT NULL,
      state text NOT NULL CHECK (state IN ('PLANNED', 'RUNNING', 'PAUSED', 'DONE', 'STOPPED')),
      -- As they were at the beginning: [{name, share}].
      rings jsonb NOT NULL,
      -- The last ring that gets the release, from 0 on.
      ring integer NOT NULL DEFAULT 0,
      soak_minutes integer NOT NULL,
      max_failed_percent integer NOT NULL,
      starts_at timestamptz NOT NULL,
      -- Failures before do not count: a person has continued the rollout in spite of them.
      judged_from timestamptz NOT NULL,
      -- The last change of state or ring: consumer:ID, person:SUBJECT or operator:NAME; null: the service itself.
      changed_at timestamptz NOT NULL,
      changed_by text,
      reason text
    );
    CREATE UNIQUE INDEX rollouts_open ON rollouts (tenant_id) WHERE state IN ('PLANNED', 'RUNNING', 'PAUSED');
    CREATE INDEX rollouts_newest ON rollouts (tenant_id, starts_at);
    ${tenantTable('rollouts', ['SELECT', 'UPDATE'])}

    -- What a kiosk has reported about a rollout.
    CREATE TABLE rollout_kiosks (
      rollout_id uuid NOT NULL REFERENCES rollouts (id),
      kiosk_id uuid NOT NULL REFERENCES kiosks (id),
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      -- Of the kiosk when it was offered the release.
      ring integer NOT NULL,
      state text NOT NULL CHECK (state IN ('OFFERED', 'INSTALLED', 'ROLLED_BACK', 'REFUSED', 'FAILED')),
      -- A code of the kiosk's updater.
      reason text,
      from_version text,
      changed_at timestamptz NOT NULL,
      -- Since when every status says that the kiosk is well with this version; null: it is not, or that is not known.
      well_since timestamptz,
      PRIMARY KEY (rollout_id, kiosk_id)
    );
    CREATE INDEX rollout_kiosks_kiosk ON rollout_kiosks (kiosk_id);
    ${tenantTable('rollout_kiosks', ['SELECT'])}

    -- As the kiosk reports its updates; null: its version does not.
    ALTER TABLE kiosks ADD COLUMN updates jsonb;

    -- UPDATE: the kiosk did not install a release. A kiosk has few alarms, so the check of the rows is short.
    ALTER TABLE alarms DROP CONSTRAINT alarms_kind_check;
    ALTER TABLE alarms ADD CONSTRAINT alarms_kind_check CHECK (kind IN ('GAP', 'CHAIN_BROKEN', 'CONFLICT', 'REFUSED',
      'CLONE', 'AUDIT_ROLLBACK', 'CLOCK', 'OFFLINE', 'LOST', 'UPDATE'));
  `,
}
