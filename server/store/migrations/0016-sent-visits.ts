/** When and why a kiosk visit sent its applicant to the counter, and the officer who takes care of it. */
export const sentVisits = `
ALTER TABLE visits ADD COLUMN sent_at INTEGER;
ALTER TABLE visits ADD COLUMN sent_because TEXT;
ALTER TABLE visits ADD COLUMN held_by TEXT;
ALTER TABLE visits ADD COLUMN held_at INTEGER;
CREATE INDEX visits_sent ON visits (sent_at) WHERE sent_at IS NOT NULL;
`
