/** Face templates and the index of duplicate faces; sessions of an external biometric server. */
export const faces = `
CREATE TABLE face_templates (
  evidence_id TEXT PRIMARY KEY REFERENCES evidences (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  template_ct BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX face_templates_by_identity ON face_templates (identity_id);

-- Random, wrapped by the master key: turns every entry of the tenant, so that those of two tenants never meet.
CREATE TABLE face_index_keys (
  tenant_id TEXT PRIMARY KEY,
  wrapped_key BLOB NOT NULL
) STRICT;

-- Sealed with the identity's own key: what is erased cannot be found again, in no copy of this table either.
CREATE TABLE face_index (
  evidence_id TEXT PRIMARY KEY REFERENCES evidences (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  entry_ct BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX face_index_by_identity ON face_index (identity_id);
CREATE INDEX face_index_by_tenant ON face_index (tenant_id, evidence_id);

CREATE TABLE delegated_sessions (
  session_id TEXT PRIMARY KEY REFERENCES capture_sessions (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  -- when its server said that it has ended; null: awaited
  reported_at INTEGER
) STRICT;
CREATE INDEX delegated_sessions_by_identity ON delegated_sessions (identity_id);

-- Keyed hashes of the ids of callbacks that were carried out.
CREATE TABLE callbacks (
  id_hash BLOB PRIMARY KEY,
  received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX callbacks_by_time ON callbacks (received_at);
`
