/**
 * The generation of the identity keys that this database has seen (`store/vault`), and proofs lost with their keys.
 * SQLite cannot change a CHECK, so the outbox is rebuilt, keeping its counter.
 */
export const identityKeys = `
CREATE TABLE keys_generation (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  number INTEGER NOT NULL
) STRICT;
INSERT INTO keys_generation (id, number) VALUES (1, 0);

CREATE TABLE outbox_new (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  proof_id TEXT NOT NULL UNIQUE,
  identity_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  sealed_at INTEGER NOT NULL,
  hash BLOB NOT NULL,
  mac BLOB NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('QUEUED', 'PACKED', 'ACKNOWLEDGED', 'REFUSED', 'WITHDRAWN', 'LOST')),
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
INSERT INTO outbox_new (sequence, proof_id, identity_id, tenant_id, sha256, sealed_at, hash, mac, state, packet_sha256,
    packet_bytes, attempts, next_try_at, last_error, receipt, ended_at, state_mac)
  SELECT sequence, proof_id, identity_id, tenant_id, sha256, sealed_at, hash, mac, state, packet_sha256,
    packet_bytes, attempts, next_try_at, last_error, receipt, ended_at, state_mac FROM outbox;
-- The next number is higher than any that was given out or skipped, not than those that have a row.
DELETE FROM sqlite_sequence WHERE name = 'outbox_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox_new', seq FROM sqlite_sequence WHERE name = 'outbox';
DROP TABLE outbox;
ALTER TABLE outbox_new RENAME TO outbox;
CREATE INDEX outbox_pending ON outbox (sequence) WHERE receipt IS NULL;
CREATE INDEX outbox_by_identity ON outbox (identity_id);
`
