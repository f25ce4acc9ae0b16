/** One piece of evidence and the states it may go through. */
import { AppError } from '../errors.ts'
import type { Attendance } from './attendance.ts'
import type { CameraIdentity } from './antifraud/device-integrity.ts'
import type { LivenessRecord } from './liveness/types.ts'
import type {
  CaptureMode,
  DocumentType,
  EvidenceStatus,
  EvidenceType,
  KeyValue,
  Level,
  ResultError,
} from './types.ts'
import type { VerifiableValue } from './verified-values.ts'
import type { PageFieldName } from './visual-zone/page-facts.ts'

/** PORTRAIT is written IDENTIFICATION in a proof, where the spec names the families. */
export const EVIDENCE_FAMILIES = [
  'IDDOCUMENT',
  'PORTRAIT',
  'ATTRIBUTES',
  'ADDRESS',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
] as const
export type EvidenceFamily = (typeof EVIDENCE_FAMILIES)[number]

/** What outweighs a check that failed, or gave no answer (spec "indicatorsMitigations"). Names of indicators. */
export interface Mitigation {
  readonly indicator: string
  readonly mitigatedBy: string
}

/** What the checks said, by the spec's names. Holds indicator names, codes and rule names: never a value. */
export interface Evaluation {
  readonly positiveIndicators: readonly string[]
  readonly warningIndicators: readonly string[]
  readonly blockingIndicators: readonly string[]
  readonly unverifiedIndicators: readonly string[]
  readonly errors: readonly ResultError[]
  /** Mandatory checks that gave no answer. */
  readonly mandatoryMissing: readonly string[]
  /** Checks that failed without invalidating it: no fair chance to decide. Absent: none. */
  readonly withheldBy?: readonly string[]
  /** Absent: none. */
  readonly mitigations?: readonly Mitigation[]
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

export interface NamedValue {
  readonly value: string
  readonly verified: boolean
}

/** Spec "attributesData", and the personal attributes of a document. */
export interface PersonalAttributes {
  readonly givenNames?: readonly NamedValue[]
  readonly surname?: NamedValue
  readonly fullname?: NamedValue
  readonly dateOfBirth?: NamedValue
  readonly gender?: NamedValue
  readonly nationality?: NamedValue
  readonly eyeColor?: NamedValue
  readonly height?: NamedValue
}

/** Spec "Address"; the parts from houseNumber on come with claims only. */
export interface AddressData {
  readonly streetDetails?: { readonly streetLines: readonly string[]; readonly verified: boolean }
  readonly postcode?: string
  readonly city?: string
  readonly state?: string
  readonly country?: string
  readonly verified: boolean
  readonly houseNumber?: string
  readonly flatNumber?: string
  readonly houseName?: string
  readonly district?: string
  readonly locality?: string
  readonly county?: string
  readonly fullAddress?: string
}

/** Spec "idDocumentData". Personal: only ever stored sealed. */
export interface IdDocumentData {
  /** ID_DOCUMENT: nothing says yet of which kind it is. */
  readonly idDocumentType: DocumentType | 'VISA' | 'MEDICARE' | 'ID_DOCUMENT'
  readonly idDocumentNumber?: string
  readonly issuingCountry?: string
  readonly issuingState?: string
  readonly issuingDate?: string
  readonly expiryDate?: string
  readonly personalAttributes: PersonalAttributes
  readonly address?: AddressData
  /** Absent for a document that was submitted as text. */
  readonly mrz?: readonly string[]
  /** Of an Australian driving licence; the card's own number is apart from the licence's (our extension). */
  readonly cardNumber?: string
  /** Names of the values that an adjudicator read off the picture (ours). */
  readonly readByPerson?: readonly string[]
  /** Only of a Medicare card. */
  readonly medicare?: {
    readonly cardType: 'B' | 'G' | 'Y'
    readonly individualReferenceNumber?: number
    /** Second to fourth line of the name, as printed. */
    readonly furtherNames: readonly string[]
  }
}

/** Spec "Document capture details", `source`. */
export const CAPTURE_SOURCES = [
  'LIVE_CAPTURE_IMAGE',
  'LIVE_CAPTURE_VIDEO',
  'SCAN',
  'OTHER',
  'DOCUMENT_CROP',
] as const
export type CaptureSource = (typeof CAPTURE_SOURCES)[number]

/** OTHER where it is not known, or was written by an earlier version. */
export function captureSource(source: string | undefined): CaptureSource {
  return CAPTURE_SOURCES.find((one) => one === source) ?? 'OTHER'
}

/** Spec "portraitData" with what the quality check found. */
export interface PortraitData {
  readonly source: string
  readonly channel?: 'nativeSDK' | 'webSDK'
  readonly metadata: readonly KeyValue[]
  readonly portraitQuality: boolean | null
  /** Documents whose portrait it was compared with, whatever came of it. */
  readonly comparedWith?: readonly string[]
  /** Spec: of LIVENESS_MLC, where liveness could not be decided. */
  readonly livenessDiagnostic?: string
}

/** A place on a page, as the image reader gives it: shares of the page that lies at `frame`, pixels of the picture. */
export interface LinePlace {
  readonly side: 'FRONT' | 'BACK'
  readonly frame: readonly [LinePoint, LinePoint, LinePoint, LinePoint]
  readonly box: LinePoint & { readonly width: number; readonly height: number }
}
interface LinePoint {
  readonly x: number
  readonly y: number
}

/** What is known of a line that was read, beside its value: for the person who looks at it. In no proof. */
export interface ReadLine {
  readonly field: PageFieldName
  /** As it stands on the document, where that says the same as the value in other letters. */
  readonly printed: string | null
  /** One reader alone, and not sure; or two that differ. */
  readonly hardToRead: boolean
  readonly place: LinePlace | null
}

/** What the sender says of the device that took the pictures. Nothing of it is checked. */
export interface CaptureDevice {
  readonly channel?: CaptureMode
  readonly deviceModel?: string
  readonly osType?: string
  readonly osVersion?: string
  readonly sdkInfo?: { readonly sdkVersion: string }
  /** USB identity of the camera, as the capture component told it. */
  readonly camera?: CameraIdentity
  /** Something stood in for a camera: a file, a drawn picture, a browser's own pretended device. */
  readonly pretendedCamera?: boolean
}

export interface DocumentCaptureDetails extends CaptureDevice {
  readonly jurisdiction?: string
  readonly documentType?: DocumentType
  readonly source?: CaptureSource
}

/** Spec "Identity claim", as submitted: the card number is kept to be checked and never shown again. */
export interface ClaimData {
  readonly attributesData?: PersonalAttributes & {
    readonly personalNumber?: NamedValue & { readonly issuingCountry: string }
  }
  readonly addressesData?: AddressData
  readonly contactDetails?: { readonly mobile: NamedValue }
  readonly creditCardDetails?: {
    readonly cardNumber: string
    readonly cardType?: string
    readonly expiryDate?: string
    readonly verified: boolean
  }
}

/** Spec "Trusted identity claim evidence": what was asked for, and what the provider shared. */
export interface TrustedClaimData {
  readonly idpIdentifier: string
  readonly oidcGrantType: 'CODE_FLOW'
  readonly portraitReferenceId?: string
  readonly shared?: {
    readonly idDocumentType?: string
    readonly idDocumentNumber?: string
    readonly issuingDate?: string
    readonly expiryDate?: string
    readonly personalAttributes?: PersonalAttributes
    readonly address?: AddressData
  }
}

/** Raw: kept for whoever has to look into it, and shown nowhere. */
export interface KeptBarcode {
  readonly format: 'PDF417' | 'QR_CODE'
  readonly text: string
  /** Its bytes, where they are known: base64. */
  readonly bytes?: string
}

/** Everything personal about a piece of evidence, sealed as one value. */
export interface EvidenceContent {
  /** Of a portrait: the device alone. */
  readonly captureDetails?: DocumentCaptureDetails
  readonly document?: IdDocumentData
  readonly portrait?: PortraitData
  /** Of a portrait that was captured in a session. */
  readonly liveness?: LivenessRecord
  readonly attributes?: PersonalAttributes
  readonly address?: AddressData
  /** Evidence that an address derives from (spec "referenceIds"). */
  readonly referenceIds?: readonly string[]
  /** An address that nobody submitted: it follows the evidence that it derives from. */
  readonly derived?: true
  readonly claim?: ClaimData
  readonly trustedClaim?: TrustedClaimData
  /** E.164; verified only against the operator's records (spec "Contact details"). */
  readonly mobile?: NamedValue
  /** The capture session that was opened for this evidence. */
  readonly sessionId?: string
  /** Its session awaited the sides of the kind that a picture had shown: it was not told which ones it needs. */
  readonly sidesByKind?: true
  /** What a scanner at the counter read off the document, as it typed it. */
  readonly scannedBarcode?: string
  /** What the barcodes in the pictures say, interpreted or not. */
  readonly barcodes?: readonly KeptBarcode[]
  /** Of a document: values that are verified while it is VERIFIED (resources/verified-values.json). */
  readonly groundedValues?: readonly VerifiableValue[]
  /** Of the lines that were read in the pictures. */
  readonly readLines?: readonly ReadLine[]
  /** A document typed in, not photographed. */
  readonly submittedAsText?: true
  /** Id of the officer who captured it, as the relying service told: he never adjudicates. */
  readonly officer?: string
  /** What staff noted who were there when it was captured. */
  readonly attendance?: Attendance
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
  /** The document whose portrait this one was compared with, whatever came of it. */
  readonly matchedReferenceId: string | null
  readonly content: EvidenceContent
  readonly revision: number
}

export const EVIDENCE_KINDS = [
  'IDDOCUMENT',
  'IDDOCUMENT_TEXT',
  'MEDICARE',
  'PORTRAIT',
  'ATTRIBUTES',
  'ADDRESS',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
] as const
/** What decides which checks run and which consents are needed: the family, documents distinguished by how they came. */
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]

export function kindOf(evidence: Pick<Evidence, 'family' | 'type' | 'content'>): EvidenceKind {
  if (evidence.type === 'MEDICARE') return 'MEDICARE'
  return evidence.content.submittedAsText ? 'IDDOCUMENT_TEXT' : evidence.family
}

const MOVES: Record<EvidenceStatus, readonly EvidenceStatus[]> = {
  PROCESSING: ['VERIFIED', 'INVALID', 'NOT_VERIFIED', 'ADJUDICATION'],
  ADJUDICATION: ['VERIFIED', 'INVALID', 'NOT_VERIFIED', 'ADJUDICATION'],
  // A portrait is verified again when the elected reference changes.
  VERIFIED: ['PROCESSING'],
  INVALID: ['PROCESSING'],
  NOT_VERIFIED: ['PROCESSING', 'ADJUDICATION'],
}

/** The evidence in its next state. Throws `transition_refused` for a move the table does not list. */
export function moveEvidence(evidence: Evidence, to: EvidenceStatus): Evidence {
  if (evidence.deletedAt || !MOVES[evidence.status].includes(to)) {
    throw new AppError('transition_refused', { from: evidence.status, to })
  }
  return { ...evidence, status: to }
}

/** Neither the machine nor a person has had the last word. */
export function isUndecided(status: EvidenceStatus): boolean {
  return status === 'PROCESSING' || status === 'ADJUDICATION'
}

/** An identity has one of these: the next takes the place of what was submitted before. */
export const SINGLE_FAMILIES: readonly EvidenceFamily[] = [
  'PORTRAIT',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
]

/** The one that counts in a single family: the last that was not deleted. */
export function currentOf(evidences: readonly Evidence[], family: EvidenceFamily): Evidence | undefined {
  const all = evidences.filter((evidence) => evidence.family === family && !evidence.deletedAt)
  return all.findLast((evidence) => !isOpenAttempt(evidence)) ?? all.at(-1)
}

/**
 * An attempt that is not decided or has brought nothing to decide: a capture session of a portrait, or a login at an identity
 * provider. What was there before it still counts.
 */
export function isOpenAttempt({
  family,
  status,
  content,
}: Pick<Evidence, 'family' | 'status' | 'content'>): boolean {
  if (family === 'TRUSTED_ID_CLAIM') return status === 'PROCESSING' || isEndedLogin({ family, status })
  if (family !== 'PORTRAIT' || content.sessionId === undefined) return false
  return status === 'PROCESSING' || (status === 'NOT_VERIFIED' && content.liveness === undefined)
}

/** A login that ended without a claim: the record of an attempt, which holds nothing that another could replace. */
export function isEndedLogin({ family, status }: Pick<Evidence, 'family' | 'status'>): boolean {
  return family === 'TRUSTED_ID_CLAIM' && status === 'NOT_VERIFIED'
}

/** The earlier evidence of a single family that a new one does not replace at once: it counts until an attempt is decided. */
export function outlasts(earlier: Evidence, added: Evidence): boolean {
  if (!isOpenAttempt(added) || isOpenAttempt(earlier)) return false
  const { status, evaluation } = earlier
  return (
    status === 'VERIFIED' ||
    isUndecided(status) ||
    (status === 'NOT_VERIFIED' && evaluation.errors.length === 0)
  )
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
