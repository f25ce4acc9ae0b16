/** The carrier's id of the message with a passcode, by which its delivery report is found. */
export const deliveryReports = `
ALTER TABLE otps ADD COLUMN message_id TEXT;
CREATE INDEX otps_by_message ON otps (message_id) WHERE message_id IS NOT NULL;
`
