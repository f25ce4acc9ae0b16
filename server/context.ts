/** The parts that are built once at start and passed to every workflow. */
import type { ChipReaders } from './chip-reader/readers.ts'
import type { Clock, TrustedTime } from './clock.ts'
import type { Config } from './config/config.ts'
import type { DocumentFaults } from './config/document-faults.ts'
import type { BiometricServer, CallbackHeaders } from './connectors/biometrics/biometric-server.ts'
import type { DocumentCamera } from './connectors/camera/document-camera.ts'
import type { DocumentStatusRegister } from './connectors/document-status/document-register.ts'
import type { FraudRegister } from './connectors/fraud-register/fraud-register.ts'
import type { MobileOperator } from './connectors/operator/operator.ts'
import type { Carrier } from './connectors/carrier.ts'
import type { VoiceGateway } from './connectors/voice/voice-gateway.ts'
import type { PasscodeTexts } from './connectors/passcode-texts.ts'
import type { IdentityProviders } from './connectors/oidc/identity-providers.ts'
import type { Timestamper } from './connectors/timestamp/timestamper.ts'
import type { CardOwnership } from './connectors/card-ownership/card-ownership.ts'
import type { AddressRegisters } from './connectors/address-register/address-registers.ts'
import type { Bureaus } from './connectors/bureau/bureaus.ts'
import type { IssuingSources } from './connectors/issuer/issuing-sources.ts'
import type { LiveSessions } from './live/live-sessions.ts'
import type { SessionRecorder } from './live/session-recording.ts'
import type { Log } from './log.ts'
import type { Signer } from './proof/sign.ts'
import type { ContactKind } from './proofing/contact-kinds.ts'
import type { AdjudicationRules } from './proofing/adjudication-rules.ts'
import type { LivenessLimits } from './proofing/liveness/limits.ts'
import type { Draw } from './proofing/liveness/types.ts'
import type { Policy } from './proofing/assurance/policy.ts'
import type { SupportTable } from './proofing/supported-evidence.ts'
import type { BackupMaker } from './store/last-backup.ts'
import type { Store } from './store/open.ts'
import type { Verification } from './verification/pipeline.ts'
import type { Vision } from './vision/protocol.ts'
import type { ListUpdates } from './watchlists/update-lists.ts'
import type { Watchlists } from './watchlists/watchlists.ts'

/** Rules for adjudicators, and the external service that may decide. */
export interface Adjudication {
  readonly rules: AdjudicationRules
  /** A caller with a key of this application decides as the adjudication service. */
  readonly serviceApplicationId: string | null
  /** Checks the signature of a callback. Null: no service answers by callback. */
  readonly isSignedAnswer: ((headers: CallbackHeaders, body: Uint8Array) => boolean) | null
}

export interface Context {
  readonly config: Config
  readonly store: Store
  readonly vision: Vision
  readonly verification: Verification
  readonly signer: Signer
  readonly identityProviders: IdentityProviders
  /** Null: the appliance runs every liveness session itself. */
  readonly biometrics: BiometricServer | null
  readonly adjudication: Adjudication
  /** Null: no external register of lost documents is configured. */
  readonly documentRegister: DocumentStatusRegister | null
  readonly fraudRegister: FraudRegister | null
  readonly issuers: IssuingSources
  readonly bureaus: Bureaus
  readonly addressRegisters: AddressRegisters
  /** Null: no service tells in whose name a payment card is. */
  readonly cardOwnership: CardOwnership | null
  /** The fixed camera above the counter. If none is configured, taking a picture throws an error that says so. */
  readonly documentCamera: DocumentCamera
  /** The readers of chips of this machine; null: the configuration enables none. */
  readonly chipReaders: ChipReaders | null
  /** The carrier for each kind of contact; one that is not configured refuses. */
  readonly carriers: Readonly<Record<ContactKind, Carrier>> & { readonly landline: VoiceGateway }
  /** Null: no mobile operator is configured, so no phone number is ever verified as the applicant's. */
  readonly operator: MobileOperator | null
  readonly passcodeTexts: PasscodeTexts
  readonly supportedEvidence: SupportTable
  /** Rules that choose one sentence for the faults of a document. */
  readonly documentFaults: DocumentFaults
  /** Running portrait sessions, only in memory. */
  readonly live: LiveSessions
  readonly livenessLimits: LivenessLimits
  /** Records portrait sessions for an evaluation; null: the configuration does not ask for it. */
  readonly sessionRecorder: SessionRecorder | null
  /** Random numbers for the challenge sequences. */
  readonly draw: Draw
  /** The imported watchlists; the search runs on this machine. */
  readonly watchlists: Watchlists
  /** Picture of the scene without an applicant; null unless the configuration names one. */
  readonly emptyScene: Uint8Array | null
  readonly clock: Clock
  /** The same clock with its uncertainty. */
  readonly time: TrustedTime
  /** Null: no time-stamping authority is configured. */
  readonly timestamper: Timestamper | null
  readonly log: Log
  /** Returns the tenant's policy. Throws `configuration_invalid` if no policy has that id. */
  policy(tenantId: string): Policy
  /** Replaces all policies of this server. */
  usePolicies(policies: ReadonlyMap<string, Policy>): void
  newId(): string
  /** Wakes the job runner after a commit. */
  wakeJobs(): void
  /** The scheduled backups; null: none are configured. */
  backups(): BackupMaker | null
  /** The updates of the watchlists; null: the appliance is starting. */
  listUpdates(): ListUpdates | null
  /** Call it when data waits for the central service. */
  wakeSync(): void
  /** Wakes the webhook runner; every commit of this process already does. */
  wakeWebhooks(): void
}
