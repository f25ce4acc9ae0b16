/** What is built once at start and handed down to every workflow. */
import type { Clock, TrustedTime } from './clock.ts'
import type { Config } from './config/config.ts'
import type { DocumentFaults } from './config/document-faults.ts'
import type { BiometricServer, CallbackHeaders } from './connectors/biometrics/biometric-server.ts'
import type { DocumentCamera } from './connectors/camera/document-camera.ts'
import type { DocumentStatusRegister } from './connectors/document-status/document-register.ts'
import type { SmsCarrier } from './connectors/sms/carrier.ts'
import type { SmsTexts } from './connectors/sms/texts.ts'
import type { IdentityProviders } from './connectors/oidc/identity-providers.ts'
import type { Timestamper } from './connectors/timestamp/timestamper.ts'
import type { LiveSessions } from './live/live-sessions.ts'
import type { Log } from './log.ts'
import type { Signer } from './proof/sign.ts'
import type { AdjudicationRules } from './proofing/adjudication-rules.ts'
import type { LivenessLimits } from './proofing/liveness/limits.ts'
import type { Draw } from './proofing/liveness/types.ts'
import type { Policy } from './proofing/assurance/policy.ts'
import type { SupportTable } from './proofing/supported-evidence.ts'
import type { BackupMaker } from './store/last-backup.ts'
import type { Store } from './store/open.ts'
import type { Verification } from './verification/pipeline.ts'
import type { Vision } from './vision/protocol.ts'
import type { Watchlists } from './watchlists/watchlists.ts'

/** How people decide here, and who may answer from outside. */
export interface Adjudication {
  readonly rules: AdjudicationRules
  /** Whoever calls as this application decides as a service. */
  readonly serviceApplicationId: string | null
  /** Null: no service answers by callbacks. */
  readonly isSignedAnswer: ((headers: CallbackHeaders, body: Uint8Array) => boolean) | null
}

export interface Context {
  readonly config: Config
  readonly store: Store
  readonly vision: Vision
  readonly verification: Verification
  readonly signer: Signer
  readonly identityProviders: IdentityProviders
  /** Null: every liveness session is carried out here. */
  readonly biometrics: BiometricServer | null
  readonly adjudication: Adjudication
  /** Null: no register of lost documents outside the appliance is configured. */
  readonly documentRegister: DocumentStatusRegister | null
  /** The fixed camera over the counter; where none is configured, every picture is a fault that says so. */
  readonly documentCamera: DocumentCamera
  readonly sms: SmsCarrier
  readonly smsTexts: SmsTexts
  readonly supportedEvidence: SupportTable
  /** What is wrong with a document, in one sentence. */
  readonly documentFaults: DocumentFaults
  /** Portrait sessions that run now: in memory alone. */
  readonly live: LiveSessions
  readonly livenessLimits: LivenessLimits
  /** Chance of the liveness plans. */
  readonly draw: Draw
  /** Whom the imported watchlists hold: searched here, on this machine alone. */
  readonly watchlists: Watchlists
  /** The camera's picture with nobody before it, where the configuration names one. */
  readonly emptyScene: Uint8Array | null
  readonly clock: Clock
  /** The same clock, and how well it is known. */
  readonly time: TrustedTime
  /** Null: no time-stamping authority is configured. */
  readonly timestamper: Timestamper | null
  readonly log: Log
  /** The policy that the tenant has picked. Throws `configuration_invalid` when there is none of that id. */
  policy(tenantId: string): Policy
  /** Replaces the policies of this server, all at once. */
  usePolicies(policies: ReadonlyMap<string, Policy>): void
  newId(): string
  /** Wakes the job runner after a commit. */
  wakeJobs(): void
  /** Makes backups by itself; null: none are configured. */
  backups(): BackupMaker | null
  /** Something waits for the central service. */
  wakeSync(): void
  /** There may be something to tell; every commit of this process does it by itself. */
  wakeWebhooks(): void
}
