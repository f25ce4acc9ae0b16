/** How verified evidence agrees with the name reference, beyond what counts: what nobody can compare, what a person could. */
import type { Context } from '../context.ts'
import { agreementOf, type Agreement } from '../proofing/assurance/agreement.ts'
import type { Evidence } from '../proofing/evidence.ts'

const NOTHING: Agreement = { disagreements: [], unclear: [], resolvable: [] }

/** Of the reference itself, of what is not verified and where there is no reference: nothing. */
export function agreementWithReference(ctx: Context, evidence: Evidence): Agreement {
  const referenceId = ctx.store.identities.find(evidence.identityId)?.nameReferenceId ?? null
  if (evidence.status !== 'VERIFIED' || referenceId === null || referenceId === evidence.id) return NOTHING
  const reference = ctx.store.evidences.find(referenceId)
  return reference ? agreementOf(evidence, reference) : NOTHING
}
