/** What was checked, step by step (spec "VerificationDetails"), with what is known of each step beside its record. */
import type { Context } from '../context.ts'
import type { Evidence } from '../proofing/evidence.ts'
import { specDateTime } from '../proofing/time.ts'
import type { Operation } from '../store/operations.ts'
import type { MeasuredCheck, VerificationRecord } from '../proofing/verification-record.ts'

/** The step that reads a document's data. */
const MAIN_OCR_SERVICE = 'mrz-read'

/** A person who was asked: spec `participantType` and the service that stands for him. */
const ADJUDICATION = 'ADJUDICATION'

export interface LinkedOperation {
  readonly id: string
  readonly name: string
  readonly type: string
}

export function verificationDetails(ctx: Context, evidence: Evidence, operation: LinkedOperation) {
  const records = ctx.store.evidences.verification(evidence)
  const readByOcr = records.some(({ verificationServices }) =>
    verificationServices.some(({ serviceName }) => serviceName === MAIN_OCR_SERVICE),
  )
  return records.map((record) => ({
    ...record,
    linkedIdentityOperation: operation,
    ...(evidence.content.sessionId ? { sessionId: evidence.content.sessionId } : {}),
    ...(readByOcr && record.participantType === 'IMAGE_OCR' ? { mainOcrService: MAIN_OCR_SERVICE } : {}),
    ...comparedWith(ctx, evidence, record),
    verificationServices: record.verificationServices.map((service) => ({
      ...service,
      errors: record.errors,
      raisedIndicators: record.raisedIndicators,
      ...scoresOf(record),
      ...versionOf(record),
    })),
  }))
}

/** The checks that hold this evidence (the candidate) against another one (the reference). */
const COMPARISONS = ['BIOMETRIC_MATCHING_CHECK', 'ATTRIBUTES_MATCH', ADJUDICATION]

function comparedWith(ctx: Context, evidence: Evidence, { measurements }: VerificationRecord) {
  if (!measurements.some(({ check }) => COMPARISONS.includes(check))) return {}
  // A person compares portraits; a document he looks at by itself.
  if (evidence.family === 'IDDOCUMENT') return {}
  const candidate = { candidateId: evidence.id, candidateType: evidence.type }
  const reference = evidence.matchedReferenceId ? ctx.store.evidences.find(evidence.matchedReferenceId) : null
  return reference ? { ...candidate, referenceId: reference.id, referenceType: reference.type } : candidate
}

/** Spec "verificationServices": the numbers that have a name there; all others stand under `measurements`. */
function scoresOf({ measurements }: VerificationRecord) {
  const matching = numberOf(measurements, 'BIOMETRIC_MATCHING_CHECK', 'score')
  const quality = measurements.find(({ check }) => check === 'BIOMETRIC_QUALITY_CHECK')
  return {
    ...(matching === undefined ? {} : { matchingScore: matching }),
    ...(quality && quality.outcome !== 'inconclusive'
      ? { codingQualityOk: quality.outcome === 'passed' }
      : {}),
  }
}

function numberOf(measurements: readonly MeasuredCheck[], check: string, name: string): number | undefined {
  const value = measurements.find((item) => item.check === check)?.measured[name]
  return typeof value === 'number' ? value : undefined
}

/** Of the model that did the work, where it was one; with several, each stands under `models`. */
function versionOf({ models: [model, ...others] }: VerificationRecord) {
  return model && others.length === 0 ? { serviceVersion: `${model.id} ${model.version}` } : {}
}

/**
 * What became of asking a person by this call; nothing while his answer is awaited. Who decided what stands with the
 * evidence's own verifications, signed.
 */
export function adjudicationDetails(
  ctx: Context,
  evidence: Evidence,
  { call, startedAt, ...request }: Operation,
) {
  const operation = { id: request.id, name: request.name, type: request.kind }
  // A decision is a call, too, and asks nobody.
  if (!call.uri.startsWith('/v1/identities/')) return []
  const adjudication = ctx.store.adjudications.ofEvidence(evidence.id).find(({ requestedAt }) => {
    const asked = specDateTime(requestedAt)
    return asked >= specDateTime(startedAt) && asked <= call.endedAt
  })
  if (!adjudication?.respondedAt) return []
  const { id, status, reason, errors, requestedAt, respondedAt } = adjudication
  const decided = status === 'ACCEPTED' || status === 'REJECTED'
  return [
    {
      startDateTime: specDateTime(requestedAt),
      endDateTime: specDateTime(respondedAt),
      sessionCreationTime: specDateTime(requestedAt),
      verificationId: id,
      participantType: ADJUDICATION,
      // Nobody answered: the question stayed open.
      participantState: decided ? status : ADJUDICATION,
      isBlockingParticipant: false,
      errors,
      raisedIndicators: [],
      linkedIdentityOperation: operation,
      verificationServices: [
        {
          serviceName: 'adjudication',
          isTechnicalError: status === 'ERROR',
          responseTimeMS: respondedAt.getTime() - requestedAt.getTime(),
          errors,
          raisedIndicators: [],
          adjudicationDetails: { status, ...(reason ? { reason } : {}) },
        },
      ],
      measurements: [],
      models: [],
    },
  ]
}
