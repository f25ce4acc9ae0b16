/** Jobs take turns by queue, and each identity counts its stored amount. */
export const fairQueue = `
-- One row per queue. last_turn: number of the turn that it took last (0: none yet).
-- overtakes: turns in a row that the queue of visits took while another queue waited.
CREATE TABLE job_queues (
  id TEXT PRIMARY KEY,
  last_turn INTEGER NOT NULL DEFAULT 0,
  overtakes INTEGER NOT NULL DEFAULT 0
) STRICT;

-- 'visit', 'housekeeping' or the id of an application (store/job-queues.ts)
ALTER TABLE jobs ADD COLUMN queue TEXT NOT NULL DEFAULT 'housekeeping';
UPDATE jobs SET queue = (SELECT application_id FROM identities WHERE id = jobs.identity_id)
  WHERE kind NOT IN ('finish-erasure', 'carry-out-decision')
    AND EXISTS (SELECT 1 FROM identities WHERE id = jobs.identity_id);
INSERT INTO job_queues (id) SELECT DISTINCT queue FROM jobs WHERE state IN ('ready', 'running');
CREATE INDEX jobs_by_queue ON jobs (queue, run_after, id) WHERE state = 'ready';
CREATE INDEX jobs_running ON jobs (identity_id, queue) WHERE state = 'running';

-- What counts towards the quotas (proofing/quotas.ts).
ALTER TABLE images ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
-- Bytes behind the end of the picture, which were cut off.
ALTER TABLE images ADD COLUMN cut_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE identities ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0;
ALTER TABLE identities ADD COLUMN kept_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE identities SET
  pieces = (SELECT count(*) FROM evidences WHERE identity_id = identities.id),
  kept_bytes = (SELECT coalesce(sum(bytes), 0) FROM videos WHERE identity_id = identities.id);
CREATE INDEX identities_by_usage ON identities (application_id, pieces, kept_bytes);
`
