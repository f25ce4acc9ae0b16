/** Visits at the screens: time, step, outcome. No personal data. */
export const visits = `
CREATE TABLE visits (
  id TEXT PRIMARY KEY,
  -- null before the person has agreed, and once the identity is erased: the visit is counted, the person forgotten
  identity_id TEXT REFERENCES identities (id) ON DELETE SET NULL,
  channel TEXT NOT NULL,
  journey TEXT NOT NULL,
  language TEXT NOT NULL,
  reference TEXT,
  -- keyed hash of the code on the receipt, which alone lets a visit go on elsewhere
  code_hash BLOB,
  step TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  help_asked_at INTEGER,
  help_answer TEXT,
  -- id of the member of staff who took it over
  taken_over_by TEXT
) STRICT;
CREATE INDEX visits_by_start ON visits (started_at);
CREATE INDEX visits_by_identity ON visits (identity_id);
CREATE UNIQUE INDEX visits_by_code ON visits (code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX visits_by_reference ON visits (reference) WHERE reference IS NOT NULL;

CREATE TABLE visit_notes (
  visit_id TEXT NOT NULL REFERENCES visits (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  step TEXT NOT NULL,
  kind TEXT NOT NULL,
  code TEXT NOT NULL
) STRICT;
CREATE INDEX visit_notes_by_time ON visit_notes (at);
CREATE INDEX visit_notes_by_visit ON visit_notes (visit_id, at);
`
