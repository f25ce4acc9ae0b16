/** The trust store of the chip: imported master lists, certificates and revocation lists. Published data without applicants. */
export const trust = `
CREATE TABLE trust_files (
  id TEXT PRIMARY KEY,
  -- MASTER_LIST, CERTIFICATE or REVOCATION_LIST
  kind TEXT NOT NULL,
  -- what a later file replaces: the publishing country, the certificate or the issuer (server/trust/custody)
  series TEXT NOT NULL,
  country TEXT NOT NULL,
  -- names of the signer and of its authority, which states publish
  signer TEXT NOT NULL,
  authority TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  -- signing time or "this update"; NULL for a certificate
  signed_at INTEGER,
  imported_at INTEGER NOT NULL,
  imported_by TEXT NOT NULL,
  confirmed_by TEXT,
  -- when the same file was imported last
  checked_at INTEGER NOT NULL,
  replaced_at INTEGER,
  certificates_verified INTEGER NOT NULL,
  certificates_read INTEGER NOT NULL,
  certificates_refused INTEGER NOT NULL,
  -- a revocation list in DER; NULL for other kinds
  content BLOB
) STRICT;
CREATE UNIQUE INDEX trust_files_current ON trust_files (kind, series) WHERE replaced_at IS NULL;

-- Accepted certificates of the files in force
CREATE TABLE trust_certificates (
  file_id TEXT NOT NULL REFERENCES trust_files (id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL,
  country TEXT NOT NULL,
  der BLOB NOT NULL,
  PRIMARY KEY (file_id, sha256)
) STRICT;
CREATE INDEX trust_certificates_by_country ON trust_certificates (country);
`
