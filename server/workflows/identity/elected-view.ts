/**
 * Shows the attributes of the identity that verified evidence has proven (spec: "attributes may be pre-filled from earlier
 * verification").
 */
import type { Context } from '../../context.ts'
import { electAttributes } from '../../proofing/assurance/elected-attributes.ts'
import type { Identity } from '../../proofing/identity.ts'

/** A user agent, which may fill a form with it, does not get the reason of a correction. */
export function electedView(ctx: Context, identity: Identity, { redacted }: { readonly redacted: boolean }) {
  const { assessment, nameReferenceId } = identity
  if (!assessment) return {}
  const { countedIds } = assessment
  // Claim data may be hidden from every caller.
  const evidences = ctx.store.evidences
    .list(identity.id)
    .filter(({ family }) => family !== 'ID_CLAIM' || !ctx.config.tenant.hideClaimData)
  const elected = electAttributes(evidences, { nameReferenceId, countedIds })
  if (elected.length === 0) return {}
  return { electedAttributes: redacted ? elected.map(({ basis: _, ...shown }) => shown) : elected }
}
