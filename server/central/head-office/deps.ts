/**
 * The dependencies of the head-office side. Parts of the central service's core are passed as functions, not
 * imported.
 */
import type { Readable } from 'node:stream'
import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import type { StatementKey } from '../../protocol/statements.ts'
import type { Db } from '../db/db.ts'
import type { Verifier } from '../verification/verifier.ts'
import type { HeadOfficeOptions } from './options.ts'

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

export interface HeadOfficeDeps {
  readonly db: Db
  readonly log: Log
  readonly clock: Clock
  readonly options: HeadOfficeOptions
  readonly secrets: Secrets
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
  createEnrolmentCode(order: {
    readonly tenantId: string
    readonly name: string
    readonly expiresAt: Date
  }): Promise<string>
  /** False if the tenant has no such kiosk. Repeatable. */
  revokeKiosk(tenantId: string, kioskId: string): Promise<boolean>
}
