/**
 * The interface of the embedded relying service: the workflows that the kiosk calls, and its surroundings.
 */
import type { Disclosures } from '../proofing/disclosure.ts'
import type { RetentionPromise } from '../proofing/retention.ts'
import type { BrandView } from '../brand/contract.ts'
import type { UploadBudget } from '../http/upload-budget.ts'
import type { LivenessRequest } from '../proofing/capture-session.ts'
import type {
  AddressData,
  DocumentCaptureDetails,
  IdDocumentData,
  PersonalAttributes,
} from '../proofing/evidence.ts'
import type { Submitted } from '../proofing/submitted.ts'
import type {
  Caller,
  ConsentType,
  DocumentSide,
  DocumentType,
  EvidenceStatus,
  KeyValue,
  OtpStatus,
  Upload,
  LivenessType,
} from '../proofing/types.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { KioskSessions } from '../store/kiosk-sessions.ts'
import type { Visits } from '../store/visits.ts'
import type { AddressQuestion, StatedAddress } from '../workflows/evidence/state-address.ts'
import type { ChipQuestion } from '../workflows/capture/find-chip-question.ts'
import type { DetailsCheck, DisplayView, TenantMode } from './contract/index.ts'
import type { Journey } from './contract/journey.ts'
import type { StepSeconds } from './duration.ts'
import type { GuidanceTable } from './guidance.ts'
import type { KioskWindow } from './window.ts'

type Eventually<T> = T | Promise<T>

interface ReportedError {
  readonly code: string
  readonly message?: string
  readonly field?: string
}

/** The part of an evidence of GET identity that the kiosk reads. */
export interface EvidenceView {
  readonly evidenceId: string
  readonly evidenceStatus: {
    readonly status: EvidenceStatus
    readonly errors?: readonly ReportedError[]
    readonly positiveIndicators?: readonly string[]
    readonly warningIndicators?: readonly string[]
    readonly blockingIndicators?: readonly string[]
    readonly unverifiedIndicators?: readonly string[]
  }
}

export interface DocumentView extends EvidenceView {
  readonly idDocumentData?: IdDocumentData
}

interface MobileView {
  readonly value: string
  readonly otp: { readonly status: OtpStatus; readonly creationTime?: string }
}

export interface IdentityView {
  readonly globalStatus: { readonly levelOfAssurance: string }
  readonly idDocuments?: readonly DocumentView[]
  readonly portrait?: EvidenceView | null
  readonly trustedIdClaim?: EvidenceView
  readonly contactDetails?: { readonly mobile?: MobileView }
  /** Ordered by their recording. */
  readonly consents: readonly { readonly type: ConsentType; readonly approved: boolean }[]
}

/** Facts about a line beside its value; `printed` as on the document. Personal data. */
export interface ReadLineView {
  readonly field: string
  readonly printed: string | null
  readonly hardToRead: boolean
  readonly hasPlace: boolean
}

/** The kiosk calls these in process, as a relying service. Every method rejects with an AppError. */
interface KioskWorkflows {
  createIdentity(caller: Caller, input: { context: readonly KeyValue[] }): Eventually<{ readonly id: string }>
  recordConsents(
    caller: Caller,
    identityId: string,
    consents: readonly { readonly approved: boolean; readonly type: ConsentType }[],
  ): Eventually<unknown>
  getIdentity(caller: Caller, identityId: string, options: { detailed: boolean }): Eventually<IdentityView>
  /** Lists the identities of the kiosk's own application that have no proof yet. */
  openIdentities(
    caller: Caller,
  ): Eventually<readonly { readonly id: string; readonly createdAt: Date; readonly hasPortrait: boolean }[]>
  sealProof(caller: Caller, identityId: string): Eventually<unknown>
  eraseIdentity(caller: Caller, identityId: string): Eventually<unknown>

  listSupportedCountries(): Eventually<
    readonly {
      readonly iso3CountryCode: string
      readonly documents: readonly { readonly documentType: DocumentType }[]
    }[]
  >
  openDocumentSession(
    caller: Caller,
    identityId: string,
    input: {
      readonly issuingCountry?: string
      readonly idDocumentType?: DocumentType
      readonly sidesToCapture?: readonly DocumentSide[]
    },
  ): Eventually<{
    readonly id: string
    readonly sessionId: string
    readonly sidesToCapture: readonly DocumentSide[]
  }>
  /** Recognises the content of a picture file before it is submitted. */
  recognisePicture(picture: Upload): Eventually<{ readonly documentType: DocumentType | null }>
  openPortraitSession(
    caller: Caller,
    identityId: string,
    request: LivenessRequest,
  ): Eventually<{ readonly id: string; readonly sessionId: string }>
  /** Throws `not_found` if it has ended. */
  getCaptureSession(sessionId: string): Eventually<{ readonly expiresAt: Date }>
  /** Throws `not_found` if it has ended. */
  abandonCaptureSession(sessionId: string): Eventually<unknown>
  submitDocument(
    caller: Caller,
    identityId: string,
    document: { front: Upload; back?: Upload; details?: DocumentCaptureDetails },
  ): Eventually<{ readonly id: string }>
  submitPortrait(
    caller: Caller,
    identityId: string,
    image: Upload,
    device?: CaptureDevice,
  ): Eventually<{ readonly id: string }>

  readLines(caller: Caller, identityId: string, evidenceId: string): Eventually<readonly ReadLineView[]>
  /** Returns a JPEG of the line. Throws `not_found` if its place is unknown. */
  cutReadLine(
    caller: Caller,
    identityId: string,
    evidenceId: string,
    field: string,
  ): Eventually<{ readonly bytes: Uint8Array; readonly mediaType: string }>
  submitAttributes(
    caller: Caller,
    identityId: string,
    attributes: Submitted<PersonalAttributes>,
  ): Eventually<unknown>
  submitAddress(caller: Caller, identityId: string, address: Submitted<AddressData>): Eventually<unknown>

  /** Lists what a configured issuing source needs and the document did not give; null: nothing, or no source may be asked. */
  listMissingDetails(
    caller: Caller,
    identityId: string,
    evidenceId: string,
  ): Eventually<{ readonly source: string; readonly fields: readonly string[] } | null>
  /** Lists what is unusual about typed values; nothing is stored. */
  checkTypedDetails(
    caller: Caller,
    identityId: string,
    evidenceId: string,
    values: { readonly cardNumber?: string | undefined },
  ): Eventually<DetailsCheck['problems']>
  checkTypedAddress(
    caller: Caller,
    identityId: string,
    address: StatedAddress,
  ): Eventually<DetailsCheck['problems']>
  /** Null: no reader of this machine may read a chip of this document. */
  findChipQuestion(caller: Caller, identityId: string, evidenceId: string): Eventually<ChipQuestion | null>
  /** Begins to read the chip; a reading that runs continues. */
  beginChipReading(
    caller: Caller,
    identityId: string,
    evidenceId: string,
    options: { readonly can: string | null },
  ): Eventually<unknown>
  stopChipReading(caller: Caller, identityId: string, evidenceId: string): Eventually<unknown>

  /** Null: no register may be asked. */
  findAddressQuestion(caller: Caller, identityId: string): Eventually<AddressQuestion | null>
  /** The address is stored, and a register is asked about it. */
  stateAddress(
    caller: Caller,
    identityId: string,
    address: StatedAddress,
  ): Eventually<{ readonly id: string }>
  /** The document is verified again with these values, of which only an issuing source learns. */
  stateDetails(
    caller: Caller,
    identityId: string,
    evidenceId: string,
    values: { readonly cardNumber?: string | undefined },
  ): Eventually<unknown>

  submitContact(
    caller: Caller,
    identityId: string,
    kind: 'mobile',
    number: string,
  ): Eventually<{ readonly id: string }>
  submitPasscode(caller: Caller, identityId: string, kind: 'mobile', code: string): Eventually<unknown>
  abandonContact(caller: Caller, identityId: string, kind: 'mobile'): Eventually<unknown>
  abandonTrustedClaim(caller: Caller, identityId: string): Eventually<unknown>
  requestTrustedClaim(
    caller: Caller,
    identityId: string,
    request: { readonly idpIdentifier: string; readonly responseType?: 'JSON' },
    callbackUrl: string,
  ): Eventually<{ readonly id: string; readonly idpAuthorizeEndpoint: string }>
}

export interface KioskLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
}

/** The configuration of this appliance that a visit depends on. */
export interface KioskSettings {
  readonly tenantMode: TenantMode
  /**
   * The receiver of a result if neither journey nor brand names another; null: the tenant has no name yet.
   */
  readonly tenantName: string | null
  /** The brand of the screens; null: none. */
  readonly brand: BrandView | null
  /** The name of this machine for staff. */
  readonly name: string
  readonly display: DisplayView
  /** The kiosk answers only the window that the appliance opened. */
  readonly ownWindow: boolean
  /** A reader of chips is configured. */
  readonly chipReader: boolean
  /** An SMS carrier is connected, and the tenant may use it. */
  readonly sms: boolean
  /** A mobile operator is connected, which is asked whose phone number it is. */
  readonly operator: boolean
  /** The sources that each consent permits to ask. */
  readonly disclosures: Disclosures
  /** Consents without which no message may be sent to a phone. */
  readonly phoneConsents: readonly ConsentType[]
  /** Registered identity providers, if the tenant may use them. */
  readonly identityProviders: readonly { readonly id: string; readonly name: string }[]
  readonly otp: { readonly digits: number; readonly attempts: number; readonly perHour: number }
  readonly trustedClaimMinutes: number
  readonly retention: RetentionPromise
  readonly visitsKeptDays: number
  /** How long each step usually takes (resources/step-seconds.json). */
  readonly stepSeconds: StepSeconds
  /** The callback path of an identity provider. */
  readonly trustedCallbackPath: string
}

export interface KioskDeps {
  readonly workflows: KioskWorkflows
  readonly visits: Visits
  /** The sessions that a restart resumes. */
  readonly sessions: KioskSessions
  readonly settings: KioskSettings
  /** The tenant and application on whose behalf the kiosk calls. */
  kioskCaller(): Pick<Caller, 'tenantId' | 'applicationId' | 'role' | 'reach'>
  /** Shared by all parts of this server that read bodies. */
  readonly uploads: UploadBudget
  /** Folder of the built screens: index.html and its files. */
  readonly screensDir: string
  readonly journey: Journey
  readonly guidance: GuidanceTable
  /** Throws `proofings_frozen` while no visit may begin. It does not concern visits under way. */
  requireOpen?(): void
  /** The central service cannot be reached now. */
  readonly isOffline?: () => boolean
  /** An officer has a screen open that shows calls for help. */
  readonly isStaffed: () => boolean
  /** The types of liveness that this machine can judge now. */
  readonly livenessJudge: () => Promise<(type: LivenessType) => boolean>
  readonly clock: { now(): Date }
  readonly newId: () => string
  readonly log: KioskLog
  readonly window: KioskWindow
}
