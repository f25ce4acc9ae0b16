/** Answers and pending decisions of reviewers at the counter. */
export const desk = `
CREATE TABLE desk_work (
  adjudication_id TEXT NOT NULL REFERENCES adjudications (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  -- keyed hash of the reviewer's id
  reviewer_hash BLOB NOT NULL,
  -- sealed under the identity's key: reviewer, answers, decision that waits
  work_ct BLOB NOT NULL,
  PRIMARY KEY (adjudication_id, reviewer_hash)
) STRICT;
CREATE INDEX desk_work_by_identity ON desk_work (identity_id);
`
