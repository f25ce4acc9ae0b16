/**
 * Stores what the applicant claims to be, without a document. A new claim replaces the earlier one, and the proof records
 * when. A claimed phone number is sent a passcode, as if it had been submitted alone.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { ClaimData } from '../../proofing/evidence.ts'
import { keepClaimedCard, type ClaimedCard } from '../../proofing/payment-card.ts'
import {
  markUnverified,
  unverifiedAddress,
  unverifiedAttributes,
  type Submitted,
} from '../../proofing/submitted.ts'
import type { Caller } from '../../proofing/types.ts'
import { requireAllowed, requireFeature, submitData, type NewEvidence } from '../evidence/add-evidence.ts'
import { requireIdentity } from '../access/reach.ts'
import { currentEvidence, mustRedact } from '../identity/read-identity.ts'
import { askCardOwner, type CardNames } from './ask-card-owner.ts'
import { mayVerifyClaimed, requestOtp } from './verify-contact.ts'
import { claimView, viewGlobalStatus, singleStatus, viewOptions } from '../identity/view.ts'

/** Spec "Claim body". */
type ClaimInput = Submitted<Omit<ClaimData, 'contactDetails' | 'creditCardDetails'>> & {
  readonly creditCardDetails?: { readonly cardNumber: string }
  readonly contactDetails?: { readonly mobile?: { readonly value: string } }
}

const EMPTY_CLAIM: NewEvidence = { family: 'ID_CLAIM', type: 'ID_CLAIM', content: {} }

export async function submitClaim(ctx: Context, caller: Caller, identityId: string, input: ClaimInput) {
  requireFeature(ctx, 'idClaim')
  requireAllowed(ctx, caller, identityId, EMPTY_CLAIM)
  const { creditCardDetails: card, attributesData: names = {} } = input
  const claimed = card && (await claimCard(ctx, identityId, card.cardNumber, unverifiedAttributes(names)))
  const claim = buildClaim(input, claimed)
  const wanted: NewEvidence = { ...EMPTY_CLAIM, content: { claim } }
  const number = claim.contactDetails?.mobile.value
  const evidence = submitData(ctx, caller, identityId, wanted, 'ID_CLAIM', () => {
    if (number !== undefined && mayVerifyClaimed(ctx, identityId)) {
      requestOtp(ctx, caller, identityId, 'mobile', number)
    }
  })
  return singleStatus(evidence)
}

/** Spec "Identity claim": the claim is a member of globalStatus. */
export async function getClaim(ctx: Context, caller: Caller, identityId: string) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const claim = currentEvidence(ctx, identity.id, 'ID_CLAIM')
  if (!claim) throw new AppError('not_found', { resource: 'claim' })
  const options = viewOptions(ctx, identity, { detailed: false, redacted: mustRedact(caller) })
  const contact = currentEvidence(ctx, identity.id, 'CONTACT')
  const Claim = claimView(ctx, claim, contact, options(claim))
  return { globalStatus: { ...viewGlobalStatus(ctx, identity), Claim } }
}

async function claimCard(ctx: Context, identityId: string, cardNumber: string, names: CardNames) {
  const asked = await askCardOwner(ctx, identityId, cardNumber, names)
  return keepClaimedCard(cardNumber, (digits) => ctx.store.hashPaymentCard(digits), asked)
}

function buildClaim(
  { attributesData, addressesData, contactDetails }: ClaimInput,
  creditCardDetails: ClaimedCard | undefined,
): ClaimData {
  const mobile = contactDetails?.mobile
  return {
    ...(attributesData ? { attributesData: unverifiedAttributes(attributesData) } : {}),
    ...(addressesData ? { addressesData: unverifiedAddress(addressesData) } : {}),
    ...(mobile ? { contactDetails: { mobile: markUnverified(mobile) } } : {}),
    ...(creditCardDetails ? { creditCardDetails } : {}),
  }
}
