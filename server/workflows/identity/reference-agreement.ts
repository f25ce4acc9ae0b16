/**
 * Describes how verified evidence agrees with the name reference beyond what counts: what cannot be compared, and what an
 * adjudicator could decide.
 */
import type { Context } from '../../context.ts'
import { compareStatements, type Agreement } from '../../proofing/assurance/agreement.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'

const NOTHING: Agreement = { disagreements: [], unclear: [], resolvable: [] }

/** Empty for the reference itself, for unverified evidence and without a reference. */
export function agreementWithReference(evidence: Evidence, reference: Evidence | null): Agreement {
  if (evidence.status !== 'VERIFIED' || reference === null || reference.id === evidence.id) return NOTHING
  return compareStatements(evidence, reference)
}

/**
 * Attributes in which an evidence disagrees with the name reference. A typed document is compared although it
 * is not verified: the applicant stated its values, so they are not reading errors.
 */
export function mismatchedAttributes(
  { assessment }: Identity,
  evidence: Evidence,
  reference: Evidence | null,
): readonly string[] {
  const found = assessment?.disagreements.find(({ evidenceId }) => evidenceId === evidence.id)
  if (found) return found.attributes
  const isOnlyTyped = evidence.content.submittedAsText === true && evidence.status === 'NOT_VERIFIED'
  return isOnlyTyped && reference ? compareStatements(evidence, reference).disagreements : []
}

/** Returns the evidence with which the names of all other evidence are compared. */
export function findNameReference({ store }: Context, { nameReferenceId }: Identity): Evidence | null {
  return nameReferenceId === null ? null : (store.evidences.find(nameReferenceId) ?? null)
}
