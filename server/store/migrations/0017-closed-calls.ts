/**
 * When an officer closed the wait of an applicant whom a kiosk sent to the counter. Waits of earlier versions that were no
 * longer shown stay out of the list.
 */
export const closedCalls = `
ALTER TABLE visits ADD COLUMN closed_at INTEGER;
UPDATE visits SET closed_at = sent_at WHERE sent_at < (unixepoch() - 7200) * 1000;
`
