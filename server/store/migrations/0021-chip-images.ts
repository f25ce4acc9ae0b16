/**
 * Kinds of stored files for chips: CHIP_FILES (what was read of the chip) and CHIP_PORTRAIT (its decoded portrait). SQLite changes no
 * CHECK in place, so the table is made again; the metadata of files, which refer to it, are set aside meanwhile.
 */
export const chipImages = `
CREATE TABLE file_metadata_kept AS SELECT file_id, identity_id, metadata_ct FROM file_metadata;
DROP TABLE file_metadata;
CREATE TABLE images_new (
  id TEXT PRIMARY KEY,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  evidence_id TEXT REFERENCES evidences (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (
    kind IN ('FRONT', 'BACK', 'PORTRAIT', 'DOCUMENT_CROP', 'CHIP_FILES', 'CHIP_PORTRAIT', 'ADDITIONAL_FILE')
  ),
  media_type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  frame INTEGER NOT NULL DEFAULT 0 CHECK (frame >= 0),
  bytes INTEGER NOT NULL DEFAULT 0,
  cut_bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO images_new (id, identity_id, evidence_id, kind, media_type, created_at, frame, bytes, cut_bytes)
  SELECT id, identity_id, evidence_id, kind, media_type, created_at, frame, bytes, cut_bytes FROM images;
DROP TABLE images;
ALTER TABLE images_new RENAME TO images;
CREATE INDEX images_by_evidence ON images (evidence_id);
CREATE INDEX images_by_identity ON images (identity_id);
CREATE TABLE file_metadata (
  file_id TEXT PRIMARY KEY REFERENCES images (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  metadata_ct BLOB NOT NULL
) STRICT;
INSERT INTO file_metadata (file_id, identity_id, metadata_ct) SELECT file_id, identity_id, metadata_ct FROM file_metadata_kept;
DROP TABLE file_metadata_kept;
CREATE INDEX file_metadata_by_identity ON file_metadata (identity_id);
`
