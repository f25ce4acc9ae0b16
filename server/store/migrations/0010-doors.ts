/** Devices on which officers signed in, and failed attempts per device, network and account. */
export const doors = `
CREATE TABLE staff_devices (
  -- keyed hash of the token in the browser's cookie
  token_hash BLOB NOT NULL,
  staff_id TEXT NOT NULL REFERENCES staff (id) ON DELETE CASCADE,
  signed_in_at INTEGER NOT NULL,
  PRIMARY KEY (token_hash, staff_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_devices_by_staff ON staff_devices (staff_id);

-- Counted by other rules from now on.
DELETE FROM staff_attempts;
-- Keyed hash of the login name that was typed; null: the row counts an address for all names.
ALTER TABLE staff_attempts ADD COLUMN login_hash BLOB;
CREATE INDEX staff_attempts_by_login ON staff_attempts (login_hash);
`
