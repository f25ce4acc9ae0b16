/** Reasons for an identity's LOA, and subjects of its fraud checks. */
export const assessment = `
-- JSON: profile, counted evidence, disagreements, scales, what held it down. Ids, names of attributes and rules only.
ALTER TABLE identities ADD COLUMN assessment TEXT NOT NULL DEFAULT '{}';
ALTER TABLE fraud_checks ADD COLUMN subjects TEXT NOT NULL DEFAULT '[]';
ALTER TABLE fraud_checks ADD COLUMN measured TEXT NOT NULL DEFAULT '{}';
`
