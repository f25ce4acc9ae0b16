/**
 * Shows the attributes of the identity that verified evidence has proven (spec: "attributes may be pre-filled from earlier
 * verification").
 */
import type { Context } from '../../context.ts'
import { electAttributes } from '../../proofing/assurance/elected-attributes.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'

/** A user agent, which may fill a form with it, does not get the reason of a correction. */
export function electedView(
  { config }: Pick<Context, 'config'>,
  { assessment, nameReferenceId }: Identity,
  all: readonly Evidence[],
  { redacted }: { readonly redacted: boolean },
) {
  if (!assessment) return {}
  const { countedIds } = assessment
  // Claim data may be hidden from every caller.
  const evidences = all.filter(({ family }) => family !== 'ID_CLAIM' || !config.tenant.hideClaimData)
  const elected = electAttributes(evidences, { nameReferenceId, countedIds })
  if (elected.length === 0) return {}
  return { electedAttributes: redacted ? elected.map(({ basis: _, ...shown }) => shown) : elected }
}
