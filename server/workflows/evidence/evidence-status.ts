/** Returns the status of evidence for the relying service and the user agent (spec "evidenceStatus"). */
import type { DocumentFaults } from '../../config/document-faults.ts'
import { disagreementErrors } from '../../proofing/assurance/agreement.ts'
import { isAdjudicable } from '../../proofing/adjudication.ts'
import { adviceOf, FAILED_CAPTURE, isCaptureIndicator, resultError } from '../../proofing/error-codes.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { specDateTime } from '../../proofing/time.ts'
import type { ResultError } from '../../proofing/types.ts'
import type { VerificationRecord } from '../../proofing/verification-record.ts'

export interface EvidenceViewOptions {
  /** Adds the measurements behind the indicators; only for the relying service. */
  readonly detailed: boolean
  /** For a user agent: whoever stands before the camera must not learn which check failed (NIST SP 800-63A-4, "data washing"). */
  readonly redacted: boolean
  readonly nameReferenceId: string | null
  /** There is a picture that a person could look at. */
  readonly hasPicture: boolean
  /** Attributes in which it disagrees with the name reference. */
  readonly mismatched: readonly string[]
  /** Indicators of what is unclear between it and the name reference. */
  readonly agreement: readonly string[]
  /** Whether the tenant has switched adjudication on. */
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
  // Which check failed is a detail: a user agent is told those of how the picture was taken.
  const shown = (names: readonly string[]) => (redacted ? names.filter(isCaptureIndicator) : names)
  return {
    ...(evidence.evaluatedAt ? { evaluationDateTime: specDateTime(evidence.evaluatedAt) } : {}),
    status: evidence.status,
    // Of LEVEL1 to LEVEL5 (spec "evidenceStatus"): what a document of unknown type can reach is not known.
    ...(evidence.strength === 'LEVEL0' ? {} : { strength: evidence.strength }),
    score: evidence.score,
    isAdjudicable: adjudication && hasPicture && isAdjudicable(evidence),
    errors: redacted ? adviceFor(evidence, mismatched) : errorsOf(evidence, mismatched),
    positiveIndicators: shown(evaluation.positiveIndicators),
    warningIndicators: shown(evaluation.warningIndicators),
    blockingIndicators: shown(evaluation.blockingIndicators),
    unverifiedIndicators: shown([...evaluation.unverifiedIndicators, ...agreement]),
  }
}

/** What its own checks found, and in what it disagrees with the rest. */
export function errorsOf(
  { id, evaluation }: Evidence,
  mismatched: readonly string[],
): readonly ResultError[] {
  const known = new Set(evaluation.errors.map(({ code, field = '' }) => `${code} ${field}`))
  const more = disagreementErrors([{ evidenceId: id, attributes: mismatched }]).get(id) ?? []
  return [...evaluation.errors, ...more.filter(({ code, field }) => !known.has(`${code} ${field}`))]
}

/**
 * Every code that somebody can act on. A session that was judged has failed, and that is all: whether it ran out of time, could
 * not be measured or was no live person would tell an attacker how far he has come.
 */
function adviceFor(evidence: Evidence, mismatched: readonly string[]): readonly ResultError[] {
  const advice = errorsOf(evidence, mismatched).flatMap((error) => adviceOf(error) ?? [])
  const isJudged = evidence.content.liveness !== undefined && advice.some(({ code }) => isFailedCapture(code))
  const told = isJudged
    ? [resultError('1611'), ...advice.filter(({ code }) => !isFailedCapture(code))]
    : advice
  return told.filter(
    ({ code, field }, at) => told.findIndex((other) => other.code === code && other.field === field) === at,
  )
}

const isFailedCapture = (code: string): boolean => FAILED_CAPTURE.some((failed) => failed === code)
