/** Further pictures of a document's side, and document fingerprints. */
export const documents = `
-- 0: the picture of the side itself; from 1 on further frames of the same moment.
ALTER TABLE images ADD COLUMN frame INTEGER NOT NULL DEFAULT 0 CHECK (frame >= 0);

-- A keyed hash of issuer and number: equal prints are one document, and nothing else can be told from them.
CREATE TABLE document_prints (
  evidence_id TEXT PRIMARY KEY REFERENCES evidences (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  tenant_id TEXT NOT NULL,
  print BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX document_prints_by_identity ON document_prints (identity_id);
CREATE INDEX document_prints_by_print ON document_prints (tenant_id, print);
`
