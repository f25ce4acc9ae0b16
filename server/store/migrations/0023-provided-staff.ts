/**
 * Accounts of officers who sign in at the OpenID provider: keyed hash of issuer and subject. NULL: a local account.
 */
export const providedStaff = `
ALTER TABLE staff ADD COLUMN provider_hash BLOB;
CREATE UNIQUE INDEX staff_provider ON staff (provider_hash) WHERE provider_hash IS NOT NULL;
`
