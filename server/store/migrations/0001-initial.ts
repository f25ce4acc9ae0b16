/**
 * The first schema. Columns that end in _ct hold ciphertext under the identity's own data key. The columns in clear
 * hold only ids, states, indicator names and times.
 */
export const initial = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;

CREATE TABLE tenants (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('test', 'production')),
  policy_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE applications (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (tenant_id, name)
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  application_id TEXT NOT NULL REFERENCES applications (id),
  role TEXT NOT NULL CHECK (role IN ('RELYING_SERVICE', 'USER_AGENT')),
  sha256 BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE signing_keys (
  kid TEXT PRIMARY KEY,
  algorithm TEXT NOT NULL,
  public_jwk TEXT NOT NULL,
  wrapped_private BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  retired_at INTEGER
) STRICT;

CREATE TABLE identities (
  id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  application_id TEXT NOT NULL REFERENCES applications (id),
  status TEXT NOT NULL,
  level_of_assurance TEXT NOT NULL,
  upgrade_paths TEXT NOT NULL,
  name_reference_id TEXT,
  portrait_reference_id TEXT,
  correlation_hash BLOB,
  created_at INTEGER NOT NULL,
  evaluated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX identities_by_correlation ON identities (tenant_id, correlation_hash) WHERE correlation_hash IS NOT NULL;

CREATE TABLE identity_keys (
  identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
  wrapped_dek BLOB NOT NULL
) STRICT;

CREATE TABLE identity_contexts (
  identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
  context_ct BLOB NOT NULL
) STRICT;

CREATE TABLE evidences (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  family TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  strength TEXT NOT NULL,
  score TEXT NOT NULL,
  evaluation TEXT NOT NULL,
  submitted_at INTEGER NOT NULL,
  evaluated_at INTEGER,
  deleted_at INTEGER,
  matched_reference_id TEXT,
  data_ct BLOB,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX evidences_by_identity ON evidences (identity_id, submitted_at);

CREATE TABLE images (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT REFERENCES evidences (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('FRONT', 'BACK', 'PORTRAIT', 'DOCUMENT_CROP', 'CONTEXT_FILE')),
  media_type TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX images_by_evidence ON images (evidence_id);
CREATE INDEX images_by_identity ON images (identity_id);

CREATE TABLE consents (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  approved INTEGER NOT NULL CHECK (approved IN (0, 1)),
  valid_from TEXT,
  valid_to TEXT,
  recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX consents_by_identity ON consents (identity_id, recorded_at);

CREATE TABLE operations (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  subject_id TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('ADD', 'DELETE')),
  started_at INTEGER NOT NULL,
  call_ct BLOB NOT NULL
) STRICT;
CREATE INDEX operations_by_identity ON operations (identity_id, started_at);

CREATE TABLE verifications (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT NOT NULL REFERENCES evidences (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  details_ct BLOB NOT NULL
) STRICT;
CREATE INDEX verifications_by_evidence ON verifications (evidence_id, created_at);

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  identity_id TEXT NOT NULL,
  payload TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'running', 'done', 'skipped', 'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  run_after INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  last_error TEXT
) STRICT;
CREATE INDEX jobs_ready ON jobs (run_after) WHERE state = 'ready';
CREATE INDEX jobs_by_identity ON jobs (identity_id) WHERE state IN ('ready', 'running');

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  identity_id TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE proofs (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL UNIQUE REFERENCES identities (id) ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  level_of_assurance TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
`
