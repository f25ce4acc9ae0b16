/** Sessions of staff who signed in at an OpenID provider, and these people in the access log. */
import type { Migration } from './migration.ts'
import { systemTable } from '../row-security.ts'

export const staff: Migration = {
  version: 14,
  sql: `
    -- A person may see several tenants, and is looked up before one is chosen: no tenant's role reads it.
    CREATE TABLE staff_sessions (
      id uuid PRIMARY KEY,
      -- Of the random token in the cookie.
      token_sha256 bytea NOT NULL UNIQUE,
      issuer text NOT NULL,
      subject text NOT NULL,
      name text NOT NULL,
      -- The values of the claim that central.json had a role for; the roles are derived at each request.
      claim_values text[] NOT NULL,
      began_at timestamptz NOT NULL,
      active_at timestamptz NOT NULL,
      ends_at timestamptz NOT NULL
    );
    CREATE INDEX staff_sessions_end ON staff_sessions (ends_at);
    ${systemTable('staff_sessions')}

    ALTER TABLE access_log
      -- The subject at the issuer, and the name that the issuer told.
      ADD COLUMN person text,
      ADD COLUMN person_name text,
      ADD COLUMN session_id uuid,
      -- OK, or the code of the refusal; null: before this version, only what was done.
      ADD COLUMN result text,
      -- A sign-in is of no tenant.
      ALTER COLUMN tenant_id DROP NOT NULL;
    CREATE INDEX access_log_session ON access_log (session_id, operation) WHERE session_id IS NOT NULL;
  `,
}
