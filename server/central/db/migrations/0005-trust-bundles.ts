/** Bundles of trust lists for the kiosks of a tenant: signed statements with an increasing version, and the files that they name. */
import type { Migration } from './migration.ts'
import { tenantTable } from '../row-security.ts'

export const trustBundles: Migration = {
  version: 5,
  sql: `
    CREATE TABLE trust_bundles (
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      version integer NOT NULL CHECK (version > 0),
      created_at timestamptz NOT NULL,
      published_by text NOT NULL,
      confirmed_by text NOT NULL,
      -- What the operator is shown: [{sha256, bytes, kind, series, country, signedAt}].
      files jsonb NOT NULL,
      -- Hash of the signed statement, hexadecimal.
      sha256 text NOT NULL,
      statement text NOT NULL,
      PRIMARY KEY (tenant_id, version)
    );
    ${tenantTable('trust_bundles', [])}

    -- The files of the newest bundle only: lists that states publish, so that they are not sealed.
    CREATE TABLE trust_files (
      tenant_id text NOT NULL REFERENCES tenants (tenant_id),
      sha256 text NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (tenant_id, sha256)
    );
    ${tenantTable('trust_files', [])}
  `,
}
