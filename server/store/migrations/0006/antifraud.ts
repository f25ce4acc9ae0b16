/** What velocity is counted by, registers of lost documents, inspections and tampering. */
export const antifraud = `
-- Keyed hashes of a device, a document, an address: who came with the same one, and when.
CREATE TABLE velocity_marks (
  tenant_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  mark BLOB NOT NULL,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  PRIMARY KEY (tenant_id, kind, mark, identity_id)
) STRICT;
CREATE INDEX velocity_marks_by_identity ON velocity_marks (identity_id);
CREATE INDEX velocity_marks_by_time ON velocity_marks (at);
`
