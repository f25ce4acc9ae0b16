/** Claims of requests, and decisions of adjudicators. */
export const adjudication = `
ALTER TABLE adjudications ADD COLUMN four_eyes INTEGER NOT NULL DEFAULT 0;
-- sealed under the identity's key: who has it now, until when
ALTER TABLE adjudications ADD COLUMN claim_ct BLOB;
ALTER TABLE adjudications ADD COLUMN claim_expires_at INTEGER;
CREATE INDEX adjudications_by_status ON adjudications (status, requested_at, id);

CREATE TABLE adjudication_decisions (
  id TEXT PRIMARY KEY,
  adjudication_id TEXT NOT NULL REFERENCES adjudications (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  -- sealed under the identity's key: adjudicator, decision, reason, signature
  decision_ct BLOB NOT NULL,
  decided_at INTEGER NOT NULL
) STRICT;
CREATE INDEX adjudication_decisions_by_request ON adjudication_decisions (adjudication_id, decided_at, id);
CREATE INDEX adjudication_decisions_by_identity ON adjudication_decisions (identity_id);
`
