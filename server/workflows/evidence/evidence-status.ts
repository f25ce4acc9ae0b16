/** Returns the status of evidence for the relying service and the user agent (spec "evidenceStatus"). */
import type { DocumentFaults } from '../../config/document-faults.ts'
import { disagreementErrors } from '../../proofing/assurance/agreement.ts'
import { isAdjudicable } from '../../proofing/adjudication.ts'
import { findAdvice, FAILED_CAPTURE, isCaptureIndicator, resultError } from '../../proofing/error-codes.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { ResultError } from '../../proofing/types.ts'
import type { VerificationRecord } from '../../proofing/verification-record.ts'

export interface EvidenceViewOptions {
  /** Adds the measurements behind the indicators; only for the relying service. */
  readonly detailed: boolean
  /**
   * For a user agent: the applicant must not learn which check failed (NIST SP 800-63A-4, "data washing").
   */
  readonly redacted: boolean
  readonly nameReferenceId: string | null
  /** There is a picture that an adjudicator could inspect. */
  readonly hasPicture: boolean
  /** Attributes in which it disagrees with the name reference. */
  readonly mismatched: readonly string[]
  /** Indicators of unclear agreement with the name reference. */
  readonly agreement: readonly string[]
  /** Whether the tenant has enabled adjudication. */
  readonly adjudication: boolean
  readonly verification: readonly VerificationRecord[]
  readonly faults: DocumentFaults
}

/** Spec "evidenceStatus". */
export function evidenceStatusView(
  evidence: Evidence,
  { redacted, adjudication, hasPicture, mismatched, agreement }: EvidenceViewOptions,
) {
  const { evaluation } = evidence
  // The name of a failed check is a detail: a user agent gets only those about the capture.
  const shown = (names: readonly string[]) => (redacted ? names.filter(isCaptureIndicator) : names)
  return {
    ...(evidence.evaluatedAt ? { evaluationDateTime: formatSpecDateTime(evidence.evaluatedAt) } : {}),
    status: evidence.status,
    // LEVEL1 to LEVEL5 (spec "evidenceStatus"): the strength of a document of unknown type is unknown.
    ...(evidence.strength === 'LEVEL0' ? {} : { strength: evidence.strength }),
    score: evidence.score,
    isAdjudicable: adjudication && hasPicture && isAdjudicable(evidence),
    errors: redacted ? adviceFor(evidence, mismatched) : listErrors(evidence, mismatched),
    positiveIndicators: shown(evaluation.positiveIndicators),
    warningIndicators: shown(evaluation.warningIndicators),
    blockingIndicators: shown(evaluation.blockingIndicators),
    unverifiedIndicators: shown([...evaluation.unverifiedIndicators, ...agreement]),
  }
}

/** Returns the errors of its own checks, and its disagreements with other evidence. */
export function listErrors(
  { id, evaluation }: Evidence,
  mismatched: readonly string[],
): readonly ResultError[] {
  const known = new Set(evaluation.errors.map(({ code, field = '' }) => `${code} ${field}`))
  const more = disagreementErrors([{ evidenceId: id, attributes: mismatched }]).get(id) ?? []
  return [...evaluation.errors, ...more.filter(({ code, field }) => !known.has(`${code} ${field}`))]
}

/**
 * Returns the codes on which the applicant can act. A failed session gets no detail: whether it timed out,
 * could not be measured or was not live would tell an attacker about the progress.
 */
function adviceFor(evidence: Evidence, mismatched: readonly string[]): readonly ResultError[] {
  const advice = listErrors(evidence, mismatched).flatMap((error) => findAdvice(error) ?? [])
  const isJudged = evidence.content.liveness !== undefined && advice.some(({ code }) => isFailedCapture(code))
  const told = isJudged
    ? [resultError('1611'), ...advice.filter(({ code }) => !isFailedCapture(code))]
    : advice
  return told.filter(
    ({ code, field }, at) => told.findIndex((other) => other.code === code && other.field === field) === at,
  )
}

const isFailedCapture = (code: string): boolean => FAILED_CAPTURE.some((failed) => failed === code)
