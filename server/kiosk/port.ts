/** What the embedded relying service asks of the appliance: the part of the workflows it calls, and its surroundings. */
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { Caller, ConsentType, EvidenceStatus, KeyValue, Upload } from '../proofing/types.ts'
import type { Journey, TenantMode } from './contract.ts'
import type { GuidanceTable } from './guidance.ts'

type Eventually<T> = T | Promise<T>

/** The part of an evidence of GET identity that the kiosk reads. */
export interface EvidenceView {
  readonly evidenceId: string
  readonly evidenceStatus: {
    readonly status: EvidenceStatus
    readonly errors?: readonly { readonly code: string; readonly message?: string; readonly field?: string }[]
    readonly warningIndicators?: readonly string[]
    readonly blockingIndicators?: readonly string[]
    readonly unverifiedIndicators?: readonly string[]
  }
}

export interface IdentityView {
  readonly globalStatus: { readonly levelOfAssurance: string }
  readonly idDocuments?: readonly EvidenceView[]
  readonly portrait?: EvidenceView | null
}

/** Called in process, as a relying service. Every method rejects with an AppError. */
export interface KioskWorkflows {
  createIdentity(caller: Caller, input: { context: readonly KeyValue[] }): Eventually<{ readonly id: string }>
  recordConsents(
    caller: Caller,
    identityId: string,
    consents: readonly { readonly approved: boolean; readonly type: ConsentType }[],
  ): Eventually<unknown>
  submitDocument(
    caller: Caller,
    identityId: string,
    document: { front: Upload; details?: CaptureDevice },
  ): Eventually<{ readonly id: string }>
  submitPortrait(
    caller: Caller,
    identityId: string,
    image: Upload,
    device?: CaptureDevice,
  ): Eventually<{ readonly id: string }>
  getIdentity(caller: Caller, identityId: string, options: { detailed: boolean }): Eventually<IdentityView>
  /** Those of the kiosk's own application that no proof has closed. */
  openIdentities(
    caller: Caller,
  ): Eventually<readonly { readonly id: string; readonly createdAt: Date; readonly hasPortrait: boolean }[]>
  sealProof(caller: Caller, identityId: string): Eventually<unknown>
  eraseIdentity(caller: Caller, identityId: string): Eventually<unknown>
}

export interface KioskLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
}

export interface KioskDeps {
  readonly workflows: KioskWorkflows
  /** On whose behalf the kiosk calls: the tenant and application it belongs to. */
  kioskCaller(): Pick<Caller, 'tenantId' | 'applicationId' | 'role'>
  /** Folder of the built screens: index.html and what it loads. */
  readonly screensDir: string
  readonly journey: Journey
  readonly guidance: GuidanceTable
  readonly tenantMode: TenantMode
  /** Throws `proofings_frozen` while no visit may begin. Those under way are not asked about. */
  requireOpen?(): void
  readonly clock: { now(): Date }
  newId(): string
  readonly log: KioskLog
  /** Names this server may be called by, without port. Default: the loopback names. */
  readonly allowedHosts?: readonly string[]
}
