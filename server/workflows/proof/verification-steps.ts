/** Describes the checks of each step (spec "VerificationDetails"), with the facts that are known beside its record. */
import type { Context } from '../../context.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import type { StatedVerification } from '../../proofing/judged-step.ts'
import { FRAUD_SERVICE } from '../../proof/verify/decision-statement.ts'
import type { Adjudication } from '../../store/adjudications.ts'
import type { StoredFraudCheck } from '../../store/fraud-checks.ts'
import type { OperationOutline } from '../../store/operations.ts'
import type { MeasuredCheck, VerificationRecord } from '../../proofing/verification-record.ts'

/** The step that reads a document's data. */
const MAIN_OCR_SERVICE = 'mrz-read'

/** A human decision: spec `participantType`, and the service that represents it. */
const ADJUDICATION = 'ADJUDICATION'

/** All findings about the evidence: the latest run, unanswered cases, antifraud checks that examined it. */
export function listVerifications(
  ctx: Context,
  evidence: Evidence,
  operation: OperationOutline,
): readonly StatedVerification[] {
  const linkedIdentityOperation = { id: operation.id, name: operation.name, type: operation.kind }
  const records = ctx.store.evidences.verification(evidence)
  const unanswered = ctx.store.adjudications
    .ofEvidence(evidence.id)
    .filter(({ id }) => !records.some(({ verificationId }) => verificationId === id))
    .flatMap((adjudication) => unansweredRequest(adjudication) ?? [])
  const stated = ctx.store.fraudChecks
    .list(evidence.identityId)
    .filter((check) => evidenceStating(check).includes(evidence.id))
    .flatMap((check) => {
      const record = fraudCheckRecord(check)
      return record ? [{ record, isOfThis: check.type !== 'VELOCITY' || check.subjects.length === 1 }] : []
    })
  const fraudChecks = stated.map(({ record }) => record)
  const found = stated.filter(({ isOfThis }) => isOfThis).map(({ record }) => record)
  const candidate = { candidateId: evidence.id, candidateType: evidence.type }
  return [...records, ...unanswered, ...fraudChecks].map((record) => {
    const { measurements, models, ...about } = record
    const details = {
      ...about,
      linkedIdentityOperation,
      ...(evidence.content.sessionId ? { sessionId: evidence.content.sessionId } : {}),
      ...mainService(records, record),
      ...(found.includes(record) ? candidate : comparedWith(ctx, evidence, record)),
      verificationServices: record.verificationServices.map((service) => ({
        ...service,
        errors: record.errors,
        raisedIndicators: record.raisedIndicators,
        ...pickScores(record),
        ...pickVersion(record),
      })),
    }
    return { of: evidence.id, details, measurements, models }
  })
}

/** Returns a key that is equal for the same verification of the same evidence, whichever step states it. */
export function verificationKey({ details, of }: StatedVerification): string {
  const { participantType, verificationId = '', startDateTime, endDateTime, verificationServices } = details
  const services = verificationServices as readonly { readonly serviceName: string }[]
  const names = services.map(({ serviceName }) => serviceName)
  return JSON.stringify([of, participantType, verificationId, startDateTime, endDateTime, names])
}

function mainService(records: readonly VerificationRecord[], { participantType }: VerificationRecord) {
  const readByOcr = records.some(({ verificationServices }) =>
    verificationServices.some(({ serviceName }) => serviceName === MAIN_OCR_SERVICE),
  )
  return readByOcr && participantType === 'IMAGE_OCR' ? { mainOcrService: MAIN_OCR_SERVICE } : {}
}

/** The checks that compare this evidence (the candidate) with another one (the reference). */
const COMPARISONS = ['BIOMETRIC_MATCHING_CHECK', 'ATTRIBUTES_MATCH', ADJUDICATION]

function comparedWith(ctx: Context, evidence: Evidence, { measurements }: VerificationRecord) {
  if (!measurements.some(({ check }) => COMPARISONS.includes(check))) return {}
  // An adjudicator compares portraits, but examines a document by itself.
  if (evidence.family === 'IDDOCUMENT') return {}
  const candidate = { candidateId: evidence.id, candidateType: evidence.type }
  const reference = evidence.matchedReferenceId ? ctx.store.evidences.find(evidence.matchedReferenceId) : null
  return reference ? { ...candidate, referenceId: reference.id, referenceType: reference.type } : candidate
}

/** Spec "verificationServices": numbers that have a name there; all others are under `measurements`. */
function pickScores({ measurements }: VerificationRecord) {
  const matching = findNumber(measurements, 'BIOMETRIC_MATCHING_CHECK', 'score')
  const quality = measurements.find(({ check }) => check === 'BIOMETRIC_QUALITY_CHECK')
  return {
    ...(matching === undefined ? {} : { matchingScore: matching }),
    ...(quality && quality.outcome !== 'inconclusive'
      ? { codingQualityOk: quality.outcome === 'passed' }
      : {}),
  }
}

function findNumber(measurements: readonly MeasuredCheck[], check: string, name: string): number | undefined {
  const value = measurements.find((item) => item.check === check)?.measured[name]
  return typeof value === 'number' ? value : undefined
}

/** The version of a single model; several are listed under `models`. */
function pickVersion({ models: [model, ...others] }: VerificationRecord) {
  return model && others.length === 0 ? { serviceVersion: `${model.id} ${model.version}` } : {}
}

/**
 * Null while an answer is pending. Human decisions are signed records of the evidence itself
 * (`record-decision`).
 */
function unansweredRequest(adjudication: Adjudication): VerificationRecord | null {
  const { id, status, reason, errors, requestedAt, respondedAt } = adjudication
  if (!respondedAt) return null
  return {
    startDateTime: formatSpecDateTime(requestedAt),
    endDateTime: formatSpecDateTime(respondedAt),
    sessionCreationTime: formatSpecDateTime(requestedAt),
    verificationId: id,
    participantType: ADJUDICATION,
    // No answer came: the question stayed open.
    participantState: ADJUDICATION,
    isBlockingParticipant: false,
    errors,
    raisedIndicators: [],
    verificationServices: [
      {
        serviceName: 'adjudication',
        isTechnicalError: status === 'ERROR',
        responseTimeMS: respondedAt.getTime() - requestedAt.getTime(),
        adjudicationDetails: { status, ...(reason ? { reason } : {}) },
      },
    ],
    measurements: [],
    models: [],
  }
}

/**
 * The evidence that states a check: the one in which it found something, if known; one of several that it
 * examined together, if it concerns the identity as a whole; otherwise each examined one.
 */
function evidenceStating({ type, subjects, measured }: StoredFraudCheck): readonly string[] {
  if (typeof measured.foundIn === 'string') return measured.foundIn.split(' ')
  return type === 'VELOCITY' ? subjects.slice(0, 1) : subjects
}

const FRAUD_OUTCOMES = { VERIFIED: 'passed', INVALID: 'failed' } as const
const FRAUD_STATES = { VERIFIED: 'ACCEPTED', INVALID: 'REJECTED' } as const

/** Returns null until the check is decided. */
function fraudCheckRecord(check: StoredFraudCheck): VerificationRecord | null {
  const { type, status, indicators, measured, requestedAt, evaluatedAt } = check
  if (!evaluatedAt || status === 'PROCESSING') return null
  const ended = status === 'VERIFIED' || status === 'INVALID' ? status : null
  return {
    startDateTime: formatSpecDateTime(requestedAt),
    endDateTime: formatSpecDateTime(evaluatedAt),
    sessionCreationTime: formatSpecDateTime(requestedAt),
    participantType: 'ANTIFRAUD',
    // The check neither accepts nor rejects: it warns, or it could not be carried out.
    ...(ended ? { participantState: FRAUD_STATES[ended] } : {}),
    isBlockingParticipant: false,
    errors: [],
    raisedIndicators: indicators,
    verificationServices: [
      {
        serviceName: `${FRAUD_SERVICE}${type.toLowerCase().replaceAll('_', '-')}`,
        isTechnicalError: measured.technical !== undefined,
        responseTimeMS: evaluatedAt.getTime() - requestedAt.getTime(),
      },
    ],
    measurements: [{ check: type, outcome: ended ? FRAUD_OUTCOMES[ended] : 'inconclusive', measured }],
    models: [],
  }
}
