/** Head-office systems: accounts, acknowledged proofs, webhooks, and bundles for the kiosks. */
import type { Migration } from './migration.ts'
import { tenantTable } from '../row-security.ts'

export const headOffice: Migration = {
  version: 2,
  sql: `
    CREATE TABLE consumers (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      name text NOT NULL,
      created_at timestamptz NOT NULL,
      UNIQUE (tenant_id, name),
      UNIQUE (tenant_id, id)
    );
    ${tenantTable('consumers', ['SELECT'])}

    -- Several are valid at once: a key is changed without a gap.
    CREATE TABLE consumer_keys (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL,
      consumer_id uuid NOT NULL,
      sha256 bytea NOT NULL UNIQUE,
      scopes text[] NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz,
      revoked_at timestamptz,
      FOREIGN KEY (tenant_id, consumer_id) REFERENCES consumers (tenant_id, id)
    );
    -- Looked up before the tenant is known, so never by the tenant's role.
    ${tenantTable('consumer_keys', [])}

    CREATE TABLE acknowledgements (
      proof_id uuid NOT NULL REFERENCES proofs (proof_id),
      consumer_id uuid NOT NULL,
      tenant_id text NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (proof_id, consumer_id),
      FOREIGN KEY (tenant_id, consumer_id) REFERENCES consumers (tenant_id, id)
    );
    ${tenantTable('acknowledgements', ['SELECT', 'INSERT'])}

    -- Who fetched, searched, changed or published what. Ids and names of operations.
    CREATE TABLE access_log (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL,
      at timestamptz NOT NULL,
      consumer_id uuid NOT NULL,
      key_id uuid NOT NULL,
      operation text NOT NULL,
      -- An id, a version; null where there is none, or where it would say what was searched for.
      subject text,
      -- What the caller gave as a reason.
      reason text
    );
    CREATE INDEX access_log_at ON access_log (tenant_id, at);
    ${tenantTable('access_log', ['SELECT', 'INSERT'])}

    CREATE TABLE webhooks (
      id uuid PRIMARY KEY,
      tenant_id text NOT NULL,
      consumer_id uuid NOT NULL,
      url text NOT NULL,
      events text[] NOT NULL,
      -- Sealed by the centre's master key.
      secret bytea NOT NULL,
      previous_secret bytea,
      previous_valid_until timestamptz,
      created_at timestamptz NOT NULL,
      UNIQUE (tenant_id, id),
      FOREIGN KEY (tenant_id, consumer_id) REFERENCES consumers (tenant_id, id)
    );
    CREATE INDEX webhooks_of ON webhooks (tenant_id, consumer_id);
    ${tenantTable('webhooks', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}

    -- Written in the transaction of what they tell of.
    CREATE TABLE deliveries (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      tenant_id text NOT NULL,
      webhook_id uuid NOT NULL,
      event_id uuid NOT NULL,
      type text NOT NULL,
      body text NOT NULL,
      state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DELIVERED', 'PARKED')),
      attempts integer NOT NULL DEFAULT 0,
      next_try_at timestamptz NOT NULL,
      -- While an instance sends it: when another may take it over, should that one have died.
      sending_until timestamptz,
      -- Made, or sent again by hand: from here the time until it is parked counts.
      since timestamptz NOT NULL,
      last_status integer,
      last_error text,
      created_at timestamptz NOT NULL,
      delivered_at timestamptz,
      UNIQUE (webhook_id, event_id),
      FOREIGN KEY (tenant_id, webhook_id) REFERENCES webhooks (tenant_id, id) ON DELETE CASCADE
    );
    CREATE INDEX deliveries_due ON deliveries (webhook_id, next_try_at) WHERE state = 'PENDING';
    CREATE INDEX deliveries_listed ON deliveries (webhook_id, created_at, id);
    CREATE INDEX deliveries_done ON deliveries (delivered_at) WHERE state = 'DELIVERED';
    ${tenantTable('deliveries', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}

    CREATE TABLE bundles (
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      version integer NOT NULL CHECK (version > 0),
      created_at timestamptz NOT NULL,
      created_by uuid NOT NULL,
      rolled_back_to integer,
      -- Names of what is inside: {settings: […], policies: […], watchlists: […]}.
      names jsonb NOT NULL,
      -- The signed statement, sealed by the centre's master key: watchlists are about persons.
      statement bytea NOT NULL,
      PRIMARY KEY (tenant_id, version)
    );
    ${tenantTable('bundles', ['SELECT', 'INSERT'])}
  `,
}
