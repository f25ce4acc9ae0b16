/** Other tables of the API: sessions, adjudications, fraud checks, passcodes, files, idempotency keys. */
export const contract = `
-- A file that came with the creation is an additional file like any other.
CREATE TABLE images_new (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT REFERENCES evidences (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('FRONT', 'BACK', 'PORTRAIT', 'DOCUMENT_CROP', 'ADDITIONAL_FILE')),
  media_type TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO images_new (id, identity_id, evidence_id, kind, media_type, created_at)
  SELECT id, identity_id, evidence_id, CASE kind WHEN 'CONTEXT_FILE' THEN 'ADDITIONAL_FILE' ELSE kind END,
         media_type, created_at FROM images;
DROP TABLE images;
ALTER TABLE images_new RENAME TO images;
CREATE INDEX images_by_evidence ON images (evidence_id);
CREATE INDEX images_by_identity ON images (identity_id);

CREATE TABLE file_metadata (
  file_id TEXT PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  metadata_ct BLOB NOT NULL
) STRICT;

CREATE TABLE capture_sessions (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT NOT NULL REFERENCES evidences (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('DOCUMENT', 'PORTRAIT')),
  state TEXT NOT NULL CHECK (state IN ('OPEN', 'DONE', 'CANCELLED', 'EXPIRED', 'FAILED')),
  settings_ct BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX capture_sessions_by_evidence ON capture_sessions (evidence_id);
CREATE INDEX capture_sessions_open ON capture_sessions (kind) WHERE state = 'OPEN';

CREATE TABLE adjudications (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT NOT NULL REFERENCES evidences (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  reason TEXT,
  errors TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  responded_at INTEGER
) STRICT;
CREATE INDEX adjudications_by_identity ON adjudications (identity_id, requested_at);
CREATE INDEX adjudications_by_evidence ON adjudications (evidence_id, requested_at);

CREATE TABLE fraud_checks (
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  indicators TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  evaluated_at INTEGER,
  PRIMARY KEY (identity_id, type)
) STRICT;

CREATE TABLE otps (
  evidence_id TEXT PRIMARY KEY REFERENCES evidences (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  -- keyed: tells the same number in other identities, not which it is
  number_hash BLOB NOT NULL,
  status TEXT NOT NULL,
  code_hash BLOB,
  attempts INTEGER NOT NULL,
  timeout_ms INTEGER NOT NULL,
  errors TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX otps_by_identity ON otps (identity_id, created_at);
CREATE INDEX otps_by_number ON otps (number_hash, created_at);

CREATE TABLE oidc_requests (
  state_hash BLOB PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT NOT NULL REFERENCES evidences (id) ON DELETE CASCADE,
  request_ct BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE deadlines (
  kind TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id)
) STRICT;
CREATE INDEX deadlines_by_time ON deadlines (due_at);

CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY,
  api_key_id TEXT NOT NULL,
  route TEXT NOT NULL,
  key_hash BLOB NOT NULL,
  body_hash BLOB NOT NULL,
  identity_id TEXT REFERENCES identities (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('running', 'committed', 'answered')),
  answer_ct BLOB,
  expires_at INTEGER NOT NULL,
  UNIQUE (api_key_id, route, key_hash)
) STRICT;
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (expires_at);
CREATE INDEX idempotency_keys_by_identity ON idempotency_keys (identity_id);
`
