/** Velocity marks, registers of lost documents, inspections and tampering. */
export const antifraud = `
-- Keyed hashes of a device, a document, an address: who came with the same one, and when.
CREATE TABLE velocity_marks (
  tenant_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  mark BLOB NOT NULL,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, kind, mark, evidence_id)
) STRICT;
CREATE INDEX velocity_marks_by_identity ON velocity_marks (identity_id);
CREATE INDEX velocity_marks_by_evidence ON velocity_marks (evidence_id);
CREATE INDEX velocity_marks_by_time ON velocity_marks (at);

-- The list of lost and stolen documents that was imported last, and keyed hashes of what is on it.
CREATE TABLE document_registers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  -- yyyy-MM-dd
  list_date TEXT NOT NULL,
  covers_deaths INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  imported_at INTEGER NOT NULL
) STRICT;
CREATE TABLE document_register_entries (
  mark BLOB NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (mark, reason)
) STRICT, WITHOUT ROWID;

-- Inspections of the device and what was found done to it; each with its signed statement (JWS).
CREATE TABLE device_ledger (
  id TEXT PRIMARY KEY,
  entry TEXT NOT NULL CHECK (entry IN ('INSPECTED', 'TAMPERED', 'CLEARED')),
  -- outcome of an inspection, kind of tampering, or the inspection by which it was cleared
  detail TEXT NOT NULL,
  at INTEGER NOT NULL,
  statement TEXT NOT NULL
) STRICT;
`
