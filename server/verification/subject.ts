/** What a verification run is given and what its steps leave behind. Measurements are made once and shared. */
import type { Attendance } from '../proofing/attendance.ts'
import type { KnownContact } from '../proofing/contact.ts'
import type { DocumentKey } from '../proofing/document-key.ts'
import type {
  AddressData,
  EvidenceContent,
  IdDocumentData,
  KeptBarcode,
  ReadLine,
} from '../proofing/evidence.ts'
import type { Span } from '../proofing/expiry.ts'
import type { Finding } from '../proofing/judge.ts'
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
  /** Further pictures of each side, moments apart, in the order front, back. */
  readonly frames: readonly (readonly Uint8Array[])[]
  /** What a barcode scanner at the counter read off the document, as it typed it. */
  readonly scannedBarcode: string | null
  /** What the sender said it is, if he did. */
  readonly declaredType: DocumentType | null
  /** Alpha-3, as declared by the sender. */
  readonly jurisdiction: string | null
  /** A capture session took the pictures, and guided the person who took them. */
  readonly isLive?: boolean
  /** A capture session took no fewer sides than the relying service had asked for. */
  readonly sidesEnsured: boolean
  /** Other identities of the tenant to whom this document was presented. */
  readonly presentedToOthers?: (document: DocumentKey) => number
  /** Staff who were there. */
  readonly attendance?: Attendance | null
  readonly testMode: boolean
}

export interface PortraitSubject {
  readonly family: 'PORTRAIT'
  readonly evidenceId: string
  /** Null: a capture session that brought no usable still. */
  readonly image: Uint8Array | null
  /** Further stills of the same session. */
  readonly frames: readonly Uint8Array[]
  /** How the capture session went; null for an uploaded file. */
  readonly liveness: LivenessRecord | null
  /** The elected document's portrait; null while there is none. */
  readonly reference: { readonly evidenceId: string; readonly image: Uint8Array } | null
  /** Portraits of the person's other verified documents. */
  readonly further?: readonly { readonly evidenceId: string; readonly image: Uint8Array }[]
  /** The tenant has people who look at what the machine cannot decide. */
  readonly personMayDecide?: boolean
  /** Staff who were there. */
  readonly attendance?: Attendance | null
  readonly testMode: boolean
}

/** Evidence that consists of what somebody wrote: nothing to look at, only to check by rule or to ask others about. */
export interface DataSubject {
  readonly family: 'DATA'
  readonly kind: DataKind
  readonly evidenceId: string
  readonly content: EvidenceContent
  /**
   * The elected name reference; its document is null when a person accepted what no machine could read. Of an address: the
   * evidence that it derives from, with the address that it states.
   */
  readonly reference: {
    readonly evidenceId: string
    readonly document: IdDocumentData | null
    readonly address?: AddressData
  } | null
  /** The phone number that was submitted for itself; null while there is none. */
  readonly contact: KnownContact | null
  readonly testMode: boolean
}

export const DATA_KINDS = ['IDDOCUMENT_TEXT', 'MEDICARE', 'ATTRIBUTES', 'ADDRESS', 'ID_CLAIM'] as const
export type DataKind = (typeof DATA_KINDS)[number]

export type Subject = DocumentSubject | PortraitSubject | DataSubject

/** What the steps learn about a document: becomes the evidence's content. */
export interface DocumentFacts {
  readonly type: EvidenceType
  readonly data: IdDocumentData
}

export interface StepTools {
  readonly thresholds: QualityThresholds
  readonly liveness: LivenessLimits
  readonly now: Date
  /** The moments that may be now: what is judged by the date is judged on the worst of them. */
  readonly span: Span
  /** The front and, when there is one, the back: each measured once per run. */
  sides(): Promise<readonly DocumentMeasurement[]>
  /** The barcodes of both sides, looked for only when a step asks. */
  barcodes(): Promise<readonly BarcodeMeasurement[]>
  /** The text of both sides outside the machine-readable zone. */
  pages(): Promise<readonly PageText[]>
  authenticity(): Promise<readonly AuthenticityMeasurement[]>
  /** A zone can be read on one of the pictures as a mirror shows it. Measures again: asked where nothing was read. */
  isMirrored(): Promise<boolean>
  /** All that was read, put together: what it is, and what each source says. */
  document(): Promise<ReadDocument>
  portrait(): Promise<PortraitMeasurement>
  comparison(): Promise<FaceComparison | null>
  /** With each of `further`, in their order. */
  furtherComparisons(): Promise<readonly FaceComparison[]>
}

export interface StepReport {
  readonly findings: readonly Finding[]
  readonly models: readonly ModelUse[]
  readonly facts?: DocumentFacts
  /** By which the document is known again. */
  readonly documentKey?: DocumentKey
  /** To be kept with the evidence as they are. */
  readonly barcodes?: readonly KeptBarcode[]
  /** What stands behind the values, line by line. */
  readonly readLines?: readonly ReadLine[]
  /** Where the values of the document come from. */
  readonly origins?: readonly ValueOrigin[]
  /** Values of what was submitted that a verified value of the VERIFIED document is equal to. */
  readonly confirmed?: readonly VerifiableValue[]
  /** JPEG of the portrait printed on the document. */
  readonly documentPortrait?: Uint8Array
  /** Spec "livenessDiagnostic": why combined methods came to no answer. */
  readonly livenessDiagnostic?: string
}

export interface Step {
  readonly name: string
  /** False: there is nothing for this step to look at, and no record says that it ran. Absent: always true. */
  appliesTo?(subject: Subject): boolean
  run(subject: Subject, tools: StepTools): Promise<StepReport>
}

/** A step of a document pipeline; refuses a portrait, which would be our own mistake in resources/pipelines. */
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

/** Applies where there is a picture to look at, unless told otherwise. */
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

/** The first side with a machine-readable zone: most cards carry it on the back. */
export function sideWithMrz(sides: readonly DocumentMeasurement[]): DocumentMeasurement | null {
  return sides.find((side) => side.mrz !== null) ?? null
}
