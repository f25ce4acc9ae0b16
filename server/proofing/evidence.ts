/** One piece of evidence and the states it may go through. */
import { AppError } from '../errors.ts'
import type { DocumentType, EvidenceStatus, EvidenceType, KeyValue, Level, ResultError } from './types.ts'

export type EvidenceFamily = 'IDDOCUMENT' | 'PORTRAIT'

/** What the checks said, by the spec's names. Holds indicator names, codes and rule names: never a value. */
export interface Evaluation {
  readonly positiveIndicators: readonly string[]
  readonly warningIndicators: readonly string[]
  readonly blockingIndicators: readonly string[]
  readonly unverifiedIndicators: readonly string[]
  readonly errors: readonly ResultError[]
  /** Mandatory checks that gave no answer. */
  readonly mandatoryMissing: readonly string[]
  readonly strengthRule: string
  readonly scoreRule: string
}

export const NOT_YET_EVALUATED: Evaluation = {
  positiveIndicators: [],
  warningIndicators: [],
  blockingIndicators: [],
  unverifiedIndicators: [],
  errors: [],
  mandatoryMissing: [],
  strengthRule: '',
  scoreRule: '',
}

interface NamedValue {
  readonly value: string
  readonly verified: boolean
}

/** Spec "idDocumentData". Personal: only ever stored sealed. */
export interface IdDocumentData {
  readonly idDocumentType: DocumentType | 'VISA'
  readonly idDocumentNumber?: string
  readonly issuingCountry?: string
  readonly expiryDate?: string
  readonly personalAttributes: {
    readonly surname?: NamedValue
    readonly givenNames?: readonly NamedValue[]
    readonly dateOfBirth?: NamedValue
    readonly gender?: NamedValue
    readonly nationality?: NamedValue
  }
  readonly mrz: readonly string[]
}

/** Spec "portraitData" with what the quality check found. */
export interface PortraitData {
  readonly source: string
  readonly channel?: 'nativeSDK' | 'webSDK'
  readonly metadata: readonly KeyValue[]
  readonly portraitQuality: boolean | null
}

export interface DocumentCaptureDetails {
  readonly jurisdiction?: string
  readonly documentType?: DocumentType
  readonly source?: 'LIVE_CAPTURE_IMAGE' | 'LIVE_CAPTURE_VIDEO' | 'SCAN' | 'OTHER' | 'DOCUMENT_CROP'
}

/** Everything personal about a piece of evidence, sealed as one value. */
export interface EvidenceContent {
  readonly captureDetails?: DocumentCaptureDetails
  readonly document?: IdDocumentData
  readonly portrait?: PortraitData
}

export interface Evidence {
  readonly id: string
  readonly identityId: string
  readonly family: EvidenceFamily
  /** ID_DOCUMENT until the document has been read. */
  readonly type: EvidenceType
  readonly status: EvidenceStatus
  readonly strength: Level
  readonly score: Level
  readonly evaluation: Evaluation
  readonly submittedAt: Date
  readonly evaluatedAt: Date | null
  /** A deleted piece leaves its shell, for the two-step record in the proof. */
  readonly deletedAt: Date | null
  /** The document whose portrait this one was held against, whatever came of it. */
  readonly matchedReferenceId: string | null
  readonly content: EvidenceContent
  readonly revision: number
}

const MOVES: Record<EvidenceStatus, readonly EvidenceStatus[]> = {
  PROCESSING: ['VERIFIED', 'INVALID', 'NOT_VERIFIED', 'ADJUDICATION'],
  ADJUDICATION: ['VERIFIED', 'INVALID', 'NOT_VERIFIED', 'ADJUDICATION'],
  // A portrait is verified again when the elected reference changes.
  VERIFIED: ['PROCESSING'],
  INVALID: ['PROCESSING'],
  NOT_VERIFIED: ['PROCESSING'],
}

/** The evidence in its next state. Throws `transition_refused` for a move the table does not list. */
export function moveEvidence(evidence: Evidence, to: EvidenceStatus): Evidence {
  if (evidence.deletedAt || !MOVES[evidence.status].includes(to)) {
    throw new AppError('transition_refused', { from: evidence.status, to })
  }
  return { ...evidence, status: to }
}

/** An evidence that a submission has just made. */
export function newEvidence(fields: {
  id: string
  identityId: string
  family: EvidenceFamily
  type: EvidenceType
  strength: Level
  submittedAt: Date
  content: EvidenceContent
}): Evidence {
  return {
    ...fields,
    status: 'PROCESSING',
    score: 'LEVEL0',
    evaluation: NOT_YET_EVALUATED,
    evaluatedAt: null,
    deletedAt: null,
    matchedReferenceId: null,
    revision: 1,
  }
}
