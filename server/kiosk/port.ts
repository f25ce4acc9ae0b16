/** What the embedded relying service asks of the appliance: the part of the workflows it calls, and its surroundings. */
import type { RetentionPromise } from '../proofing/retention.ts'
import type { BrandView } from '../brand/contract.ts'
import type { UploadBudget } from '../api/upload-budget.ts'
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
import type { DisplayView, TenantMode } from './contract/index.ts'
import type { Journey } from './contract/journey.ts'
import type { GuidanceTable } from './guidance.ts'
import type { KioskWindow } from './window.ts'

type Eventually<T> = T | Promise<T>

export interface ReportedError {
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

export interface MobileView {
  readonly value: string
  readonly otp: { readonly status: OtpStatus; readonly creationTime?: string }
}

export interface IdentityView {
  readonly globalStatus: { readonly levelOfAssurance: string }
  readonly idDocuments?: readonly DocumentView[]
  readonly portrait?: EvidenceView | null
  readonly trustedIdClaim?: EvidenceView
  readonly contactDetails?: { readonly mobile: MobileView }
}

/** What is known of a line that was read beside its value; `printed` as it stands on the document. Personal. */
export interface ReadLineView {
  readonly field: string
  readonly printed: string | null
  readonly hardToRead: boolean
  readonly hasPlace: boolean
}

/** Called in process, as a relying service. Every method rejects with an AppError. */
export interface KioskWorkflows {
  createIdentity(caller: Caller, input: { context: readonly KeyValue[] }): Eventually<{ readonly id: string }>
  recordConsents(
    caller: Caller,
    identityId: string,
    consents: readonly { readonly approved: boolean; readonly type: ConsentType }[],
  ): Eventually<unknown>
  getIdentity(caller: Caller, identityId: string, options: { detailed: boolean }): Eventually<IdentityView>
  /** Those of the kiosk's own application that no proof has closed. */
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
  /** What a picture file shows, before it is handed in. */
  recognisePicture(picture: Upload): Eventually<{ readonly documentType: DocumentType | null }>
  openPortraitSession(
    caller: Caller,
    identityId: string,
    request: LivenessRequest,
  ): Eventually<{ readonly id: string; readonly sessionId: string }>
  /** Throws `not_found` for one that has ended. */
  getCaptureSession(sessionId: string): Eventually<{ readonly expiresAt: Date }>
  /** Throws `not_found` for one that has ended. */
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
  /** A picture of the line as it stands on the document, JPEG. Throws `not_found` where its place is not known. */
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

  submitMobile(caller: Caller, identityId: string, number: string): Eventually<{ readonly id: string }>
  submitOtp(caller: Caller, identityId: string, code: string): Eventually<unknown>
  abandonMobile(caller: Caller, identityId: string): Eventually<unknown>
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

/** What this appliance is set up for, as far as a visit depends on it. */
export interface KioskSettings {
  readonly tenantMode: TenantMode
  /** Who receives a result where neither journey nor brand names another; null: the tenant has no name yet. */
  readonly tenantName: string | null
  /** Whose face the screens wear; null: nobody's. */
  readonly brand: BrandView | null
  /** How staff call this machine. */
  readonly name: string
  readonly display: DisplayView
  /** The kiosk answers the window that the appliance opened, and no other browser. */
  readonly ownWindow: boolean
  /** A carrier is there, and the tenant may use it. */
  readonly sms: boolean
  /** Registered identity providers, where the tenant may use them. */
  readonly identityProviders: readonly { readonly id: string; readonly name: string }[]
  readonly otp: { readonly digits: number; readonly attempts: number; readonly perHour: number }
  readonly trustedClaimMinutes: number
  readonly retention: RetentionPromise
  readonly visitsKeptDays: number
  /** Path of the answer of an identity provider. */
  readonly trustedCallbackPath: string
}

export interface KioskDeps {
  readonly workflows: KioskWorkflows
  readonly visits: Visits
  /** Those that a restart takes up again. */
  readonly sessions: KioskSessions
  readonly settings: KioskSettings
  /** On whose behalf the kiosk calls: the tenant and application it belongs to. */
  kioskCaller(): Pick<Caller, 'tenantId' | 'applicationId' | 'role' | 'reach'>
  /** Shared by everything of this server that reads bodies. */
  readonly uploads: UploadBudget
  /** Folder of the built screens: index.html and what it loads. */
  readonly screensDir: string
  readonly journey: Journey
  readonly guidance: GuidanceTable
  /** Throws `proofings_frozen` while no visit may begin. Those under way are not asked about. */
  requireOpen?(): void
  /** The central service cannot be reached just now. */
  readonly isOffline?: () => boolean
  /** A screen of the staff is open that shows calls for help. */
  readonly isStaffed: () => boolean
  /** Which kinds of liveness this machine can judge now. */
  readonly livenessJudge: () => Promise<(type: LivenessType) => boolean>
  readonly clock: { now(): Date }
  readonly newId: () => string
  readonly log: KioskLog
  readonly window: KioskWindow
}
