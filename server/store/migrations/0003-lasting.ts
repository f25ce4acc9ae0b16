/**
 * Durable proofs: chained audit log, several proofs and videos per identity, erasures and legal holds, key rotation,
 * outbox, and enrolment at a central service. `store/open` adds the missing hashes of old log rows when it applies this
 * migration.
 */
export const lasting = `
-- The audit log: each row bound to the one before it, and by a keyed hash to this appliance.
CREATE TABLE events_new (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  -- null: about the appliance
  identity_id TEXT,
  actor TEXT NOT NULL,
  reason TEXT,
  body TEXT NOT NULL,
  at INTEGER NOT NULL,
  hash BLOB NOT NULL,
  mac BLOB NOT NULL
) STRICT;
INSERT INTO events_new (seq, id, type, identity_id, actor, reason, body, at, hash, mac)
  SELECT seq, id, type, identity_id, 'appliance', NULL, body, at, x'', x'' FROM events ORDER BY seq;
DROP TABLE events;
ALTER TABLE events_new RENAME TO events;
CREATE INDEX events_by_identity ON events (identity_id, seq) WHERE identity_id IS NOT NULL;

-- Where the clock was set, for whoever asks how long ago something was.
CREATE INDEX events_of_clock ON events (seq) WHERE type IN ('clock.stepped', 'clock.confirmed');

CREATE TABLE checkpoints (
  event_seq INTEGER PRIMARY KEY,
  jws TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

ALTER TABLE identities ADD COLUMN correlation_ct BLOB;
ALTER TABLE identities ADD COLUMN previous_proof_id TEXT;

CREATE TABLE proofs_new (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  file_name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  -- of the archive in clear; 0: sealed by a version that did not note it
  bytes INTEGER NOT NULL,
  level_of_assurance TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- when it was first handed out; null: not yet
  retrieved_at INTEGER
) STRICT;
-- Before 0.3 a proof was handed out by the call that sealed it.
INSERT INTO proofs_new
  (id, identity_id, file_name, sha256, bytes, level_of_assurance, sealed_at, expires_at, retrieved_at)
  SELECT id, identity_id, file_name, sha256, 0, level_of_assurance, sealed_at, expires_at, sealed_at FROM proofs;
DROP TABLE proofs;
ALTER TABLE proofs_new RENAME TO proofs;
CREATE INDEX proofs_by_identity ON proofs (identity_id, sealed_at);

CREATE TABLE videos (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT NOT NULL REFERENCES evidences (id) ON DELETE CASCADE,
  media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX videos_by_identity ON videos (identity_id);
CREATE INDEX videos_by_evidence ON videos (evidence_id);

CREATE TABLE signing_keys_new (
  kid TEXT PRIMARY KEY,
  algorithm TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('key-file', 'pkcs11')),
  public_jwk TEXT NOT NULL,
  -- null: the private half never leaves its token
  wrapped_private BLOB,
  -- PEM, the key's own certificate first
  certificate_chain TEXT,
  created_at INTEGER NOT NULL,
  -- published before, used from here on
  active_from INTEGER NOT NULL,
  -- used no more; proofs of before stay valid
  retired_at INTEGER,
  -- compromised: proofs sealed from then on are not to be trusted
  revoked_at INTEGER
) STRICT;
INSERT INTO signing_keys_new (kid, algorithm, source, public_jwk, wrapped_private, created_at, active_from, retired_at)
  SELECT kid, algorithm, 'key-file', public_jwk, wrapped_private, created_at, created_at, retired_at FROM signing_keys;
DROP TABLE signing_keys;
ALTER TABLE signing_keys_new RENAME TO signing_keys;

-- Outlives the identity: what was asked for, and the signed receipt when it is done.
CREATE TABLE erasures (
  identity_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  -- its last proof, if any: answered with 1034 afterwards
  proof_id TEXT,
  begun_at INTEGER NOT NULL,
  erased_at INTEGER,
  receipt TEXT
) STRICT;
CREATE INDEX erasures_open ON erasures (begun_at) WHERE erased_at IS NULL;

CREATE TABLE legal_holds (
  identity_id TEXT PRIMARY KEY REFERENCES identities (id) ON DELETE CASCADE,
  actor TEXT NOT NULL,
  reference_ct BLOB NOT NULL,
  placed_at INTEGER NOT NULL,
  -- null: until it is lifted
  until_at INTEGER
) STRICT;

-- Erasing one identity reads no other's rows.
CREATE INDEX jobs_of_identity ON jobs (identity_id);
CREATE INDEX verifications_by_identity ON verifications (identity_id);
CREATE INDEX file_metadata_by_identity ON file_metadata (identity_id);
CREATE INDEX capture_sessions_by_identity ON capture_sessions (identity_id);
CREATE INDEX oidc_requests_by_identity ON oidc_requests (identity_id);
CREATE INDEX oidc_requests_by_evidence ON oidc_requests (evidence_id);
CREATE INDEX deadlines_by_identity ON deadlines (identity_id);

-- One row a proof that the centre is to have, kept for good: the sequence shows every gap, the hash binds the rows.
CREATE TABLE outbox (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  proof_id TEXT NOT NULL UNIQUE,
  identity_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  hash BLOB NOT NULL,
  mac BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('QUEUED', 'PACKED', 'ACKNOWLEDGED', 'REFUSED', 'WITHDRAWN')),
  packet_sha256 TEXT,
  packet_bytes INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try_at INTEGER NOT NULL,
  last_error TEXT,
  receipt TEXT,
  ended_at INTEGER,
  -- keyed hash over the row as it stands, made anew with every change by the appliance
  state_mac BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE INDEX outbox_pending ON outbox (sequence) WHERE receipt IS NULL;
CREATE INDEX outbox_by_identity ON outbox (identity_id);

CREATE TABLE enrolment (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'ACTIVE')),
  -- empty: a branch with no line
  centre_url TEXT NOT NULL,
  public_jwk TEXT NOT NULL,
  wrapped_private BLOB NOT NULL,
  certificate TEXT,
  centre_tenant_id TEXT,
  trust TEXT,
  begun_at INTEGER NOT NULL,
  enrolled_at INTEGER
) STRICT;

CREATE TABLE bundles (
  version INTEGER PRIMARY KEY,
  jws TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('RECEIVED', 'APPLIED', 'REFUSED', 'SUPERSEDED')),
  problems TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  applied_at INTEGER
) STRICT;
`
