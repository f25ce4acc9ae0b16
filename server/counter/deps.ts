/** The dependencies of every part of the counter: the appliance, and the addresses of the counter. */
import type { BrandView } from '../brand/contract.ts'
import type { UploadBudget } from '../http/upload-budget.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Journey } from '../kiosk/contract/journey.ts'
import type { Log } from '../log.ts'
import type { CameraTestLimits } from '../proofing/camera-test.ts'
import type { Evidence } from '../proofing/evidence.ts'
import type { StaffProvider } from '../openid/staff-settings.ts'
import type { Caller } from '../proofing/types.ts'
import type { Author } from '../store/events.ts'
import type { SettingsDocuments } from '../settings/documents.ts'
import type { Store } from '../store/open.ts'
import type { Workflows } from '../workflows/index.ts'
import type { Role } from './access.ts'
import type { JoinAnswer, JoinBody } from './contract/sync.ts'

export interface StaffProviderRoles extends StaffProvider {
  readonly roles: readonly { readonly value: string; readonly role: Role }[]
}

export interface CounterDeps {
  readonly ctx: Context
  readonly store: Store
  readonly workflows: Pick<
    Workflows,
    | 'answerCase'
    | 'beginChipReading'
    | 'claimCase'
    | 'confirmDecision'
    | 'draftDecision'
    | 'enableWebhook'
    | 'eraseIdentity'
    | 'getCaptureSession'
    | 'getDeletionReceipt'
    | 'health'
    | 'listDesk'
    | 'listSupportedCountries'
    | 'listWebhookDeliveries'
    | 'listWebhooks'
    | 'openDocumentSession'
    | 'openPortraitSession'
    | 'releaseCase'
    | 'resendWebhookDelivery'
    | 'sealProof'
    | 'submitAttributes'
    | 'submitDocument'
    | 'submitPortrait'
    | 'submitTextDocument'
    | 'stateAddress'
    | 'stopChipReading'
    | 'stateDetails'
    | 'checkTypedAddress'
    | 'checkTypedDetails'
    | 'testWebhook'
    | 'undoDecision'
  >
  readonly clock: Clock
  readonly newId: () => string
  readonly log: Log
  readonly config: Config
  /** Folder of the built counter: index.html and its files. */
  readonly screensDir: string
  /** Port of this machine's own listener; known once it listens. */
  readonly localPort: () => number
  /** Host names of this server, without port. */
  readonly allowedHosts: readonly string[]
  /**
   * The caller of the workflows: the counter's application, with access to the whole tenant. Roles decide
   * what each officer may do with it.
   */
  readonly caller: Pick<Caller, 'tenantId' | 'applicationId' | 'role' | 'reach'>
  /** Shared by all parts of this server that read bodies. */
  readonly uploads: UploadBudget
  /** The OpenID provider of staff; null: only local accounts. */
  readonly staffProvider: StaffProviderRoles | null
  /** The brand of the counter. */
  readonly brand?: BrandView | undefined
  /** The kiosk's journey: the counter requests the same consents, and uses the same confirmed level. */
  readonly journey?: Journey
  /** The settings that an administrator may change here. */
  readonly settings: SettingsDocuments
  /** Texts of the kiosk by key, in English, and the kiosk's languages. */
  readonly kioskTexts: () => {
    readonly texts: Readonly<Record<string, string>>
    readonly languages: readonly string[]
  }
  /** Requirements for a camera's picture. */
  readonly cameraLimits: CameraTestLimits
  /** Joins a central service; a refusal is an answer, not an error. */
  readonly joinCentralService: (input: JoinBody, author: Author) => Promise<JoinAnswer>
  /** Lists why a portrait could not be used, in codes for staff; absent without a kiosk. */
  readonly listFaceReasons?: (portrait: Evidence) => readonly string[]
}
