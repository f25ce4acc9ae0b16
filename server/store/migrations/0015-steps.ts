/**
 * Judgements at each step of a proofing (`store/steps`). Those of earlier versions are unknown: their rows are empty, and
 * only the last step about an evidence is added.
 */
export const steps = `
CREATE TABLE steps (
  operation_id TEXT PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
  identity_id TEXT NOT NULL REFERENCES identities (id) ON DELETE CASCADE,
  -- ids, counters and times of what was judged; another value: it was judged again
  basis TEXT NOT NULL,
  judged_ct BLOB
) STRICT;
CREATE INDEX steps_by_identity ON steps (identity_id);
INSERT INTO steps (operation_id, identity_id, basis) SELECT id, identity_id, 'not known' FROM operations;
`
