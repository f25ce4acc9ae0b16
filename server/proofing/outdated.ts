/** Evidence that was compared with something else than what counts now is verified again. */
import { addressSource } from './address-agreement.ts'
import { contactOutcome, knownContact } from './contact.ts'
import { isDecidedByPerson } from './adjudication-outcome.ts'
import { isUndecided, type Evidence } from './evidence.ts'
import { outcomeOf } from './judge.ts'

export interface Elected {
  readonly evidences: readonly Evidence[]
  readonly portraitReference: Evidence | null
  /** All documents with a portrait that may be compared, the elected one among them. */
  readonly portraitDocuments?: readonly Evidence[]
  readonly nameReference: Evidence | null
  /** The person lets us use it; absent: all of it. */
  readonly mayUse?: (evidence: Evidence) => boolean
}

/**
 * True where another run would compare with another document or number. What ended before it could be compared, for
 * want of quality or by a fault of ours, stays as it is: nothing is ever tried again without end.
 */
export function isOutdated(evidence: Evidence, elected: Elected): boolean {
  // What a person is looking at stays as it is until he has answered.
  if (evidence.deletedAt || isUndecided(evidence.status)) return false
  // What he decided stands, as long as the document that he held a portrait against does.
  if (isDecidedByPerson(evidence) && !hasLostReference(evidence, elected)) return false
  const { evaluation, content, family, matchedReferenceId } = evidence
  const comparedWithOther = (reference: Evidence | null): boolean =>
    reference !== null && matchedReferenceId !== reference.id
  if (family === 'PORTRAIT') {
    const usable = outcomeOf(evaluation, 'BIOMETRIC_QUALITY_CHECK') === 'passed'
    // Null for an uploaded file. What was not live is compared with nothing, however often documents change.
    const challenge = outcomeOf(evaluation, 'BIOMETRIC_LIVENESS_CHALLENGE')
    const wasLive = challenge === null || challenge === 'passed'
    // A reference that no longer counts takes its match with it: then there is none to be compared with.
    const known = content.portrait?.comparedWith ?? []
    // A document that came later is compared, too; one that went takes nothing with it.
    const isFurther = (elected.portraitDocuments ?? []).some(({ id }) => !known.includes(id))
    const wasCompared =
      matchedReferenceId !== null && outcomeOf(evaluation, 'BIOMETRIC_MATCHING_CHECK') === 'passed'
    return (
      usable &&
      wasLive &&
      (matchedReferenceId !== (elected.portraitReference?.id ?? null) || (wasCompared && isFurther))
    )
  }
  // What a document confirmed is confirmed by that document alone.
  const lostSource =
    family === 'ATTRIBUTES' &&
    evidence.status === 'VERIFIED' &&
    matchedReferenceId !== (elected.nameReference?.id ?? null)
  const addressFound = !content.derived && outcomeOf(evaluation, 'ADDRESS_MATCH') !== null
  const source = addressFound
    ? addressSource(elected.evidences, content.referenceIds ?? [], elected.mayUse)
    : null
  const claimed = content.claim?.contactDetails?.mobile.value
  const contactFound = outcomeOf(evaluation, 'CONTACT_MATCH')
  return (
    lostSource ||
    (addressFound && matchedReferenceId !== (source?.id ?? null)) ||
    (outcomeOf(evaluation, 'ATTRIBUTES_MATCH') !== null && comparedWithOther(elected.nameReference)) ||
    (claimed !== undefined &&
      contactFound !== null &&
      contactFound !== contactOutcome(claimed, knownContact(elected.evidences)))
  )
}

/** The document that an accepted portrait was compared with counts no more. A rejection needs none. */
function hasLostReference(
  { evaluation, matchedReferenceId }: Evidence,
  { portraitReference, portraitDocuments = [] }: Elected,
): boolean {
  const known = [...portraitDocuments, ...(portraitReference ? [portraitReference] : [])]
  const wasRejected = evaluation.blockingIndicators.includes('ADJUDICATION_FAILED')
  return !wasRejected && !known.some(({ id }) => id === matchedReferenceId)
}
