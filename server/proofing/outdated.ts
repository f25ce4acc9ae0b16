/** Finds evidence that must be verified again because its reference changed. */
import { addressSource } from './address-agreement.ts'
import { contactOutcome, knownContact } from './contact.ts'
import { isDecidedByPerson } from './adjudication-outcome.ts'
import { isUndecided, type AddressData, type Evidence } from './evidence.ts'
import { findOutcome } from './judge.ts'
import { isOwnershipOutdated } from './phone-ownership.ts'
import { nameReason } from './source-reply.ts'

export interface Elected {
  readonly evidences: readonly Evidence[]
  readonly portraitReference: Evidence | null
  /** The stored picture of its portrait; absent: unknown. */
  readonly portraitPicture?: string | undefined
  /** All documents with a comparable portrait, including the elected one. */
  readonly portraitDocuments?: readonly Evidence[]
  readonly nameReference: Evidence | null
  /** True if consent allows the use; absent: always. */
  readonly mayUse?: (evidence: Evidence) => boolean
  /** An operator is connected, and the applicant consented that it is asked about the phone number. */
  readonly asksOperator?: boolean
  /** The feature is on, and the applicant consented that the issuer is asked. */
  readonly asksIssuer?: boolean
  /** A connected register would be asked about this address, and the applicant consented. */
  readonly asksAddressRegister?: (address: AddressData, evidence: Evidence) => boolean
}

/**
 * True if another run would use another document or number. Evidence that ended before the comparison, for lack of
 * quality or by a technical fault, is not repeated, so that no endless retries occur.
 */
export function isOutdated(evidence: Evidence, elected: Elected): boolean {
  // A case under adjudication is not touched before its decision.
  if (evidence.deletedAt || isUndecided(evidence.status)) return false
  // A person's decision holds as long as the compared document counts.
  if (isDecidedByPerson(evidence) && !hasLostReference(evidence, elected)) return false
  const { evaluation, content, family, matchedReferenceId } = evidence
  const comparedWithOther = (reference: Evidence | null): boolean =>
    reference !== null && matchedReferenceId !== reference.id
  if (family === 'PORTRAIT') {
    const usable = findOutcome(evaluation, 'BIOMETRIC_QUALITY_CHECK') === 'passed'
    // Null for an uploaded file. A failed challenge is never compared, regardless of changes in documents.
    const challenge = findOutcome(evaluation, 'BIOMETRIC_LIVENESS_CHALLENGE')
    const wasLive = challenge === null || challenge === 'passed'
    // If a reference no longer counts, its match does not either; there may be no other reference.
    const known = content.portrait?.comparedWith ?? []
    // A later document is compared too; a removed one does not matter.
    const isFurther = (elected.portraitDocuments ?? []).some(({ id }) => !known.includes(id))
    const wasCompared =
      matchedReferenceId !== null && findOutcome(evaluation, 'BIOMETRIC_MATCHING_CHECK') === 'passed'
    return (
      usable &&
      wasLive &&
      (matchedReferenceId !== (elected.portraitReference?.id ?? null) ||
        isOtherPicture(evidence, elected) ||
        (wasCompared && isFurther))
    )
  }
  if (family === 'CONTACT')
    return elected.asksOperator === true && isOwnershipOutdated(evidence, elected.nameReference)
  if (elected.asksIssuer === true && lackedIssuerConsent(evidence)) return true
  // A document's confirmation depends on that document alone.
  const lostSource =
    family === 'ATTRIBUTES' &&
    evidence.status === 'VERIFIED' &&
    matchedReferenceId !== (elected.nameReference?.id ?? null)
  const addressFound = !content.derived && findOutcome(evaluation, 'ADDRESS_MATCH') !== null
  const source = addressFound
    ? addressSource(elected.evidences, content.referenceIds ?? [], elected.mayUse)
    : null
  const claimed = content.claim?.contactDetails?.mobile.value
  const contactFound = findOutcome(evaluation, 'CONTACT_MATCH')
  return (
    lostSource ||
    isRegisterOutdated(evidence, elected) ||
    (addressFound && matchedReferenceId !== (source?.id ?? null)) ||
    (findOutcome(evaluation, 'ATTRIBUTES_MATCH') !== null && comparedWithOther(elected.nameReference)) ||
    (claimed !== undefined &&
      contactFound !== null &&
      contactFound !== contactOutcome(claimed, knownContact(elected.evidences)))
  )
}

/** The document has another portrait now: that of its chip, or the printed one after the chip no longer counts. */
function isOtherPicture({ content }: Evidence, { portraitPicture }: Elected): boolean {
  const compared = content.portrait?.comparedPicture
  return compared !== undefined && portraitPicture !== undefined && compared !== portraitPicture
}

/** The indicator of a reason follows that of its check. */
function lackedIssuerConsent({ evaluation: { unverifiedIndicators } }: Evidence): boolean {
  const at = unverifiedIndicators.indexOf('GIV_VERIFICATION_UNVERIFIED')
  return at >= 0 && unverifiedIndicators[at + 1] === nameReason('CONSENT')
}

/** True if a register of addresses was not asked yet, or about the person of another name reference. */
function isRegisterOutdated(evidence: Evidence, { asksAddressRegister, nameReference }: Elected): boolean {
  const { content, evaluation } = evidence
  const { address, derived, addressRegister: asked } = content
  if (!address || derived) return false
  const mayAsk = asksAddressRegister?.(address, evidence) === true
  if (!asked) return mayAsk
  const isOfOther = asked.answer !== undefined && asked.answer.residentId !== (nameReference?.id ?? null)
  return isOfOther && (mayAsk || findOutcome(evaluation, 'ADDRESS_SOURCE') === 'passed')
}

/** The document of an accepted portrait no longer counts. A rejection does not depend on it. */
function hasLostReference(
  { evaluation, matchedReferenceId }: Evidence,
  { portraitReference, portraitDocuments = [] }: Elected,
): boolean {
  const known = [...portraitDocuments, ...(portraitReference ? [portraitReference] : [])]
  const wasRejected = evaluation.blockingIndicators.includes('ADJUDICATION_FAILED')
  return !wasRejected && !known.some(({ id }) => id === matchedReferenceId)
}
