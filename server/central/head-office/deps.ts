/**
 * The dependencies of the head-office side. Parts of the central service's core are passed as functions, not
 * imported.
 */
import type { Readable } from 'node:stream'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { StatementKey } from '../../protocol/statements.ts'
import type { CallCounter, CountName } from '../call-counts.ts'
import type { Db, Queries } from '../db/db.ts'
import type { Verifier } from '../verification/verifier.ts'
import type { Rollout } from './contract.ts'
import type { HeadOfficeOptions } from './options.ts'
import type { StaffOidc } from './staff/options.ts'

/** Encrypts small values with the central service's master key; `context` is bound to the value. */
export interface Secrets {
  seal(context: string, plain: Uint8Array): Uint8Array
  /** Throws `storage_damaged`. */
  open(context: string, sealed: Uint8Array): Uint8Array
}

export interface StoredArchive {
  readonly tenantId: string
  readonly kioskId: string
  readonly proofId: string
  readonly sha256: string
  /** Storage location of the packet, as in `proofs.location`. */
  readonly location: string
  readonly packetBytes: number
}

/** A finished deletion. */
export interface DeletedRow {
  readonly proofId: string
  readonly tenantId: string
  readonly kioskId: string
  readonly sequence: number
  readonly identityId: string
  readonly reason: 'RETENTION' | 'ERASURE'
  readonly deletedAt: Date
  /** A `deletion` statement. */
  readonly receipt: string
}

export interface ErasedProof {
  readonly proofId: string
  readonly tenantId: string
  readonly kioskId: string
  readonly sequence: number
  readonly storedAt: Date
  readonly isOnHold: boolean
}

export interface KeptHold {
  readonly holdId: string
  readonly tenantId: string
  /** Both null: the whole tenant. */
  readonly proofId: string | null
  readonly kioskId: string | null
  readonly reference: string
  readonly placedAt: Date
  readonly placedBy: string
  readonly releasedAt: Date | null
  readonly releasedBy: string | null
  readonly releaseReference: string | null
  readonly kioskName: string | null
}

export interface HoldAct {
  readonly reference: string
  readonly actor: string
  readonly at: Date
}

/** Deletion of proofs (../deletion). `note` stores the access in the transaction of the act. */
interface DeletionPort {
  list(
    queries: Queries,
    page: {
      readonly tenantId: string
      readonly kioskId: null
      readonly after: string | null
      readonly limit: number
    },
  ): Promise<DeletedRow[]>
  /** Throws `not_found`, `legal_hold`, `revision_conflict`. */
  erase(
    order: {
      readonly tenantId: string
      readonly proofId?: string | undefined
      readonly identityId?: string | undefined
      readonly reference: string
      readonly actor: string
      readonly confirmation?: string | undefined
    },
    note: (queries: Queries) => Promise<void>,
  ): Promise<{
    readonly proofs: readonly ErasedProof[]
    readonly confirmation: string | null
    readonly isErased: boolean
  }>
  listHolds(
    queries: Queries,
    tenantId: string,
    choice: {
      readonly isReleasedToo: boolean
      readonly search?: string | undefined
      readonly sort: 'placed' | 'reference'
      readonly order: 'asc' | 'desc'
      readonly after: string | null
      readonly limit: number
    },
  ): Promise<{ readonly rows: readonly KeptHold[]; readonly isMore: boolean }>
  /** Throws `not_found`, `proof_not_found`. */
  placeHold(
    target: {
      readonly tenantId: string
      readonly proofId?: string | undefined
      readonly kioskId?: string | undefined
    },
    act: HoldAct,
    note: (queries: Queries, hold: KeptHold) => Promise<void>,
  ): Promise<KeptHold>
  /** Throws `not_found`, and `transition_refused` after another release. */
  releaseHold(
    tenantId: string,
    holdId: string,
    act: HoldAct,
    /** Not called for a repetition. */
    note: (queries: Queries) => Promise<void>,
  ): Promise<KeptHold>
}

/** A rollout of a release with its rings (../rollouts). */
export interface KnownRollout {
  readonly rollout: Omit<Rollout, 'rings' | 'waits' | 'startsAt' | 'changedAt'> & {
    readonly startsAt: Date
    readonly changedAt: Date
  }
  readonly rings: readonly Rollout['rings'][number][]
  readonly waits: Rollout['waits']
}

interface RolloutPort {
  list(
    queries: Queries,
    tenantId: string,
    choice: {
      readonly state?: Rollout['state'] | undefined
      readonly search?: string | undefined
      readonly sort: 'starts' | 'version' | 'state'
      readonly order: 'asc' | 'desc'
      readonly after: string | null
      readonly limit: number
    },
  ): Promise<{ readonly rows: readonly KnownRollout[]; readonly isMore: boolean }>
  /** `isNew` is false for a repetition. Throws `not_found`, `transition_refused`. */
  change(
    queries: Queries,
    tenantId: string,
    rolloutId: string,
    state: 'RUNNING' | 'PAUSED' | 'STOPPED',
    act: { readonly actor: string; readonly reason: string; readonly at: Date },
  ): Promise<KnownRollout & { readonly isNew: boolean }>
}

export interface HeadOfficeDeps {
  readonly db: Db
  readonly log: Log
  readonly clock: Clock
  readonly options: HeadOfficeOptions
  /** Null: staff sign in with a key. */
  readonly staffOidc: StaffOidc | null
  readonly secrets: Secrets
  /** Failed calls of this instance to the storage outside the database, by kind. */
  readonly countStorageFailures: () => Readonly<Record<string, number>>
  readonly countCalls: (name: CountName) => CallCounter
  /** The built screens; null: there are none. */
  readonly screensDir: string | null
  /** The decrypted archive, verified while it streams. */
  openArchive(archive: StoredArchive): Promise<Readable>
  /** The same hash as in `proofs.correlation_hash`. */
  hashCorrelationId(tenantId: string, correlationId: string): Uint8Array
  /** Signs bundles. */
  statementKey(): StatementKey
  /** Separate for anonymous callers, whose archives may harm their process. Throws `verification_stopped`. */
  readonly verifiers: Readonly<Record<'stranger' | 'consumer', Pick<Verifier, 'verify'>>>
  createEnrolmentCode(
    order: {
      readonly tenantId: string
      readonly name: string
      readonly expiresAt: Date
    },
    note: (queries: Queries) => Promise<void>,
  ): Promise<string>
  readonly deletion: DeletionPort
  readonly rollouts: RolloutPort
  /** `isNew` is false for a repetition. Throws `not_found`, and `transition_refused` after another decision. */
  resolveAlarm(
    queries: Queries,
    tenantId: string,
    alarmId: string,
    act: { readonly actor: string; readonly reason: string; readonly at: Date },
  ): Promise<{ readonly resolvedAt: Date; readonly isNew: boolean }>
  /** Null if the tenant has no such kiosk. Repeatable by the same actor; throws `transition_refused` for another one. */
  revokeKiosk(
    tenantId: string,
    kioskId: string,
    actor: string,
    note: (queries: Queries) => Promise<void>,
  ): Promise<{ readonly revokedAt: Date } | null>
}
