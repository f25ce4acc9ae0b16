/** Stores open sessions of the kiosk's page, so that they survive a restart. */
export const keptSessions = `
CREATE TABLE kiosk_sessions (
  id TEXT PRIMARY KEY,
  -- keyed hash of the token in the page's cookie
  token_hash BLOB NOT NULL UNIQUE,
  visit_id TEXT REFERENCES visits (id) ON DELETE SET NULL,
  -- null before the person has agreed
  identity_id TEXT REFERENCES identities (id) ON DELETE CASCADE,
  language TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  -- sealed under the identity's key: what was chosen and done so far; null before the person has agreed
  facts_ct BLOB,
  CHECK (facts_ct IS NULL OR identity_id IS NOT NULL)
) STRICT;
CREATE INDEX kiosk_sessions_by_identity ON kiosk_sessions (identity_id);
CREATE INDEX kiosk_sessions_by_visit ON kiosk_sessions (visit_id);
`
