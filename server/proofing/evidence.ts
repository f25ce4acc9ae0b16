/** An evidence and its state machine. */
import { AppError } from '../errors.ts'
import type { Attendance } from './attendance.ts'
import type { CameraIdentity } from './antifraud/device-integrity.ts'
import type { AddressAnswer } from './address-register.ts'
import type { ChipRecord } from './chip-evidence.ts'
import type { AskedBureaus } from './claim-source.ts'
import type { IssuerAnswer } from './issuer-answer.ts'
import type { AskedSource } from './source-reply.ts'
import type { LivenessRecord } from './liveness/types.ts'
import {
  OTHER_FAMILIES,
  UNCOUNTED_FAMILIES,
  type CaptureMode,
  type DocumentType,
  type EvidenceStatus,
  type EvidenceType,
  type KeyValue,
  type Level,
  type ResultError,
} from './types.ts'
import type { ClaimedCard } from './payment-card.ts'
import type { VerifiableValue } from './verified-values.ts'
import type { PageFieldName } from './visual-zone/page-facts.ts'

export const EVIDENCE_FAMILIES = ['IDDOCUMENT', ...OTHER_FAMILIES, ...UNCOUNTED_FAMILIES] as const
export type EvidenceFamily = (typeof EVIDENCE_FAMILIES)[number]

/** The spec's family names, where they differ from ours: a proof uses them. */
const SPEC_FAMILIES: Readonly<Partial<Record<EvidenceFamily, string>>> = {
  PORTRAIT: 'IDENTIFICATION',
  EMAIL: 'CONTACT',
  LANDLINE: 'CONTACT',
}
export const nameSpecFamily = (family: EvidenceFamily): string => SPEC_FAMILIES[family] ?? family

/** Compensates a failed or unanswered check (spec "indicatorsMitigations"). Names of indicators. */
export interface Mitigation {
  readonly indicator: string
  readonly mitigatedBy: string
}

/** Results of the checks under the spec's names: indicators, codes and rules, never values. */
export interface Evaluation {
  readonly positiveIndicators: readonly string[]
  readonly warningIndicators: readonly string[]
  readonly blockingIndicators: readonly string[]
  readonly unverifiedIndicators: readonly string[]
  readonly errors: readonly ResultError[]
  /** Mandatory checks without an answer. */
  readonly mandatoryMissing: readonly string[]
  /** Checks that failed without invalidating the evidence, because they could not decide fairly. Absent: none. */
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

/** Spec "Address"; the members from houseNumber on occur only in claims. */
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

/** Spec "idDocumentData". Personal data: stored only encrypted. */
export interface IdDocumentData {
  /** ID_DOCUMENT: the kind is not known yet. */
  readonly idDocumentType: DocumentType | 'VISA' | 'MEDICARE' | 'ID_DOCUMENT'
  readonly idDocumentNumber?: string
  readonly issuingCountry?: string
  readonly issuingState?: string
  readonly issuingDate?: string
  readonly expiryDate?: string
  readonly personalAttributes: PersonalAttributes
  readonly address?: AddressData
  /** Absent for a document submitted as text. */
  readonly mrz?: readonly string[]
  /** For an Australian driving licence, whose card number differs from the licence number (our extension). */
  readonly cardNumber?: string
  /** Names of the values that an adjudicator read from the picture (our extension). */
  readonly readByPerson?: readonly string[]
  /** Only for a Medicare card. */
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
type CaptureSource = (typeof CAPTURE_SOURCES)[number]

/** OTHER if unknown or written by an earlier version. */
export function captureSource(source: string | undefined): CaptureSource {
  return CAPTURE_SOURCES.find((one) => one === source) ?? 'OTHER'
}

/** Spec "portraitData" with the results of the quality check. */
export interface PortraitData {
  readonly source: string
  readonly channel?: 'nativeSDK' | 'webSDK'
  readonly metadata: readonly KeyValue[]
  readonly portraitQuality: boolean | null
  /** Documents with whose portrait it was compared, regardless of the outcome. */
  readonly comparedWith?: readonly string[]
  /** The stored picture of the elected document with which it was compared; absent in records of earlier versions. */
  readonly comparedPicture?: string
  /** Spec: for LIVENESS_MLC, if liveness could not be decided. */
  readonly livenessDiagnostic?: string
}

/** A place on a page: shares of the page whose corners in the picture are `frame`, in pixels. */
export interface LinePlace {
  readonly side: 'FRONT' | 'BACK'
  readonly frame: readonly [LinePoint, LinePoint, LinePoint, LinePoint]
  readonly box: LinePoint & { readonly width: number; readonly height: number }
}
interface LinePoint {
  readonly x: number
  readonly y: number
}

/** Details of a line besides its value, for the reviewer. Not part of a proof. */
export interface ReadLine {
  readonly field: PageFieldName
  /** The printed form, if it states the same value in other letters. */
  readonly printed: string | null
  /** Read by one recogniser without certainty, or by two with different results. */
  readonly hardToRead: boolean
  readonly place: LinePlace | null
}

/** The caller's statement about the capturing device. Unchecked. */
export interface CaptureDevice {
  readonly channel?: CaptureMode
  readonly deviceModel?: string
  readonly osType?: string
  readonly osVersion?: string
  readonly sdkInfo?: { readonly sdkVersion: string }
  /** USB identity of the camera as reported by the capture component. */
  readonly camera?: CameraIdentity
  /** A file, a synthetic picture or the browser's fake device replaced the camera. */
  readonly pretendedCamera?: boolean
}

export interface DocumentCaptureDetails extends CaptureDevice {
  readonly jurisdiction?: string
  readonly documentType?: DocumentType
  readonly source?: CaptureSource
}

/** Spec "Identity claim", as submitted, without the number of the card. */
export interface ClaimData {
  readonly attributesData?: PersonalAttributes & {
    readonly personalNumber?: NamedValue & { readonly issuingCountry: string }
  }
  readonly addressesData?: AddressData
  readonly contactDetails?: { readonly mobile: NamedValue }
  readonly creditCardDetails?: ClaimedCard
}

/** Spec "Trusted identity claim evidence": the request, and what the provider shared. */
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

/** Raw barcode, stored for investigations and not shown. */
export interface KeptBarcode {
  readonly format: 'PDF417' | 'QR_CODE'
  readonly text: string
  /** Its bytes in base64, if known. */
  readonly bytes?: string
}

/** Values that the applicant typed of a photographed document because its issuing source needs them. Unchecked. */
export interface StatedDetails {
  readonly cardNumber?: string | undefined
}

/** All personal data of an evidence, encrypted as one value. */
export interface EvidenceContent {
  /** For a portrait: only the device. */
  readonly captureDetails?: DocumentCaptureDetails
  readonly document?: IdDocumentData
  readonly portrait?: PortraitData
  /** For a portrait from a capture session. */
  readonly liveness?: LivenessRecord
  readonly attributes?: PersonalAttributes
  readonly address?: AddressData
  /** Evidence from which an address derives (spec "referenceIds"). */
  readonly referenceIds?: readonly string[]
  /** An address created automatically from the evidence from which it derives. */
  readonly derived?: true
  readonly claim?: ClaimData
  readonly trustedClaim?: TrustedClaimData
  /** E.164; verified only against the operator's records (spec "Contact details"). */
  readonly mobile?: NamedValue
  /** `verified` is always false: nothing tells whose mailbox it is. */
  readonly email?: NamedValue
  /** E.164; `verified` is always false. */
  readonly landline?: NamedValue
  /** Number of questions in succession that the mobile operator did not answer; absent: none. */
  readonly operatorSilent?: number
  /** The capture session opened for this evidence. */
  readonly sessionId?: string
  /** The detected kind of document determined the sides of its session, because the request named none. */
  readonly sidesByKind?: true
  /** Reading of the document’s chip, without its files. */
  readonly chip?: ChipRecord
  /** Text that a scanner at the counter read from the document, unchanged. */
  readonly scannedBarcode?: string
  /** Contents of the barcodes in the pictures, interpreted or not. */
  readonly barcodes?: readonly KeptBarcode[]
  /** For a document: values that are verified while it is VERIFIED (resources/verified-values.json). */
  readonly groundedValues?: readonly VerifiableValue[]
  /** Details of the lines read in the pictures. */
  readonly readLines?: readonly ReadLine[]
  /** A typed document without pictures. */
  readonly submittedAsText?: true
  readonly issuer?: AskedSource<IssuerAnswer>
  readonly stated?: StatedDetails
  readonly addressRegister?: AskedSource<AddressAnswer>
  /** The questions to sources of attributes, by the id of the source. */
  readonly bureaus?: AskedBureaus
  /** Id of the capturing officer, from the relying service: this officer must not adjudicate. */
  readonly officer?: string
  /** Observations of the officer who attended the capture. */
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
  /** A deleted evidence leaves its record, for the two-step record in the proof. */
  readonly deletedAt: Date | null
  /** The document with whose portrait it was compared, regardless of the outcome. */
  readonly matchedReferenceId: string | null
  readonly content: EvidenceContent
  readonly revision: number
}

export const EVIDENCE_KINDS = [
  'IDDOCUMENT',
  'IDDOCUMENT_TEXT',
  'MEDICARE',
  ...OTHER_FAMILIES,
  ...UNCOUNTED_FAMILIES,
] as const
/** Determines checks and consents: the family, with documents distinguished by how they were submitted. */
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number]

export function deriveKind(evidence: Pick<Evidence, 'family' | 'type' | 'content'>): EvidenceKind {
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

/** Returns the evidence in its next state. Throws `transition_refused` for a move that the table does not list. */
export function moveEvidence(evidence: Evidence, to: EvidenceStatus): Evidence {
  if (evidence.deletedAt || !MOVES[evidence.status].includes(to)) {
    throw new AppError('transition_refused', { from: evidence.status, to })
  }
  return { ...evidence, status: to }
}

/** True if neither the rules nor a person has decided. */
export function isUndecided(status: EvidenceStatus): boolean {
  return status === 'PROCESSING' || status === 'ADJUDICATION'
}

/** Families with one evidence per identity: a new submission replaces the earlier one. */
export const SINGLE_FAMILIES: readonly EvidenceFamily[] = [
  'PORTRAIT',
  'TRUSTED_ID_CLAIM',
  'ID_CLAIM',
  'CONTACT',
  'EMAIL',
  'LANDLINE',
]

/** The counting evidence of a single family: the last that was not deleted. */
export function findCurrent(evidences: readonly Evidence[], family: EvidenceFamily): Evidence | undefined {
  const all = evidences.filter((evidence) => evidence.family === family && !evidence.deletedAt)
  return all.findLast((evidence) => !isOpenAttempt(evidence)) ?? all.at(-1)
}

/**
 * An attempt that is undecided or without result: a portrait's capture session, or a login at an identity provider. The
 * earlier evidence still counts.
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

/** A login that ended without a claim: only a record of the attempt, so another one need not replace it. */
export function isEndedLogin({ family, status }: Pick<Evidence, 'family' | 'status'>): boolean {
  return family === 'TRUSTED_ID_CLAIM' && status === 'NOT_VERIFIED'
}

/** True if the earlier evidence of a single family counts until the new attempt is decided. */
export function staysInForce(earlier: Evidence, added: Evidence): boolean {
  if (!isOpenAttempt(added) || isOpenAttempt(earlier)) return false
  const { status, evaluation } = earlier
  return (
    status === 'VERIFIED' ||
    isUndecided(status) ||
    (status === 'NOT_VERIFIED' && evaluation.errors.length === 0)
  )
}

/** Creates the evidence of a new submission. */
export function createEvidence(fields: {
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
