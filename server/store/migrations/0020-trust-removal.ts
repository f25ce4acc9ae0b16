/** Removal of a file from the trust store: the two people who agreed. NULL for a file in force and for a replaced one. */
export const trustRemoval = `
ALTER TABLE trust_files ADD COLUMN removed_by TEXT;
ALTER TABLE trust_files ADD COLUMN removal_confirmed_by TEXT;
`
