/** Input of a verification run and output of its steps. Measurements are made once and shared. */
import type { AddressFormats } from '../proofing/address-form.ts'
import type { AddressAnswer, Resident } from '../proofing/address-register.ts'
import type { Attendance } from '../proofing/attendance.ts'
import type { ChipAuthenticity, ChipReading } from '../proofing/chip-evidence.ts'
import type { ChipFiles } from '../proofing/chip-files.ts'
import type { ClaimAnswer } from '../proofing/claim-source.ts'
import type { KnownContact } from '../proofing/contact.ts'
import type { DocumentIdentifier } from '../proofing/document-identifier.ts'
import type {
  ClaimData,
  AddressData,
  EvidenceContent,
  IdDocumentData,
  KeptBarcode,
  ReadLine,
  StatedDetails,
} from '../proofing/evidence.ts'
import type { OutsideCall } from '../proofing/disclosure.ts'
import type { Span } from '../proofing/expiry.ts'
import type { IssuerAnswer } from '../proofing/issuer-answer.ts'
import type { IssuerReply } from '../proofing/issuer-question.ts'
import type { CheckOutcome, Finding } from '../proofing/judge.ts'
import type {
  AskedSource,
  SourceAccess,
  SourceReason,
  SourceReply,
  Unasked,
} from '../proofing/source-reply.ts'
import type { LivenessLimits } from '../proofing/liveness/limits.ts'
import type { LivenessRecord } from '../proofing/liveness/types.ts'
import type { DocumentType, EvidenceType } from '../proofing/types.ts'
import type { ValueOrigin, VerifiableValue } from '../proofing/verified-values.ts'
import type {
  AuthenticityMeasurement,
  BarcodeMeasurement,
  DocumentMeasurement,
  FaceComparison,
  ModelUse,
  PageText,
  PortraitMeasurement,
} from '../vision/protocol.ts'
import type { ReadDocument } from './read-document.ts'
import type { QualityThresholds } from './thresholds.ts'

export interface DocumentSubject {
  readonly family: 'IDDOCUMENT'
  readonly evidenceId: string
  readonly front: Uint8Array
  readonly back: Uint8Array | null
  /** Further pictures of each side, taken in quick succession, in the order front, back. */
  readonly frames: readonly (readonly Uint8Array[])[]
  /** Text that a barcode scanner at the counter read from the document, unchanged. */
  readonly scannedBarcode: string | null
  /** Document type that the caller declared, if any. */
  readonly declaredType: DocumentType | null
  /** Alpha-3, as declared by the caller. */
  readonly jurisdiction: string | null
  /** The pictures come from a guided capture session. */
  readonly isLive?: boolean
  /** The capture session took at least as many sides as the relying service required. */
  readonly sidesEnsured: boolean
  /** Counts other identities of the tenant to which this document was presented. */
  readonly presentedToOthers?: (document: DocumentIdentifier) => number
  /** Observations of the officer who attended. */
  readonly attendance?: Attendance | null
  readonly issuerAccess?: SourceAccess
  readonly askedIssuer?: AskedSource<IssuerAnswer> | undefined
  /** Values that the applicant typed of the document. */
  readonly stated?: StatedDetails | undefined
  /** Absent: its chip was not read. Files are null if the chip gave none. */
  readonly chip?: { readonly reading: ChipReading; readonly files: ChipFiles | null } | undefined
  readonly testMode: boolean
}

export interface ReferencePortrait {
  readonly evidenceId: string
  /** Id of the stored picture. */
  readonly pictureId: string
  readonly image: Uint8Array
  /** It is the portrait of a chip that confirms its document. */
  readonly isOfChip: boolean
}

export interface PortraitSubject {
  readonly family: 'PORTRAIT'
  readonly evidenceId: string
  /** Null if a capture session produced no usable still. */
  readonly image: Uint8Array | null
  /** Further stills of the same session. */
  readonly frames: readonly Uint8Array[]
  /** Record of the capture session; null for an uploaded file. */
  readonly liveness: LivenessRecord | null
  /** The elected document's portrait, of its chip or its print; null if there is none. */
  readonly reference: ReferencePortrait | null
  /** Portraits of the applicant's other verified documents. */
  readonly further?: readonly { readonly evidenceId: string; readonly image: Uint8Array }[]
  /** The tenant has adjudicators who decide what the rules leave open. */
  readonly personMayDecide?: boolean
  /**
   * The tenant has mounted an engine against presentation attacks. A session is judged by our own networks, whose limits
   * were measured with sessions, so this engine judges the still that the session chose.
   */
  readonly stillIsJudged?: boolean
  /** Observations of the officer who attended. */
  readonly attendance?: Attendance | null
  readonly testMode: boolean
}

/** Evidence that consists of submitted text. It is checked by rules or by external sources. */
export interface DataSubject {
  readonly family: 'DATA'
  readonly kind: DataKind
  readonly evidenceId: string
  readonly content: EvidenceContent
  /**
   * The elected name reference. Its document is null if an adjudicator accepted a document that could not be
   * read. For an address: the evidence it derives from, with the address stated there.
   */
  readonly reference: {
    readonly evidenceId: string
    readonly document: IdDocumentData | null
    readonly address?: AddressData
  } | null
  /** The phone number that was submitted for verification; null if there is none. */
  readonly contact: KnownContact | null
  readonly issuerAccess?: SourceAccess
  readonly addressAccess?: SourceAccess
  /** The person of the name reference, if the data is an address; null: there is none. */
  readonly resident?: Resident | null
  /** The sources of attributes were asked just now: only the replies that the content keeps count. */
  readonly bureausAsked?: boolean
  readonly testMode: boolean
}

export const DATA_KINDS = ['IDDOCUMENT_TEXT', 'MEDICARE', 'ATTRIBUTES', 'ADDRESS', 'ID_CLAIM'] as const
type DataKind = (typeof DATA_KINDS)[number]

export type Subject = DocumentSubject | PortraitSubject | DataSubject

/** Facts that the steps extract from a document; they become the evidence's content. */
export interface DocumentFacts {
  readonly type: EvidenceType
  readonly data: IdDocumentData
}

export interface StepTools {
  readonly thresholds: QualityThresholds
  readonly liveness: LivenessLimits
  readonly addressFormats: AddressFormats
  readonly now: Date
  /** Interval that contains the current time. Date checks use its least favourable end. */
  readonly span: Span
  /** The front and, if present, the back. Each is measured once per run. */
  sides(): Promise<readonly DocumentMeasurement[]>
  /** The barcodes of both sides, read when a step first requests them. */
  barcodes(): Promise<readonly BarcodeMeasurement[]>
  /** The text of both sides outside the MRZ. */
  pages(): Promise<readonly PageText[]>
  authenticity(): Promise<readonly AuthenticityMeasurement[]>
  /**
   * Tells whether an MRZ can be read on a mirrored copy. Measures again, so call it only if nothing was read.
   */
  isMirrored(): Promise<boolean>
  /** The combined reading: classification and the facts of each source. */
  document(): Promise<ReadDocument>
  portrait(): Promise<PortraitMeasurement>
  comparison(): Promise<FaceComparison | null>
  /** Passive authentication with the authorities and lists in force. */
  authenticateChip(files: ChipFiles, readAt: Date): ChipAuthenticity
  /** The first portrait in the chip as JPEG; null if none can be decoded. */
  chipPortrait(files: ChipFiles): Promise<Uint8Array | null>
  compareFaces(probe: Uint8Array, reference: Uint8Array): Promise<FaceComparison>
  /** Comparison with each portrait in `further`, in the same order. */
  furtherComparisons(): Promise<readonly FaceComparison[]>
  /** Whether an issuing source could confirm such a document. */
  judgeEligibility(document: IdDocumentData): CheckOutcome
  askIssuer(document: IdDocumentData): Promise<IssuerReply>
  /** One reply for each connected source of attributes that can be asked about the claim. */
  askBureaus(claim: ClaimData): Promise<readonly SourceReply<ClaimAnswer>[] | Unasked>
  /** Tells why no connected register can be asked about this address; null: one can. */
  findAddressObstacle(address: AddressData): SourceReason | null
  askAddressRegister(
    address: AddressData,
    resident: Resident | null,
  ): Promise<SourceReply<AddressAnswer> | Unasked>
}

export interface StepReport {
  readonly findings: readonly Finding[]
  readonly models: readonly ModelUse[]
  readonly facts?: DocumentFacts
  /** Identifies the document when it is presented again. */
  readonly documentIdentifier?: DocumentIdentifier
  /** Stored with the evidence unchanged. */
  readonly barcodes?: readonly KeptBarcode[]
  /** The lines from which the values were read. */
  readonly readLines?: readonly ReadLine[]
  /** The source of each value. */
  readonly origins?: readonly ValueOrigin[]
  /** Submitted values that equal a verified value of the VERIFIED document, or a record of a source. */
  readonly confirmed?: readonly VerifiableValue[]
  /** JPEG of the portrait printed on the document. */
  readonly documentPortrait?: Uint8Array
  /** JPEG of the portrait in the chip, if the chip confirms the document. */
  readonly chipPortrait?: Uint8Array
  readonly chip?: ChipAuthenticity
  /** Field "livenessDiagnostic" of the spec: why the combined methods were inconclusive. */
  readonly livenessDiagnostic?: string
  /** The issuing source that was asked. */
  readonly issuer?: SourceReply<IssuerAnswer>
  /** The register of addresses that was asked. */
  readonly addressRegister?: SourceReply<AddressAnswer>
  /** The sources of attributes that were asked. */
  readonly bureaus?: readonly SourceReply<ClaimAnswer>[]
  /** Calls to services outside. */
  readonly calls?: readonly OutsideCall[]
}

export interface Step {
  readonly name: string
  /** Returns false if the step has nothing to check; then no record is written. Absent means always true. */
  appliesTo?(subject: Subject): boolean
  run(subject: Subject, tools: StepTools): Promise<StepReport>
}

/**
 * Creates a step of a document pipeline. Throws TypeError for a portrait, which is an error in
 * resources/pipelines.
 */
export function documentStep(
  name: string,
  run: (subject: DocumentSubject, tools: StepTools) => Promise<StepReport>,
): Step {
  return {
    name,
    run: (subject, tools) => {
      if (subject.family !== 'IDDOCUMENT') throw new TypeError(`step ${name} is for documents`)
      return run(subject, tools)
    },
  }
}

/** Creates a step of a portrait pipeline. By default it applies if there is a picture. */
export function portraitStep(
  name: string,
  run: (subject: PortraitSubject, tools: StepTools) => Promise<StepReport>,
  appliesTo: (subject: PortraitSubject) => boolean = ({ image }) => image !== null,
): Step {
  const portrait = (subject: Subject): PortraitSubject => {
    if (subject.family !== 'PORTRAIT') throw new TypeError(`step ${name} is for portraits`)
    return subject
  }
  return {
    name,
    appliesTo: (subject) => appliesTo(portrait(subject)),
    run: (subject, tools) => run(portrait(subject), tools),
  }
}

export function dataStep(name: string, run: (subject: DataSubject, tools: StepTools) => StepReport): Step {
  return {
    name,
    run: async (subject, tools) => {
      if (subject.family !== 'DATA') throw new TypeError(`step ${name} is for submitted data`)
      return run(subject, tools)
    },
  }
}

/** The first side with an MRZ. Most cards carry it on the back. */
export function sideWithMrz(sides: readonly DocumentMeasurement[]): DocumentMeasurement | null {
  return sides.find((side) => side.mrz !== null) ?? null
}
