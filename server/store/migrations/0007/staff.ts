/**
 * Officers who may sign in at the counter. Names and secrets are encrypted; login names are looked up by a keyed hash.
 */
export const staff = `
CREATE TABLE staff (
  id TEXT PRIMARY KEY,
  login_hash BLOB NOT NULL UNIQUE,
  -- login, name, language
  profile_ct BLOB NOT NULL,
  roles TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  -- counts up when sessions that were begun before have to end
  epoch INTEGER NOT NULL DEFAULT 1,
  setup_hash BLOB,
  setup_until INTEGER,
  password_ct BLOB,
  totp_ct BLOB,
  -- the newest step of 30 s of which a code was taken: none is taken twice
  totp_step INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  last_sign_in_at INTEGER
) STRICT;

CREATE TABLE staff_passkeys (
  id TEXT PRIMARY KEY,
  staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
  credential_hash BLOB NOT NULL UNIQUE,
  -- credential id, public key, transports, the name its holder gave it
  credential_ct BLOB NOT NULL,
  counter INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX staff_passkeys_by_staff ON staff_passkeys (staff_id);

CREATE TABLE staff_recovery_codes (
  staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
  code_hash BLOB NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (staff_id, code_hash)
) STRICT, WITHOUT ROWID;

-- Wrong answers by login name (whether there is such an account or not) and by address, as keyed hashes.
CREATE TABLE staff_attempts (
  key_hash BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  rounds INTEGER NOT NULL,
  total INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
