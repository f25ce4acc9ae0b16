/**
 * The identity stores whether it is a test. An identity of an earlier version gets its tenant's mode at the last start,
 * and is a test if its record shows a specimen.
 */
export const identityMode = `
-- of its tenant when it was made; a row that does not say is a test
ALTER TABLE identities ADD COLUMN mode TEXT NOT NULL DEFAULT 'test' CHECK (mode IN ('test', 'production'));
-- made in test mode, or marked since: its proof says so
ALTER TABLE identities ADD COLUMN is_test INTEGER NOT NULL DEFAULT 1 CHECK (is_test IN (0, 1) AND (is_test = 1 OR mode = 'production'));

-- a specimen was let through: that happens in test mode alone
UPDATE identities SET mode = 'production'
WHERE (SELECT mode FROM tenants WHERE tenants.id = identities.tenant_id) = 'production'
  AND NOT EXISTS (
    SELECT 1 FROM evidences WHERE identity_id = identities.id AND instr(evaluation, '"SPECIMEN_DOCUMENT_WARNING"') > 0
  );
UPDATE identities SET is_test = 0
WHERE mode = 'production'
  AND NOT EXISTS (
    SELECT 1 FROM evidences WHERE identity_id = identities.id AND instr(evaluation, '"SPECIMEN_DOCUMENT_FAILED"') > 0
  );

CREATE TRIGGER identities_keep_their_mode BEFORE UPDATE OF mode, is_test ON identities
WHEN NEW.mode <> OLD.mode OR NEW.is_test < OLD.is_test
BEGIN
  SELECT RAISE(ABORT, 'an identity keeps its mode, and a test stays a test');
END;
`
